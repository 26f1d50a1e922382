"""A site run by `manage.py up` in a test: start it, look at its processes, end it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from config import processes

ROOT = Path(__file__).parents[2]
OVERRULED = ("BROKER_URL", "CACHE_URL", "EMAIL_URL", "BASE_URL", "SECRET_KEY", "DJANGO_ALLOW_ASYNC_UNSAFE")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def site_environment(data_dir: Path, port: int) -> dict[str, str]:
    """The environment of an embedded site on loopback, whatever the tests themselves run on."""
    kept = {name: value for name, value in os.environ.items() if name not in OVERRULED}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(data_dir),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "DATABASE_URL": "",
        "ALLOWED_HOSTS": "localhost,127.0.0.1",
        "PYTHONUNBUFFERED": "1",
    }


def database_url() -> str:
    """The database of the running test, as another process can open it."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(given['NAME']))}"
    who = ":".join(quote(part, safe="") for part in (given["USER"], given["PASSWORD"]) if part)
    where = f"{given['HOST'] or 'localhost'}:{given['PORT'] or 5432}"
    return f"postgres://{who + '@' if who else ''}{where}/{quote(given['NAME'])}"


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False


@dataclass
class Up:
    """`manage.py up` on `data_dir`. `said` collects its lines."""

    data_dir: Path
    port: int = field(default_factory=free_port)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--no-demo"],
            env=site_environment(self.data_dir, self.port),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line.rstrip())

    def has_said(self, words: str, seconds: float = 60) -> bool:
        return eventually(lambda: any(words in line for line in self.said), seconds)

    def children(self) -> dict[str, int]:
        """Name to pid of the programs that run on this data folder, other than `up` itself."""
        found = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal() and int(folder.name) != self.process.pid:
                try:
                    environment = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
                    command = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                except OSError:
                    continue
                if f"DATA_DIR={self.data_dir}" in environment:
                    names = [name for name in ("uvicorn", "worker", "beat") if name in command]
                    found[names[0] if names else " ".join(command)] = int(folder.name)
        return found

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(how)
        return self.process.wait(20)

    def clean_up(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pid in self.children().values():
            os.kill(pid, signal.SIGKILL)


@dataclass
class Web:
    """The web server alone, on the database of the running test."""

    data_dir: Path
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        shared = {"DATABASE_URL": database_url(), "SECRET_KEY": settings.SECRET_KEY}
        environment = site_environment(self.data_dir, self.port) | shared
        self.log = self.data_dir / "web.log"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                processes.web("127.0.0.1", self.port), env=environment, cwd=ROOT, stdout=out, stderr=out
            )
        assert eventually(lambda: answers(self.port), 30), self.log.read_text()

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def open_files(self, ending: str = "") -> int:
        """How many files (or, with `ending`, files so named) the server holds open."""
        links = []
        for link in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed while we look
                links.append(os.readlink(link))
        return len([link for link in links if link.endswith(ending)])

    def end(self) -> float:
        """Stop it kindly; gives back the seconds it took."""
        started = time.monotonic()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return time.monotonic() - started
