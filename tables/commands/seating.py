"""Opening tables and drawing seats, inside commands. Every draw leaves a row from which anybody can repeat it."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q

from journal.commands import Tx
from journal.errors import Refused
from series.domain.options import options_from
from series.models import Day, Entry, Event
from tables.domain import draw
from tables.domain import table as domain
from tables.domain.button import DeadButton
from tables.domain.placement import pool_table
from tables.domain.table import SeatingError
from tables.models import Draw, Seat, Table


def open_tables(tx: Tx[Event], day: Day) -> list[Table]:
    """The day's open tables, locked, in order of number."""
    return sorted(tx.lock(Table.objects.filter(day=day, status=Table.Status.OPEN)), key=lambda table: table.number)


def add_tables(tx: Tx[Event], day: Day, count: int) -> list[Table]:
    """Open `count` more tables with the event's number of chairs, numbered on from the highest used."""
    highest = Table.objects.filter(day=day).order_by("-number").values_list("number", flat=True).first() or 0
    seats = tx.subject.seats_per_table
    made = tx.add_all([Table(day=day, number=highest + step, seats=seats) for step in range(1, count + 1)])
    tx.add_all([Seat(table=table, number=number) for table in made for number in range(1, seats + 1)])
    return made


def chairs_of(tx: Tx[Event], tables: Sequence[Table]) -> dict[int, list[Seat]]:
    """The chairs of each table, locked, by the table's key, in seat order."""
    chairs: dict[int, list[Seat]] = {table.pk: [] for table in tables}
    for seat in tx.lock(Seat.objects.filter(table__in=[table.pk for table in tables])):
        chairs[seat.table_id].append(seat)
    for seats in chairs.values():
        seats.sort(key=lambda seat: seat.number)
    return chairs


def domain_table(table: Table, chairs: Sequence[Seat]) -> domain.Table:
    """A table and its chairs as the seating rules look at them."""
    last = None
    if table.button is not None and table.small_blind is not None and table.big_blind is not None:
        last = domain.Positions(table.button, table.small_blind, table.big_blind)
    return domain.Table(
        number=table.number,
        seats=table.seats,
        occupied=frozenset(seat.number for seat in chairs if seat.entry_id is not None),
        last=last,
        locked=frozenset(seat.number for seat in chairs if seat.locked),
    )


def dead_button(event: Event) -> DeadButton:
    """Which reading of the dead button the series chose (rules 19 to 21)."""
    return DeadButton(options_from(event.series.options).dead_button)


def draw_into(
    tx: Tx[Event], day: Day, kind: str, label: str, entries: Sequence[Entry], tables: Sequence[Table]
) -> tuple[dict[int, Seat], set[int]]:
    """Draw a seat for each entry among the free chairs of the tables (rule 45) and write down how.

    Returns the seat by the entry's key, and the keys of those who wait there until the button has passed (rule 47).
    The chairs are not given to the entries yet.

    Raises:
        Refused: not enough free chairs.
    """
    chairs = chairs_of(tx, tables)
    policy = dead_button(tx.subject)
    pool = [pool_table(domain_table(table, chairs[table.pk]), policy) for table in tables]
    seed = draw.derive(bytes.fromhex(tx.subject.draw_secret), f"{day.pk} {label}")
    names = [str(entry.pk) for entry in sorted(entries, key=lambda entry: entry.pk)]
    try:
        result = draw.draw_seats(seed, names, pool)
    except SeatingError as error:
        raise Refused(str(error), code="no_chairs") from error
    document = draw.seats_document(seed, f"{day.pk} {label}", names, pool, result)
    tx.add(
        Draw(
            day=day,
            kind=kind,
            label=label,
            algorithm=draw.ALGORITHM,
            seed=seed.hex(),
            given={"names": document["names"], "tables": document["tables"]},
            result=document["result"],
            at=tx.at,
        )
    )
    tx.random = {"algorithm": draw.ALGORITHM, "label": document["label"], "seed": seed.hex()}
    by_place = {(table.number, seat.number): seat for table in tables for seat in chairs[table.pk]}
    last_resort = {(table.table, seat) for table in pool for seat in table.last_resort}
    return (
        {int(seating.name): by_place[seating.table, seating.seat] for seating in result},
        {int(seating.name) for seating in result if (seating.table, seating.seat) in last_resort},
    )


def sit_down(tx: Tx[Event], seats: dict[int, Seat]) -> None:
    """Give each chair to its entry, by the entry's key. Chairs the same entries leave must be emptied before."""
    tx.change_all([(seat, {"entry_id": entry_id}) for entry_id, seat in seats.items()])


def seat_new_entry(tx: Tx[Event], day: Day, entry: Entry) -> Seat | None:
    """Draw the seat of somebody who has just entered: at the tables with fewest players (rule 45, TDA 2024 rule 8).

    Before any table is open: None if the event seats everybody by one draw, else tables are opened for all who hold a
    place. When every chair is taken, one more table is opened.
    """
    tables = open_tables(tx, day)
    if not tables:
        if not tx.subject.seat_at_buy_in:
            return None
        expected = 1 + day.registrations.filter(status="registered").count()
        tables = add_tables(tx, day, len(draw.table_sizes(expected, tx.subject.seats_per_table)))
    else:
        tables = _smallest_with_a_chair(tables) or add_tables(tx, day, 1)
    seats, _ = draw_into(tx, day, Draw.Kind.LATE, f"entry {entry.pk}", [entry], tables)
    sit_down(tx, seats)
    return seats[entry.pk]


def _smallest_with_a_chair(tables: Sequence[Table]) -> list[Table]:
    """Of the tables with a free chair those with the fewest players: no other can be drawn, so no other is locked."""
    counts = Table.objects.filter(pk__in=[table.pk for table in tables]).annotate(
        players=Count("chairs__entry"),
        free=Count("chairs", filter=Q(chairs__entry__isnull=True, chairs__locked=False)),
    )
    sizes = {table.pk: table.players for table in counts if table.free}
    return [table for table in tables if sizes.get(table.pk) == min(sizes.values(), default=0)]


def place_words(seat: Seat, table: Table | None = None) -> dict[str, Any]:
    """A seat as results of commands carry it."""
    return {"table": (table or seat.table).number, "seat": seat.number}
