"""Keeps every writer but commands out of the domain tables, and every writer out of the journal's past.

Two locks: an execute wrapper on each database connection refuses INSERT, UPDATE and DELETE on journaled tables while no
command is open; triggers in the database itself refuse UPDATE and DELETE on the journal and on tables that are only
appended to, such as the ledger, and a posting of the ledger that does not add up.
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


@cache
def balanced_tables() -> tuple[tuple[str, str, str], ...]:
    """Database names of the tables whose rows add up to nothing: table, column of the group, column of the amount."""
    kept = [model for model in apps.get_models() if issubclass(model, Journaled) and model.journal_balanced]
    return tuple((model._meta.db_table, *model.journal_balanced) for model in kept if model.journal_balanced)


def trigger_names() -> list[str]:
    """Every trigger that the database should have."""
    append_only = [f"{table}_no_{verb}" for table in append_only_tables() for verb in ("update", "delete")]
    return append_only + [f"{table}_balanced" for table, _, _ in balanced_tables()]


def install_triggers(**kwargs: Any) -> None:
    """Receiver of `post_migrate`: makes the triggers anew, as SQLite drops them when a migration rebuilds a table."""
    install = _install_on_postgresql if default_connection.vendor == "postgresql" else _install_on_sqlite
    with default_connection.cursor() as cursor:
        present = set(default_connection.introspection.table_names(cursor))
        install(
            cursor,
            [table for table in append_only_tables() if table in present],
            [found for found in balanced_tables() if found[0] in present],
        )


def _install_on_postgresql(cursor: Any, append_only: list[str], balanced: list[tuple[str, str, str]]) -> None:
    """A row trigger refuses changes at once; a constraint trigger adds a group up when the transaction commits."""
    cursor.execute(
        "CREATE OR REPLACE FUNCTION journal_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in append_only:
        for verb in ("update", "delete"):
            cursor.execute(
                f"CREATE OR REPLACE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION journal_append_only()"
            )
    for table, group, amount in balanced:
        name = f"{table}_balanced"
        cursor.execute(
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF (SELECT sum({amount}) FROM {table} WHERE {group} = NEW.{group}) <> 0 THEN "
            f"RAISE EXCEPTION '{table} does not add up: %', NEW.{group}; END IF; RETURN NULL; END $$"
        )
        if name in missing_triggers():  # a constraint trigger cannot be replaced
            cursor.execute(
                f"CREATE CONSTRAINT TRIGGER {name} AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED "
                f"FOR EACH ROW EXECUTE FUNCTION {name}()"
            )


def _install_on_sqlite(cursor: Any, append_only: list[str], balanced: list[tuple[str, str, str]]) -> None:
    """SQLite looks at nothing when a transaction commits but at foreign keys. So a group that is off stands in a table
    of its own, with a reference that leads nowhere, until its amounts add up to nothing: no transaction can commit
    before."""
    for table in append_only:
        for verb in ("update", "delete"):
            cursor.execute(
                f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
    for table, group, amount in balanced:
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {table}_off ({group} TEXT PRIMARY KEY, off INTEGER NOT NULL, "
            f"nowhere TEXT NOT NULL DEFAULT '' REFERENCES {table}_off DEFERRABLE INITIALLY DEFERRED)"
        )
        cursor.execute(
            f"CREATE TRIGGER IF NOT EXISTS {table}_balanced AFTER INSERT ON {table} BEGIN "
            f"INSERT INTO {table}_off ({group}, off) VALUES (NEW.{group}, NEW.{amount}) "
            f"ON CONFLICT ({group}) DO UPDATE SET off = off + excluded.off; "
            f"DELETE FROM {table}_off WHERE {group} = NEW.{group} AND off = 0; END"
        )


def missing_triggers() -> list[str]:
    """Names of the triggers that the database lacks."""
    with default_connection.cursor() as cursor:
        if default_connection.vendor == "postgresql":
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        present = {row[0] for row in cursor.fetchall()}
    return [name for name in trigger_names() if name not in present]
