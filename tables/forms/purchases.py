"""What sells a rebuy or an add-on: one entry, and how it is paid."""

from django import forms

from series.models import LedgerLine


class EntryForm(forms.Form):
    """One entry."""

    entry_id = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class AddOnForm(EntryForm):
    """An add-on paid."""

    method = forms.ChoiceField(
        label="Paid by",
        choices=LedgerLine.Method.choices,
        error_messages={"required": "Choose how it is paid: cash, card or transfer."},
    )


class RebuyForm(AddOnForm):
    """A rebuy paid; that the stack was looked at is part of the button on the floor, a box at the desk."""

    stack_confirmed = forms.BooleanField(required=False)
