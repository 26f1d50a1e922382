"""Hand-for-hand play (house rules 50, 51): announced by the floor, reported by dealers, released by the sweep.

While it lasts the clock stands, and each completed hand takes its two minutes off it (TDA 2024 RP-8). The busts of a
round count as busts of one hand.
"""

import datetime as dt
from collections.abc import Collection
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from journal.models import JournalEntry
from series.models import Day, Entry, Event
from series.reads.prizes import prizes
from tables.commands.clock import RUN_BY_SWEEP, clock_of, day_of, write_clock
from tables.commands.penalties import count_round
from tables.commands.seating import open_tables
from tables.domain import clock as clock_domain
from tables.domain import hand_for_hand as domain
from tables.models import Bust, Elimination, HandForHand, HandReport, Table
from tables.reads.clock import items_of
from tables.reads.clock import state_of as clock_state_of
from tables.reads.hand_for_hand import bust_hands, state_of, tables_that_tell, time_per_hand

GRACE = dt.timedelta(seconds=5)  # between the last report and the next hand: time to take back a mistaken one
NAMED = 3  # the last tables that all wait for are told to everybody: a change of the round itself, so that phones look
PATIENCE = dt.timedelta(minutes=4)  # after which a table that still plays is nudged


def _play(tx: Tx[Event], day: Day) -> HandForHand:
    rows = tx.lock(HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL))
    if not rows:
        raise Refused("Hand-for-hand is not being played.", code="normal")
    return rows[0]


def _reports(tx: Tx[Event], play: HandForHand) -> list[HandReport]:
    return tx.lock(HandReport.objects.filter(play=play, hand=play.hand).select_related("table"))


def _write(tx: Tx[Event], play: HandForHand, state: domain.HandForHand) -> None:
    """Write the phase; the instant of release is set once every table has reported."""
    finished = state.phase in (domain.Phase.ALL_IDLE, domain.Phase.ALL_DONE)
    tx.change(
        play,
        phase=str(state.phase),
        release_at=tx.at + GRACE if finished else None,
        version=play.version + 1,
    )


def _begin_round(tx: Tx[Event], play: HandForHand, tables: list[Table]) -> None:
    tx.add_all([HandReport(play=play, hand=play.hand, table=table) for table in tables])


@command(Event, "hand_for_hand.announce", permission=Permission.RUN_FLOOR)
def announce_hand_for_hand(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Announce hand-for-hand: the clock stops, tables finish the hand in progress and wait.

    Whoever goes out from now on in the same round counts as out in the same hand (TDA 2024 RP-8A).

    Raises:
        Refused: not running, fewer than two tables, or announced already.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Hand-for-hand is played while the event is running.", code="not_running")
    day = day_of(tx, day_id)
    if HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL).exists():
        raise Refused("Hand-for-hand has been announced already.", code="announced")
    tables = open_tables(tx, day)
    try:
        domain.announce(domain.HandForHand(), [table.number for table in tables], tx.at)
    except domain.HandForHandError as error:
        raise Refused(str(error), code="hand_for_hand") from error
    row, levels = clock_of(tx, day), list(event.levels.all())
    state = clock_state_of(row)
    if state.status in (clock_domain.Status.RUNNING, clock_domain.Status.OVERTIME):
        write_clock(tx, day, row, clock_domain.pause(state, items_of(levels), tx.at), levels)
    elimination = tx.add(Elimination(day=day, at=tx.at))
    play = tx.add(HandForHand(day=day, since=tx.at, announced_at=tx.at, elimination=elimination))
    _begin_round(tx, play, tables)
    tx.rule = "50"
    tx.say("Hand-for-hand announced at {tables} tables", tables=len(tables))
    return {"play": play.pk}


def _report(tx: Tx[Event], day_id: int | None, table: int, *, done: bool) -> domain.HandForHand:
    day = day_of(tx, day_id)
    play = _play(tx, day)
    reports = _reports(tx, play)
    try:
        before = state_of(play, reports)
        state = domain.report(before, table, tx.at) if done else domain.withdraw(before, table)
    except domain.HandForHandError as error:
        raise Refused(str(error), field="table", code="hand_for_hand") from error
    row = next(report for report in reports if report.table.number == table)
    if done and row.done_at is None:
        tx.change(row, done_at=tx.at)
    if not done:
        tx.change(row, done_at=None)
    if state.phase != before.phase:
        _write(tx, play, state)
    elif len(state.waiting_for) <= NAMED and before != state:
        tx.change(play, version=play.version + 1)
    return state


