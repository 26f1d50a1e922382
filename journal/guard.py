"""Keeps every writer but commands out of the domain tables, and every writer out of the journal's past.

Two locks: an execute wrapper on each database connection refuses INSERT, UPDATE and DELETE on journaled tables while no
command is open; triggers in the database itself refuse UPDATE and DELETE on the journal and on tables that are only
appended to, such as the ledger.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connection as default_connection
from django.db.backends.base.base import BaseDatabaseWrapper

from journal.errors import OutsideCommand
from journal.models import Journaled, JournalEntry, RowChange, Sealed

_open: ContextVar[bool] = ContextVar("journal_open", default=False)
_WRITE = re.compile(r'\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)


@cache
def journaled_tables() -> frozenset[str]:
    """Database names of every table that only commands may write."""
    kept = (Journaled, JournalEntry, RowChange, Sealed)
    return frozenset(model._meta.db_table for model in apps.get_models() if issubclass(model, kept))


@contextmanager
def writing() -> Iterator[None]:
    """Opens the domain tables for writing. Used by the command runner and by migrations of data, nowhere else."""
    token = _open.set(True)
    try:
        yield
    finally:
        _open.reset(token)


def _guard(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    found = _WRITE.match(sql)
    if found and not _open.get() and found.group(1) in journaled_tables():
        raise OutsideCommand(f"{found.group(1)} is written by commands only: {sql[:80]}")
    return execute(sql, params, many, context)


def guard_connection(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Receiver of `connection_created`."""
    if _guard not in connection.execute_wrappers:
        connection.execute_wrappers.append(_guard)


@cache
def append_only_tables() -> tuple[str, ...]:
    """Database names of the tables whose rows are never altered nor deleted."""
    kept = [model for model in apps.get_models() if issubclass(model, Journaled) and model.journal_append_only]
    return (JournalEntry._meta.db_table, RowChange._meta.db_table, *(model._meta.db_table for model in kept))


def trigger_names() -> list[str]:
    return [f"{table}_no_{verb}" for table in append_only_tables() for verb in ("update", "delete")]


def install_triggers(**kwargs: Any) -> None:
    """Receiver of `post_migrate`: makes the triggers anew, as SQLite drops them when a migration rebuilds a table."""
    with default_connection.cursor() as cursor:
        if default_connection.vendor == "postgresql":
            cursor.execute(
                "CREATE OR REPLACE FUNCTION journal_append_only() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
            )
        present = set(default_connection.introspection.table_names(cursor))
        for table in present.intersection(append_only_tables()):
            for verb in ("update", "delete"):
                name = f"{table}_no_{verb}"
                if default_connection.vendor == "postgresql":
                    cursor.execute(
                        f"CREATE OR REPLACE TRIGGER {name} BEFORE {verb.upper()} ON {table} "
                        "FOR EACH ROW EXECUTE FUNCTION journal_append_only()"
                    )
                else:
                    cursor.execute(
                        f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {verb.upper()} ON {table} "
                        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                    )


def missing_triggers() -> list[str]:
    """Names of the append-only triggers that the database lacks."""
    with default_connection.cursor() as cursor:
        if default_connection.vendor == "postgresql":
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        present = {row[0] for row in cursor.fetchall()}
    return [name for name in trigger_names() if name not in present]
