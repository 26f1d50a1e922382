"""Who busted a player, and a player's bounties handed over."""

from typing import Any

from django import forms

from journal.forms import whole_number
from series.models import LedgerLine


class HuntersForm(forms.Form):
    """Who won the bounty of `entry_id`: `by` repeats, nobody is an answer too. `cleaned_data` has both."""

    entry_id = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        given = self.data.getlist("by") if hasattr(self.data, "getlist") else []
        by = [number for value in given if (number := whole_number(value)) is not None]
        return self.cleaned_data | {"by": by}


class PayBountiesForm(forms.Form):
    """All that a player is owed."""

    player_id = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    method = forms.ChoiceField(
        choices=LedgerLine.Method.choices,
        error_messages={"required": "Choose how it is paid: cash, card or transfer."},
    )
