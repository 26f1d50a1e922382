"""The alarm for a table that has become too short to play on (T24-11D)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tables.domain.table import Table, clockwise

HALT_WHEN_SHORT_BY = 3


@dataclass(frozen=True, slots=True)
class HaltAlarm:
    """A table three or more players short; `halted` once its big blind has reached an open seat (T24-11D)."""

    table: int
    short_by: int
    halted: bool
    reason: str


def halt_alarms(tables: Sequence[Table]) -> tuple[HaltAlarm, ...]:
    """Return an alarm for each table three or more players short of the largest one (T24-11D).

    The director may waive it. A table whose button is unknown is not halted but reported; before a first hand the big
    blind has not gone round, and comes to a player.
    """
    largest = max((len(table.occupied) for table in tables), default=0)
    alarms = (halt_alarm(table, largest) for table in tables)
    return tuple(alarm for alarm in alarms if alarm is not None)


def halt_alarm(table: Table, largest: int) -> HaltAlarm | None:
    """Return the alarm of one table, `largest` being the players of the largest one; None if it is not that short."""
    short_by = largest - len(table.occupied)
    if short_by < HALT_WHEN_SHORT_BY:
        return None
    head = f"Table {table.number} is {short_by} players short of the largest table."
    if table.last is None:
        return HaltAlarm(table.number, short_by, False, f"{head} Its button is unknown: ask there.")
    seat = next(s for s in clockwise(table.seats, table.last.big_blind) if s not in table.locked)
    if table.first or seat in table.occupied:
        return HaltAlarm(
            table.number,
            short_by,
            False,
            f"{head} It plays on until the big blind reaches an open seat (T24-11D).",
        )
    return HaltAlarm(
        table.number,
        short_by,
        True,
        f"{head} The big blind has reached seat {seat}, which is open: deal no hand there until a player"
        " has come (T24-11D).",
    )
