"""The action clock: called, acted in time, called off, run out; and a live player who leaves (house rules 27 to 29)."""

import datetime as dt
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.options import options_from
from series.models import Entry, Event
from tables.commands.clock import RUN_BY_SWEEP, day_of
from tables.domain import action_clock as domain
from tables.models import ActionClock, Move, Seat, Table

MISSING = "There is no such action clock."
HANDS = {"live": "the hand is live", "dead": "the hand is dead", "check": "the player has checked"}


def options_of(event: Event) -> domain.Options:
    """How the series of an event runs the action clock."""
    options = options_from(event.series.options)
    return domain.Options(
        time=dt.timedelta(seconds=options.action_seconds),
        countdown=dt.timedelta(seconds=options.action_countdown),
        expire_unfaced=domain.Verdict(options.expire_unfaced),
        left_after_acting=domain.Verdict(options.left_after_acting),
    )


def _in_the_hand(tx: Tx[Event], day_id: int | None, number: int) -> tuple[Table, dict[int, Seat]]:
    """An open table, and the chairs of those dealt in by the entry's key; where nobody told, of all who sit there."""
    missing = f"Table {number} is not open."
    table = tx.lock_one(Table, missing, day=day_of(tx, day_id), number=number, status=Table.Status.OPEN)
    chairs = tx.lock(Seat.objects.filter(table=table, entry__isnull=False))
    coming = Move.objects.filter(to_seat__table=table, status=Move.Status.ORDERED)
    away = set(coming.values_list("entry_id", flat=True))
    dealt = set(table.dealt_in.values())
    sitting = {chair.entry_id: chair for chair in chairs if chair.entry_id is not None and chair.entry_id not in away}
    return table, {entry: chair for entry, chair in sitting.items() if not dealt or entry in dealt}


def _one_in_the_hand(players: dict[int, Seat], entry_id: int, field: str) -> Entry:
    if entry_id not in players:
        raise Refused("Only a player dealt in at this table.", field=field, code="not_dealt_in")
    return Entry.objects.select_related("player").get(pk=entry_id)


