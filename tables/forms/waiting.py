"""What the desk fills in at the waiting list."""

from django import forms


class SkipForm(forms.Form):
    """Taking somebody off the list."""

    registration = forms.IntegerField(widget=forms.HiddenInput, max_value=2**63 - 1)
    reason = forms.CharField(label="Why", max_length=200, error_messages={"required": "Say why."})


class CallForm(forms.Form):
    """Calling somebody; the next one without a `registration`."""

    registration = forms.IntegerField(required=False, max_value=2**63 - 1)
