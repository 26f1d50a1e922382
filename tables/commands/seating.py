"""Tables, chairs and who sits in them, inside commands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from journal.commands import Tx
from journal.errors import Refused
from series.domain.options import options_from
from series.models import Day, Entry, Event
from tables.commands.drawing import draw_now, keys_of, unused
from tables.domain import table as domain
from tables.domain.button import DeadButton
from tables.domain.draw import DrawTable, Seating
from tables.domain.placement import pool_table
from tables.models import Draw, Move, Seat, Table


# --- tables and chairs ------------------------------------------------------------------------------------------------
def open_tables(tx: Tx[Event], day: Day) -> list[Table]:
    """The day's open tables, locked, in order of number."""
    return sorted(tx.lock(Table.objects.filter(day=day, status=Table.Status.OPEN)), key=lambda table: table.number)


def open_table_numbered(tx: Tx[Event], day: Day, number: int) -> Table:
    """One open table, locked with the day's others.

    Raises:
        Refused: it is not open.
    """
    table = next((table for table in open_tables(tx, day) if table.number == number), None)
    if table is None:
        raise Refused(f"Table {number} is not open.", field="table", code="no_table")
    return table


def new_tables(tx: Tx[Event], day: Day, sizes: Sequence[int], status: str) -> list[Table]:
    """More tables, one for each number of chairs, numbered on from the highest used."""
    highest = Table.objects.filter(day=day).order_by("-number").values_list("number", flat=True).first() or 0
    made = tx.add_all(
        [Table(day=day, number=highest + step, seats=seats, status=status) for step, seats in enumerate(sizes, 1)]
    )
    tx.add_all([Seat(table=table, number=number) for table in made for number in range(1, table.seats + 1)])
    return made


