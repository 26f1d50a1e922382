"""Tables and chairs by the floor's own hand: their number and size, locked chairs, players who keep theirs."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Day, Event
from tables.commands.clock import day_of
from tables.commands.drawing import refuse_while_frozen
from tables.commands.seating import chairs_of, forget_hands, new_tables, place_words, playing
from tables.domain.table import LEAST_SEATS, MOST_SEATS
from tables.models import Move, Seat, Table


# --- tables -----------------------------------------------------------------------------------------------------------
def _table(tx: Tx[Event], day: Day, number: int) -> Table:
    return tx.lock_one(Table, f"There is no table {number}.", day=day, number=number)


def _require_size(seats: int) -> None:
    if not LEAST_SEATS <= seats <= MOST_SEATS:
        raise Refused(f"A table has between {LEAST_SEATS} and {MOST_SEATS} chairs.", field="seats")


@command(Event, "table.add", permission=Permission.RUN_FLOOR)
def add_table(
    tx: Tx[Event],
    *,
    seats: int | None = None,
    number: int | None = None,
    opened: bool = False,
    day_id: int | None = None,
) -> dict[str, Any]:
    """One more table of any size, open at once or prepared to be opened when chairs are needed. Result: `table`.

    seats: chairs, None for the event's usual number; number: as called in the hall, None for the next one.

    Raises:
        Refused: at `seats`, or at `number` if another table of the day has it.
    """
    day = day_of(tx, day_id)
    seats = seats or tx.subject.seats_per_table
    _require_size(seats)
    status = Table.Status.OPEN if opened else Table.Status.PREPARED
    if number is None:
        row = new_tables(tx, day, [seats], status)[0]
    else:
        if not 1 <= number <= 9999:
            raise Refused("Give the table a number between 1 and 9,999.", field="number")
        if Table.objects.filter(day=day, number=number).exists():
            raise Refused(f"There is a table {number} already.", field="number", code="taken")
        row = tx.add(Table(day=day, number=number, seats=seats, status=status))
        tx.add_all([Seat(table=row, number=chair) for chair in range(1, seats + 1)])
    tx.say(
        "Table {table} {what}, {seats} chairs", table=row.number, what="opened" if opened else "prepared", seats=seats
    )
    return {"table": row.number}


@command(Event, "table.open", permission=Permission.RUN_FLOOR)
def open_table(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """Open a table that is prepared, or one that was broken.

    Raises:
        Refused: it is open already, or there is none.
    """
    row = _table(tx, day_of(tx, day_id), table)
    tx.expect_unchanged(row)
    if row.status == Table.Status.OPEN:
        raise Refused(f"Table {table} is open already.", field="table", code="open")
    tx.change(row, status=Table.Status.OPEN)
    forget_hands(tx, row)
    tx.say("Table {table} opened", table=table)
    return {}


@command(Event, "table.size", permission=Permission.RUN_FLOOR)
def set_table_size(tx: Tx[Event], *, table: int, seats: int, day_id: int | None = None) -> dict[str, Any]:
    """Change how many chairs a table has, while nobody sits there.

    Raises:
        Refused: somebody sits there, somebody was moved to a chair that would go, or at `seats`.
    """
    day = day_of(tx, day_id)
    refuse_while_frozen(day)
    row = _table(tx, day, table)
    tx.expect_unchanged(row)
    _require_size(seats)
    chairs = chairs_of(tx, [row])[row.pk]
    if any(chair.entry_id is not None for chair in chairs):
        raise Refused(f"Players sit at table {table}: its chairs can change only while it is empty.", field="table")
    surplus = [chair for chair in chairs if chair.number > seats]
    if Move.objects.filter(to_seat__in=surplus).exists():
        raise Refused("A player was moved to a chair that would go: prepare another table.", field="seats")
    for chair in surplus:
        tx.remove(chair)  # nobody sits there and no move led there
    tx.add_all([Seat(table=row, number=number) for number in range(len(chairs) + 1, seats + 1)])
    tx.change(row, seats=seats)
    forget_hands(tx, row)
    tx.say("Table {table} has {seats} chairs", table=table, seats=seats)
    return {}


@command(Event, "table.opening_order", permission=Permission.RUN_FLOOR)
def set_opening_order(tx: Tx[Event], *, order: Sequence[int], day_id: int | None = None) -> dict[str, Any]:
    """In which order prepared tables are opened as chairs are needed; those left out follow by number.

    Raises:
        Refused: at `order`, for a table that is not prepared or is named twice.
    """
    day = day_of(tx, day_id)
    prepared = {row.number: row for row in tx.lock(Table.objects.filter(day=day, status=Table.Status.PREPARED))}
    for position, number in enumerate(order):
        if number not in prepared or number in order[:position]:
            why = "is not prepared" if number not in prepared else "is named twice"
            raise Refused(f"Table {number} {why}.", field="order")
    places = {number: place for place, number in enumerate(order, 1)}
    tx.change_all([(row, {"opens": places.get(number)}) for number, row in prepared.items()])
    tx.say("Order of opening: {tables}" if order else "Order of opening: by number", tables=list(order))
    return {"order": list(order)}


# --- chairs -----------------------------------------------------------------------------------------------------------
def _chair(tx: Tx[Event], day: Day, table: int, seat: int) -> Seat:
    row = _table(tx, day, table)
    chair = tx.lock_one(Seat, f"Table {table} has no seat {seat}.", table=row, number=seat)
    chair.table = row
    tx.expect_unchanged(chair)
    return chair


def _free_chair(tx: Tx[Event], day: Day, table: int, seat: int) -> Seat:
    chair = _chair(tx, day, table, seat)
    if chair.table.status != Table.Status.OPEN:
        raise Refused(f"Table {table} is not open.", field="table", code="no_table")
    if chair.locked:
        raise Refused(f"Seat {seat} at table {table} is locked.", field="seat", code="locked")
    if chair.entry_id is not None:
        raise Refused(f"Seat {seat} at table {table} is taken.", field="seat", code="taken")
    return chair


@command(Event, "seat.lock", permission=Permission.RUN_FLOOR)
def lock_seat(tx: Tx[Event], *, table: int, seat: int, day_id: int | None = None) -> dict[str, Any]:
    """Lock an empty chair, with a reason: no draw, balance or break uses it.

    Raises:
        Refused: no reason, somebody sits there, or it is locked already.
    """
    day = day_of(tx, day_id)
    refuse_while_frozen(day)
    if not tx.reason:
        raise Refused("Say why the chair is locked.", field="reason", code="no_reason")
    chair = _chair(tx, day, table, seat)
    if chair.locked:
        raise Refused(f"Seat {seat} at table {table} is locked already.", field="seat", code="locked")
    if chair.entry_id is not None:
        raise Refused(f"Somebody sits in seat {seat} at table {table}: move them first.", field="seat", code="taken")
    tx.change(chair, locked=True, locked_why=tx.reason[:120])
    tx.say("Table {table}, seat {seat} locked", table=table, seat=seat)
    return {}


@command(Event, "seat.unlock", permission=Permission.RUN_FLOOR)
def unlock_seat(tx: Tx[Event], *, table: int, seat: int, day_id: int | None = None) -> dict[str, Any]:
    """Let a locked chair be used again.

    Raises:
        Refused: it is not locked.
    """
    day = day_of(tx, day_id)
    refuse_while_frozen(day)
    chair = _chair(tx, day, table, seat)
    if not chair.locked:
        raise Refused(f"Seat {seat} at table {table} is not locked.", field="seat")
    tx.change(chair, locked=False, locked_why="")
    tx.say("Table {table}, seat {seat} unlocked", table=table, seat=seat)
    return {}


# --- players ----------------------------------------------------------------------------------------------------------
@command(Event, "entry.seat", permission=Permission.RUN_FLOOR)
def seat_by_hand(tx: Tx[Event], *, entry_id: int, table: int, seat: int) -> dict[str, Any]:
    """Give a player who has no seat a certain one instead of a drawn one, with a reason.

    Raises:
        Refused: no reason, the player has a seat, the chair is taken or locked, or a list is frozen for a draw.
    """
    if not tx.reason:
        raise Refused("Say why this seat is not drawn.", field="reason", code="no_reason")
    entry = playing(tx, [entry_id])[0]
    if Seat.objects.filter(entry=entry).exists():
        raise Refused(f"{entry.player} has a seat: move them.", field="entry", code="seated")
    day = day_of(tx, entry.day_id)
    refuse_while_frozen(day)
    chair = _free_chair(tx, day, table, seat)
    tx.change(chair, entry_id=entry.pk)
    tx.say("{player} seated by the floor: table {table}, seat {seat}", player=entry.player, **place_words(chair))
    return place_words(chair)


@command(Event, "seat.keep", permission=Permission.RUN_FLOOR)
def keep_seat(
    tx: Tx[Event], *, entry_id: int, why: str, table: int | None = None, seat: int | None = None
) -> dict[str, Any]:
    """A player with an access need keeps their seat: no draw, balance or break moves them.

    A player without a seat is given the one named by `table` and `seat`. `why` is for staff; it is kept with the entry,
    sealed in the journal, as it may speak of somebody's health.

    Raises:
        Refused: at `why`, for none; no seat, a taken or a locked one; or a list is frozen for a draw.
    """
    why = why.strip()[:200]
    if not why:
        raise Refused("Say why this player keeps a seat.", field="why", code="no_reason")
    entry = playing(tx, [entry_id])[0]
    tx.expect_unchanged(entry)
    day = day_of(tx, entry.day_id)
    refuse_while_frozen(day)
    chair = next(iter(tx.lock(Seat.objects.filter(entry=entry).select_related("table"))), None)
    if chair is None:
        if table is None or seat is None:
            raise Refused("This player has no seat yet: name the table and the seat.", field="seat", code="unseated")
        chair = _free_chair(tx, day, table, seat)
        tx.change(chair, entry_id=entry.pk)
    elif (table, seat) != (None, None) and (table, seat) != (chair.table.number, chair.number):
        raise Refused(f"{entry.player} sits elsewhere: move them first.", field="seat", code="seated")
    tx.change(entry, keeps_seat=why)
    tx.say("{player} keeps table {table}, seat {seat}", player=entry.player, **place_words(chair))
    return place_words(chair)


@command(Event, "seat.release", permission=Permission.RUN_FLOOR)
def release_seat(tx: Tx[Event], *, entry_id: int) -> dict[str, Any]:
    """A player who kept a fixed seat is drawn and moved like everybody else again.

    Raises:
        Refused: the player keeps no seat, or a list is frozen for a draw.
    """
    entry = playing(tx, [entry_id])[0]
    tx.expect_unchanged(entry)
    refuse_while_frozen(day_of(tx, entry.day_id))
    if not entry.keeps_seat:
        raise Refused(f"{entry.player} keeps no fixed seat.", field="entry")
    tx.change(entry, keeps_seat="")
    tx.say("{player} keeps no fixed seat any more", player=entry.player)
    return {}
