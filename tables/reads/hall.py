"""The open tables of a day as they stand: who sits where, whose button is known, who is on the way."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Q

from series.models import Day
from tables.domain.balance import Spot
from tables.domain.table import Positions, clockwise
from tables.domain.table import Table as DomainTable
from tables.models import Move, Seat, Table

# who was moved within this time is spared when somebody else is due as much
LATELY = dt.timedelta(hours=1)


@dataclass(frozen=True)
class Sitter:
    """A player in a chair. `arriving` is the key of the move that brings them here, None once they sit. `keeps`: the
    seat is fixed, for an access need."""

    entry_id: int
    name: str
    table: int
    seat: int
    arriving: int | None = None
    moved_lately: bool = False
    keeps: bool = False


@dataclass(frozen=True)
class HallTable:
    """An open table: its chairs, who sits in them by seat, and the positions of the last hand told."""

    number: int
    seats: int
    last: Positions | None
    last_at: dt.datetime | None
    sitters: dict[int, Sitter] = field(default_factory=dict)
    locked: frozenset[int] = frozenset()

    @property
    def players(self) -> int:
        return len(self.sitters)

    @property
    def in_seat_order(self) -> list[Sitter]:
        return [self.sitters[seat] for seat in sorted(self.sitters)]

    @property
    def domain(self) -> DomainTable:
        """The table as the rules of seating look at it."""
        return DomainTable(self.number, self.seats, frozenset(self.sitters), self.last, self.locked)

    @property
    def next_big_blind(self) -> int | None:
        """The seat due the big blind next, None while the button is unknown or nobody sits here."""
        if self.last is None or not self.sitters:
            return None
        return next(seat for seat in clockwise(self.seats, self.last.big_blind) if seat in self.sitters)


@dataclass(frozen=True)
class Arrival:
    """A player on the way to their new seat."""

    move_id: int
    entry_id: int
    name: str
    from_table: int
    from_seat: int
    table: int
    seat: int
    ordered_at: dt.datetime
    sits_out: bool


@dataclass(frozen=True)
class Hall:
    """All open tables of a day in order of number, and the moves not finished yet, the oldest first.

    `moves_ordered` counts every move of the day so far; `break_order` are tables chosen to break first.
    """

    day_id: int
    tables: list[HallTable]
    arrivals: list[Arrival]
    moves_ordered: int
    break_order: tuple[int, ...] = ()

    @property
    def fixed(self) -> frozenset[Spot]:
        """The chairs of players who are never moved."""
        return frozenset(Spot(who.table, who.seat) for who in self.sitters if who.keeps)

    @property
    def sitters(self) -> list[Sitter]:
        return [sitter for table in self.tables for sitter in table.in_seat_order]

    def table(self, number: int) -> HallTable | None:
        return next((table for table in self.tables if table.number == number), None)


def hall_of(day: Day, now: dt.datetime) -> Hall:
    """The hall of a day. Four queries, however many tables."""
    moves = Move.objects.filter(day=day).filter(
        Q(status=Move.Status.ORDERED) | Q(status=Move.Status.ARRIVED, ordered_at__gte=now - LATELY)
    )
    arrivals, lately = [], set()
    for move in moves.select_related("entry__player", "to_seat__table").order_by("ordered_at", "pk"):
        lately.add(move.entry_id)
        if move.status == Move.Status.ORDERED:
            arrivals.append(
                Arrival(
                    move.pk,
                    move.entry_id,
                    move.entry.player.public_name,
                    move.from_table,
                    move.from_seat,
                    move.to_seat.table.number,
                    move.to_seat.number,
                    move.ordered_at,
                    move.sits_out,
                )
            )
    arriving = {arrival.entry_id: arrival.move_id for arrival in arrivals}
    rows = list(Table.objects.filter(day=day, status=Table.Status.OPEN).order_by("number"))
    sitters: dict[int, dict[int, Sitter]] = defaultdict(dict)
    locked: dict[int, set[int]] = defaultdict(set)
    numbers = {row.pk: row.number for row in rows}
    chairs = Seat.objects.filter(table__day=day, table__status=Table.Status.OPEN).filter(
        Q(entry__isnull=False) | Q(locked=True)
    )
    for table_id, seat, is_locked, entry_id, name, keeps in chairs.order_by().values_list(
        "table_id", "number", "locked", "entry_id", "entry__player__public_name", "entry__keeps_seat"
    ):
        if is_locked:
            locked[table_id].add(seat)
        if entry_id is not None:
            sitters[table_id][seat] = Sitter(
                entry_id, name, numbers[table_id], seat, arriving.get(entry_id), entry_id in lately, bool(keeps)
            )
    return Hall(
        day.pk,
        [
            HallTable(
                number=row.number,
                seats=row.seats,
                last=_last_hand(row),
                last_at=row.button_at,
                sitters=sitters[row.pk],
                locked=frozenset(locked[row.pk]),
            )
            for row in rows
        ],
        arrivals,
        Move.objects.filter(day=day).count(),
        tuple(day.break_order),
    )


def _last_hand(row: Table) -> Positions | None:
    if row.button is None or row.small_blind is None or row.big_blind is None:
        return None
    return Positions(row.button, row.small_blind, row.big_blind)
