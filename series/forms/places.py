"""How the places of an event are given out, as the organiser fills it in."""

from typing import Any

from django import forms

from series.commands.place_rules import CALL, EARLY_CALL, MOST_HOLD, MOST_PLACES
from series.forms.fields import WholeNumberField, reason_field
from series.models import Day, Event


class PlacesForm(forms.Form):
    """Caps of flights (`cap_…` with the key of the flight) and of the hall, holds and calls."""

    hold_minutes = WholeNumberField(
        label="Places are held until so many minutes before the start",
        required=False,
        least=0,
        most=MOST_HOLD,
        help_text="Then those who are not here lose theirs. Players read the time when they sign up, on their own page "
        "and by mail. Empty: held until registration closes.",
    )
    hall_seats = WholeNumberField(
        label="Seats in the hall",
        required=False,
        least=2,
        most=MOST_PLACES,
        help_text="The most who can sit at once, if that is fewer than the places. Who comes then waits as an "
        "alternate. Empty: a seat for every place.",
    )
    call_minutes = WholeNumberField(
        label="Minutes to answer a call from the waiting list",
        least=CALL[0],
        most=CALL[1],
        help_text="Once places are not held any more: be at the desk and pay.",
    )
    early_call_minutes = WholeNumberField(
        label="Minutes to answer a call long before the start",
        least=EARLY_CALL[0],
        most=EARLY_CALL[1],
        help_text="1,440 is a day. It never goes past the time until which places are held.",
    )
    reason = reason_field()

    def __init__(self, *args: Any, flights: list[Day], told: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.flights = flights if len(flights) > 1 else []
        for day in self.flights:
            self.fields[f"cap_{day.pk}"] = WholeNumberField(
                label=f"The most entries of {day}",
                required=False,
                least=1,
                most=MOST_PLACES,
                help_text="Empty: as many as the event has places.",
            )
        reason = self.fields.pop("reason")
        if told:
            self.fields["reason"] = reason

    @classmethod
    def of(cls, event: Event, flights: list[Day]) -> "PlacesForm":
        """The form with what holds now."""
        initial = {name: getattr(event, name) for name in cls.base_fields if name != "reason"}
        caps = {f"cap_{day.pk}": day.capacity for day in flights}
        return cls(initial=initial | caps, flights=flights, told=event.status != Event.Status.DRAFT)

    def given(self) -> dict[str, Any]:
        """The arguments of the command `change_place_rules`."""
        return {name: self.cleaned_data[name] for name in PlacesForm.base_fields if name in self.cleaned_data} | {
            "caps": {day.pk: self.cleaned_data[f"cap_{day.pk}"] for day in self.flights}
        }
