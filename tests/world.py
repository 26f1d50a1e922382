"""Real processes on a real database of their own: a file of SQLite, or a database made for the test on PostgreSQL."""

import atexit
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import psycopg
from django.conf import settings

ROOT = Path(__file__).parents[1]


class World:
    """A database and a data folder that several processes share. `run` starts Python code with Django set up."""

    def __init__(self, folder: Path, database_url: str) -> None:
        kept = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
        self.env = kept | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": str(ROOT),
        }

    def start(self, code: str, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", "import django; django.setup()\n" + code, *map(str, arguments)],
            env=self.env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, code: str, *arguments: object) -> str:
        return finished(self.start(code, *arguments))


def finished(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip()


MIGRATE = "from django.core.management import call_command; call_command('migrate', verbosity=0)"


def _on_postgresql() -> bool:
    return "postgresql" in settings.DATABASES["default"]["ENGINE"]


def _base() -> str:
    return os.environ["DATABASE_URL"].rsplit("/", 1)[0]


def _administer(*statements: str) -> None:
    with psycopg.connect(f"{_base()}/postgres", autocommit=True) as admin:
        for statement in statements:
            admin.execute(statement)


@cache
def _migrated() -> str:
    """A database with all tables and nothing more, made once, from which those of the tests are copied: its file, or
    its name on PostgreSQL."""
    folder = Path(tempfile.mkdtemp(prefix="deadbutton-world-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if not _on_postgresql():
        World(folder, f"sqlite:///{folder / 'site.sqlite3'}").run(MIGRATE)
        return str(folder / "site.sqlite3")
    name = f"deadbutton_empty_{uuid.uuid4().hex[:12]}"
    _administer(f'CREATE DATABASE "{name}"')
    atexit.register(_administer, f'DROP DATABASE "{name}" WITH (FORCE)')
    World(folder, f"{_base()}/{name}").run(MIGRATE)
    return name


@contextmanager
def own_world(folder: Path) -> Iterator[World]:
    """A world with a migrated database, which goes with it."""
    if not _on_postgresql():
        copy = folder / "site.sqlite3"
        with closing(sqlite3.connect(_migrated())) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        yield World(folder, f"sqlite:///{copy}")
        return
    name = f"deadbutton_test_{uuid.uuid4().hex[:12]}"
    _administer(f'CREATE DATABASE "{name}" TEMPLATE "{_migrated()}"')
    try:
        yield World(folder, f"{_base()}/{name}")
    finally:
        _administer(f'DROP DATABASE "{name}" WITH (FORCE)')
