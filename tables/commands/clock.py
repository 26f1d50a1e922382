"""Commands of the tournament clock. Each asks `tables.domain.clock` for the new state and writes it as instants."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from accounts.permissions import Permission
from journal.actors import System
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Day, Entry, Event, Level
from tables.commands.finish import finish_if_decided
from tables.domain import clock as domain
from tables.models import Clock, Seat, Table
from tables.reads.clock import items_of, late_registration, state_of

RUN_BY_SWEEP = "advance_clock"
CLOCK = System("the clock", frozenset({RUN_BY_SWEEP}))


def day_of(tx: Tx[Event], day_id: int | None) -> Day:
    """The day of this event that a command is about; the only one if none is named."""
    days = tx.lock(Day.objects.filter(event=tx.subject))
    if day_id is None and len(days) == 1:
        return days[0]
    for day in days:
        if day.pk == day_id:
            return day
    raise Refused("Choose the day.", field="day")


def clock_of(tx: Tx[Event], day: Day) -> Clock:
    """The day's clock row, locked; made when it is first needed."""
    rows = tx.lock(Clock.objects.filter(day=day))
    return rows[0] if rows else tx.add(Clock(day=day))


def _levels(tx: Tx[Event]) -> list[Level]:
    levels = list(tx.subject.levels.all())
    if not levels:
        raise Refused("The structure has no levels yet. Set it up first.", code="no_levels")
    return levels


def _name(level: Level) -> str:
    if level.kind == Level.Kind.BREAK:
        return "break"
    return f"level {level.number}, {level.small_blind:,} – {level.big_blind:,}"


def write_clock(tx: Tx[Event], day: Day, row: Clock, state: domain.Clock, levels: list[Level]) -> None:
    """Write the clock and what follows from it: when late registration ends, and whether the event is decided."""
    tx.change(
        row,
        position=state.position,
        status=str(state.status),
        ends_at=state.ends_at,
        remaining=state.remaining,
        pause_after=state.pause_after,
        version=state.version,
    )
    entries = late_registration(tx.subject, levels, state, tx.at)
    tx.change(day, entries_close_at=entries.close_at, entries_closed=day.entries_closed or entries.closed)
    finish_if_decided(tx)


def _change(
    tx: Tx[Event], day_id: int | None, ask: Callable[[domain.Clock, tuple[domain.Item, ...]], domain.Clock]
) -> tuple[domain.Clock, Level]:
    day = day_of(tx, day_id)
    row = clock_of(tx, day)
    tx.expect_unchanged(row)
    levels = _levels(tx)
    try:
        state = ask(state_of(row), items_of(levels))
    except domain.ClockError as error:
        raise Refused(str(error), code="clock") from error
    write_clock(tx, day, row, state, levels)
    return state, levels[state.position]


