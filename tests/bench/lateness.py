"""How late level changes are carried out for many clocks, and whether any is lost or doubled. Loopback; ends by itself.

    .venv/bin/python -m tests.bench.lateness --clocks 200 --seconds 40
    .venv/bin/python -m tests.bench.lateness --workers 2 --beats 2 --pause
    .venv/bin/python -m tests.bench.lateness --kill worker --away 10
    .venv/bin/python -m tests.bench.lateness --kill broker --away 10

Makes running events in a new database (or in the empty one that DATABASE_URL names; BROKER_URL and CACHE_URL as for the
site), sets their clocks so that levels end spread over the time, starts workers and beats, and compares every change of
level in the journal with the instant it was due.
`--kill` ends the worker, the beat or the broker by SIGKILL in the middle and starts it again after `--away` seconds;
the broker is then a Redis of its own that keeps nothing. `--pause` pauses a clock in the last 50 ms before a change,
again and again, and lets it run on. Figures are kept in README.md beside this file.
"""

import argparse
import datetime as dt
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.bench.new_site import new_site
from tests.ops.site_process import answers, free_port

ROOT = Path(__file__).parents[2]
LEVELS = 20


def make_days(count: int) -> tuple[list[Any], Any]:
    """The days of so many running events with levels of a minute, and the director of all of them."""
    from series.models import Event
    from tests.factories import make_director, make_event, make_series

    series = make_series()
    director = make_director(series)
    return [
        make_event(series, levels=LEVELS, minutes=1, status=Event.Status.RUNNING, number=number).days.get()
        for number in range(1, count + 1)
    ], director


def start_clocks(days: list[Any], seconds: int) -> list[int]:
    """Clocks whose first levels end spread over the coming seconds; their keys."""
    from django.utils import timezone

    from journal import guard
    from tables.models import Clock

    now = timezone.now()

    def ends_at() -> dt.datetime:
        return now + dt.timedelta(seconds=1 + random.uniform(0, seconds))

    with guard.writing():
        clocks = Clock.objects.bulk_create(
            [Clock(day=day, status="running", ends_at=ends_at(), version=1) for day in days]
        )
    return [clock.pk for clock in clocks]


def wait_for_sweeps(workers: int) -> None:
    """Until sweeps are carried out; a little longer for each further worker."""
    from django.core.cache import cache

    for _ in range(600):
        if cache.get("beat"):
            break
        time.sleep(0.1)
    else:
        raise SystemExit("no sweep was carried out: does the worker run?")
    time.sleep(3 * workers)


