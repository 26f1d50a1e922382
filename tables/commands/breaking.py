"""Breaking tables (house rules 46 and 47): in an order chosen in advance or drawn, the players' new seats by draw."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Entry, Event
from tables.commands.clock import day_of
from tables.commands.drawing import (
    document_label,
    draw_order,
    keys_of,
    numbered,
    refuse_while_frozen,
    seed_for,
    unused,
    write,
)
from tables.commands.hand_for_hand import drop_broken_table
from tables.commands.seating import Order, chairs_of, dead_button, domain_table, open_tables, order_moves
from tables.domain import breaking
from tables.domain.draw import seats_document
from tables.domain.table import SeatingError
from tables.models import Draw, Move, Table


@command(Event, "table.break", permission=Permission.RUN_FLOOR)
def break_table(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """Close a table and draw new seats for its players at the other tables (rules 46 and 47).

    Result: `moved`, and `draw` (None for an empty table).

    Raises:
        Refused: not open, the last table, a player there keeps a fixed seat, a list is frozen for a draw, or the others
            have too few open seats.
    """
    day = day_of(tx, day_id)
    tables = open_tables(tx, day)
    closing = next((row for row in tables if row.number == table), None)
    if closing is None:
        raise Refused(f"Table {table} is not open.", field="table", code="no_table")
    if len(tables) == 1:
        raise Refused("The last table cannot be broken.", field="table", code="last_table")
    tx.expect_unchanged(closing)
    refuse_while_frozen(day)
    chairs = chairs_of(tx, tables)
    origins = {str(seat.entry_id): seat for seat in chairs[closing.pk] if seat.entry_id is not None}
    players = Entry.objects.filter(pk__in=[int(key) for key in origins]).select_related("player")
    entries = {str(entry.pk): entry for entry in tx.lock(players)}
    for entry in entries.values():
        if entry.keeps_seat:
            words = f"{entry.player} keeps a fixed seat at table {table}: break another table, or give the seat free."
            raise Refused(words, field="table", code="fixed")
    row = None
    if entries:
        label = unused(day, f"break table {table}")
        seed = seed_for(tx.subject, day, label)
        seated = {seat.number: key for key, seat in origins.items()}
        try:
            found = breaking.break_table(
                [domain_table(other, chairs[other.pk]) for other in tables],
                table,
                seated,
                seed,
                dead_button(tx.subject),
            )
        except SeatingError as error:
            raise Refused(str(error), field="table", code="no_chairs") from error
        document = seats_document(seed, document_label(day, label), found.names, found.pool, found.result)
        row = write(tx, day, Draw.Kind.BREAK, label, keys_of(entries.values()), document)
        by_place = {(seat.table.number, seat.number): seat for seats in chairs.values() for seat in seats}
        orders = [
            Order(
                entries[move.name],
                origins[move.name],
                by_place[move.to_table, move.to_seat],
                move.reason,
                move.sits_out,
            )
            for move in found.moves
        ]
        order_moves(tx, orders, Move.Kind.BREAK, rule="46", draw=row)
    tx.change(closing, status=Table.Status.BROKEN)
    drop_broken_table(tx, day, closing)
    tx.rule = "46"
    tx.say("Table {table} is broken, {players} players moved", table=table, players=len(entries))
    return {"moved": len(entries), "draw": row.pk if row else None}


@command(Event, "table.break_order", permission=Permission.RUN_FLOOR)
def set_break_order(tx: Tx[Event], *, order: Sequence[int], day_id: int | None = None) -> dict[str, Any]:
    """Choose which tables are broken first; those left out follow from the highest number down.

    Raises:
        Refused: at `order`, for a table that is not open or is named twice.
    """
    day = day_of(tx, day_id)
    numbers = {table.number for table in open_tables(tx, day)}
    for position, number in enumerate(order):
        if number not in numbers or number in order[:position]:
            why = "is not open" if number not in numbers else "is named twice"
            raise Refused(f"Table {number} {why}.", field="order")
    tx.change(day, break_order=list(order))
    tx.say("Order of breaking: {tables}" if order else "Order of breaking: from the highest number", tables=list(order))
    return {"order": list(order)}


@command(Event, "draw.break_order", permission=Permission.RUN_FLOOR)
def draw_break_order(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Draw the order in which the open tables are broken (TDA 2024 rule 11).

    Raises:
        Refused: fewer than two tables are open.
    """
    day = day_of(tx, day_id)
    numbers = [str(table.number) for table in open_tables(tx, day)]
    if len(numbers) < 2:
        raise Refused("There are no two tables to draw between.", code="nothing_to_do")
    label = numbered(day, Draw.Kind.BREAK_ORDER, "break order")
    drawn = draw_order(tx, day, Draw.Kind.BREAK_ORDER, label, numbers, {}, "which table breaks first")
    order = [int(number) for number in drawn]
    tx.change(day, break_order=order)
    tx.say("Order of breaking drawn: {tables}", tables=order)
    return {"order": order}