@command(Event, "action_clock.call", permission=Permission.REPORT_HANDS)
def call_clock(
    tx: Tx[Event],
    *,
    table: int,
    entry_id: int,
    called_by: int | None = None,
    facing_bet: bool = True,
    day_id: int | None = None,
) -> dict[str, Any]:
    """Put a player on the clock (rules 27, 28a, 28b). `called_by`: the entry of the player who asked, None for staff.

    Result: `clock`, its key, and `deadline_at`.

    Raises:
        Refused: the event does not run, at `entry_id` or `called_by` for who was not dealt in, or a clock runs here.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Players are put on the clock while the event is running.", code="not_running")
    row, players = _in_the_hand(tx, day_id, table)
    entry = _one_in_the_hand(players, entry_id, "entry_id")
    caller = _one_in_the_hand(players, called_by, "called_by") if called_by is not None else None
    if ActionClock.objects.filter(table=row, status=ActionClock.Status.RUNNING).exists():
        raise Refused(f"A player of table {table} is on the clock already.", code="running")
    options = options_of(event)
    clock = tx.add(
        ActionClock(
            table=row,
            entry=entry,
            seat=players[entry_id].number,
            called_by=caller,
            called_at=tx.at,
            countdown_at=tx.at + options.time,
            deadline_at=domain.deadline(tx.at, options),
            facing_bet=facing_bet,
        )
    )
    tx.rule = "28b" if called_by == entry_id else "28a"
    asked = f", asked by {caller.journal_name}" if caller and called_by != entry_id else ""
    tx.say("{player} is on the clock at table {table}{asked}", player=entry, table=table, asked=asked)
    return {"clock": clock.pk, "deadline_at": clock.deadline_at.isoformat()}


def _end(tx: Tx[Event], clock: ActionClock, status: str, result: str) -> None:
    tx.change(clock, status=status, result=result, ended_at=tx.at, version=clock.version + 1)


def _clock(tx: Tx[Event], clock_id: int) -> ActionClock:
    return tx.lock_one(ActionClock, MISSING, pk=clock_id, table__day__event=tx.subject)


def _running(tx: Tx[Event], clock_id: int) -> ActionClock:
    clock = _clock(tx, clock_id)
    if clock.status != ActionClock.Status.RUNNING:
        raise Refused(f"This action clock is over: {clock.get_status_display()}.", code="over")
    return clock


@command(Event, "action_clock.act", permission=Permission.REPORT_HANDS)
def act(tx: Tx[Event], *, clock_id: int, received_at: dt.datetime) -> dict[str, Any]:
    """The player has acted. `received_at` is when the server heard of it; exactly at the limit is in time.

    What was heard in time counts even if the time ran out while it waited its turn. Result: `result`.

    Raises:
        Refused: it came too late, or this clock ended otherwise.
    """
    clock = _clock(tx, clock_id)
    was_overtaken = clock.status == ActionClock.Status.EXPIRED and received_at <= clock.deadline_at
    if clock.status != ActionClock.Status.RUNNING and not was_overtaken:
        raise Refused(f"This action clock is over: {clock.get_status_display()}.", code="over")
    tx.rule = "28a"
    result = domain.judge(
        received_at - clock.called_at,
        facing_bet=clock.facing_bet,
        options=_its_options(tx.subject, clock),
    )
    in_time = received_at <= clock.deadline_at
    _end(tx, clock, ActionClock.Status.ACTED if in_time else ActionClock.Status.EXPIRED, result)
    said = "acted in time" if in_time else f"acted too late: {HANDS[result]}"
    tx.say("{player} {said}", player=clock.entry, said=said)
    return {"result": str(result)}


def _its_options(event: Event, clock: ActionClock) -> domain.Options:
    """The times are those of the call, also where the series has changed its options since."""
    now = options_of(event)
    time, countdown = clock.countdown_at - clock.called_at, clock.deadline_at - clock.countdown_at
    return domain.Options(time, countdown, now.expire_unfaced, now.left_after_acting)


@command(Event, "action_clock.cancel", permission=Permission.REPORT_HANDS)
def cancel(tx: Tx[Event], *, clock_id: int) -> dict[str, Any]:
    """Call the clock off: called by mistake, or no longer needed.

    Raises:
        Refused: it is over.
    """
    clock = _running(tx, clock_id)
    _end(tx, clock, ActionClock.Status.CANCELLED, "")
    tx.say("Action clock of {player} called off", player=clock.entry)
    return {}


@command(Event, "action_clock.left", permission=Permission.REPORT_HANDS)
def left_seat(
    tx: Tx[Event], *, table: int, entry_id: int, can_act: bool = True, day_id: int | None = None
) -> dict[str, Any]:
    """A live player left during the hand: no clock is needed (rule 29). `can_act`: False if all-in or done betting.

    A clock that runs for them ends with it. Result: `result`, what becomes of the hand.

    Raises:
        Refused: the event does not run, or at `entry_id` for who was not dealt in.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Hands are played while the event is running.", code="not_running")
    row, players = _in_the_hand(tx, day_id, table)
    entry = _one_in_the_hand(players, entry_id, "entry_id")
    result = domain.judge(None, facing_bet=True, left_seat=True, can_act=can_act, options=options_of(event))
    running = tx.lock(ActionClock.objects.filter(table=row, entry=entry, status=ActionClock.Status.RUNNING))
    if running:
        _end(tx, running[0], ActionClock.Status.LEFT, result)
    else:
        tx.add(
            ActionClock(
                table=row,
                entry=entry,
                seat=players[entry_id].number,
                called_at=tx.at,
                countdown_at=tx.at,
                deadline_at=tx.at,
                facing_bet=True,
                status=ActionClock.Status.LEFT,
                result=result,
                ended_at=tx.at,
            )
        )
    tx.rule = "29"
    tx.say("{player} left the seat during a hand: {hand}", player=entry, hand=HANDS[result])
    return {"result": str(result)}


@command(Event, "action_clock.expire", permission=RUN_BY_SWEEP, undoable=False)
def expire(tx: Tx[Event], *, clock_id: int, version: int) -> dict[str, Any]:
    """The player's time is over (rule 28a). Does nothing if the clock changed since `version`, or before its end.

    Result: `result`, or nothing.
    """
    clock = _clock(tx, clock_id)
    if clock.version != version or clock.status != ActionClock.Status.RUNNING or tx.at <= clock.deadline_at:
        return {}
    result = domain.judge(None, facing_bet=clock.facing_bet, options=_its_options(tx.subject, clock))
    _end(tx, clock, ActionClock.Status.EXPIRED, result)
    tx.rule = "28a"
    tx.say("Time of {player} ran out: {hand}", player=clock.entry, hand=HANDS[result])
    return {"result": str(result)}


@command(Event, "action_clock.overrule", permission=Permission.RUN_FLOOR)
def overrule(tx: Tx[Event], *, clock_id: int) -> dict[str, Any]:
    """The floor decides that a player whose time ran out had acted: the hand is live. A reason is needed.

    Raises:
        Refused: at `reason`, or the time did not run out.
    """
    clock = _clock(tx, clock_id)
    if clock.status != ActionClock.Status.EXPIRED or clock.result == ActionClock.Result.LIVE:
        raise Refused("Only the end of a player's time can be overruled.", code="not_expired")
    if not tx.reason:
        raise Refused("Say why: how is it known that the player had acted?", field="reason")
    tx.change(clock, result=ActionClock.Result.LIVE, version=clock.version + 1)
    tx.say("{player} had acted in time: the hand is live", player=clock.entry)
    return {}
