"""Forms of the money: counting a till, moving cash, adding to the pool, signing a sheet."""

from typing import Any

from django import forms

from series.domain.ledger import DENOMINATIONS, count_total
from series.domain.money import format_money
from series.forms.fields import MoneyField, WholeNumberField
from series.models import LedgerLine

MOST_PIECES = 100_000


class CountForm(forms.Form):
    """Cash in a till: counted by notes and coins, or as a total. `reason` says why it differs from the ledger."""

    total_cents = MoneyField(label="Total", required=False, help_text="Or count notes and coins below.")
    reason = forms.CharField(label="Why it differs", required=False, max_length=200)

    def __init__(self, *args: Any, currency: str = "", closing: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.values = DENOMINATIONS.get(currency, ())
        for value in self.values:
            label = format_money(value) if value >= 100 else f"{value}c"
            self.fields[f"pieces_{value}"] = WholeNumberField(label=label, required=False, least=0, most=MOST_PIECES)
            self.fields[f"pieces_{value}"].widget.attrs |= {"inputmode": "numeric", "class": "piece", "min": None}
        if not self.values:
            self.fields["total_cents"].help_text = ""
        if not closing:
            del self.fields["reason"]

    @property
    def pieces(self) -> list[forms.BoundField]:
        """A field for each note and coin, the largest first."""
        return [self[f"pieces_{value}"] for value in self.values]

    @property
    def counts_pieces(self) -> bool:
        """Whether notes or coins were counted, or one of their fields is wrong."""
        return any(self.data.get(f"pieces_{value}") or f"pieces_{value}" in self.errors for value in self.values)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        counted = {value: given.get(f"pieces_{value}") or 0 for value in self.values}
        given["pieces"] = {value: number for value, number in counted.items() if number}
        if given.get("total_cents") is None and "total_cents" not in self.errors:
            if not any(self.data.get(f"pieces_{value}") for value in self.values):
                self.add_error("total_cents", "Write the total, 0 for an empty till, or count notes and coins.")
            given["total_cents"] = count_total(given["pieces"])
        return given

    @property
    def given(self) -> dict[str, Any]:
        """What the commands take of a valid form."""
        named = {name: self.cleaned_data[name] for name in ("total_cents", "pieces")}
        return named | ({"reason": self.cleaned_data["reason"]} if "reason" in self.fields else {})


class CashForm(forms.Form):
    """An amount of cash between a till and the safe."""

    cents = MoneyField(label="Amount")


class OwnCashForm(forms.Form):
    """Cash that the organiser brings to the safe or takes out of it."""

    out = forms.TypedChoiceField(
        label="The cash",
        choices=[("0", "Comes into the safe"), ("1", "Leaves the safe")],
        coerce=lambda value: value == "1",
        initial="0",
        widget=forms.RadioSelect,
    )
    cents = MoneyField(label="Amount")
    note = forms.CharField(label="Where from, or where to", max_length=200, help_text="Such as: float from the bank.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "own_cash_%s"


class AddToPoolForm(forms.Form):
    """Money that a sponsor or the organiser puts into the prize pool."""

    cents = MoneyField(label="Amount")
    source = forms.CharField(label="From whom", max_length=80, help_text="Read by staff.")
    method = forms.ChoiceField(
        label="Paid by",
        choices=LedgerLine.Method.choices,
        initial=LedgerLine.Method.TRANSFER,
        widget=forms.RadioSelect,
    )


class SignForm(forms.Form):
    """Stating that a sheet is right. `lines`: how many lines of the ledger were seen."""

    lines = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31)
    note = forms.CharField(label="Note", required=False, max_length=200)


class LedgerForm(forms.Form):
    """What to look at in the ledger."""

    item = forms.ChoiceField(label="For", required=False, choices=[("", "Anything"), *LedgerLine.Item.choices])
    account = forms.ChoiceField(
        label="Account",
        required=False,
        choices=[("", "All accounts"), *((code, str(name).capitalize()) for code, name in LedgerLine.Account.choices)],
    )
    method = forms.ChoiceField(label="Paid by", required=False, choices=[("", "Any way"), *LedgerLine.Method.choices])
    receipt = forms.CharField(
        label="Receipt", required=False, widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6})
    )
