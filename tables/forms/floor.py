"""What the floor and the cashier send."""

import re
from typing import Any

from django import forms

from journal.forms import whole_number
from series.forms.fields import ChipsField
from tables.forms.draws import FloorForm

SPOT = re.compile(r"([0-9]{1,4})-([0-9]{1,2})")
MOVE = re.compile(r"([0-9]{1,12}):([0-9]{1,4})-([0-9]{1,2})")


class NoForm(forms.Form):
    """A button that says it all."""


class ClockTimeForm(forms.Form):
    """Time given to the level at hand, or taken from it."""

    seconds = forms.IntegerField()


class ClockPositionForm(forms.Form):
    """The level or break to go to."""

    position = forms.IntegerField(min_value=0)


class PauseAfterForm(forms.Form):
    """Whether the clock stops after the level at hand."""

    wanted = forms.BooleanField(required=False)


class MissedForm(forms.Form):
    """A hand that somebody missed, or that the last one was dealt again."""

    penalty_id = forms.IntegerField(min_value=1)
    redeal = forms.BooleanField(required=False)


class DrawForm(forms.Form):
    """The seat draw; without a number as few tables as possible are open."""

    tables = forms.IntegerField(required=False, label="Tables")


class BustForm(forms.Form):
    """Who went out in one hand, with the stack each began it with where that decides the places.

    `out` repeats; the stack of entry 12 is the field `stack_12`; `by` repeats for those who busted them; `hand` is sent
    during hand-for-hand. `cleaned_data` has `entry_ids`, `stacks`, `by` and `hand`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("entry", "by"):  # where refusals are shown
            self.fields[name] = forms.CharField(required=False, widget=forms.HiddenInput)
        for entry_id in self.entry_ids:
            self.fields[f"stack_{entry_id}"] = ChipsField(required=False)

    @property
    def entry_ids(self) -> list[int]:
        given = self.data.getlist("out") if hasattr(self.data, "getlist") else []
        numbers = (whole_number(value) for value in given)
        return list(dict.fromkeys(number for number in numbers if number is not None))

    def clean(self) -> dict[str, Any]:
        if not self.entry_ids:
            raise forms.ValidationError("Say who is out: a name, or table and seat.")
        stacks = {
            entry_id: stack
            for entry_id in self.entry_ids
            if (stack := self.cleaned_data.get(f"stack_{entry_id}")) is not None
        }
        given = self.data.getlist("by") if hasattr(self.data, "getlist") else []
        by = [number for value in given if (number := whole_number(value)) is not None]
        return {
            "entry_ids": self.entry_ids,
            "stacks": stacks,
            "by": by,
            "hand": whole_number(self.data.get("hand", "")),
        }


class SpotField(forms.CharField):
    """A chair as a page sends it, "7-4": table and seat."""

    asks_for = ("table", "seat")

    def to_python(self, value: Any) -> Any:
        match = SPOT.fullmatch(super().to_python(value) or "")
        if not match:
            raise forms.ValidationError("Choose the seat.")
        return int(match[1]), int(match[2])


class BalanceForm(forms.Form):
    """Moves that the site advised, one or all: `move` repeats as "17:7-4", entry, table and seat.

    `cleaned_data` has `moves`.
    """

    def clean(self) -> dict[str, Any]:
        found = [MOVE.fullmatch(value) for value in self.data.getlist("move")]  # type: ignore[attr-defined]
        if not found or not all(found):
            raise forms.ValidationError("Load the page again: it does not say which move.")
        return {"moves": [tuple(int(part) for part in match.groups()) for match in found if match]}


class MoveForm(forms.Form):
    """A move of the floor's own choice, which needs a reason."""

    entry_id = forms.IntegerField(widget=forms.HiddenInput)
    seat = SpotField(label="To", error_messages={"required": "Choose the seat."})
    reason = forms.CharField(
        max_length=200,
        label="Why",
        help_text="The player reads it.",
        error_messages={"required": "Say why this player is moved."},
    )


class ArrivedForm(forms.Form):
    """A player seen at the new seat."""

    move_id = forms.IntegerField()


class TableForm(forms.Form):
    """A table by its number."""

    table = forms.IntegerField(min_value=1)


class ComingButtonForm(forms.Form):
    """Who has the button in the coming hand, as a seat."""

    table = forms.IntegerField(min_value=1)
    button = forms.IntegerField(min_value=1)


class ButtonForm(forms.Form):
    """Where button and blinds lay in the last hand; blinds left out follow from the button."""

    table = forms.IntegerField(min_value=1)
    button = forms.IntegerField(min_value=1)
    small_blind = forms.IntegerField(min_value=1, required=False)
    big_blind = forms.IntegerField(min_value=1, required=False)


class DodgeForm(FloorForm):
    """Which blinds a moved player dodged, and what was seen."""

    move_id = forms.IntegerField(widget=forms.HiddenInput)
    small_blind = forms.BooleanField(required=False, label="Small blind")
    big_blind = forms.BooleanField(required=False, label="Big blind")
    stack = ChipsField(required=False, label="All their chips", help_text="Only if they may be fewer than that.")
    reason = forms.CharField(
        max_length=200, label="What was seen", error_messages={"required": "Say what was seen: it is a finding."}
    )


class DodgeDoneForm(forms.Form):
    """Dead money that is in the pot."""

    dodge_id = forms.IntegerField()


class BustStackForm(forms.Form):
    """The chips with which somebody began the hand they went out in."""

    entry_id = forms.IntegerField(widget=forms.HiddenInput)
    stack = ChipsField(label="Stack at the start of the hand")
