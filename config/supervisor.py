"""Runs several programs as one: starts them, restarts what dies, ends all together and leaves none behind."""

import contextlib
import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

STOP_SECONDS = 6.0
QUIET_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE, PROVEN_AFTER = 0.5, 10.0, 30.0  # seconds
KEPT_LOG_BYTES = 5_000_000
TROUBLE = re.compile(r"\b(ERROR|CRITICAL)\b|^\w*(Error|Exception)\b")
PR_SET_PDEATHSIG = 1


def _die_with_parent(parent: int) -> Callable[[], None] | None:
    """What a child does before its program: tell the system to end it if the supervisor is killed."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl

    def in_child() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return in_child


def allow_many_connections() -> None:
    """Every open stream is a file to the system, whose usual limit of 1,024 is soft."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(65_536, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@dataclass
class Child:
    """One program: its name, command line and log file, and how it is doing."""

    name: str
    command: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_again_at: float = 0.0
    pause: float = FIRST_PAUSE
    read_to: int = 0

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > KEPT_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.old"))
        with self.log.open("ab") as out:
            self.read_to = out.tell()
            # a session of its own: the terminal's Ctrl-C reaches the supervisor alone, which ends all
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent(os.getpid()),
            )
        self.started_at = time.monotonic()

    def signal(self, number: signal.Signals) -> None:
        """Send to the whole group of the child, also when the child itself is gone."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def new_lines(self) -> list[str]:
        """What was added to the log since the last call."""
        with self.log.open("rb") as file:
            file.seek(self.read_to)
            added = file.read(100_000)
            self.read_to = file.tell()
        return added.decode(errors="replace").splitlines()


@dataclass
class Supervisor:
    """Runs `children` until a signal comes. `say` prints a line for the person at the terminal."""

    children: list[Child]
    say: Callable[[str], None]
    _stopping: bool = field(default=False, init=False)
    _told: dict[str, float] = field(default_factory=dict, init=False)

    def run(self, ready: Callable[[], bool], when_ready: Callable[[], None]) -> None:
        """Start all, call `when_ready` once `ready` says so, and come back when every child has ended."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        allow_many_connections()
        try:
            for child in self.children:
                child.start()
            told = False
            while not self._stopping:
                if not told and ready():
                    told = True
                    when_ready()
                for child in self.children:
                    self._look_after(child)
                time.sleep(0.2)
        finally:
            self._end_all()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:  # asked twice: no more patience
            for child in self.children:
                child.signal(signal.SIGKILL)
        self._stopping = True

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        for line in filter(TROUBLE.search, child.new_lines()):
            self._tell(child, line, now)
        if child.process is None:
            if now >= child.start_again_at:
                child.start()
        elif (code := child.process.poll()) is not None:
            child.signal(signal.SIGKILL)
            child.pause = FIRST_PAUSE if now - child.started_at > PROVEN_AFTER else child.pause
            self.say(f"{child.name} ended ({_reason(code)}); it starts again in {child.pause:g} s. See {child.log}")
            child.process, child.start_again_at = None, now + child.pause
            child.pause = min(2 * child.pause, LONGEST_PAUSE)

    def _tell(self, child: Child, line: str, now: float) -> None:
        """Pass on a line of the log, unless it was, but for its numbers, a minute ago."""
        words = re.sub(r"\d+", "", line)
        if now - self._told.get(words, -QUIET_SECONDS) >= QUIET_SECONDS:
            self._told = {known: at for known, at in self._told.items() if now - at < QUIET_SECONDS}
            self._told[words] = now
            self.say(f"[{child.name}] {line.strip()[:200]}")

    def _end_all(self) -> None:
        for child in self.children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            if child.process is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(max(0.0, deadline - time.monotonic()))
                child.signal(signal.SIGKILL)
                child.process.wait()


def _reason(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
