"""What the cashier and the director send from the page of the payouts."""

from django import forms

from series.models import LedgerLine

MOST_KEY = 10**18 - 1


class LockForm(forms.Form):
    """The prizes are published as they stand."""


class EntryForm(forms.Form):
    """Which entry's prize."""

    entry_id = forms.IntegerField(min_value=1, max_value=MOST_KEY, widget=forms.HiddenInput)


class PayForm(EntryForm):
    """Which prize is paid, how, and to whom if not to the player."""

    method = forms.ChoiceField(choices=LedgerLine.Method.choices, error_messages={"required": "Choose how it is paid."})
    paid_to = forms.CharField(label="To somebody else", required=False, max_length=120)


class CashSeatForm(EntryForm):
    """A seat that was not used, paid in money."""

    method = forms.ChoiceField(choices=LedgerLine.Method.choices, error_messages={"required": "Choose how it is paid."})


class HoldForm(EntryForm):
    """Why a prize is held."""

    why = forms.CharField(label="Why it is held", max_length=300)
