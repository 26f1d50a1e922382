"""What staff see of a player as a person: age, sighted ID, account, and the records that were merged into theirs."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from journal.models import JournalEntry, RowChange
from series.domain.eligibility import age_on
from series.domain.public_name import kind_of
from series.models import IdCheck, Merge, Player, TwoPeople
from series.reads.players import known_in


@dataclass(frozen=True)
class Record:
    """`age` is that of today, None where no birth date is kept; `shown_as` which kind of public name was chosen."""

    age: int | None
    shown_as: str
    checks: tuple[IdCheck, ...]


def record(player: Player, today: dt.date) -> Record:
    """One query."""
    checks = player.id_checks.filter(taken_back=False).select_related("checked_by").order_by("-at")
    age = age_on(player.birth_date, today) if player.birth_date else None
    return Record(age, kind_of(player.name, player.public_name), tuple(checks))


@dataclass(frozen=True)
class Merged:
    """A record that was merged into another one; `undo_id` is the journal entry to undo."""

    name: str
    at: dt.datetime
    by: str
    undo_id: int


def merges_of(player: Player) -> list[Merged]:
    """The records merged into a player's, the latest first. Two queries."""
    merges = {
        merge.pk: merge for merge in Merge.objects.filter(kept=player, taken_back=False).select_related("gone", "by")
    }
    entries = _made_by("series.merge", merges)
    return [Merged(merge.gone.name, merge.at, entries[pk].actor_name, entries[pk].pk) for pk, merge in merges.items()]


@dataclass(frozen=True)
class Apart:
    """Two records said to be two people; `undo_id` is the journal entry to undo."""

    first: str
    second: str
    by: str
    undo_id: int


def told_apart(series_id: int) -> list[Apart]:
    """Pairs of a series that somebody told apart, the latest first. Two queries."""
    known = known_in(series_id).values("pk")
    said = TwoPeople.objects.filter(first__in=known, second__in=known, taken_back=False)
    rows = {row.pk: row for row in said.select_related("first", "second").order_by("-at", "-pk")}
    entries = _made_by("series.twopeople", rows)
    return [Apart(row.first.name, row.second.name, entries[pk].actor_name, entries[pk].pk) for pk, row in rows.items()]


def _made_by(table: str, rows: Iterable[int]) -> dict[int, JournalEntry]:
    made = RowChange.objects.filter(table=table, row__in=list(rows), kind=RowChange.Kind.CREATE)
    return {change.row: change.entry for change in made.select_related("entry")}
