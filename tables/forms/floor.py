"""Forms of the floor and of the payouts."""

from typing import Any

from django import forms

from series.models import LedgerLine


class PayForm(forms.Form):
    """Which entry's prize is paid, and how."""

    entry_id = forms.IntegerField(widget=forms.HiddenInput)
    method = forms.ChoiceField(choices=LedgerLine.Method.choices, error_messages={"required": "Choose how it is paid."})
