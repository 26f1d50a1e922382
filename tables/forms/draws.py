"""What the floor sends about draws, breaks, tables and chairs."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

PLACE = re.compile(r"\s*([0-9]{1,4})[^0-9]+([0-9]{1,2})\s*")


class NumbersField(forms.CharField):
    """Numbers parted by commas or spaces, in the order written."""

    def to_python(self, value: Any) -> Any:
        parts = re.split(r"[\s,;]+", super().to_python(value) or "")
        if any(not part.isdecimal() or len(part) > 4 for part in parts if part):
            raise ValidationError("Write numbers, for example 3, 2, 1.")
        return [int(part) for part in parts if part]

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else ", ".join(str(number) for number in value or ())


class PlaceField(forms.CharField):
    """A chair as somebody writes it, "7 4" or "7-4": table and seat."""

    asks_for = ("table", "seat")

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return None
        match = PLACE.fullmatch(text)
        if not match:
            raise ValidationError("Write table and seat, for example 7-4.")
        return int(match[1]), int(match[2])


class TablesField(forms.MultipleChoiceField):
    """The numbers of tables that were ticked; the command knows which there are."""

    def to_python(self, value: Any) -> Any:
        return [int(item) for item in super().to_python(value) if item.isdecimal() and len(item) <= 4]

    def validate(self, value: Any) -> None:
        if self.required and not value:
            raise ValidationError("Choose at least one table.")


class FloorForm(forms.Form):
    """A form beside others on one page: its fields' ids begin with its own name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"{type(self).__name__.removesuffix('Form').lower()}-%s")
        super().__init__(*args, **kwargs)


class TablesWantedForm(FloorForm):
    """The seat draw, or its list; without a number as few tables as possible are used."""

    tables = forms.IntegerField(required=False, label="Tables", help_text="Empty: as few as possible.")


class WithdrawForm(FloorForm):
    """A frozen list to take back, and why."""

    draw_id = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=200, label="Why", error_messages={"required": "Say why the list is taken back: everybody sees it."}
    )


class RedrawForm(FloorForm):
    """The tables that are played on after a redraw."""

    keep = TablesField(label="Tables played on")


class OrderForm(FloorForm):
    """Tables in an order; empty for none."""

    order = NumbersField(required=False, label="Tables, the first one first", help_text="For example 9, 4, 7.")


class PointsForm(FloorForm):
    """With how many tables left everybody draws a new seat."""

    points = NumbersField(
        required=False, label="Redraw with so many tables left", help_text="For example 3, 2, 1. Empty: never."
    )


class LotForm(FloorForm):
    """Players by their places, and what the lot between them decides."""

    places = forms.CharField(label="Table and seat of each", help_text="For example 3-4, 5-1.")
    what = forms.CharField(max_length=120, label="What it decides", help_text="Everybody sees it.")

    def clean_places(self) -> list[tuple[int, int]]:
        found = [PLACE.fullmatch(part) for part in re.split(r"[,;]", self.cleaned_data["places"])]
        places = [(int(match[1]), int(match[2])) for match in found if match]
        if len(places) < len(found):
            raise ValidationError("Write table and seat of each, parted by commas: 3-4, 5-1.")
        return places


class PlaceForm(FloorForm):
    """A chair: of who has the first button by high card, or one to be unlocked."""

    place = PlaceField(label="Table and seat", error_messages={"required": "Write table and seat, for example 7-4."})


class AddTableForm(FloorForm):
    """One more table, open or prepared."""

    seats = forms.IntegerField(label="Chairs", required=False)
    number = forms.IntegerField(label="Number", required=False, help_text="Empty: the next one.")
    opened = forms.BooleanField(label="Open it now", required=False)


class SizeForm(FloorForm):
    """How many chairs an empty table has."""

    table = forms.IntegerField(label="Table")
    seats = forms.IntegerField(label="Chairs")


class LockForm(FloorForm):
    """A chair that is not to be used, and why."""

    place = PlaceField(label="Table and seat", help_text="For example 7-4.")
    reason = forms.CharField(max_length=120, label="Why", error_messages={"required": "Say why the chair is locked."})


class SeatByHandForm(FloorForm):
    """A seat that is not drawn, and why."""

    entry_id = forms.IntegerField(widget=forms.HiddenInput)
    place = PlaceField(label="Table and seat", help_text="For example 7-4.")
    reason = forms.CharField(
        max_length=200, label="Why", error_messages={"required": "Say why this seat is not drawn."}
    )


class KeepForm(FloorForm):
    """Why a player keeps a seat; and which, for somebody who has none yet."""

    entry_id = forms.IntegerField(widget=forms.HiddenInput)
    place = PlaceField(label="Table and seat", help_text="For example 7-4.", required=False)
    why = forms.CharField(
        max_length=200,
        label="Why",
        help_text="For staff alone; no more than is needed.",
        error_messages={"required": "Say why this player keeps a seat."},
    )


class EntryForm(FloorForm):
    """A player by the entry's key."""

    entry_id = forms.IntegerField(widget=forms.HiddenInput)
