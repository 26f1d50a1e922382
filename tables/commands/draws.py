"""The seat draw of a day. Anybody can check it: the list is frozen in public before it is drawn, or both in one step.

Who enters in between is drawn as a late entrant.
"""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Day, Entry, Event
from tables.commands.clock import day_of
from tables.commands.drawing import draw_now, freeze, frozen_draw, keys_of, numbered, tables_of, thaw
from tables.commands.seating import (
    chairs_drawn,
    chairs_of,
    draw_late_seat,
    open_up,
    pool_of,
    sit_down,
    tables_for,
    waiting_for_seats,
)
from tables.domain.draw import DrawTable
from tables.models import Draw, Seat, Table

MOST_TABLES = 2000


def _tables_wanted(tx: Tx[Event], day: Day, waiting: int, tables: int | None) -> list[Table]:
    """The tables of a draw for those who wait; not opened yet.

    Raises:
        Refused: at `tables`, for a number that makes no sense or is too small.
    """
    if tables is not None and not 1 <= tables <= MOST_TABLES:
        raise Refused(f"Give a number of tables between 1 and {MOST_TABLES:,}.", field="tables")
    seated = Seat.objects.filter(table__day=day, entry__isnull=False).count()
    found = tables_for(tx, day, waiting + seated, tables or 1)
    opened = sum(table.status == Table.Status.OPEN for table in found)
    if tables is not None and len(found) > max(tables, opened):
        raise Refused(f"{waiting + seated} players do not fit at {tables} tables: open more.", field="tables")
    return found


@command(Event, "draw.freeze", permission=Permission.RUN_FLOOR)
def freeze_draw(tx: Tx[Event], *, day_id: int | None = None, tables: int | None = None) -> dict[str, Any]:
    """Freeze, in public, who is in the seat draw of a day and at which chairs (rule 45). Result: `draw`.

    Everybody of the day without a seat is in it; as few tables as possible, `tables` asks for more. Until it is drawn
    nobody else gets a seat.

    Raises:
        Refused: nobody waits for a seat, a list is frozen already, or too few tables named.
    """
    day = day_of(tx, day_id)
    refuse_a_second(tx, day)
    waiting = waiting_for_seats(tx, day)
    if not waiting:
        raise Refused("Everybody who entered has a seat: there is nobody to draw.", code="nothing_to_do")
    found = _tables_wanted(tx, day, len(waiting), tables)
    pool = pool_of(tx, found, chairs_of(tx, found))
    label = numbered(day, Draw.Kind.INITIAL, "seats")
    row = freeze(tx, day, Draw.Kind.INITIAL, label, keys_of(waiting), pool)
    tx.rule = "45"
    tx.say("List frozen for the seat draw: {players} players, {tables} tables", players=len(waiting), tables=len(found))
    return {"draw": row.pk}


@command(Event, "draw.seats", permission=Permission.RUN_FLOOR)
def draw_seats(tx: Tx[Event], *, day_id: int | None = None, tables: int | None = None) -> dict[str, Any]:
    """Draw seats for everybody on the frozen list of the day, or, without one, for all who entered and have none
    (rule 45), opening tables as needed. Without anybody to seat it opens the tables, so that each buy-in can draw its
    seat at once. Result: `draw` (None without anybody), `seated` and `tables`.

    Sizes are within one of each other. From a frozen list: who has gone since leaves the chair drawn empty, who has
    entered since is drawn as a late entrant.

    Raises:
        Refused: nothing to do, too few tables, or chairs of the frozen list are not free any more.
    """
    day = day_of(tx, day_id)
    row = frozen_draw(tx, day)
    if row is not None:
        return _draw_frozen_seats(tx, day, row, tables)
    waiting = waiting_for_seats(tx, day)
    found = _tables_wanted(tx, day, len(waiting), tables)
    if not waiting and all(table.status == Table.Status.OPEN for table in found):
        raise Refused("Everybody who entered has a seat, and the tables are open.", code="nothing_to_do")
    open_up(tx, found)
    if waiting:
        chairs = chairs_of(tx, found)
        pool = pool_of(tx, found, chairs)
        label = numbered(day, Draw.Kind.INITIAL, "seats")
        row, result = draw_now(tx, day, Draw.Kind.INITIAL, label, keys_of(waiting), pool)
        sit_down(tx, chairs_drawn(chairs, result))
    return _seated(tx, row, len(waiting), len(found))


