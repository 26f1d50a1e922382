"""How the places of an event are given out: caps, seats in the hall, how long a place is held and a call waits."""

from collections.abc import Mapping
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.events import require_not_over
from series.commands.notices import tell_changes
from series.commands.people import hold_again
from series.models import Day, Event
from series.reads.places import counted

MOST_PLACES = 100_000
MOST_HOLD = 30 * 24 * 60
CALL = (1, 240)
EARLY_CALL = (1, 14 * 24 * 60)


def _within(value: int | None, least: int, most: int, field: str) -> int | None:
    if value is not None and not least <= value <= most:
        raise Refused(f"A number between {least:,} and {most:,}.", field=field)
    return value


def _hold_words(event: Event) -> str:
    if event.hold_minutes is None:
        return "until registration closes"
    return f"until {event.hold_minutes:,} minutes before the start"


@command(Event, "event.places", permission=Permission.SET_UP, undoable=False)
def change_place_rules(
    tx: Tx[Event],
    *,
    hall_seats: int | None,
    hold_minutes: int | None,
    call_minutes: int,
    early_call_minutes: int,
    caps: Mapping[int, int | None],
) -> dict[str, Any]:
    """Set them. `caps`: the most entries of each flight, by its key; None: as many as the event has places. Places that
    are held already are held until the new instant, and never for less than a call has to be answered in. Of an event
    that people have been told of they read it, with the reason (house rule 54).

    Raises:
        Refused: at the field that is wrong (`cap_…` with the key of the flight), or at `reason`; the event is over.
    """
    event = tx.subject
    require_not_over(event)
    tx.expect_unchanged(event)
    flights = tx.lock(Day.objects.filter(event=event, kind=Day.Kind.FLIGHT))
    counts = {day.pk: day for day in counted(event).days.all()}
    for day in flights:
        cap = _within(caps.get(day.pk), 1, MOST_PLACES, f"cap_{day.pk}")
        taken = counts[day.pk].held + counts[day.pk].taken
        if cap is not None and cap < taken:
            raise Refused(f"{taken} places are taken or held already.", field=f"cap_{day.pk}", code="places_taken")
        tx.change(day, capacity=cap)
    before = _hold_words(event)
    tx.change(
        event,
        hall_seats=_within(hall_seats, 2, MOST_PLACES, "hall_seats"),
        hold_minutes=_within(hold_minutes, 0, MOST_HOLD, "hold_minutes"),
        call_minutes=_within(call_minutes, *CALL, "call_minutes"),
        early_call_minutes=_within(early_call_minutes, *EARLY_CALL, "early_call_minutes"),
    )
    hold_again(tx)
    after = _hold_words(event)
    tell_changes(tx, [f"Places are held: {before} → {after}"] if after != before else [])
    tx.say("How places of {event} are given out changed", event=event)
    return {}
