"""Balancing the tables with the fewest moves (rule 48, T24-11)."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import takewhile

from tables.domain.breaking import table_to_break
from tables.domain.button import DeadButton
from tables.domain.draw import derive, draw_order
from tables.domain.placement import OpenSeat, Role, open_seats
from tables.domain.table import Table, clockwise

FEW_TABLES = 6


@dataclass(frozen=True, slots=True)
class Spot:
    """A chair in the hall."""

    table: int
    seat: int


@dataclass(frozen=True, slots=True)
class Options:
    """How a series balances its tables.

    max_gap: largest difference of sizes allowed, None for the default by the number of tables;
    allow_break: look for a table to break first; break_order: table numbers, as for
    `breaking.table_to_break`; final_table: the last two tables are combined only with so few players
    left, None for as soon as all fit; fixed: chairs whose players are never moved; recent: chairs whose
    players were moved lately and are spared where another is due as much.
    """

    max_gap: int | None = None
    allow_break: bool = True
    break_order: tuple[int, ...] = ()
    final_table: int | None = None
    fixed: frozenset[Spot] = frozenset()
    recent: frozenset[Spot] = frozenset()
    dead_button: DeadButton = DeadButton.HOUSE


@dataclass(frozen=True, slots=True)
class Secret:
    """What equal ranks are drawn from: the event's secret, and a label that no other plan has."""

    secret: bytes
    label: str