def _draw_frozen_seats(tx: Tx[Event], day: Day, row: Draw, tables: int | None) -> dict[str, Any]:
    if row.kind != Draw.Kind.INITIAL:
        raise Refused("A redraw is frozen: carry it out, or take it back.", code="frozen")
    if tables is not None and tables != len(row.given["tables"]):
        raise Refused("The list is frozen with its tables: draw it, or take it back.", field="tables", code="frozen")
    frozen = tables_of(row)
    found = tables_numbered(tx, day, frozen, (Table.Status.OPEN, Table.Status.PREPARED))
    chairs = chairs_of(tx, found)
    now = {table.table: {*table.chairs, *table.last_resort} for table in pool_of(tx, found, chairs)}
    for table in frozen:
        if not {*table.chairs, *table.last_resort} <= now[table.table]:
            raise changed(f"A chair at table {table.table} is not free any more")
    open_up(tx, found)
    seats = still_playing(tx, chairs_drawn(chairs, thaw(tx, row)))
    sit_down(tx, seats)
    late = seat_the_late(tx, day)
    return _seated(tx, row, len(seats) + late, len(found))


def _seated(tx: Tx[Event], row: Draw | None, seated: int, tables: int) -> dict[str, Any]:
    tx.rule = "45"
    tx.say("Seats drawn for {players} players, {tables} tables open", players=seated, tables=tables)
    return {"draw": row.pk if row else None, "seated": seated, "tables": tables}


@command(Event, "draw.withdraw", permission=Permission.RUN_FLOOR)
def withdraw_draw(tx: Tx[Event], *, draw_id: int) -> dict[str, Any]:
    """Take a frozen list back, with a reason that everybody sees. Its seed is never used nor shown.

    Raises:
        Refused: no reason, or it is not frozen.
    """
    row = tx.lock_one(
        Draw, "This list is not frozen any more.", pk=draw_id, day__event=tx.subject, status=Draw.Status.FROZEN
    )
    if not tx.reason:
        raise Refused("Say why the list is taken back: the page of the draws shows it.", field="reason")
    tx.change(row, status=Draw.Status.WITHDRAWN, withdrawn_why=tx.reason[:200])
    tx.say("Frozen list taken back")
    return {}


def refuse_a_second(tx: Tx[Event], day: Day) -> None:
    if frozen_draw(tx, day) is not None:
        raise Refused("A list is frozen already: draw it, or take it back.", code="frozen")


def tables_numbered(tx: Tx[Event], day: Day, frozen: Sequence[DrawTable], statuses: Sequence[str]) -> list[Table]:
    """The rows of the tables of a frozen list, locked.

    Raises:
        Refused: one of them has been closed since.
    """
    numbers = {table.table for table in frozen}
    found = tx.lock(Table.objects.filter(day=day, number__in=numbers, status__in=statuses))
    if len(found) < len(numbers):
        raise changed("A table of the list is closed")
    return found


def changed(what: str) -> Refused:
    return Refused(f"{what}: take the frozen list back and freeze it again.", code="changed")


def still_playing(tx: Tx[Event], seats: dict[int, Seat]) -> dict[int, Seat]:
    """Only the chairs of entries that are still in: who has gone since the list was frozen leaves theirs empty."""
    left = set(
        Entry.objects.filter(pk__in=list(seats), status=Entry.Status.PLAYING).order_by().values_list("pk", flat=True)
    )
    return {pk: seat for pk, seat in seats.items() if pk in left}


def seat_the_late(tx: Tx[Event], day: Day) -> int:
    """Draw, one by one, those who entered after the list was frozen; returns how many."""
    late = waiting_for_seats(tx, day)
    for entry in late:
        draw_late_seat(tx, day, entry)
    return len(late)
