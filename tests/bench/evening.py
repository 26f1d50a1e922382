"""How long the commands and pages of an evening take beside 10,112 players at 1,124 tables.

    .venv/bin/python -m tests.bench.evening
    .venv/bin/python -m tests.bench.evening --profile bust

Uses a new database in a temporary folder (or the empty one that DATABASE_URL names) and ends by itself. `--profile`
prints where the time of one line goes. Figures are kept in README.md beside this file.
"""

import argparse
import cProfile
import pstats
import statistics
import time
from collections.abc import Callable
from typing import Any

from tests.bench.new_site import new_site
from tests.bench.plans import SIZES

TIMES = 5


class Bench:
    """Runs what it is given some times and prints the median and the worst in milliseconds."""

    def __init__(self, profiled: str) -> None:
        self.profiled = profiled

    def __call__(self, words: str, what: Callable[[int], Any]) -> list[Any]:
        if self.profiled:
            if words == self.profiled:
                profile = cProfile.Profile()
                profile.runcall(what, 0)
                pstats.Stats(profile).sort_stats("cumulative").print_stats(70)
                raise SystemExit
            return [what(number) for number in range(TIMES)]
        took, found = [], []
        for number in range(TIMES):
            start = time.perf_counter()
            found.append(what(number))
            took.append((time.perf_counter() - start) * 1000)
        print(f"{words:40} {statistics.median(took):8.1f} ms  (worst {max(took):.1f})", flush=True)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="", metavar="LINE")
    bench = Bench(parser.parse_args().profile)
    with new_site():
        evening(bench)


def evening(bench: Bench) -> None:
    """What the desk and the floor do all the time, and what everybody looks at."""
    import datetime as dt

    from django.core.management import call_command
    from django.test import Client
    from django.urls import reverse

    from journal.models import JournalEntry
    from journal.undo import undo
    from series.commands.people import register
    from series.models import Entry
    from tables.commands.breaking import break_table
    from tables.commands.entries import buy_in
    from tables.commands.floor import bust, close_entries, confirm_move, order_move
    from tables.commands.hands import next_hand
    from tables.models import Move, Seat, Table
    from tests.factories import make_director, make_event
    from tests.tables.hall import make_hall

    event = make_event(capacity=20_000, entry_rules={"bounty_cents": 5000, "bounty_of_pool": True})
    director = make_director(event.series)
    make_hall(event, SIZES)
    given: dict[str, Any] = {"actor": director, "on": event.pk}

    def at(table: int, seat: int) -> int:
        return Seat.objects.get(table__number=table, number=seat).entry_id

    def new_player(number: int) -> int:
        done = register(**given, name=f"New Player {number}", birth_date=dt.date(1990, 1, 1))
        return done.result["registration"]

    held = bench("register", new_player)
    bench("buy-in", lambda n: buy_in(**given, registration_id=held[n], method="cash", id_kind="passport"))
    close_entries(**given)
    bench("next hand", lambda n: next_hand(**given, table=100 + n))
    bench("bust", lambda n: bust(**given, entry_ids=[at(10 + n, 1)], by=[at(10 + n, 2)]))
    busts = list(JournalEntry.objects.filter(verb="entry.bust").order_by("-pk").values_list("pk", flat=True))
    bench("undo of a bust", lambda n: undo(actor=director, entry_id=busts[n]))
    bench("bust of three", lambda n: bust(**given, entry_ids=[at(20 + n, seat) for seat in (1, 2, 3)]))
    bench("order a move", lambda n: order_move(**given, entry_id=at(30 + n, 4), table=20 + n, seat=1, reason="asked"))
    moves = list(Move.objects.order_by("pk").values_list("pk", flat=True))
    bench("confirm a move", lambda n: confirm_move(**given, move_id=moves[n]))
    for table in range(40, 50):  # chairs for those of the tables to break
        bust(**given, entry_ids=[at(table, seat) for seat in range(1, 7)])
    broken = list(Table.objects.order_by("-number").values_list("number", flat=True)[:TIMES])
    bench("break a table", lambda n: break_table(**given, table=broken[n]))

    call_command("collectstatic", interactive=False, verbosity=0)
    staff, player = Client(headers={"Host": "localhost"}), Client(headers={"Host": "localhost"})
    staff.force_login(director)
    token = Entry.objects.filter(status="playing").latest("pk").player.token
    pages = {
        "floor": (staff, reverse("floor", args=[event.pk])),
        "a table": (staff, reverse("table", args=[event.pk, 50])),
        "desk, a search": (staff, reverse("desk", args=[event.pk]) + "?q=mia+50"),
        "payouts": (staff, reverse("payouts", args=[event.pk])),
        "journal": (staff, reverse("event_journal", args=[event.pk])),
        "event": (player, reverse("event", args=[event.pk])),
        "my page": (player, reverse("my_page", args=[token])),
        "clock": (player, reverse("clock", args=[event.pk])),
        "seats": (player, reverse("seats", args=[event.pk])),
    }
    for words, (client, address) in pages.items():
        bench(f"page: {words}", lambda _, client=client, address=address: answered(client, address))


def answered(client: Any, address: str) -> None:
    response = client.get(address)
    if response.status_code != 200:
        raise RuntimeError(f"{address}: {response.status_code}")


if __name__ == "__main__":
    main()
