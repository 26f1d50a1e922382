"""Places of an event: how many are left, until when one is held, by when a call from the waiting list must be answered.

The house rules are silent; what an organiser chooses is announced with the event. Counts are people, times instants.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class DayCount:
    """One flight: whether it can be entered, the most entries it takes (None: as many as the event), places held (a
    call from the waiting list holds one), players who bought in, those still at its tables, and those waiting.

    Who waits for a re-entry (`again_waiting`), or was called for one (`again_held`), needs a seat of the hall alone.
    """

    open: bool = True
    capacity: int | None = None
    held: int = 0
    taken: int = 0
    playing: int = 0
    waiting: int = 0
    again_held: int = 0
    again_waiting: int = 0


@dataclass(frozen=True)
class EventCount:
    """An event with its flights. `hall_seats`: the most who can sit at once (None: no limit but the places)."""

    capacity: int
    held: int
    taken: int
    hall_seats: int | None = None
    days: Sequence[DayCount] = ()


def free_places(event: EventCount) -> int:
    """Places of the event that nobody has or holds."""
    return max(0, event.capacity - event.held - event.taken)


def free_on(event: EventCount, day: DayCount) -> int:
    """Places on one flight that nobody has or holds: within its cap, the seats of the hall, and the event's places."""
    free = [free_places(event)]
    if day.capacity is not None:
        free.append(day.capacity - day.held - day.taken)
    if (seats := free_seats(event, day)) is not None:
        free.append(seats)
    return max(0, min(free))


def free_seats(event: EventCount, day: DayCount) -> int | None:
    """Seats of the hall on one flight that nobody has or holds; None: there is no limit."""
    if event.hall_seats is None:
        return None
    return max(0, event.hall_seats - day.held - day.again_held - day.playing)


def _promised(event: EventCount) -> int:
    """Places that go to people on the waiting list before anybody new."""
    return sum(min(day.waiting, free_on(event, day)) for day in event.days if day.open)


def left_on(event: EventCount, day: DayCount) -> int:
    """Places on one flight for somebody new: what is free after those who wait."""
    left = [free_on(event, day) - day.waiting, free_places(event) - _promised(event)]
    if (seats := seats_left(event, day)) is not None:
        left.append(seats)
    return max(0, min(left))


def seats_left(event: EventCount, day: DayCount) -> int | None:
    """Seats of the hall for a re-entry, after those held and waited for; None: there is no limit."""
    free = free_seats(event, day)
    return None if free is None else max(0, free - day.waiting - day.again_waiting)


def places_left(event: EventCount) -> int:
    """Places of the event for somebody new, over the flights that can be entered (all of them once none can)."""
    days = [day for day in event.days if day.open] or list(event.days)
    left = max(0, free_places(event) - _promised(event))
    return min(left, sum(left_on(event, day) for day in days)) if days else left


def held_until(
    now: dt.datetime, *, starts: dt.datetime, hold_minutes: int | None, grace_minutes: int
) -> dt.datetime | None:
    """Until when a place taken `now` is held unpaid: so many minutes before the flight starts, and after that for a
    short while; None: as long as registration is open."""
    if hold_minutes is None:
        return None
    return max(starts - dt.timedelta(minutes=hold_minutes), now + dt.timedelta(minutes=grace_minutes))


def call_ends(
    now: dt.datetime,
    *,
    starts: dt.datetime,
    hold_minutes: int | None,
    call_minutes: int,
    early_call_minutes: int,
    closes: dt.datetime | None = None,
) -> dt.datetime:
    """By when somebody called from the waiting list must have answered, or paid. Longer while the start is far off, but
    never past the instant until which places are held, and never past the end of registration."""
    short = now + dt.timedelta(minutes=call_minutes)
    long = now + dt.timedelta(minutes=early_call_minutes)
    last = starts - dt.timedelta(minutes=hold_minutes or 0)
    ends = max(short, min(long, last))
    return min(ends, closes) if closes is not None and closes > now else ends


def must_pay_now(now: dt.datetime, *, starts: dt.datetime, hold_minutes: int | None) -> bool:
    """Whether a call can only be answered at the desk, with the buy-in: places are not held any more."""
    return now >= starts - dt.timedelta(minutes=hold_minutes or 0)
