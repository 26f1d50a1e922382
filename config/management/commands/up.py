"""`manage.py up`: the whole site on one machine, from an empty folder to open doors."""

import contextlib
import errno
import fcntl
import socket
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.utils import OperationalError
from django.utils import timezone

from config import demo, processes
from config.env import lan_address
from config.supervisor import Child, Supervisor
from series.models import Organiser, Series

TRY_FIRST = """\
What to try first
  - On this screen: open the address above; the first page has a guide for each role.
  - On a phone in the same network: open the phone address and sign up for the event that takes entries.
  - Sign in as the desk, take that player's buy-in, and watch the seat appear on the phone.
  - Sign in as the floor, start or pause the clock, bust a player, undo it.
"""


class Command(BaseCommand):
    help = (
        "Run the site: prepare the database, load the demo series into an empty one, then run web server, "
        "worker and beat until Ctrl-C. HOST, PORT and DATA_DIR are read from the environment."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = settings.ENV.host, settings.ENV.port
        try:
            with _only_one(f"http://{_shown(host)}:{port}"):
                _refuse_taken_port(host, port)
                self._prepare_database()
                self._load_demo(wanted=not options["no_demo"] and not settings.PRODUCTION)
                self._collect_files()
                _let_go_of_database()
                self._say("Starting the web server, the worker and the beat …")
                logs = settings.DATA_DIR / "logs"
                commands = {
                    "web": processes.web(host, port),
                    "worker": processes.worker(),
                    "beat": processes.beat(),
                }
                children = [Child(name, command, logs / f"{name}.log") for name, command in commands.items()]
                Supervisor(children, self._say).run(
                    ready=lambda: _answers(host, port), when_ready=lambda: self._welcome(host, port)
                )
        except KeyboardInterrupt:
            pass
        self._say("Stopped. The data is kept.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _prepare_database(self) -> None:
        started = time.monotonic()
        self._say("Preparing the database …")
        try:
            call_command("migrate", interactive=False, verbosity=0, skip_checks=False)
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}\nLook at DATABASE_URL.") from error
        self._say(f"  ready after {time.monotonic() - started:.1f} s")

    def _load_demo(self, *, wanted: bool) -> None:
        if wanted and not Series.objects.exists():
            started = time.monotonic()
            self._say("Loading the demo series …")
            demo.Demo(self._say, timezone.now()).load()
            self._say(f"  ready after {time.monotonic() - started:.1f} s")

    def _collect_files(self) -> None:
        started = time.monotonic()
        self._say("Collecting the files that browsers load …")
        call_command("collectstatic", interactive=False, verbosity=0, clear=True)
        self._say(f"  ready after {time.monotonic() - started:.1f} s")

    def _welcome(self, host: str, port: int) -> None:
        lan = lan_address()
        self._say("\nDead Button is running.\n\n")
        self._say(f"  This machine   http://{_shown(host)}:{port}")
        if host in ("0.0.0.0", "::") and lan != "127.0.0.1":
            self._say(f"  Phones         http://{lan}:{port}   (same network)")
        self._say(f"  Data and logs  {settings.DATA_DIR}\n\n")
        if Organiser.objects.filter(name=demo.ORGANISER).exists():
            call_command("demo", show=True, stdout=self.stdout)
            self._say(f"\n{TRY_FIRST}\n")
        _let_go_of_database()
        self._say("Ctrl-C ends it.")


def _let_go_of_database() -> None:
    """Close the connection, and the pool with its threads, which must not be there when children are made."""
    connection.close()
    if hasattr(connection, "close_pool"):
        connection.close_pool()


def _shown(host: str) -> str:
    """The host as this machine's own browser reaches it."""
    return "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host


@contextlib.contextmanager
def _only_one(address: str) -> Iterator[None]:
    """Hold the data folder: two supervisors on one folder would run two beats on one database."""
    with (settings.DATA_DIR / "up.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CommandError(
                f"The site already runs on {settings.DATA_DIR}, at {lock.read().strip() or 'its address'}. "
                "End that one first, or give this one its own folder: DATA_DIR=other PORT=8001 bin/run",
                returncode=3,
            ) from None
        lock.truncate(0)
        lock.write(address)
        lock.flush()
        yield


def _refuse_taken_port(host: str, port: int) -> None:
    problem = _cannot_listen(host, port)
    if problem == errno.EADDRINUSE:
        free = next((other for other in range(port + 1, 65536) if _cannot_listen(host, other) is None), port + 1)
        raise CommandError(f"Port {port} is taken by another program. Use another one: PORT={free} bin/run")
    if problem == errno.EACCES:
        raise CommandError(f"Port {port} needs an administrator. Use a higher one: PORT=8000 bin/run")
    if problem is not None:
        raise CommandError(f"HOST={host} is no address of this machine. Leave HOST out, or use HOST=127.0.0.1")


def _cannot_listen(host: str, port: int) -> int | None:
    """The reason (errno) why nothing can listen there; None if it can."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except OSError as error:
        return error.errno or errno.EADDRNOTAVAIL
    return None


def _answers(host: str, port: int) -> bool:
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    try:
        with socket.create_connection((target, port), timeout=0.5):
            return True
    except OSError:
        return False
