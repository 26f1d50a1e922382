"""Breaking a table and redrawing, before it is done and after: who goes, how many each table gets, who has arrived.

Before the draw nothing of its result is worked out: only what is certain whatever is drawn.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from series.models import Day, Event
from series.reads.places import entries_open
from tables.domain.breaking import shares
from tables.domain.button import DeadButton
from tables.domain.draw import DrawTable
from tables.domain.placement import pool_table
from tables.domain.table import SeatingError
from tables.models import Draw, Move, Table
from tables.reads.advice import Advice
from tables.reads.hall import Hall, Sitter


@dataclass(frozen=True)
class PoolLine:
    """What one table brings to the draw. `least` and `most` of the players get a chair there; `why` says so."""

    table: int
    players: int
    seats: int
    chairs: tuple[int, ...]
    last_resort: tuple[int, ...]
    least: int
    most: int
    why: str

    @property
    def share(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least} or {self.most}"


@dataclass(frozen=True)
class BreakPreview:
    """A table that could break. `problem` says why it cannot, else empty."""

    table: int
    players: list[Sitter]
    pool: list[PoolLine]
    problem: str


def preview(hall: Hall, table: int, dead_button: DeadButton) -> BreakPreview | None:
    """What is certain about breaking a table; None if it is not open. No query."""
    closing = hall.table(table)
    if closing is None:
        return None
    rows = [row.domain for row in hall.tables]
    pool = [pool_table(row, dead_button) for row in rows if row.number != table]
    keeper = next((who for who in closing.in_seat_order if who.keeps), None)
    problem = ""
    if not pool:
        problem = "It is the last table."
    elif keeper:
        problem = f"{keeper.name} keeps a fixed seat here (seat {keeper.seat}): break another table."
    try:
        each = shares(closing.players, pool)
    except SeatingError:
        room = sum(len(row.chairs) + len(row.last_resort) for row in pool)
        left = "1 open seat" if room == 1 else f"{room or 'no'} open seats"
        problem = problem or f"Its {closing.players} players do not fit: the other tables have {left}."
        each = {}
    seats = {row.number: row.seats for row in hall.tables}
    lines = [_line(row, seats[row.table], each.get(row.table)) for row in pool]
    return BreakPreview(table, closing.in_seat_order, lines, problem)


def _line(row: DrawTable, seats: int, gets: tuple[int, int] | None) -> PoolLine:
    least, most = gets or (0, 0)
    if not row.chairs and not row.last_resort:
        why = "no open seat"
    elif gets is None:
        why = ""
    elif not most:
        why = "has more players than the tables that fill up first"
    elif least < most:
        why = "of the smallest tables; the draw says which of them get one more"
    else:
        why = "of the tables with the fewest players"
    return PoolLine(row.table, row.players, seats, row.chairs, row.last_resort, least, most, why)


@dataclass(frozen=True)
class RedrawDue:
    """A redraw that the event's points ask for: tables played on, tables that close, how many players draw."""

    keep: tuple[int, ...]
    close: tuple[int, ...]
    players: int

    @property
    def is_final(self) -> bool:
        return len(self.keep) == 1

    @property
    def title(self) -> str:
        return "Redraw: final table" if self.is_final else f"Redraw: {_words(len(self.keep))} tables left"


def redraw_due(
    day: Day, event: Event, hall: Hall, advice: Advice, now: dt.datetime, *, started: bool
) -> RedrawDue | None:
    """The redraw to make now, if any: when a table can break and a point is reached by it, or one has been reached by
    breaking. No query for an event without points, else two.
    """
    if not event.redraw_at or not started or not hall.tables or entries_open(event, day, now):
        return None
    numbers = [table.number for table in hall.tables]
    players = len(hall.sitters)
    if advice.breaking is not None and len(numbers) - 1 in event.redraw_at:
        close = advice.breaking.table
        return RedrawDue(tuple(number for number in numbers if number != close), (close,), players)
    if len(numbers) not in event.redraw_at or not Table.objects.filter(day=day, status=Table.Status.BROKEN).exists():
        return None
    drawn = Draw.objects.filter(day=day, kind=Draw.Kind.REDRAW, status=Draw.Status.DRAWN)
    if len(numbers) in {len(row.given["tables"]) for row in drawn.only("given")}:
        return None
    return RedrawDue(tuple(numbers), (), players)


@dataclass(frozen=True)
class Ticket:
    """A player's slip: who, from where, to where. `token` is the key of the player's own page."""

    move_id: int
    name: str
    token: str
    from_table: int
    from_seat: int
    table: int
    seat: int
    sits_out: bool
    status: str
    why: str


def tickets(day: Day, draw_id: int | None = None) -> list[Ticket]:
    """The moves of one draw, whatever has become of them, or else all that are not finished yet; by table and seat they
    come from. One query."""
    moves = Move.objects.filter(day=day).exclude(status=Move.Status.WITHDRAWN)
    moves = moves.filter(draw=draw_id) if draw_id else moves.filter(status=Move.Status.ORDERED)
    moves = moves.select_related("entry__player", "to_seat__table").order_by("from_table", "from_seat", "pk")
    return [
        Ticket(
            move.pk,
            move.entry.player.public_name,
            move.entry.player.token,
            move.from_table,
            move.from_seat,
            move.to_seat.table.number,
            move.to_seat.number,
            move.sits_out,
            move.status,
            move.why,
        )
        for move in moves
    ]


def not_arrived(moves: Sequence[Ticket]) -> int:
    """How many of them are still on the way."""
    return sum(move.status == Move.Status.ORDERED for move in moves)


def _words(number: int) -> str:
    small = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return small[number] if number < len(small) else str(number)
