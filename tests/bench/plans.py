"""How long the plans of a festival take: 10,112 players at 1,124 tables, beside a shuffle and raw inserts of the rows.

    .venv/bin/python -m tests.bench.plans

Uses a new database in a temporary folder (or the empty one that DATABASE_URL names) and ends by itself. Figures are
kept in README.md beside this file.
"""

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tables.domain.balance import Options, Secret, Spot, plan
from tables.domain.breaking import break_table, shares
from tables.domain.dealing import Dealing, coming_hands
from tables.domain.draw import DrawTable, draw_seats
from tables.domain.halt import halt_alarms
from tables.domain.placement import pool_table
from tables.domain.table import Positions, Table
from tests.bench.new_site import new_site

SIZES = [9] * 1120 + [8] * 4
SEED = bytes(range(32))
TIMES = 5


def measured(words: str, what: Callable[[], Any], times: int = TIMES) -> Any:
    """Run it some times; print the median and the worst in milliseconds."""
    took, found = [], None
    for _ in range(times):
        start = time.perf_counter()
        found = what()
        took.append((time.perf_counter() - start) * 1000)
    print(f"{words:62} {statistics.median(took):8.1f} ms  (worst {max(took):.1f})")
    return found


def full_hall() -> list[Table]:
    return [
        Table(number, 9, frozenset(range(1, size + 1)), Positions(1, 2, 3))
        for number, size in enumerate(SIZES, start=1)
    ]


def worn_hall() -> list[Table]:
    """The hall after every fifth table lost four players."""
    lost = frozenset({1, 2, 5, 7})
    return [replace(table, occupied=table.occupied - lost) if table.number % 5 == 0 else table for table in full_hall()]


def domain() -> None:
    """The plans themselves, without a database."""
    names = [str(number) for number in range(sum(SIZES))]
    hall, worn = full_hall(), worn_hall()
    pool = [DrawTable(table.number, tuple(range(1, 10))) for table in hall]
    measured("plain shuffle of 10,112 numbers", lambda: random.SystemRandom().shuffle(list(names)))
    measured("seat draw of 10,112 players into 1,124 tables", lambda: draw_seats(SEED, names, pool))
    options = Options(allow_break=False, recent=frozenset({Spot(1, 4)}))
    found = measured(
        "balance after 896 busts at every fifth table", lambda: plan(worn, options, Secret(SEED, "1 balance 0"))
    )
    print(f"  {found.moves_needed} moves, sizes {found.sizes_after[-1]} to {found.sizes_after[0]} afterwards")
    people = {seat: str(seat) for seat in worn[-1].occupied}
    measured("breaking one of 1,124 tables", lambda: break_table(worn, worn[-1].number, people, SEED))
    others = [pool_table(table) for table in worn[:-1]]
    measured("preview of breaking it", lambda: shares(9, others))
    measured("halt alarms of all tables", lambda: halt_alarms(worn))
    dealings = [Dealing(9, table.occupied, Positions(1, 2, 3)) for table in worn]
    measured("the coming three hands of all tables", lambda: [coming_hands(table) for table in dealings])


def rows() -> None:
    """The same seats and moves as rows: raw inserts, Django's bulk_create, and the commands with their journal."""
    from django.db import connection, transaction

    from journal import guard
    from tables.commands.balance import order_balance
    from tables.models import Move, Seat
    from tables.reads.advice import advice
    from tests.factories import make_director, make_event
    from tests.tables.hall import make_hall

    event = make_event(capacity=20_000)
    director = make_director(event.series)
    sizes = [size - 4 if number % 5 == 0 else size for number, size in enumerate(SIZES, start=1)]
    day = make_hall(event, sizes)
    moves = [(move.entry_id, move.to_table, move.to_seat) for move in advice(day).moves]
    measured("advice for the hall, read from its rows", lambda: advice(day))

    def undone(insert: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            with guard.writing(), transaction.atomic():
                insert()
                transaction.set_rollback(True)

        return run

    with guard.writing():
        made = make_hall_tables(day)
    chairs = [(table, number, False, "") for table in made for number in range(1, 10)]
    columns = "table_id, number, locked, locked_why"

    def raw_seats() -> None:
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO tables_seat ({columns}) VALUES (%s, %s, %s, %s)", chairs)

    measured(f"raw insert of {len(chairs):,} seats", undone(raw_seats))
    measured(
        "bulk_create of the same seats",
        undone(lambda: Seat.objects.bulk_create([Seat(table_id=t, number=n) for t, n, _, _ in chairs], 1000)),
    )
    places = Seat.objects.filter(table__day=day).values_list("table__number", "number", "pk")
    by_place = {(table, number): pk for table, number, pk in places}
    at = event.starts_at
    ordered = [
        (day.pk, entry, "balance", 1, 1, by_place[table, seat], "ordered", "why", "48", False, at)
        for entry, table, seat in moves
    ]
    names = "day_id, entry_id, kind, from_table, from_seat, to_seat_id, status, why, rule, sits_out, ordered_at"

    def raw_moves() -> None:
        marks = ", ".join(["%s"] * 11)
        with connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO tables_move ({names}) VALUES ({marks})", ordered)

    measured(f"raw insert of {len(ordered)} moves", undone(raw_moves))
    measured(
        f"order all {len(moves)} moves: one command, one journal entry",
        lambda: order_balance(actor=director, on=event.pk, moves=moves),
        times=1,
    )
    print(f"  {Move.objects.count()} moves ordered")


def make_hall_tables(day: Any) -> list[int]:
    """As many tables again, without chairs; their keys."""
    from tables.models import Table as Row

    made = Row.objects.bulk_create(
        [Row(day=day, number=2000 + number, seats=9, status="prepared") for number in range(len(SIZES))], 1000
    )
    return [row.pk for row in made]


def main() -> None:
    domain()
    with new_site():
        rows()


if __name__ == "__main__":
    main()
