"""Many pages watching for long while things change: whether memory or connections grow. Loopback; ends by itself.

    .venv/bin/python -m tests.bench.soak --viewers 1000 --minutes 5
    .venv/bin/python -m tests.bench.soak --viewers 1000 --minutes 60

Starts a web server on a new database (or on the empty one that DATABASE_URL names). Every two seconds or so a clock is
changed; in every round ten viewers go and others come, and some pages are fetched as by browsers told of a change.
Prints memory, open files and threads of the server after each tenth of the time. Figures are kept in README.md.
"""

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import time
import urllib.request
from typing import Any

from tests.bench.live_viewers import Server, Viewer, open_all
from tests.bench.new_site import MOST, many_open_files, new_site

PAUSE = 2.0
GO_AND_COME = 10
PAGES = 5


def open_files(server: Server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def fetch(port: int, event_id: int) -> None:
    for _ in range(PAGES):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/events/{event_id}/clock/", timeout=20) as answer:
            answer.read()


async def one_round(server: Server, viewers: list[Viewer], topic: str, event_id: int, change: Any) -> tuple[float, int]:
    """Some viewers go and as many come; then one change. Milliseconds until the last was told, and its number."""
    for _ in range(min(GO_AND_COME, len(viewers))):
        viewers.pop(random.randrange(len(viewers))).transport.abort()
    new, _ = await open_all([server.port], topic, GO_AND_COME, 10**6)
    viewers.extend(new)
    seq = await asyncio.to_thread(change)
    committed = time.perf_counter()
    for _ in range(1000):
        if all(viewer.seq == seq for viewer in viewers):
            break
        await asyncio.sleep(0.01)
    else:
        raise SystemExit(f"{sum(viewer.seq != seq for viewer in viewers)} viewers were not told of a change")
    await asyncio.to_thread(fetch, server.port, event_id)
    return (max(viewer.at for viewer in viewers) - committed) * 1000, seq


async def soak(count: int, minutes: float, port: int) -> None:
    from tables.commands.clock import adjust_clock
    from tests.factories import make_running_event

    event, director = await asyncio.to_thread(make_running_event, 9, levels=20, minutes=60)

    def change() -> int:
        return adjust_clock(actor=director, on=event.pk, seconds=random.choice([1, 2])).seq or 0

    server = Server(port)
    try:
        await server.ready()
        topic = f"event:{event.pk}"
        await asyncio.to_thread(change)
        viewers, _ = await open_all([port], topic, count, 10**6)
        print("minute  memory MB  open files  threads  last told ms (median, worst)  changes")
        end = time.monotonic() + minutes * 60
        told: list[float] = []
        tenth, rounds = 0, 0
        while time.monotonic() < end or tenth <= 10:
            late, _ = await one_round(server, viewers, topic, event.pk, change)
            told.append(late)
            rounds += 1
            gone = minutes - (end - time.monotonic()) / 60
            if gone >= tenth * minutes / 10:
                print(
                    f"{gone:6.1f}  {server.memory_mb():9.1f}  {open_files(server):10}  {server.threads():7}  "
                    f"{statistics.median(told):8.0f}, {max(told):.0f}  {rounds:20}",
                    flush=True,
                )
                told, tenth = [], tenth + 1
            await asyncio.sleep(PAUSE)
        for viewer in viewers:
            viewer.transport.abort()
        await asyncio.sleep(2)
        print(f"all gone: {server.memory_mb():.1f} MB, {open_files(server)} open files, {server.threads()} threads")
    finally:
        server.process.terminate()
        try:
            await asyncio.to_thread(server.process.wait, 20)
        except subprocess.TimeoutExpired:
            server.process.kill()
            server.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=5)
    options = parser.parse_args()
    count, minutes = min(options.viewers, MOST), min(options.minutes, 180)
    many_open_files()
    with new_site():
        from tests.ops.site_process import free_port

        asyncio.run(soak(count, minutes, free_port()))


if __name__ == "__main__":
    main()
