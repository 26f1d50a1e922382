"""First buttons and lots: drawn by the site, so that anybody can check them, or told by the dealer's high card."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Entry, Event
from tables.commands.clock import day_of
from tables.commands.drawing import draw_order, keys_of, numbered, unused
from tables.commands.seating import chairs_of, open_table_numbered, open_tables, playing
from tables.domain.button import first_hand
from tables.domain.table import SeatingError
from tables.models import HIGH_CARD, Draw, Seat, Table


@command(Event, "draw.buttons", permission=Permission.RUN_FLOOR)
def draw_buttons(tx: Tx[Event], *, table: int | None = None, day_id: int | None = None) -> dict[str, Any]:
    """Draw who has the first button at a table, or at every open table whose button nobody has told.

    Result: `tables`, how many.

    Raises:
        Refused: no table waits for its button, or fewer than two players sit at the one named.
    """
    day = day_of(tx, day_id)
    tables = open_tables(tx, day) if table is None else [open_table_numbered(tx, day, table)]
    chairs = chairs_of(tx, tables)
    entries = {entry.pk: entry for entry in Entry.objects.filter(seat__table__in=tables).select_related("player")}
    drawn = 0
    for row in tables:
        seats = {str(seat.entry_id): seat for seat in chairs[row.pk] if seat.entry_id is not None}
        known = row.last([seat.number for seat in seats.values()]) is not None
        if (table is None and known) or len(seats) < 2:
            continue
        label = unused(day, f"button table {row.number}")
        people = keys_of(entries[int(key)] for key in seats)
        order = draw_order(
            tx, day, Draw.Kind.BUTTON, label, list(people), people, f"first button of table {row.number}"
        )
        _put_button(tx, row, chairs[row.pk], seats[order[0]].number)
        drawn += 1
    if not drawn:
        raise Refused("No table with two players waits for its button.", field="table", code="nothing_to_do")
    tx.say("First button drawn at {tables} tables", tables=drawn)
    return {"tables": drawn}


@command(Event, "table.first_button", permission=Permission.REPORT_HANDS)
def set_first_button(tx: Tx[Event], *, table: int, seat: int, day_id: int | None = None) -> dict[str, Any]:
    """The dealer dealt for high card: this seat has the first button; the blinds are left of it (rules 16, 18).

    Raises:
        Refused: the table is not open, nobody sits there, or nobody else is at the table.
    """
    day = day_of(tx, day_id)
    row = open_table_numbered(tx, day, table)
    tx.expect_unchanged(row)
    chairs = chairs_of(tx, [row])[row.pk]
    _put_button(tx, row, chairs, seat)
    seated = {chair.entry_id: chair.number for chair in chairs if chair.entry_id is not None}
    winner = next(key for key, number in seated.items() if number == seat)
    people = keys_of(Entry.objects.filter(pk__in=seated).select_related("player"))
    tx.add(
        Draw(
            day=day,
            kind=Draw.Kind.BUTTON,
            label=unused(day, f"high card table {table}"),
            what=f"first button of table {table}",
            algorithm=HIGH_CARD,
            given={"names": list(people)},
            people=people,
            result=[str(winner)],
            frozen_at=tx.at,
            drawn_at=tx.at,
        )
    )
    tx.say("{player} has the first button at table {table} by high card", player=people[str(winner)], table=table)
    return {}


def _put_button(tx: Tx[Event], row: Table, chairs: Sequence[Seat], seat: int) -> None:
    try:
        hand = first_hand(row.seats, {chair.number for chair in chairs if chair.entry_id is not None}, seat)
    except SeatingError as error:
        raise Refused(str(error), field="seat", code="no_player") from error
    positions = hand.positions
    tx.change(
        row,
        button=positions.button,
        small_blind=positions.small_blind,
        big_blind=positions.big_blind,
        button_at=tx.at,
        dealt_in={},
    )


@command(Event, "draw.lot", permission=Permission.RUN_FLOOR)
def draw_lot(tx: Tx[Event], *, entry_ids: Sequence[int], what: str) -> dict[str, Any]:
    """Draw the order of some players where the rules rank them alike; `what` says publicly what it decides.

    Result: `order`, the keys of the entries.

    Raises:
        Refused: at `what` if it is empty, at `entry` for fewer than two players of one day.
    """
    what = what.strip()[:120]
    if not what:
        raise Refused("Say what the lot decides.", field="what")
    entries = playing(tx, entry_ids)
    if len(entries) < 2 or len({entry.day_id for entry in entries}) > 1:
        raise Refused("A lot is drawn between two or more players of one day.", field="entry")
    day = day_of(tx, entries[0].day_id)
    people = keys_of(entries)
    order = draw_order(tx, day, Draw.Kind.LOT, numbered(day, Draw.Kind.LOT, "lot"), list(people), people, what)
    tx.say("Lot drawn: {what}. First is {player}", what=what, player=next(e for e in entries if str(e.pk) == order[0]))
    return {"order": [int(key) for key in order]}