@command(Event, "clock.start", permission=Permission.RUN_CLOCK)
def start_clock(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Start the day. The rulebook in force now is the event's from here on.

    Raises:
        Refused: not open, fewer than two players seated, somebody entered without a seat, or started already.
    """
    event = tx.subject
    if event.status not in (Event.Status.OPEN, Event.Status.RUNNING):
        raise Refused(f"This event is {event.get_status_display()}: its clock cannot be started.", code="status")
    day = day_of(tx, day_id)
    seated = Seat.objects.filter(table__day=day, table__status=Table.Status.OPEN, entry__isnull=False).count()
    waiting = Entry.objects.filter(day=day, status=Entry.Status.PLAYING, seat__isnull=True).count()
    if waiting:
        raise Refused(f"{waiting} entered players have no seat yet. Draw the seats first.", code="unseated")
    if seated < 2:
        raise Refused("At least two players must be seated to start.", code="too_few")
    state, level = _change(tx, day.pk, lambda clock, items: domain.start(clock, items, tx.at))
    if event.status == Event.Status.OPEN:
        in_force = event.series.rulebook_versions.in_force(tx.at).first()
        tx.change(event, status=Event.Status.RUNNING, rulebook_version=in_force)
    tx.say("Clock of {day} started: {level}", day=day, level=_name(level))
    return {"ends_at": state.ends_at.isoformat() if state.ends_at else None}


@command(Event, "clock.pause", permission=Permission.RUN_CLOCK)
def pause_clock(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Stop the clock where it is.

    Raises:
        Refused: it is not running.
    """
    state, level = _change(tx, day_id, lambda clock, items: domain.pause(clock, items, tx.at))
    tx.say("Clock paused in {level}, {left} left", level=_name(level), left=_minutes(state.remaining))
    return {}


@command(Event, "clock.resume", permission=Permission.RUN_CLOCK)
def resume_clock(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Let a paused clock run on with the time it had.

    Raises:
        Refused: it is not paused.
    """
    _, level = _change(tx, day_id, lambda clock, items: domain.resume(clock, items, tx.at))
    tx.say("Clock running again: {level}", level=_name(level))
    return {}


@command(Event, "clock.adjust", permission=Permission.RUN_CLOCK)
def adjust_clock(tx: Tx[Event], *, seconds: int, day_id: int | None = None) -> dict[str, Any]:
    """Give the level or break at hand more time, or less.

    Raises:
        Refused: not running or paused, or no time would be left.
    """
    if not seconds or abs(seconds) > 6 * 3600:
        raise Refused("Give a time between one second and six hours.", field="seconds")
    by = dt.timedelta(seconds=seconds)
    _change(tx, day_id, lambda clock, items: domain.adjust(clock, items, by, tx.at))
    tx.say("{by} on the clock", by=("+" if seconds > 0 else "−") + _minutes(abs(by)))
    return {}


@command(Event, "clock.jump", permission=Permission.RUN_CLOCK)
def jump_clock(tx: Tx[Event], *, position: int, day_id: int | None = None) -> dict[str, Any]:
    """Go to the beginning of a level or break. A paused clock stays paused there.

    Raises:
        Refused: no such item, or the clock was not started.
    """
    _, level = _change(tx, day_id, lambda clock, items: domain.jump(clock, items, position, tx.at))
    tx.say("Clock set to {level}", level=_name(level))
    return {}


@command(Event, "clock.pause_after", permission=Permission.RUN_CLOCK)
def pause_after_level(tx: Tx[Event], *, wanted: bool, day_id: int | None = None) -> dict[str, Any]:
    """Choose whether the clock stops by itself when the level or break at hand is over."""
    _change(tx, day_id, lambda clock, items: domain.pause_after(clock, items, wanted, tx.at))
    tx.say("The clock will pause after this level" if wanted else "The clock will run on after this level")
    return {}


@command(Event, "clock.level", permission=RUN_BY_SWEEP, undoable=False)
def advance_clock(tx: Tx[Event], *, day_id: int, version: int) -> dict[str, Any]:
    """Carry out one change of level that is due. Does nothing if the clock changed since `version`, or nothing is due.

    Result: `due`, the instant at which the level ended, and `version`, or nothing.
    """
    day = day_of(tx, day_id)
    row = clock_of(tx, day)
    if row.version != version:
        return {}
    levels = _levels(tx)
    state = next(domain.steps(state_of(row), items_of(levels), tx.at), None)
    if state is None:
        return {}
    due = row.ends_at
    write_clock(tx, day, row, state, levels)
    if state.status is domain.Status.OVERTIME:
        tx.say("The last level is over; its blinds stay")
    else:
        tx.say("Now {level}", level=_name(levels[state.position]))
    return {"due": due.isoformat() if due else None, "version": state.version}


def _minutes(left: dt.timedelta | None) -> str:
    seconds = int((left or dt.timedelta()).total_seconds())
    return f"{seconds // 60}:{seconds % 60:02d}"
