"""The tournament clock: an instant at which the level ends, not a counter.

Nothing has to run for the time to be right: while the clock runs it is the instant `ends_at`, while it
stands it is what `remaining` says. Every function takes the instant it happens at (aware, UTC) and first
carries out what fell due before it, each deadline reckoned from the deadline before, so that calls may
come late, twice or not at all.

Sources: levels and breaks as in the structure; a level applies to the next hand (T24-23); time off the
clock during hand-for-hand play (T24 RP-8).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

ZERO = timedelta(0)


class ClockError(ValueError):
    """The clock cannot do that now; the message is in plain words, for the page."""


class Status(StrEnum):
    NOT_STARTED = "not_started"
    RUNNING = "running"
    PAUSED = "paused"
    OVERTIME = "overtime"  # the last level is over, its blinds stay
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Item:
    """One level or break of the structure."""

    duration: timedelta
    is_break: bool = False

    def __post_init__(self) -> None:
        if self.duration <= ZERO:
            raise ClockError("Every level and every break needs a length.")


@dataclass(frozen=True, slots=True)
class Clock:
    """The state of one event's clock; `version` grows by one with every change.

    position: index in the structure's items; ends_at: set while running; remaining: set while paused
    or ended, zero in overtime; pause_after: stop when the item at `position` is over.
    """

    position: int = 0
    status: Status = Status.NOT_STARTED
    ends_at: datetime | None = None
    remaining: timedelta | None = None
    pause_after: bool = False
    version: int = 0


@dataclass(frozen=True, slots=True)
class Upcoming:
    """An item still to come and when it starts; for a clock that stands, if it ran on from now."""

    position: int
    starts_at: datetime


@dataclass(frozen=True, slots=True)
class View:
    """The clock as it is at one instant: `time_left` in the item at `position`, and the items after it."""

    position: int
    status: Status
    time_left: timedelta
    upcoming: tuple[Upcoming, ...]


def steps(clock: Clock, items: Sequence[Item], now: datetime) -> Iterator[Clock]:
    """Yield the clock after each change of item that is due at `now`, oldest first."""
    _check(items, now)
    while clock.status is Status.RUNNING and clock.ends_at is not None and clock.ends_at <= now:
        clock = _next(clock, items, clock.ends_at)
        yield clock


def advance(clock: Clock, items: Sequence[Item], now: datetime) -> Clock:
    """Return the clock at `now`; the same object if nothing was due."""
    for step in steps(clock, items, now):
        clock = step
    return clock


def at(clock: Clock, items: Sequence[Item], now: datetime) -> View:
    """Return what every screen shows at `now`."""
    clock = advance(clock, items, now)
    left = _time_left(clock, items, now)
    upcoming = []
    if clock.status in (Status.NOT_STARTED, Status.RUNNING, Status.PAUSED):
        starts_at = now + left
        for position in range(clock.position + 1, len(items)):
            upcoming.append(Upcoming(position, starts_at))
            starts_at += items[position].duration
    return View(clock.position, clock.status, left, tuple(upcoming))


def level_number(items: Sequence[Item], position: int) -> int:
    """Return the number of the level at `position`, breaks not counted; in a break, the level before."""
    return sum(not item.is_break for item in items[: position + 1])


def start(clock: Clock, items: Sequence[Item], now: datetime) -> Clock:
    """Start the clock for the first time."""
    _check(items, now)
    if clock.status is not Status.NOT_STARTED:
        raise ClockError("The clock has been started already.")
    return _changed(clock, status=Status.RUNNING, ends_at=now + items[clock.position].duration)


def pause(clock: Clock, items: Sequence[Item], now: datetime) -> Clock:
    """Stop the clock where it is; in overtime the blinds stay held."""
    clock = advance(clock, items, now)
    if clock.status not in (Status.RUNNING, Status.OVERTIME):
        raise ClockError(f"The clock cannot be paused: it {_IS[clock.status]}.")
    return _changed(clock, status=Status.PAUSED, remaining=_time_left(clock, items, now))


def resume(clock: Clock, items: Sequence[Item], now: datetime) -> Clock:
    """Let a paused clock run on with the time it had."""
    _check(items, now)
    if clock.status is not Status.PAUSED or clock.remaining is None:
        raise ClockError(f"The clock is not paused: it {_IS[clock.status]}.")
    if clock.remaining == ZERO:
        return _changed(clock, status=Status.OVERTIME)
    return _changed(clock, status=Status.RUNNING, ends_at=now + clock.remaining)


def adjust(clock: Clock, items: Sequence[Item], by: timedelta, now: datetime) -> Clock:
    """Add time to the item at hand, or take it away; added in overtime, the last level runs on."""
    clock = advance(clock, items, now)
    if clock.status in (Status.NOT_STARTED, Status.ENDED):
        raise ClockError(f"There is no time to adjust: the clock {_IS[clock.status]}.")
    left = _time_left(clock, items, now)
    if left + by <= ZERO:
        raise ClockError(f"Only {_minutes(left)} is left. To end it now, jump to what comes next.")
    return _with_time(clock, left + by, now)


def jump(clock: Clock, items: Sequence[Item], position: int, now: datetime) -> Clock:
    """Go to the beginning of any level or break; a paused clock stays paused there."""
    clock = advance(clock, items, now)
    if not 0 <= position < len(items):
        raise ClockError(f"The structure has no item {position + 1}: it ends with item {len(items)}.")
    if clock.status in (Status.NOT_STARTED, Status.ENDED):
        raise ClockError(f"The clock {_IS[clock.status]}: there is nothing to jump from.")
    moved = replace(clock, position=position, pause_after=False)
    return _with_time(moved, items[position].duration, now)


def pause_after(clock: Clock, items: Sequence[Item], wanted: bool, now: datetime) -> Clock:
    """Choose whether the clock stops by itself when the level or break at hand is over."""
    clock = advance(clock, items, now)
    if clock.status not in (Status.NOT_STARTED, Status.RUNNING, Status.PAUSED):
        raise ClockError(f"There is no level whose end could be waited for: the clock {_IS[clock.status]}.")
    return replace(clock, pause_after=wanted, version=clock.version + 1)


def take_off(clock: Clock, items: Sequence[Item], amount: timedelta, now: datetime) -> Clock:
    """Take the time of one hand off a paused clock during hand-for-hand play (T24 RP-8).

    At zero the next item begins, paused, with its whole time: nothing is carried into it. A break stays whole,
    it is still to be had. At the end of the structure the time stays at zero.
    """
    _check(items, now)
    if clock.status is not Status.PAUSED or clock.remaining is None:
        raise ClockError("Time for a hand is taken off only while the clock is paused.")
    if amount < ZERO:
        raise ClockError("The time of a hand cannot be negative.")
    if items[clock.position].is_break:
        return clock
    left = max(clock.remaining - amount, ZERO)
    if left == ZERO and clock.position + 1 < len(items):
        position = clock.position + 1
        return _changed(
            replace(clock, position=position, pause_after=False),
            status=Status.PAUSED,
            remaining=items[position].duration,
        )
    return _changed(clock, status=Status.PAUSED, remaining=left)


def end(clock: Clock, items: Sequence[Item], now: datetime) -> Clock:
    """Stop the clock for good, where it is."""
    clock = advance(clock, items, now)
    if clock.status is Status.ENDED:
        raise ClockError("The clock has ended already.")
    return _changed(clock, status=Status.ENDED, remaining=_time_left(clock, items, now))


_IS = {
    Status.NOT_STARTED: "has not been started",
    Status.RUNNING: "is running",
    Status.PAUSED: "is paused",
    Status.OVERTIME: "is in overtime",
    Status.ENDED: "has ended",
}


def _check(items: Sequence[Item], now: datetime) -> None:
    if now.tzinfo is None:
        raise ValueError("the clock needs aware instants")
    if not items:
        raise ClockError("The structure has no levels yet.")


def _changed(
    clock: Clock, *, status: Status, ends_at: datetime | None = None, remaining: timedelta | None = None
) -> Clock:
    return replace(clock, status=status, ends_at=ends_at, remaining=remaining, version=clock.version + 1)


def _with_time(clock: Clock, left: timedelta, now: datetime) -> Clock:
    if clock.status is Status.PAUSED:
        return _changed(clock, status=Status.PAUSED, remaining=left)
    return _changed(clock, status=Status.RUNNING, ends_at=now + left)


def _next(clock: Clock, items: Sequence[Item], ended_at: datetime) -> Clock:
    """Return the running clock after its item was over at `ended_at`."""
    following = replace(clock, position=clock.position + 1, pause_after=False)
    if following.position >= len(items):
        last_level = max((i for i, item in enumerate(items) if not item.is_break), default=len(items) - 1)
        following = replace(following, position=last_level)
        if clock.pause_after:
            return _changed(following, status=Status.PAUSED, remaining=ZERO)
        return _changed(following, status=Status.OVERTIME)
    duration = items[following.position].duration
    if clock.pause_after:
        return _changed(following, status=Status.PAUSED, remaining=duration)
    return _changed(following, status=Status.RUNNING, ends_at=ended_at + duration)


def _time_left(clock: Clock, items: Sequence[Item], now: datetime) -> timedelta:
    """Return the time left in the item at hand of a clock with nothing due at `now`."""
    if clock.status is Status.NOT_STARTED:
        return items[clock.position].duration
    if clock.ends_at is not None:
        return clock.ends_at - now
    return clock.remaining or ZERO


def _minutes(left: timedelta) -> str:
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    return f"{minutes}:{seconds:02d}"
