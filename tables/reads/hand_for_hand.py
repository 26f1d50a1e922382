"""Hand-for-hand play: as the domain thinks of it, as the floor's board shows it, and as everybody may know it."""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count

from series.domain.options import options_from
from series.models import Day, Event
from tables.domain import hand_for_hand as domain
from tables.domain.hand_for_hand import MOST_TIME_PER_HAND, is_suggested
from tables.models import Bust, HandForHand, HandReport, Seat, Table
from tables.reads.field import Field
from tables.reads.standings import Placed, standings

FEW = 6  # tables named one by one where everybody reads it
STILL_TOLD = dt.timedelta(minutes=5)  # how long after the end busts of its last hand are told


def play_of(day: Day) -> HandForHand | None:
    """The hand-for-hand play that is going on, if any. One query."""
    return HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL).first()


def state_of(play: HandForHand, reports: Sequence[HandReport]) -> domain.HandForHand:
    """The state of the round at hand. `reports`: those of its hand, with their tables."""
    return domain.HandForHand(
        phase=domain.Phase(play.phase),
        hand=play.hand,
        since=play.since,
        tables=tuple(
            domain.Progress(report.table.number, report.done_at)
            for report in sorted(reports, key=lambda report: report.table.number)
            if not report.dropped
        ),
    )


def reports_of(play: HandForHand) -> list[HandReport]:
    """The tables of the round at hand, in order of number. One query."""
    reports = HandReport.objects.filter(play=play, hand=play.hand).select_related("table")
    return sorted(reports, key=lambda report: report.table.number)


def time_per_hand(event: Event) -> dt.timedelta:
    """What each hand takes off the clock (TDA 2024 RP-8); the event with its series."""
    return min(dt.timedelta(seconds=options_from(event.series.options).seconds_per_hand), MOST_TIME_PER_HAND)


def tables_that_tell(play: HandForHand) -> set[int]:
    """Keys of the tables that tell the hands they deal, going by the last two rounds, or before two by any hand. One
    query."""
    if play.hand < 2:
        return set(Table.objects.filter(day=play.day_id, hand__gt=1).values_list("pk", flat=True))
    dealt = HandReport.objects.filter(play=play, hand__gte=play.hand - 1, dealt_at__isnull=False)
    return set(dealt.values_list("table", flat=True))


@dataclass(frozen=True)
class BustHands:
    """The hands in which somebody may have gone out who is told to be out now, by number: the one played and the one
    before it.

    `groups`: the elimination of each, the later one first; None for a hand of its own, once normal play is back.
    `undealt`: the numbers of the tables that tell their hands and have not dealt the later one.
    """

    groups: dict[int, int | None]
    undealt: frozenset[int]

    def usual(self, tables: Collection[int]) -> int:
        """The hand in which players of these tables go out: where the later one was not dealt, the one before."""
        return (min if self.undealt & set(tables) else max)(self.groups)

    @property
    def choices(self) -> list[tuple[int, str]]:
        """What to choose from, in words."""
        return [(hand, self._words(hand)) for hand in self.groups]

    def _words(self, hand: int) -> str:
        if self.groups[hand] is None:
            return "Normal play"
        return f"Hand {hand}" if hand else "The hand at the announcement"


def bust_hands(day_id: int, now: dt.datetime) -> BustHands | None:
    """Between which hands to choose for a bust: None in normal play, but for the first minutes after hand-for-hand.

    One query then, else three.
    """
    play = HandForHand.objects.filter(day=day_id).order_by("pk").last()
    if play is None:
        return None
    groups: dict[int, int | None] = {play.hand: play.elimination_id}
    if play.phase != HandForHand.Phase.NORMAL:
        if play.previous_id:
            groups[play.hand - 1] = play.previous_id
        reports = HandReport.objects.filter(play=play, hand=play.hand, dealt_at=None, done_at=None, dropped=False)
        waiting = list(reports.values_list("table", "table__number"))
    elif play.ended_at and now - play.ended_at < STILL_TOLD:
        groups = {play.hand + 1: None, **groups}
        waiting = list(Table.objects.filter(day=day_id, button_at__lt=play.ended_at).values_list("pk", "number"))
    else:
        return None
    tell = tables_that_tell(play)
    return BustHands(groups, frozenset(number for pk, number in waiting if pk in tell))


