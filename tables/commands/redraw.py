"""The redraw: with few tables left, and for the final table, everybody draws a new seat (house rule 45; RR)."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Day, Entry, Event
from tables.commands.clock import day_of
from tables.commands.drawing import draw_now, freeze, frozen_draw, keys_of, numbered, tables_of, thaw
from tables.commands.draws import changed, refuse_a_second, seat_the_late, still_playing, tables_numbered
from tables.commands.hand_for_hand import drop_broken_table
from tables.commands.seating import Order, chairs_drawn, chairs_of, forget_hands, open_tables, order_moves, sit_down
from tables.domain.draw import DrawTable, Seating
from tables.models import Draw, Move, Table


@command(Event, "draw.freeze_redraw", permission=Permission.RUN_FLOOR)
def freeze_redraw(tx: Tx[Event], *, keep: Sequence[int] | None = None, day_id: int | None = None) -> dict[str, Any]:
    """Freeze, in public, who is in a redraw and at which tables; `keep` names the tables played on, None all open ones.

    Result: `draw`.

    Raises:
        Refused: a list is frozen already, a table is not open, a player who keeps their seat sits at a table that would
            close, or too few chairs.
    """
    day = day_of(tx, day_id)
    refuse_a_second(tx, day)
    people, pool = _everybody(tx, day, keep)
    label = numbered(day, Draw.Kind.REDRAW, "redraw")
    row = freeze(tx, day, Draw.Kind.REDRAW, label, keys_of(people), pool)
    tx.say("List frozen for the redraw: {players} players, {tables} tables", players=len(people), tables=len(pool))
    return {"draw": row.pk}


@command(Event, "draw.redraw", permission=Permission.RUN_FLOOR)
def redraw(tx: Tx[Event], *, keep: Sequence[int] | None = None, day_id: int | None = None) -> dict[str, Any]:
    """Everybody of the day draws a new seat at the tables kept; the other tables close, all buttons are drawn anew.

    From the frozen list if there is one, else the list is frozen in the same moment. Whoever changes seat gets a move;
    who keeps a fixed seat is left out. Result: `draw`, `moved`, `tables`.

    Raises:
        Refused: as `freeze_redraw`; or what was frozen is another list, or not as it was.
    """
    day = day_of(tx, day_id)
    row = frozen_draw(tx, day)
    if row is None:
        people, pool = _everybody(tx, day, keep)
        label = numbered(day, Draw.Kind.REDRAW, "redraw")
        row, result = draw_now(tx, day, Draw.Kind.REDRAW, label, keys_of(people), pool)
    elif row.kind != Draw.Kind.REDRAW or (keep is not None and set(keep) != {t.table for t in tables_of(row)}):
        raise Refused("Another list is frozen for a draw: draw it first, or take it back.", code="frozen")
    else:
        result = thaw(tx, row)
    tables = open_tables(tx, day)
    kept = tables_numbered(tx, day, tables_of(row), (Table.Status.OPEN,))
    moved = _carry_out(tx, day, row, tables, kept, result)
    for table in tables:
        if table in kept:
            forget_hands(tx, table)
        else:
            tx.change(table, status=Table.Status.BROKEN)
            drop_broken_table(tx, day, table)
    seat_the_late(tx, day)
    tx.rule = "45"
    tx.say("Redraw at {tables} tables, {players} players moved", tables=len(kept), players=moved)
    return {"draw": row.pk, "moved": moved, "tables": len(kept)}


def _everybody(tx: Tx[Event], day: Day, keep: Sequence[int] | None) -> tuple[list[Entry], list[DrawTable]]:
    """Who is in a redraw, and the chairs of the tables kept without those of players who keep theirs."""
    tables = open_tables(tx, day)
    numbers = {table.number for table in tables}
    wanted = numbers if keep is None else set(keep)
    if not wanted or not wanted <= numbers:
        raise Refused("Choose tables that are open.", field="keep", code="no_table")
    entries = tx.lock(Entry.objects.filter(day=day, status=Entry.Status.PLAYING).select_related("player"))
    fixed = {entry.pk: entry for entry in entries if entry.keeps_seat}
    chairs = chairs_of(tx, tables)
    pool = []
    for table in tables:
        keepers = [seat for seat in chairs[table.pk] if seat.entry_id in fixed]
        if table.number in wanted:
            free = tuple(seat.number for seat in chairs[table.pk] if seat not in keepers and not seat.locked)
            pool.append(DrawTable(table.number, free, players=len(keepers)))
        elif keepers:
            player = fixed[keepers[0].entry_id or 0].player
            raise Refused(
                f"{player} keeps a seat at table {table.number}: keep that table.", field="keep", code="fixed"
            )
    drawn = [entry for entry in entries if not entry.keeps_seat]
    if len(drawn) > sum(len(table.chairs) for table in pool):
        raise Refused(f"{len(drawn)} players do not fit at these tables.", field="keep", code="no_chairs")
    if not drawn:
        raise Refused("There is nobody to draw.", code="nothing_to_do")
    return drawn, pool


def _carry_out(
    tx: Tx[Event], day: Day, row: Draw, tables: Sequence[Table], kept: Sequence[Table], result: Sequence[Seating]
) -> int:
    """Send everybody to the chair they drew; returns how many change seat."""
    chairs = chairs_of(tx, tables)
    place = {seat.entry_id: seat for seats in chairs.values() for seat in seats if seat.entry_id is not None}
    targets = still_playing(tx, chairs_drawn(chairs, result))
    held = {seat.pk for pk, seat in place.items() if pk not in targets}
    for seat in targets.values():
        if seat.locked or seat.pk in held:
            raise changed(f"A chair at table {seat.table.number} is not free any more")
    for pk, seat in place.items():
        if pk not in targets and seat.table not in kept:
            raise changed(f"Somebody who is not on the list sits at table {seat.table.number}")
    entries = {entry.pk: entry for entry in tx.lock(Entry.objects.filter(pk__in=list(targets)))}
    words = "Final table" if len(kept) == 1 else f"Redraw at {len(kept)} tables"
    orders = [
        Order(entries[pk], place[pk], seat, f"{words}: table {seat.table.number} seat {seat.number} was drawn.")
        for pk, seat in targets.items()
        if pk in place and place[pk] is not seat
    ]
    order_moves(tx, orders, Move.Kind.REDRAW, rule="45", draw=row)
    sit_down(tx, {pk: seat for pk, seat in targets.items() if pk not in place})
    return len(orders)


@command(Event, "event.redraw_at", permission=Permission.RUN_FLOOR)
def set_redraw_points(tx: Tx[Event], *, points: Sequence[int]) -> dict[str, Any]:
    """With how many tables left everybody draws a new seat, for example 3, 2 and 1; none for never.

    Raises:
        Refused: at `points`, for a number outside 1 to 20.
    """
    wanted = sorted(set(points), reverse=True)
    if any(not 1 <= point <= 20 for point in wanted):
        raise Refused("Name numbers of tables between 1 and 20.", field="points")
    tx.change(tx.subject, redraw_at=wanted)
    words = ", ".join(str(point) for point in wanted)
    tx.say("Redraw with {points} tables left" if wanted else "No redraw", points=words)
    return {"points": wanted}
