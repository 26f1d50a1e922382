"""The part of a form that says what penalty an offence brings."""

from typing import Any

from django import forms

from rulings.domain.penalties import OFFENCES
from rulings.penalty_commands import AS_SUGGESTED
from series.forms.fields import ChipsField, WholeNumberField
from tables.models import Penalty

NO_CARDS = "Never the cards of a hand still being played (rule 35a)."
SANCTIONS = Penalty.Sanction.choices
TITLES = [(offence.code, offence.title) for offence in OFFENCES]


class SanctionForm(forms.Form):
    """The penalty: what the ladder suggests, or one that the floor chooses."""

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

    def asked(self) -> dict[str, Any]:
        """What was chosen, as `rulings.penalty_commands.Asked` takes it."""
        given = self.cleaned_data
        return {
            "sanction": given["sanction"],
            "count": given["count"] or 0,
            "severe": given["severe"],
            "chips": given["chips"],
        }