# --- for everybody ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Round:
    """The round at hand as everybody may know it. `waiting` are the tables that have not reported, `dealt` those that
    told that they have dealt."""

    hand: int
    phase: str
    since: dt.datetime
    release_at: dt.datetime | None
    tables: int
    waiting: tuple[int, ...]
    dealt: frozenset[int]

    @property
    def title(self) -> str:
        return f"Hand-for-hand, hand {self.hand}" if self.hand else "Hand-for-hand"

    @property
    def words(self) -> str:
        """What tables do now, and for which of them all wait."""
        return self.waits if self.hand or not self.waiting else f"Finish the hand in progress, then wait. {self.waits}"

    @property
    def waits(self) -> str:
        """For which tables all wait."""
        if not self.waiting:
            return "All tables have finished: the next hand comes in a moment."
        if len(self.waiting) > FEW:
            return f"Waiting for {len(self.waiting):,} of {self.tables:,} tables."
        *most, last = map(str, self.waiting)
        return f"Waiting for tables {', '.join(most)} and {last}." if most else f"Waiting for table {last}."


def round_of(day: Day) -> Round | None:
    """The round of hand-for-hand that a day plays, None in normal play. One query, two during hand-for-hand."""
    play = play_of(day)
    return _round(play, reports_of(play)) if play else None


def _round(play: HandForHand, reports: Sequence[HandReport]) -> Round:
    tables = [report for report in reports if not report.dropped]
    waiting = tuple(report.table.number for report in tables if report.done_at is None)
    dealt = frozenset(report.table.number for report in tables if report.dealt_at)
    return Round(play.hand, play.phase, play.since, play.release_at, len(tables), waiting, dealt)


# --- for the floor ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class BoardTable:
    """One table on the board. `state`: playing, slow (asked to hurry), done or broken; `took` once it is done."""

    number: int
    players: int
    state: str
    took: dt.timedelta | None
    dealt: bool


@dataclass(frozen=True)
class OutInRound:
    """Somebody who went out in the round, with place and prize as they would be if it ended now.

    `stack`: what they began the hand with, None if nobody said; `needs_stack`: it decides a place.
    """

    placed: Placed
    table: int
    seat: int
    stack: int | None
    needs_stack: bool


@dataclass(frozen=True)
class Board:
    """The whole board. `taken_off`: what finished hands have taken off the clock so far."""

    round: Round
    tables: list[BoardTable]
    out: list[OutInRound]
    per_hand: dt.timedelta
    taken_off: dt.timedelta

    @property
    def done(self) -> int:
        return self.round.tables - len(self.round.waiting)


def board(event: Event, day: Day) -> Board | None:
    """The board of a day, None in normal play; the event with its series. Nine queries, however many tables."""
    play = play_of(day)
    if play is None:
        return None
    reports = reports_of(play)
    seated = Seat.objects.filter(table__day=day, table__status=Table.Status.OPEN, entry__isnull=False).order_by()
    sizes = dict(seated.values_list("table").annotate(Count("pk")))
    per_hand = time_per_hand(event)
    return Board(
        round=_round(play, reports),
        tables=[_table(play, report, sizes.get(report.table_id, 0)) for report in reports],
        out=_out(event, play),
        per_hand=per_hand,
        taken_off=play.hand * per_hand,
    )


def _table(play: HandForHand, report: HandReport, players: int) -> BoardTable:
    if report.dropped:
        state = "broken"
    elif report.done_at:
        state = "done"
    else:
        state = "slow" if report.nudged_at else "playing"
    took = report.done_at - play.since if report.done_at else None
    return BoardTable(report.table.number, players, state, took, bool(report.dealt_at))


def _out(event: Event, play: HandForHand) -> list[OutInRound]:
    busts = {bust.entry_id: bust for bust in Bust.objects.filter(elimination=play.elimination_id)}
    if not busts:
        return []
    one_table = len({bust.table for bust in busts.values()}) == 1
    by_stack = one_table or options_from(event.series.options).cross_table == "stack"
    found = []
    for placed in standings(event):
        bust = busts.get(placed.entry_id)
        if bust is not None:
            found.append(OutInRound(placed, bust.table, bust.seat, bust.stack, by_stack and len(busts) > 1))
    return found


def suggested(event: Event, field: Field, tables: int) -> bool:
    """Whether to tell the floor to think of hand-for-hand, once nobody can enter any more: at the bubble (rule 50)."""
    running = event.status == Event.Status.RUNNING
    return running and field.paid > 0 and is_suggested(field.alive, field.paid, tables)