def _as_reported(tx: Tx[Event], entry: JournalEntry) -> None:
    """A report was undone, or what was undone was redone: the round is as its reports say by now.

    Raises:
        Refused: that hand is over.
    """
    told = entry.changes.filter(table=HandReport._meta.label_lower).values("row")
    report = HandReport.objects.select_related("play").get(pk__in=told)
    if report.play.phase == HandForHand.Phase.NORMAL or report.hand != report.play.hand:
        raise Refused("Not undone: that hand of hand-for-hand is over.", code="released")
    play = tx.lock(HandForHand.objects.filter(pk=report.play_id))[0]
    _write(tx, play, domain.as_reported(state_of(play, _reports(tx, play))))


@command(Event, "hand_for_hand.report", permission=Permission.REPORT_HANDS, after_undo=_as_reported)
def report_hand(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """A table's hand is over. When all have reported, the next hand is released some seconds later by itself.

    Raises:
        Refused: hand-for-hand is not being played, or the table is not part of the round.
    """
    state = _report(tx, day_id, table, done=True)
    tx.say("Table {table} has finished the hand", table=table)
    return {"phase": str(state.phase)}


@command(Event, "hand_for_hand.withdraw", permission=Permission.REPORT_HANDS, after_undo=_as_reported)
def withdraw_report(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """Take back a mistaken report: the table still plays.

    Raises:
        Refused: it has not reported, or the next hand has been released.
    """
    state = _report(tx, day_id, table, done=False)
    tx.say("Table {table} still plays its hand", table=table)
    return {"phase": str(state.phase)}


def _round_over(tx: Tx[Event], day: Day, play: HandForHand) -> bool:
    """A finished round takes time off the clock; then the next hand, or the end once the money is reached. True if it
    ended."""
    event = tx.subject
    reports = _reports(tx, play)
    count_round(tx, play, [report.table for report in reports if not report.dropped])
    row, levels = clock_of(tx, day), list(event.levels.all())
    state, items = clock_state_of(row), items_of(levels)
    if state.status is clock_domain.Status.PAUSED:
        write_clock(tx, day, row, clock_domain.take_off(state, items, time_per_hand(event), tx.at), levels)
    tables = open_tables(tx, day)
    if _reached_the_money(event, play) or len(tables) < 2:
        _end(tx, day, play)
        return True
    domain.release(state_of(play, reports), [table.number for table in tables], tx.at)
    elimination = tx.add(Elimination(day=day, at=tx.at))
    tx.change(
        play,
        phase=HandForHand.Phase.DEALING,
        hand=play.hand + 1,
        since=tx.at,
        previous=play.elimination,
        elimination=elimination,
        release_at=None,
        version=play.version + 1,
    )
    _begin_round(tx, play, tables)
    return False


def _reached_the_money(event: Event, play: HandForHand) -> bool:
    """Whether everybody left has a prize and, when it was announced, not everybody had: played for a later jump it goes
    on until the floor ends it (rule 51)."""
    alive, paid = event.entries.filter(status__in=Entry.STILL_IN).count(), len(prizes(event))
    out = Bust.objects.filter(elimination__day=play.day_id, elimination__at__gte=play.announced_at).count()
    return domain.in_the_money(alive, paid) and not domain.in_the_money(alive + out, paid)


def _end(tx: Tx[Event], day: Day, play: HandForHand) -> None:
    """Back to normal play: the clock runs on with what the hands have left of it."""
    tx.change(play, phase=HandForHand.Phase.NORMAL, release_at=None, ended_at=tx.at, version=play.version + 1)
    row, levels = clock_of(tx, day), list(tx.subject.levels.all())
    state = clock_state_of(row)
    if state.status is clock_domain.Status.PAUSED:
        write_clock(tx, day, row, clock_domain.resume(state, items_of(levels), tx.at), levels)


@command(Event, "hand_for_hand.release", permission=RUN_BY_SWEEP, undoable=False)
def release_hand(tx: Tx[Event], *, play_id: int, version: int) -> dict[str, Any]:
    """The sweep: every table has reported, so the next hand begins, or normal play as the money is reached (rule 50).

    Does nothing if something changed since `version`, or it is not time yet.
    """
    play = tx.lock_one(HandForHand, "There is no such hand-for-hand play.", pk=play_id, day__event=tx.subject)
    if play.version != version or play.release_at is None or play.release_at > tx.at:
        return {}
    _say_round(tx, play, _round_over(tx, day_of(tx, play.day_id), play))
    return {"hand": play.hand}


@command(Event, "hand_for_hand.release_now", permission=Permission.RUN_FLOOR, undoable=False)
def release_hand_now(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """The floor does not wait for the seconds of grace.

    Raises:
        Refused: a table still plays; it is named.
    """
    day = day_of(tx, day_id)
    play = _play(tx, day)
    try:
        domain.release(state_of(play, _reports(tx, play)), [], tx.at)
    except domain.HandForHandError as error:
        raise Refused(str(error), code="hand_for_hand") from error
    _say_round(tx, play, _round_over(tx, day, play))
    return {"hand": play.hand}


def _say_round(tx: Tx[Event], play: HandForHand, ended: bool) -> None:
    tx.rule = "50"
    if ended:
        tx.say("Hand-for-hand is over, normal play")
    else:
        tx.say("Hand {hand} of hand-for-hand released", hand=play.hand)


@command(Event, "hand_for_hand.nudge", permission=RUN_BY_SWEEP, undoable=False)
def nudge_slow_tables(tx: Tx[Event], *, play_id: int) -> dict[str, Any]:
    """The sweep: ask the tables that still play after four minutes, once a hand."""
    play = tx.lock_one(HandForHand, "There is no such hand-for-hand play.", pk=play_id, day__event=tx.subject)
    reports = _reports(tx, play)
    slow = domain.slow_tables(state_of(play, reports), tx.at, PATIENCE)
    rows = [report for report in reports if report.table.number in slow and report.nudged_at is None]
    tx.change_all([(row, {"nudged_at": tx.at}) for row in rows])
    tx.say("Hand-for-hand waits for table {tables}", tables=[row.table.number for row in rows])
    return {"tables": [row.table.number for row in rows]}


@command(Event, "hand_for_hand.end", permission=Permission.RUN_FLOOR)
def end_hand_for_hand(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Go back to normal play at the floor's word.

    Raises:
        Refused: hand-for-hand is not being played.
    """
    day = day_of(tx, day_id)
    play = _play(tx, day)
    reports = [report for report in _reports(tx, play) if not report.dropped]
    count_round(tx, play, [report.table for report in reports if report.done_at])
    # a hand still played is counted when the next one is dealt; where hands are told, none is before it was dealt
    tell = tables_that_tell(play)
    playing = [report.table for report in reports if not report.done_at and report.table_id not in tell]
    tx.change_all([(table, {"hand_counted": False}) for table in playing])
    _end(tx, day, play)
    tx.say("Hand-for-hand is over, normal play")
    return {}


def drop_broken_table(tx: Tx[Event], day: Day, table: Table) -> None:
    """A table that breaks in the middle of a round has nothing more to report; the round may be over by that."""
    plays = tx.lock(HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL))
    for play in plays:
        reports = _reports(tx, play)
        for report in reports:
            if report.table_id == table.pk:
                tx.change(report, dropped=True)
        state = state_of(play, reports)
        settled = domain.drop_table(state, table.number)
        if settled.phase != state.phase:
            _write(tx, play, settled)


def deal_in_round(tx: Tx[Event], day: Day, table: Table) -> bool:
    """A table deals its next hand: during hand-for-hand one in each round, and only once it is released (rule 50).

    Returns whether it is a hand of a round: the one before it was counted with the round before it.

    Raises:
        Refused: it waits for the other tables, or has dealt its hand already.
    """
    play = HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL).first()
    if play is None:
        return False
    reports = tx.lock(HandReport.objects.filter(play=play, hand=play.hand, table=table, done_at=None, dropped=False))
    if play.phase == HandForHand.Phase.ANNOUNCED and reports:
        raise Refused("Hand-for-hand is announced: finish the hand in progress, then wait.", code="hand_for_hand")
    if play.phase != HandForHand.Phase.DEALING or not reports:
        raise Refused("Hand-for-hand: wait until the next hand is released.", code="hand_for_hand")
    if reports[0].dealt_at:
        raise Refused(f"Hand {play.hand} is dealt already: report it finished first.", code="hand_for_hand")
    tx.change(reports[0], dealt_at=tx.at)
    return True


def elimination_for(tx: Tx[Event], day_id: int, tables: Collection[int], hand: int | None) -> Elimination:
    """The group of a bust at these tables: the round's during hand-for-hand, else a new one of its own. `hand`: the one
    of hand-for-hand in which they went out, which may be over; None: the usual one (`bust_hands`).

    Raises:
        Refused: that hand is over for too long.
    """
    hands = bust_hands(day_id, tx.at)
    group = None
    if hands is not None and hand is None:
        group = hands.groups[hands.usual(tables)]
    elif hand is not None:
        if hands is None or hand not in hands.groups:
            raise Refused("Another hand is being played by now: say again in which they went out.", field="entry")
        group = hands.groups[hand]
    if group is not None:
        return Elimination.objects.get(pk=group)
    return tx.add(Elimination(day_id=day_id, at=tx.at))


def elimination_before_the_round(tx: Tx[Event], day_id: int) -> Elimination:
    """The group of who is out by a ruling: in a round it comes before the round's, whose hand is still being played."""
    playing = (HandForHand.Phase.ANNOUNCED, HandForHand.Phase.DEALING)
    play = HandForHand.objects.filter(day_id=day_id, phase__in=playing).first()
    return tx.add(Elimination(day_id=day_id, at=tx.at, before=play.elimination if play else None))