def tables_for(tx: Tx[Event], day: Day, players: int, at_least: int = 1) -> list[Table]:
    """The open tables and as many more as are needed: for so many players, and so many in number. The latter are not
    opened yet: those prepared, in their order of opening, then new ones of the event's usual size.
    """
    tables = open_tables(tx, day)
    prepared = tx.lock(Table.objects.filter(day=day, status=Table.Status.PREPARED))
    chairs = _usable_chairs(day)
    room = sum(chairs.get(table.pk, 0) for table in tables)
    for table in sorted(prepared, key=lambda table: (table.opens is None, table.opens, table.number)):
        if room >= players and len(tables) >= at_least:
            break
        if table.pk in chairs:
            tables.append(table)
            room += chairs[table.pk]
    usual = tx.subject.seats_per_table
    missing = max(at_least - len(tables), -(-(players - room) // usual))
    if missing > 0:
        tables += new_tables(tx, day, [usual] * missing, Table.Status.PREPARED)
    return sorted(tables, key=lambda table: table.number)


def open_up(tx: Tx[Event], tables: Sequence[Table]) -> None:
    """Open those of the tables that are not open yet."""
    tx.change_all([(table, {"status": Table.Status.OPEN}) for table in tables])


def _usable_chairs(day: Day) -> dict[int, int]:
    counted = Seat.objects.filter(table__day=day, locked=False).order_by().values("table").annotate(chairs=Count("pk"))
    return {row["table"]: row["chairs"] for row in counted}


def forget_hands(tx: Tx[Event], table: Table) -> None:
    """The table begins anew: its button is unknown until it is drawn, told or dealt for."""
    tx.change(
        table,
        button=None,
        small_blind=None,
        big_blind=None,
        button_at=None,
        hand=0,
        dealt_in={},
        halt_waived=None,
    )


def chairs_of(tx: Tx[Event], tables: Sequence[Table]) -> dict[int, list[Seat]]:
    """The chairs of each table, locked, by the table's key, in seat order."""
    chairs: dict[int, list[Seat]] = {table.pk: [] for table in tables}
    by_pk = {table.pk: table for table in tables}
    for seat in tx.lock(Seat.objects.filter(table__in=list(by_pk))):
        seat.table = by_pk[seat.table_id]
        chairs[seat.table_id].append(seat)
    for seats in chairs.values():
        seats.sort(key=lambda seat: seat.number)
    return chairs


def domain_table(table: Table, chairs: Sequence[Seat]) -> domain.Table:
    """A table and its chairs as the seating rules look at them."""
    occupied = frozenset(seat.number for seat in chairs if seat.entry_id is not None)
    return domain.Table(
        number=table.number,
        seats=table.seats,
        occupied=occupied,
        last=table.last(occupied),
        locked=frozenset(seat.number for seat in chairs if seat.locked),
        first=table.awaits_first,
    )


def dead_button(event: Event) -> DeadButton:
    """Which reading of the dead button the series chose (rules 19 to 21)."""
    return DeadButton(options_from(event.series.options).dead_button)


def place_words(seat: Seat) -> dict[str, Any]:
    """A seat as results of commands carry it."""
    return {"table": seat.table.number, "seat": seat.number}


# --- players ----------------------------------------------------------------------------------------------------------
def playing(tx: Tx[Event], entry_ids: Sequence[int]) -> list[Entry]:
    """These entries, locked.

    Raises:
        Refused: one of them is not of this event, or is not playing any more.
    """
    entries = tx.lock(Entry.objects.filter(event=tx.subject, pk__in=entry_ids))
    if len(entries) != len(set(entry_ids)) or not entries:
        raise Refused("There is no such player in this event.", field="entry", code="missing")
    for entry in entries:
        if entry.status != Entry.Status.PLAYING:
            raise Refused(f"{entry.player} is not playing any more.", field="entry", code="not_playing")
    return entries


def seats_of(tx: Tx[Event], entries: Sequence[Entry]) -> dict[int, Seat]:
    """The chair of each entry, locked, by the entry's key.

    Raises:
        Refused: one of them has none.
    """
    seats = tx.lock(Seat.objects.filter(entry__in=[entry.pk for entry in entries]).select_related("table"))
    found = {seat.entry_id: seat for seat in seats if seat.entry_id is not None}
    for entry in entries:
        if entry.pk not in found:
            raise Refused(f"{entry.player} has no seat yet.", field="entry", code="unseated")
    return found


def waiting_for_seats(tx: Tx[Event], day: Day) -> list[Entry]:
    """The players of the day without a seat, locked, in the order in which they entered."""
    waiting = Entry.objects.filter(day=day, status=Entry.Status.PLAYING, seat__isnull=True)
    return tx.lock(waiting.select_related("player"))


def sit_down(tx: Tx[Event], seats: dict[int, Seat]) -> None:
    """Give each chair to its entry, by the entry's key. Chairs the same entries leave must be emptied before."""
    tx.change_all([(seat, {"entry_id": entry_id}) for entry_id, seat in seats.items()])


@dataclass(frozen=True)
class Order:
    """One player's way to another chair."""

    entry: Entry
    origin: Seat
    target: Seat
    why: str
    sits_out: bool = False


def order_moves(
    tx: Tx[Event], orders: Sequence[Order], kind: str, *, rule: str = "", draw: Draw | None = None
) -> list[Move]:
    """Send players to other chairs, which are theirs from now on. Moves they have not finished are withdrawn.

    A chair that one leaves and another gets must be the same object in both orders.
    """
    entries = [order.entry.pk for order in orders]
    unfinished = tx.lock(Move.objects.filter(entry__in=entries, status=Move.Status.ORDERED))
    tx.change_all([(move, {"status": Move.Status.WITHDRAWN}) for move in unfinished])
    moves = tx.add_all(
        [
            Move(
                day_id=order.entry.day_id,
                entry=order.entry,
                kind=kind,
                from_table=order.origin.table.number,
                from_seat=order.origin.number,
                to_seat=order.target,
                draw=draw,
                why=order.why[:200],
                rule=rule,
                sits_out=order.sits_out,
                ordered_at=tx.at,
            )
            for order in orders
        ]
    )
    tx.change_all([(order.origin, {"entry_id": None}) for order in orders])
    sit_down(tx, {order.entry.pk: order.target for order in orders})
    return moves


# --- newcomers --------------------------------------------------------------------------------------------------------
def pool_of(tx: Tx[Event], tables: Sequence[Table], chairs: dict[int, list[Seat]]) -> list[DrawTable]:
    """The free chairs of the tables as a draw sees them."""
    policy = dead_button(tx.subject)
    return [pool_table(domain_table(table, chairs[table.pk]), policy) for table in tables]


def chairs_drawn(chairs: dict[int, list[Seat]], result: Sequence[Seating]) -> dict[int, Seat]:
    """The chair that each entry drew, by the entry's key."""
    by_place = {(seat.table.number, seat.number): seat for seats in chairs.values() for seat in seats}
    return {int(seating.name): by_place[seating.table, seating.seat] for seating in result}


def seat_new_entry(tx: Tx[Event], day: Day, entry: Entry) -> Seat | None:
    """Draw the seat of somebody who has just entered: at the tables with fewest players (rule 45, TDA 2024 rule 8).

    While a list is frozen: None, as the seat follows after that draw. Before any table is open: None if the event seats
    everybody by one draw, else tables are opened for all who hold a place. When every chair is taken, one more table is
    opened.
    """
    if Draw.objects.filter(day=day, status=Draw.Status.FROZEN).exists():
        return None
    if not tx.subject.seat_at_buy_in and not Table.objects.filter(day=day, status=Table.Status.OPEN).exists():
        return None
    return draw_late_seat(tx, day, entry)


def draw_late_seat(tx: Tx[Event], day: Day, entry: Entry) -> Seat:
    """The seat of a late entrant: among the free chairs of the smallest tables; the entry has it then."""
    tables = open_tables(tx, day)
    if tables:
        tables = _smallest_with_a_chair(tables) or _one_more(tx, day)
    else:
        tables = tables_for(tx, day, 1 + day.registrations.filter(status="registered").count())
        open_up(tx, tables)
    chairs = chairs_of(tx, tables)
    label = unused(day, f"entry {entry.pk}")
    _, result = draw_now(tx, day, Draw.Kind.LATE, label, keys_of([entry]), pool_of(tx, tables, chairs))
    seats = chairs_drawn(chairs, result)
    sit_down(tx, seats)
    return seats[entry.pk]


def _one_more(tx: Tx[Event], day: Day) -> list[Table]:
    before = open_tables(tx, day)
    opened = [table for table in tables_for(tx, day, 0, len(before) + 1) if table.status != Table.Status.OPEN]
    open_up(tx, opened)
    return opened


def _smallest_with_a_chair(tables: Sequence[Table]) -> list[Table]:
    """Of the tables with a free chair those with the fewest players: no other can be drawn, so no other is locked."""
    counts = Table.objects.filter(pk__in=[table.pk for table in tables]).annotate(
        players=Count("chairs__entry"),
        free=Count("chairs", filter=Q(chairs__entry__isnull=True, chairs__locked=False)),
    )
    sizes = {table.pk: table.players for table in counts if table.free}
    return [table for table in tables if sizes.get(table.pk) == min(sizes.values(), default=0)]