@dataclass(frozen=True, slots=True)
class Tie:
    """Seats of one table that the rules rank alike, and the order drawn from the seed of `label`: the first is taken.

    players: they are those of players due to move; otherwise they are open.
    """

    label: str
    table: int
    players: bool
    seats: tuple[int, ...]
    drawn: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """One player's way from a long table to a short one.

    from_seat, to_seat: None where the table's button is unknown and no secret was given; sits_out: the
    player waits until the button has passed (rule 47); reason: for people; ties: the lots it rests on.
    """

    from_table: int
    from_seat: int | None
    to_table: int
    to_seat: int | None
    sits_out: bool
    reason: str
    ties: tuple[Tie, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done now.

    breaking: the table to break first, by `breaking.break_table`. `moves` is then empty, as the balancing
    that may follow depends on that draw, but moves_needed and sizes_after (largest first) count both.
    unknown_buttons: tables whose button must be told, or a secret given, before the plan can name their
    seats. notes: for people.
    """

    breaking: int | None
    moves: tuple[Move, ...]
    moves_needed: int
    sizes_after: tuple[int, ...]
    unknown_buttons: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def balanced(self) -> bool:
        return self.breaking is None and not self.moves_needed


def allowed_gap(tables: int) -> int:
    """Return the default for the largest difference of sizes: 1 with up to six tables, 2 with more (RR)."""
    return 1 if tables <= FEW_TABLES else 2


def plan(tables: Sequence[Table], options: Options | None = None, secret: Secret | None = None) -> Plan:
    """Return how to balance the tables with as few moves as possible and nobody moved twice (rule 48).

    While the largest table has more than the allowed gap over the smallest one that has an open seat, the
    player due the big blind next moves from the one to the most preferred seat of `placement.open_seats`
    at the other. Of tables of one size the lowest number gives and takes, but a player moved recently is
    spared. Equal ranks within a table (neighbouring empty seats; everybody, while the button is unknown)
    are drawn from `secret`, each by a lot with a label of its own; without it the first seat clockwise is
    taken, and no seat is named at a table whose button is unknown.
    """
    options = options or Options()
    breaking, notes = _breaking(tables, options)
    rest = [table for table in tables if table.number != breaking]
    sizes = {table.number: len(table.occupied) for table in rest}
    coming = sum(len(table.occupied) for table in tables) - sum(sizes.values())
    room = {table.number: len(table.open) for table in rest}
    _fill(sizes, room, coming)
    hall = _Hall(rest, options, secret)
    gap = allowed_gap(len(rest)) if options.max_gap is None else options.max_gap
    transfers = list(_transfers(sizes, room, hall, max(gap, 1)))
    moves = () if breaking is not None else tuple(hall.move(transfer) for transfer in transfers)
    unknown = sorted(
        {move.from_table for move in moves if move.from_seat is None}
        | {move.to_table for move in moves if move.to_seat is None}
    )
    return Plan(
        breaking=breaking,
        moves=moves,
        moves_needed=coming + len(transfers),
        sizes_after=tuple(sorted(sizes.values(), reverse=True)),
        unknown_buttons=tuple(unknown),
        notes=notes,
    )


def _breaking(tables: Sequence[Table], options: Options) -> tuple[int | None, tuple[str, ...]]:
    number = table_to_break(tables, options.break_order) if options.allow_break else None
    if number is None:
        return None, ()
    players = sum(len(table.occupied) for table in tables)
    if len(tables) == 2 and options.final_table is not None and players > options.final_table:
        return None, (f"The final table begins with {options.final_table} players left (T24 RP-9).",)
    if any(spot.table == number for spot in options.fixed):
        return None, (f"Table {number} could break, but a player there keeps a fixed seat: break another table.",)
    return number, (f"Table {number} breaks: its players fit on the other tables (rule 46).",)


def _fill(sizes: dict[int, int], room: dict[int, int], coming: int) -> None:
    """Seat the players of a broken table one by one at the smallest table, in numbers only."""
    smallest = [(size, number) for number, size in sizes.items() if room[number]]
    heapify(smallest)
    for _ in range(coming):
        size, number = heappop(smallest)
        sizes[number], room[number] = size + 1, room[number] - 1
        if room[number]:
            heappush(smallest, (size + 1, number))


def _transfers(sizes: dict[int, int], room: dict[int, int], hall: "_Hall", gap: int) -> Iterator["_Transfer"]:
    """Yield the moves until the sizes are even, keeping `sizes` and `room` up to date."""
    # A table that has given never takes, nor the other way round: by then it is within one of the rest.
    givers = [(-size, hall.due_is_recent(number), number) for number, size in sizes.items()]
    takers = [(size, number) for number, size in sizes.items() if room[number]]
    heapify(givers)
    heapify(takers)
    while givers and takers and -givers[0][0] - takers[0][0] > gap:
        most, _, giver = heappop(givers)
        due = hall.due(giver)
        if not due:
            continue
        fewest, taker = heappop(takers)
        yield _Transfer(giver, due.popleft(), sizes[giver], taker, sizes[taker])
        sizes[giver] -= 1
        sizes[taker] += 1
        room[taker] -= 1
        heappush(givers, (most + 1, hall.due_is_recent(giver), giver))
        if room[taker]:
            heappush(takers, (fewest + 1, taker))


@dataclass(frozen=True, slots=True)
class _Transfer:
    """A move before its seat is found; sizes as they are before it."""

    giver: int
    seat: int | None
    giver_size: int
    taker: int
    taker_size: int


class _Hall:
    """Who is due to move at each table, and which seats are still open at the tables that take."""

    def __init__(self, tables: Sequence[Table], options: Options, secret: Secret | None) -> None:
        self._tables = {table.number: table for table in tables}
        self._options = options
        self._secret = secret
        self._due: dict[int, deque[int | None]] = {}
        self._drawn_players: dict[int, Tie] = {}

    def due(self, number: int) -> deque[int | None]:
        """Return the seats of the table's players who may be moved, the one due next first."""
        if number not in self._due:
            self._due[number] = deque(self._in_order(self._tables[number]))
        return self._due[number]

    def due_is_recent(self, number: int) -> bool:
        if not self._options.recent:
            return False
        due = self.due(number)
        return bool(due) and due[0] is not None and Spot(number, due[0]) in self._options.recent

    def _in_order(self, table: Table) -> Sequence[int | None]:
        movable = [seat for seat in _big_blind_order(table) if Spot(table.number, seat) not in self._options.fixed]
        if table.last is not None:
            return movable
        if self._secret is None:
            return [None] * len(movable)
        tie = _drawn(self._secret, "from", table, movable, players=True)
        if len(movable) > 1:
            self._drawn_players[table.number] = tie
        return sorted(tie.drawn, key=lambda seat: Spot(table.number, seat) in self._options.recent)

    def move(self, transfer: _Transfer) -> Move:
        """Return the transfer with its seat at the taking table, which is then taken."""
        table = self._tables[transfer.taker]
        to_seat, placed, tie = self._place(table)
        if to_seat is not None:
            self._tables[table.number] = replace(table, occupied=table.occupied | {to_seat})
        reason = (
            f"Table {transfer.giver} has {transfer.giver_size} players, table {transfer.taker} has"
            f" {transfer.taker_size}. {self._who(transfer)}; {_where(table.number, to_seat, placed)}."
        )
        sits_out = placed is not None and placed.sits_out
        ties = tuple(lot for lot in (self._drawn_players.get(transfer.giver), tie) if lot is not None)
        return Move(transfer.giver, transfer.seat, transfer.taker, to_seat, sits_out, reason, ties)

    def _place(self, table: Table) -> tuple[int | None, OpenSeat | None, Tie | None]:
        if table.last is None:
            if self._secret is None:
                return None, None, None
            tie = _drawn(self._secret, "to", table, table.open)
            return tie.drawn[0], None, tie if len(tie.seats) > 1 else None
        seats = open_seats(table, table.last, self._options.dead_button)
        alike = {placed.seat: placed for placed in seats if placed.rank == seats[0].rank}
        if self._secret is None or len(alike) == 1:
            return seats[0].seat, seats[0], None
        tie = _drawn(self._secret, "to", table, list(alike))
        return tie.drawn[0], alike[tie.drawn[0]], tie

    def _who(self, transfer: _Transfer) -> str:
        table = self._tables[transfer.giver]
        if transfer.seat is None:
            return f"The button of table {table.number} is unknown: set it, or draw the player"
        if table.last is None:
            return f"The button of table {table.number} is unknown: seat {transfer.seat} was drawn"
        passed = takewhile(lambda seat: seat != transfer.seat, _big_blind_order(table))
        kept = [str(seat) for seat in passed if Spot(table.number, seat) in self._options.fixed]
        but_for = f", seat {' and '.join(kept)} being kept for its player" if kept else ""
        return f"Seat {transfer.seat} of table {table.number} is due the big blind next{but_for}"


def _drawn(secret: Secret, way: str, table: Table, seats: Sequence[int], *, players: bool = False) -> Tie:
    """Draw an order of seats. A table that takes twice has one player more by then, so no label serves twice."""
    label = f"{secret.label} {way} table {table.number} of {len(table.occupied)}"
    drawn = draw_order(derive(secret.secret, label), [str(seat) for seat in seats])
    return Tie(label, table.number, players, tuple(seats), tuple(int(seat) for seat in drawn))


def _big_blind_order(table: Table) -> list[int]:
    """Return the occupied seats by how soon they are due the big blind; as they are if the button is unknown."""
    start = table.last.big_blind if table.last else table.seats
    return [seat for seat in clockwise(table.seats, start) if seat in table.occupied]


def _where(table: int, seat: int | None, placed: OpenSeat | None) -> str:
    if seat is None:
        return f"the button of table {table} is unknown: set it, or draw the seat"
    name = f"seat {seat} of table {table}"
    if placed is None:
        return f"{name} was drawn, as the button there is unknown"
    if placed.role is Role.SMALL_BLIND:
        return f"{name}, the next small blind, is the best seat open (rule 48)"
    if placed.sits_out:
        return (
            f"{name} lies between the button and the small blind, as does every open seat there: the player"
            " waits until the button has passed (rule 47)"
        )
    if placed.role is Role.BIG_BLIND:
        return f"{name} has the big blind next (rule 48)"
    hands = "one hand" if placed.hands_to_big_blind == 1 else f"{placed.hands_to_big_blind} hands"
    return f"{name} is {hands} from the big blind, the soonest of the seats open there (rule 48)"