class Processes:
    """Workers and beats, each of which can be killed and started again."""

    def __init__(self, workers: int, beats: int, redis_port: int) -> None:
        from config import processes

        self.commands = {f"worker{n}": processes.worker(f"w{n}") for n in range(1, workers + 1)}
        self.commands |= {f"beat{n}": processes.beat() for n in range(1, beats + 1)}
        if redis_port:  # first, because the others ask for it
            keeps_nothing = ["--save", "", "--appendonly", "no"]
            self.commands = {"broker1": ["redis-server", "--port", str(redis_port), *keeps_nothing]} | self.commands
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        self.running[name] = subprocess.Popen(
            self.commands[name], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self, name: str) -> None:
        self.running[name].kill()
        self.running[name].wait()

    def stop(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                process.terminate()
        for process in self.running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def pause_in_the_last_moment(keys: list[int], director: Any, until: float) -> tuple[int, int]:
    """Pause whichever clock ends next in its last 50 ms, and let it run on; how many came in time, how many late."""
    from journal.errors import Refused
    from tables.commands.clock import pause_clock, resume_clock
    from tables.models import Clock

    in_time = late = 0
    while time.time() < until:
        rows = Clock.objects.filter(pk__in=keys, ends_at__isnull=False).select_related("day").order_by("ends_at")
        now = dt.datetime.now(dt.UTC)
        row = rows.filter(ends_at__gt=now + dt.timedelta(milliseconds=60)).first()
        if row is None or row.ends_at is None:
            break
        time.sleep(
            max(0.0, min(row.ends_at.timestamp() - time.time() - random.uniform(0.002, 0.05), until - time.time()))
        )
        seen = row.position
        event = row.day.event_id
        try:
            pause_clock(actor=director, on=event)
        except Refused:
            late += 1
            continue
        row.refresh_from_db()
        in_time, late = (in_time + 1, late) if row.position == seen else (in_time, late + 1)
        time.sleep(random.uniform(0.05, 0.3))
        resume_clock(actor=director, on=event)
    return in_time, late


def measured(keys: list[int]) -> tuple[list[float], list[str]]:
    """Milliseconds between each change of level and its instant; and what is wrong, in words."""
    from journal.models import JournalEntry, RowChange
    from tables.models import Clock

    rows = Clock.objects.filter(pk__in=keys).select_related("day")
    late, wrong = [], []
    entries: dict[str, list[JournalEntry]] = {}
    for entry in JournalEntry.objects.filter(verb__startswith="clock.").order_by("stream", "seq"):
        entries.setdefault(entry.stream, []).append(entry)
    now = dt.datetime.now(dt.UTC)
    for row in rows:
        stream = f"event:{row.day.event_id}"
        changes = [entry for entry in entries.get(stream, []) if entry.verb == "clock.level"]
        late += [
            (entry.at - dt.datetime.fromisoformat(entry.result["due"])).total_seconds() * 1000 for entry in changes
        ]
        if len({entry.result["due"] for entry in changes}) != len(changes):
            wrong.append(f"{stream}: a change was carried out twice")
        written = RowChange.objects.filter(table="tables.clock", row=row.pk, after__has_key="position")
        if [change.after["position"] for change in written.order_by("pk")] != list(range(1, row.position + 1)):
            wrong.append(f"{stream}: the levels do not follow each other")
        if row.ends_at and row.ends_at < now - dt.timedelta(seconds=2):
            wrong.append(f"{stream}: a change is overdue")
        if min(late, default=0) < 0:
            wrong.append(f"{stream}: a change came before its instant")
    return late, wrong


def run(options: argparse.Namespace, redis_port: int) -> int:
    from django.db import connections

    days, director = make_days(options.clocks)
    processes = Processes(options.workers, options.beats, redis_port)
    pauses: list[tuple[int, int]] = []
    try:
        for name in processes.commands:
            processes.start(name)
            while name == "broker1" and not answers(redis_port):
                time.sleep(0.1)
        wait_for_sweeps(options.workers)
        keys = start_clocks(days, min(options.seconds, 55))
        end = time.time() + options.seconds

        def pausing() -> None:
            pauses.append(pause_in_the_last_moment(keys, director, end - 3))
            connections.close_all()

        thread = threading.Thread(target=pausing)
        if options.pause:
            thread.start()
        if options.kill:
            time.sleep(options.seconds / 4)
            name = f"{options.kill}1"
            processes.kill(name)
            time.sleep(options.away)
            processes.start(name)
        time.sleep(max(0.0, end - time.time()))
        if options.pause:
            thread.join()
        time.sleep(2)
    finally:
        processes.stop()
    late, wrong = measured(keys)
    late.sort()

    def at(share: float) -> float:
        return late[min(int(len(late) * share), len(late) - 1)]

    gone = f", {options.kill} away {options.away} s" if options.kill else ""
    print(f"{len(late)} changes of {options.clocks} clocks in {options.seconds} s, ", end="")
    print(f"{options.workers} workers, {options.beats} beats{gone}")
    print(f"late by: half {statistics.median(late):.1f} ms, 99 % {at(0.99):.1f} ms, all {late[-1]:.1f} ms")
    print(f"within 20 ms: {sum(value <= 20 for value in late) / len(late):.1%}")
    if pauses:
        print(f"paused in the last 50 ms: {pauses[0][0]} in time, {pauses[0][1]} too late")
    print("none lost, none doubled" if not wrong else "\n".join(wrong[:20]))
    return 1 if wrong else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clocks", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--beats", type=int, default=1)
    parser.add_argument("--kill", choices=["worker", "beat", "broker"])
    parser.add_argument("--away", type=float, default=5.0)
    parser.add_argument("--pause", action="store_true")
    options = parser.parse_args()
    options.clocks, options.seconds = min(options.clocks, 1000), min(options.seconds, 600)
    redis_port = free_port() if options.kill == "broker" else 0
    if redis_port:
        os.environ |= {
            f"{name}_URL": f"redis://127.0.0.1:{redis_port}/{n}" for n, name in enumerate(("BROKER", "CACHE"))
        }
    with new_site():
        sys.exit(run(options, redis_port))


if __name__ == "__main__":
    main()
