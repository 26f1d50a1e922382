"""Breaking a table and drawing its players into the others (rules 46, 47; T24-10; final table RP-9)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tables.domain.button import DeadButton, Hand, first_hand, next_hand
from tables.domain.draw import DrawTable, Seating, draw_seats
from tables.domain.placement import pool_table
from tables.domain.table import SeatingError, Table


@dataclass(frozen=True, slots=True)
class BreakMove:
    """Where one player of a broken table goes; sits_out: waits until the button has passed (rule 47)."""

    name: str
    from_seat: int
    to_table: int
    to_seat: int
    sits_out: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Break:
    """The draw of a broken table: the moves in the order drawn, and what `draw.seats_document` needs."""

    table: int
    moves: tuple[BreakMove, ...]
    names: tuple[str, ...]
    pool: tuple[DrawTable, ...]
    result: tuple[Seating, ...]


def breaking_order(tables: Sequence[Table], order: Sequence[int] = ()) -> tuple[int, ...]:
    """Return all table numbers, the first to break first: as posted, then from the highest down."""
    numbers = {table.number for table in tables}
    posted = tuple(number for number in order if number in numbers)
    return posted + tuple(sorted(numbers - set(posted), reverse=True))


def table_to_break(tables: Sequence[Table], order: Sequence[int] = ()) -> int | None:
    """Return the table to break now: the first in the order, if its players fit on the others, else None."""
    if len(tables) < 2:
        return None
    number = breaking_order(tables, order)[0]
    players = sum(len(table.occupied) for table in tables if table.number == number)
    room = sum(len(table.open) for table in tables if table.number != number)
    return number if players <= room else None


def final_table_size(seats_per_table: int) -> int:
    """Return with how many players the final table begins (T24 RP-9).

    Nine from tables of nine or ten (ten left play on at two tables until one is out), seven from tables
    of six or seven (eight left play on); otherwise as many as a table seats.
    """
    if seats_per_table >= 9:
        return 9
    return 7 if seats_per_table in (6, 7) else seats_per_table


def shares(players: int, pool: Sequence[DrawTable]) -> dict[int, tuple[int, int]]:
    """Return how many players each table of the pool gets, at least and at most, whatever is drawn.

    The smallest tables get one each until fewer players are left than tables of the smallest size; these are drawn.
    Raises SeatingError if the chairs are short.
    """
    size = {table.table: table.players for table in pool}
    ordinary = {table.table: len(table.chairs) for table in pool}
    last_resort = {table.table: len(table.last_resort) for table in pool}
    got = dict.fromkeys(size, 0)
    while players:
        left = [number for number in size if ordinary[number] + last_resort[number]]
        if not left:
            raise SeatingError(f"There are {players} open seats too few.")
        fewest = min(size[number] for number in left)
        smallest = [number for number in left if size[number] == fewest]
        smallest = [number for number in smallest if ordinary[number]] or smallest
        if len(smallest) > players:
            return {number: (count, count + (number in smallest)) for number, count in got.items()}
        for number in smallest:
            chairs = ordinary if ordinary[number] else last_resort
            chairs[number] -= 1
            size[number] += 1
            got[number] += 1
        players -= len(smallest)
    return {number: (count, count) for number, count in got.items()}


def break_table(
    tables: Sequence[Table],
    number: int,
    players: Mapping[int, str],
    seed: bytes,
    dead_button: DeadButton = DeadButton.HOUSE,
) -> Break:
    """Draw the players of table `number` (seat to name) into the open seats of the other tables.

    Two-step random draw (T24-10B): the players in random order, each among the open seats of the smallest
    tables, so that sizes stay even. Seats between the button and the small blind are drawn only where
    nothing else is open (rule 47). Raises SeatingError if there is no such table, the players do not
    match its seats, or they do not fit.
    """
    broken = next((table for table in tables if table.number == number), None)
    if broken is None or set(players) != broken.occupied:
        raise SeatingError(f"The players of table {number} are not those to be moved: load the page again.")
    others = {table.number: table for table in tables if table.number != number}
    names = tuple(players[seat] for seat in sorted(players))
    pool = tuple(pool_table(table, dead_button) for table in others.values())
    result = draw_seats(seed, names, pool)
    seats = {name: seat for seat, name in players.items()}
    hands = {
        table.number: _next_hand(table, {s.seat for s in result if s.table == table.number}, dead_button)
        for table in others.values()
    }
    moves = tuple(_move(seating, seats[seating.name], number, hands[seating.table]) for seating in result)
    return Break(number, moves, names, pool, result)


def _next_hand(table: Table, arrived: Collection[int], dead_button: DeadButton) -> Hand | None:
    occupied = table.occupied | set(arrived)
    if table.last is None or not arrived or len(occupied) < 2:
        return None
    if table.first:
        return first_hand(table.seats, occupied, table.last.button)
    return next_hand(table.seats, occupied, table.last, arrived, dead_button)


def _move(seating: Seating, from_seat: int, broken: int, hand: Hand | None) -> BreakMove:
    sits_out = hand is not None and seating.seat in hand.sits_out
    reason = (
        f"Table {broken} breaks; table {seating.table} seat {seating.seat} was drawn (rule 46)."
        f" {_next_part(seating.seat, hand)}"
    )
    return BreakMove(seating.name, from_seat, seating.table, seating.seat, sits_out, reason)


def _next_part(seat: int, hand: Hand | None) -> str:
    if hand is None:
        return "The button of that table is not known yet."
    if seat in hand.sits_out:
        return "It lies between the button and the small blind: wait until the button has passed (rule 47)."
    if seat == hand.big_blind:
        return "The big blind is posted there in the next hand."
    if seat == hand.small_blind:
        return "The small blind is posted there in the next hand."
    if seat == hand.positions.button:
        return "The button is there in the next hand."
    return "The player is dealt in at once."
