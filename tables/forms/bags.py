"""What a table bagged, and closing or gathering the bags."""

from typing import Any

from django import forms

from journal.forms import whole_number
from series.domain.money import AmountError, parse_chips


class BagsForm(forms.Form):
    """The bags of one table: `bag_12` is that of entry 12; an empty one stays open. `cleaned_data` has `table` and
    `chips` by entry."""

    table = forms.IntegerField(min_value=1, max_value=9999)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.data if self.is_bound else ():
            if name.startswith("bag_") and whole_number(name.removeprefix("bag_")):
                self.fields[name] = forms.CharField(required=False, max_length=20)

    def clean(self) -> dict[str, Any]:
        chips = {}
        for name in self.fields:
            typed = str(self.cleaned_data.get(name) or "").strip()
            if not name.startswith("bag_") or not typed:
                continue
            try:
                chips[_entry(name)] = parse_chips(typed)
            except AmountError as error:
                self.add_error(name, str(error))
        if not chips and not self.errors:
            raise forms.ValidationError("Enter what is in the bags.")
        return {"table": self.cleaned_data.get("table"), "chips": chips}

    @property
    def typed(self) -> dict[int, tuple[str, str]]:
        """What stands in each field and what is wrong with it, by entry."""
        fields = [name for name in self.fields if name.startswith("bag_")]
        return {_entry(name): (self.data[name], " ".join(map(str, self.errors.get(name, [])))) for name in fields}


def _entry(name: str) -> int:
    return int(name.removeprefix("bag_"))


class CloseBagsForm(forms.Form):
    """All bags are in; a reason if their sum is off."""

    reason = forms.CharField(label="Why the sum is off", max_length=200, required=False)


class GatherForm(forms.Form):
    """Bags brought to a later day; where its clock goes on."""

    position = forms.IntegerField(required=False, min_value=0, max_value=1000)
