"""What the measurements share: Django on a new database, and room for many connections."""

import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 15_000  # connections: below the number of ports that one loopback address has


def many_open_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextmanager
def new_site() -> Iterator[None]:
    """Django with all its tables, on SQLite in a folder of its own or on the empty database that DATABASE_URL names."""
    with tempfile.TemporaryDirectory(prefix="deadbutton-bench-") as folder:
        os.environ |= {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings", "PRODUCTION": "0"}
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {connection.vendor}", flush=True)
        yield
