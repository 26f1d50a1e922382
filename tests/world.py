"""Real processes on a real database of their own: a file of SQLite, or a database made for the test on PostgreSQL."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


@contextmanager
def own_world(folder: Path) -> Iterator[World]:
    """A world with a migrated database, which goes with it."""
    database = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        made = World(folder, f"sqlite:///{folder / 'site.sqlite3'}")
        made.run("from django.core.management import call_command; call_command('migrate', verbosity=0)")
        yield made
        return
    import psycopg

    name = f"deadbutton_test_{uuid.uuid4().hex[:12]}"
    base = os.environ["DATABASE_URL"].rsplit("/", 1)[0]
    with psycopg.connect(f"{base}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        try:
            made = World(folder, f"{base}/{name}")
            made.run("from django.core.management import call_command; call_command('migrate', verbosity=0)")
            yield made
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
