"""Notices that the journal has grown, on one connection of its own that no request shares.

`seq` is gapless within a stream and given under the stream's lock, so "what comes after the seq I know" loses nothing.
"""

import asyncio
import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import psycopg
from django.db import connection

SQLITE_SECONDS = 0.1  # between looks at the version of the file (2 microseconds each)
NAME = "deadbutton live"  # of the connection, as pg_stat_activity shows it
HOME = "home"  # stands for all streams together; its seq is the sum of theirs
POSTGRESQL_SECONDS = 1.0  # between looks without a notification, which a proxy of connections may swallow


@dataclass(frozen=True)
class Entry:
    """What the feed tells of a journal entry: its stream, its seq there and the labels of the models it touched."""

    stream: str
    seq: int
    touches: frozenset[str]


# Of all streams together. Not the latest id in the journal: ids are given before the commit, so of two streams written
# to at once the one that commits last may have the lower. The sum grows with each commit.
STREAMS = ("series_organiser", "series_series", "series_event")
LATEST = f"SELECT CAST({' + '.join(f'(SELECT coalesce(sum(seq), 0) FROM {table})' for table in STREAMS)} AS bigint)"


def anything(seq: int) -> Entry:
    """Says of all streams together that something changed, not what."""
    return Entry(HOME, seq, frozenset({"series.event"}))


class Feed(Protocol):
    """A source of changes. Any method may raise the database's errors; the feed is then of no further use."""

    async def wait(self) -> frozenset[str] | None:
        """Wait a moment. Gives back the streams that changed, or None if any may have."""

    async def after(self, known: Mapping[str, int]) -> list[Entry]:
        """The entries of these streams beyond the seq that is known of each, in order."""

    async def close(self) -> None: ...


ERRORS = (sqlite3.Error, psycopg.Error, OSError)


async def open_feed() -> Feed:
    """The feed that fits Django's default database."""
    if connection.vendor == "postgresql":
        return await PostgresFeed.open()
    return SqliteFeed(Path(connection.settings_dict["NAME"]))


class SqliteFeed:
    """Sees through `PRAGMA data_version` that another connection, in whatever process, has committed."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
        self._version: int | None = None

    async def wait(self) -> frozenset[str] | None:
        await asyncio.sleep(SQLITE_SECONDS)
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        changed, self._version = version != self._version, version
        return None if changed else frozenset()

    async def after(self, known: Mapping[str, int]) -> list[Entry]:
        return [entry for stream, seq in known.items() for entry in self._after(stream, seq)]

    def _after(self, stream: str, seq: int) -> Iterable[Entry]:
        if stream == HOME:
            return [anything(self._connection.execute(LATEST).fetchone()[0])]
        rows = self._connection.execute(
            "SELECT seq, touches FROM journal_journalentry WHERE stream = ? AND seq > ? ORDER BY seq", (stream, seq)
        )
        return [Entry(stream, seq, frozenset(json.loads(touches))) for seq, touches in rows]

    async def close(self) -> None:
        self._connection.close()


class PostgresFeed:
    """Listens to `pg_notify('journal', stream)`, which the command runner sends with each entry."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection
        self._first = True

    @classmethod
    async def open(cls) -> Self:
        wanted = ("dbname", "user", "password", "host", "port", "service", "sslmode", "sslrootcert")
        given = connection.get_connection_params()
        own = await psycopg.AsyncConnection.connect(
            autocommit=True, application_name=NAME, **{k: given[k] for k in wanted if k in given}
        )
        await own.execute("LISTEN journal")
        return cls(own)

    async def wait(self) -> frozenset[str] | None:
        if self._first:  # what was committed before the LISTEN brings no notification
            self._first = False
            return None
        heard = self._connection.notifies(timeout=POSTGRESQL_SECONDS, stop_after=1)
        streams = frozenset([notify.payload async for notify in heard])
        return streams or None

    async def after(self, known: Mapping[str, int]) -> list[Entry]:
        rows = await self._connection.execute(
            "SELECT entry.stream, entry.seq, entry.touches FROM journal_journalentry entry "
            "JOIN unnest(%s::text[], %s::bigint[]) AS known (stream, seq) "
            "ON entry.stream = known.stream AND entry.seq > known.seq ORDER BY entry.stream, entry.seq",
            [list(known), list(known.values())],
        )
        entries = [Entry(stream, seq, frozenset(touches)) async for stream, seq, touches in rows]
        if HOME in known:
            latest = await (await self._connection.execute(LATEST)).fetchone()
            entries.append(anything(latest[0] if latest else 0))
        return entries

    async def close(self) -> None:
        await self._connection.close()
