"""The form of a deal: chips or own amounts of everybody left, and who agreed."""

from collections.abc import Sequence
from typing import Any

from django import forms

from series.forms.fields import ChipsField, MoneyField
from series.models import Deal, Entry


class DealForm(forms.Form):
    """For entry 7 the fields `stack_7`, `amount_7`, `agree_7` and, as it was shown, `share_7` in cents."""

    method = forms.ChoiceField(
        label="Divided by", choices=Deal.Method.choices, widget=forms.RadioSelect, initial=Deal.Method.ICM
    )
    left_cents = MoneyField(
        label="Left to play for", required=False, help_text="Goes to the winner on top. Empty: nothing."
    )
    shown = forms.ChoiceField(
        label="The results show", choices=Deal.Shown.choices, widget=forms.RadioSelect, initial=Deal.Shown.AMOUNTS
    )

    def __init__(self, *args: Any, players: Sequence[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.players = players
        for entry in players:
            pk, name = entry.pk, entry.player.public_name
            self.fields[f"stack_{pk}"] = ChipsField(label=f"Chips of {name}", required=False)
            self.fields[f"amount_{pk}"] = MoneyField(label=f"Amount for {name}", required=False)
            self.fields[f"agree_{pk}"] = forms.BooleanField(label=f"{name} agreed", required=False)
            self.fields[f"share_{pk}"] = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def _by_entry(self, name: str) -> dict[int, int]:
        found = {entry.pk: self.cleaned_data.get(f"{name}_{entry.pk}") for entry in self.players}
        return {pk: value for pk, value in found.items() if value is not None}

    @property
    def terms(self) -> dict[str, Any]:
        """What a preview needs."""
        given = self.cleaned_data
        return {
            "method": given["method"],
            "stacks": self._by_entry("stack"),
            "amounts": self._by_entry("amount"),
            "left_cents": given["left_cents"] or 0,
        }

    @property
    def agreed(self) -> frozenset[int]:
        return frozenset(entry.pk for entry in self.players if self.cleaned_data.get(f"agree_{entry.pk}"))

    @property
    def shares(self) -> dict[int, int]:
        """The shares as they were shown."""
        return self._by_entry("share")


class ShowForm(forms.Form):
    """What the public results show of a deal."""

    shown = forms.ChoiceField(label="The results show", choices=Deal.Shown.choices, widget=forms.RadioSelect)
