"""The open tables of a day as they stand: who sits where, whose button is known, who is on the way."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from django.db.models import Q

from series.models import Day, Level
from tables.domain.balance import Spot
from tables.domain.dealing import Dealing
from tables.domain.table import Positions, clockwise
from tables.domain.table import Table as DomainTable
from tables.models import Move, Seat, Table
from tables.reads.clock import play_since

# who was moved within this time is spared when somebody else is due as much
LATELY = dt.timedelta(hours=1)


@dataclass(frozen=True)
class Sitter:
    """A player in a chair. `arriving` is the key of the move that brings them here, None once they sit. `keeps`: the
    seat is fixed, for an access need. `waits`: not dealt in until the button has passed (rule 47). `last_move` is the
    key of a move within the last hour."""

    entry_id: int
    name: str
    table: int
    seat: int
    arriving: int | None = None
    last_move: int | None = None
    keeps: bool = False
    waits: bool = False

    @property
    def moved_lately(self) -> bool:
        return self.last_move is not None


class Told(Protocol):
    """A table as far as its hands go."""

    @property
    def seats(self) -> int: ...
    @property
    def told(self) -> Positions | None: ...
    @property
    def dealt_in(self) -> Mapping[str, int]: ...


def dealing(table: Told, people: Mapping[int, int], on_the_way: Collection[int]) -> Dealing | None:
    """The table between two hands; None while its button is unknown.

    people: keys of entries by seat, those in the seats `on_the_way` included.
    """
    if table.told is None:
        return None
    dealt = {(int(seat), entry) for seat, entry in table.dealt_in.items()}
    return Dealing(
        seats=table.seats,
        sitting=frozenset(people) - frozenset(on_the_way),
        told=table.told,
        first=not table.dealt_in,
        newcomers=frozenset(seat for seat, entry in people.items() if (seat, entry) not in dealt),
        on_the_way=frozenset(on_the_way),
    )


@dataclass(frozen=True)
class HallTable:
    """An open table: its chairs, who sits in them by seat, and what is known of its hands.

    `touch`: how the live feed names it; `told`: the positions of the last hand or, if nobody was `dealt_in` in it, of
    the first one, which is still to come; `last`: those from which the coming hand follows, None while they are
    unknown; `told_at`: when they were told. The rest is as the row has it.
    """

    number: int
    touch: str
    seats: int
    told: Positions | None
    last: Positions | None
    told_at: dt.datetime | None
    hand: int = 0
    dealt_in: Mapping[str, int] = field(default_factory=dict)
    halt_waived: int | None = None
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
        first = self.told is not None and not self.dealt_in
        return DomainTable(self.number, self.seats, frozenset(self.sitters), self.last, self.locked, first)

    @property
    def dealing(self) -> Dealing | None:
        """The table between two hands, None while its button is unknown."""
        people = {seat: sitter.entry_id for seat, sitter in self.sitters.items()}
        return dealing(self, people, [seat for seat, sitter in self.sitters.items() if sitter.arriving])

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

    `moves_ordered` counts every move of the day so far; `break_order` are tables chosen to break first. `play_since`:
    see `tables.reads.clock`.
    """

    day_id: int
    tables: list[HallTable]
    arrivals: list[Arrival]
    moves_ordered: int
    break_order: tuple[int, ...] = ()
    play_since: dt.datetime | None = None

    def without_button(self) -> list[int]:
        """Numbers of the tables with a game whose button nobody has told, or where who was to have the first one has
        gone."""
        return [table.number for table in self.tables if table.last is None and table.players > 1]

    def old_buttons(self, now: dt.datetime, minutes: int | None) -> list[int]:
        """Numbers of the tables whose button was told more than so many minutes of play ago: it has gone round."""
        return [
            table.number for table in self.tables if table.told and is_old(table.told_at, self.play_since, now, minutes)
        ]

    @property
    def fixed(self) -> frozenset[Spot]:
        """The chairs of players who are never moved."""
        return frozenset(Spot(who.table, who.seat) for who in self.sitters if who.keeps)

    @property
    def sitters(self) -> list[Sitter]:
        return [sitter for table in self.tables for sitter in table.in_seat_order]

    def table(self, number: int) -> HallTable | None:
        return next((table for table in self.tables if table.number == number), None)


def is_old(told_at: dt.datetime | None, play_since: dt.datetime | None, now: dt.datetime, minutes: int | None) -> bool:
    """Whether a button told then has gone round by now; never while the clock stands."""
    if play_since is None or minutes is None:
        return False
    return told_at is None or now - max(told_at, play_since) > dt.timedelta(minutes=minutes)


def hall_of(day: Day, now: dt.datetime) -> Hall:
    """The hall of a day, with its clock. Five queries, however many tables, six if the clock is not loaded yet."""
    moves = Move.objects.filter(day=day).filter(
        Q(status=Move.Status.ORDERED) | Q(status=Move.Status.ARRIVED, ordered_at__gte=now - LATELY)
    )
    arrivals, lately, waits = [], {}, {}
    for move in moves.select_related("entry__player", "to_seat__table").order_by("ordered_at", "pk"):
        waits[move.entry_id] = move.to_seat_id if move.sits_out else None
        lately[move.entry_id] = move.pk
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
    for pk, table_id, seat, is_locked, entry_id, name, keeps in chairs.order_by().values_list(
        "pk", "table_id", "number", "locked", "entry_id", "entry__player__public_name", "entry__keeps_seat"
    ):
        if is_locked:
            locked[table_id].add(seat)
        if entry_id is not None:
            sitters[table_id][seat] = Sitter(
                entry_id,
                name,
                numbers[table_id],
                seat,
                arriving=arriving.get(entry_id),
                last_move=lately.get(entry_id),
                keeps=bool(keeps),
                waits=waits.get(entry_id) == pk,
            )
    return Hall(
        day.pk,
        [
            HallTable(
                number=row.number,
                touch=row.journal_touch,
                seats=row.seats,
                told=row.told,
                last=row.last(sitters[row.pk]),
                told_at=row.button_at,
                hand=row.hand,
                dealt_in=row.dealt_in,
                halt_waived=row.halt_waived,
                sitters=sitters[row.pk],
                locked=frozenset(locked[row.pk]),
            )
            for row in rows
        ],
        arrivals,
        Move.objects.filter(day=day).count(),
        tuple(day.break_order),
        play_since(getattr(day, "clock", None), list(Level.objects.filter(event=day.event_id)), now),
    )
