"""How many open pages one web server keeps up to date, and how fast. Loopback only; ends by itself.

    .venv/bin/python -m tests.bench.live_viewers --viewers 10000
    .venv/bin/python -m tests.bench.live_viewers --viewers 10000 --processes 2

Starts web servers on a new database in a temporary folder (or on the empty one that DATABASE_URL names; CACHE_URL as
for the site), opens the streams, as many to each, changes a clock by commands, and prints what it measured. Figures are
kept in README.md beside this file.
"""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.bench.new_site import MOST, many_open_files, new_site

ROOT = Path(__file__).parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


class Viewer(asyncio.Protocol):
    """One page: remembers when the last change came and what its number was."""

    def __init__(self, topic: str, last: int) -> None:
        self.request = f"GET /live/?topic={topic} HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: {last}\r\n\r\n"
        self.opened = asyncio.get_running_loop().create_future()
        self.seq = -1
        self.at = 0.0
        self.lost = False

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self.request.encode())

    def data_received(self, data: bytes) -> None:
        if not self.opened.done() and b"event: beat" in data:
            self.opened.set_result(None)
        if b"event: change" in data:
            self.at = time.perf_counter()
            self.seq = int(data.split(b"event: change")[0].rsplit(b"id: ", 1)[1])

    def connection_lost(self, error: Exception | None) -> None:
        self.lost = True
        if not self.opened.done():
            self.opened.set_exception(error or ConnectionError("refused"))
            self.opened.exception()


class Server:
    """One web server and what the system says of it."""

    def __init__(self, port: int) -> None:
        from config import processes

        self.port = port
        self.process = subprocess.Popen(processes.web("127.0.0.1", port), cwd=ROOT)

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mb(self) -> float:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    async def ready(self) -> None:
        for _ in range(300):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                return
        raise SystemExit("the web server does not answer")


async def open_all(ports: list[int], topic: str, count: int, last: int) -> tuple[list[Viewer], float]:
    """Open `count` streams, in turn at each of the ports, 200 at a time; the viewers and the seconds it took."""
    loop = asyncio.get_running_loop()
    gate = asyncio.Semaphore(200)

    async def one(port: int) -> Viewer:
        async with gate:
            viewer = Viewer(topic, last)
            await loop.create_connection(lambda: viewer, "127.0.0.1", port)
            await asyncio.wait_for(viewer.opened, 60)
            return viewer

    started = time.perf_counter()
    viewers = await asyncio.gather(*(one(ports[n % len(ports)]) for n in range(count)))
    return list(viewers), time.perf_counter() - started


def cpu_seconds(servers: list[Server]) -> float:
    return sum(server.cpu_seconds() for server in servers)


def memory_mb(servers: list[Server]) -> float:
    return sum(server.memory_mb() for server in servers)


async def fan_out(viewers: list[Viewer], servers: list[Server], change: Any) -> tuple[float, float, float, float]:
    """One change: milliseconds from its commit until the first, the median and the last viewer has it; CPU of it."""
    before = cpu_seconds(servers)
    seq, committed = await asyncio.to_thread(change)
    for _ in range(1000):
        if all(viewer.seq == seq for viewer in viewers):
            break
        await asyncio.sleep(0.01)
    else:
        raise SystemExit(f"{sum(viewer.seq != seq for viewer in viewers)} viewers were not told of a change")
    late = sorted((viewer.at - committed) * 1000 for viewer in viewers)
    return late[0], statistics.median(late), late[-1], (cpu_seconds(servers) - before) * 1000


async def measure(count: int, changes: int, ports: list[int]) -> None:
    from tables.commands.clock import adjust_clock
    from tests.factories import make_running_event

    event, director = await asyncio.to_thread(make_running_event, 9)

    def change() -> tuple[int, float]:
        seq = adjust_clock(actor=director, on=event.pk, seconds=1).seq or 0
        return seq, time.perf_counter()

    servers = [Server(port) for port in ports]
    try:
        for server in servers:
            await server.ready()
        topic = f"event:{event.pk}"
        await asyncio.to_thread(change)
        first, _ = await open_all(ports, topic, len(ports), 0)
        base, threads = memory_mb(servers), [server.threads() for server in servers]
        viewers, seconds = await open_all(ports, topic, count, 10**6)
        each = (memory_mb(servers) - base) * 1000 / count
        print(f"open {count} streams: {seconds:.1f} s, {memory_mb(servers):.0f} MB ({each:.1f} kB each)")
        print(f"threads of each server: {threads} before, {[server.threads() for server in servers]} now")
        await asyncio.sleep(1)
        rows = [await fan_out(viewers, servers, change) for _ in range(changes)]
        middle = [statistics.median(column) for column in zip(*rows, strict=True)]
        worst = max(row[2] for row in rows)
        print(
            f"a change, median of {changes}: first {middle[0]:.0f} ms, middle {middle[1]:.0f} ms, "
            f"last {middle[2]:.0f} ms (worst {worst:.0f} ms), CPU {middle[3]:.0f} ms"
        )
        before, started = cpu_seconds(servers), time.perf_counter()
        await asyncio.sleep(30)
        busy = (cpu_seconds(servers) - before) / (time.perf_counter() - started)
        print(f"nothing but heartbeats for 30 s: {busy * 100:.1f} % of a core")
        seen = viewers[0].seq
        for viewer in viewers:
            viewer.transport.abort()
        await asyncio.to_thread(change)
        back, seconds = await open_all(ports, topic, count, seen)
        await asyncio.sleep(1)
        told = sum(viewer.seq > seen for viewer in back)
        print(f"all lost and come back: {seconds:.1f} s, {told} of {count} told what they missed")
        started = time.perf_counter()
        for server in servers:
            server.process.terminate()
        for server in servers:
            await asyncio.to_thread(server.process.wait, 20)
        lost = sum(not viewer.lost for viewer in back + first)
        print(f"stopped with all streams open: {time.perf_counter() - started:.1f} s, {lost} left open")
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=8)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    many_open_files()
    with new_site():
        from tests.ops.site_process import free_port

        ports = [free_port() for _ in range(min(options.processes, 8))]
        asyncio.run(measure(min(options.viewers, MOST), min(options.changes, 100), ports))


if __name__ == "__main__":
    main()
