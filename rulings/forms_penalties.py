"""Forms for giving a penalty, taking it back and appeals. They read; whether it is allowed is for the commands."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.html import format_html

from rulings.forms_rulings import NO_CARDS
from rulings.penalty_commands import AS_SUGGESTED
from rulings.penalty_reads import OffenceChoice
from series.forms.fields import ChipsField, WholeNumberField
from tables.models import Penalty

SANCTIONS = Penalty.Sanction.choices


class PenaltyForm(forms.Form):
    """What happened and what it brings; `offences` as `rulings.penalty_reads.offence_choices` has them."""

    offence = forms.ChoiceField(label="What was it", widget=forms.RadioSelect)
    severe = forms.BooleanField(label="Severe: skip a step of the ladder", required=False)
    sanction = forms.ChoiceField(
        label="Penalty",
        choices=[(AS_SUGGESTED, "As suggested"), *((value, str(label).capitalize()) for value, label in SANCTIONS)],
        widget=forms.RadioSelect,
        initial=AS_SUGGESTED,
    )
    count = WholeNumberField(
        label="How many hands or rounds",
        least=1,
        most=99,
        required=False,
        help_text="A round is a hand for each player at the table now.",
    )
    chips = ChipsField(
        label="Chips in the stack",
        required=False,
        help_text="Only for a disqualification: they leave play. The prize, if any, waits for the director.",
    )
    facts = forms.CharField(
        label="What happened", max_length=4000, widget=forms.Textarea(attrs={"rows": 3}), help_text=NO_CARDS
    )
    witness = forms.CharField(label="Who saw it", required=False, max_length=120)

    def __init__(self, *args: Any, offences: Sequence[OffenceChoice], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["offence"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (choice.code, format_html("{} <small>{}</small>", choice.title, _suggests(choice))) for choice in offences
        ]


def _suggests(choice: OffenceChoice) -> str:
    before = f", {choice.counted} before" if choice.counted else ""
    return f"{choice.suggested}{before}"


class WithdrawForm(forms.Form):
    """A penalty that should not have been."""

    why = forms.CharField(label="Why", max_length=2000, widget=forms.Textarea(attrs={"rows": 2}))


class NoPenaltyForm(forms.Form):
    """A button that says it all."""
