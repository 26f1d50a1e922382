"""Forms for giving a penalty, taking it back and appeals. They read; whether it is allowed is for the commands."""

from collections.abc import Sequence
from typing import Any

from django import forms

from rulings.forms_sanction import NO_CARDS, SanctionForm
from rulings.penalty_reads import OffenceChoice


class PenaltyForm(SanctionForm):
    """What happened and what it brings; `offences` as `rulings.penalty_reads.offence_choices` has them, `rulings` those
    on the player, by key, that it may have come from."""

    offence = forms.ChoiceField(label="What was it")
    facts = forms.CharField(
        label="What happened", max_length=4000, widget=forms.Textarea(attrs={"rows": 3}), help_text=NO_CARDS
    )
    witness = forms.CharField(label="Who saw it", required=False, max_length=120)
    ruling = forms.TypedChoiceField(label="From the ruling", coerce=int, empty_value=None, required=False)

    def __init__(
        self, *args: Any, offences: Sequence[OffenceChoice], rulings: Sequence[tuple[int, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if rulings:
            self.fields["ruling"].choices = [("", "–"), *rulings]  # type: ignore[attr-defined]
        else:
            del self.fields["ruling"]
        field = self.fields["offence"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", "–"),
            *((choice.code, f"{choice.title} – {_suggests(choice)}") for choice in offences),
        ]

    def given(self) -> dict[str, Any]:
        """What was sent, as `rulings.penalty_commands.give_penalty` takes it."""
        sent = self.cleaned_data
        words = {name: sent[name] for name in ("offence", "facts", "witness")}
        return self.asked() | words | {"ruling_id": sent.get("ruling")}


def _suggests(choice: OffenceChoice) -> str:
    before = f", {choice.counted} before" if choice.counted else ""
    return f"{choice.suggested}{before}"


class WithdrawForm(forms.Form):
    """A penalty that should not have been."""

    why = forms.CharField(label="Why", max_length=2000, widget=forms.Textarea(attrs={"rows": 2}))


class NoPenaltyForm(forms.Form):
    """A button that says it all."""
