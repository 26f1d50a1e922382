"""What staff see of a player as a person: age, sighted ID, account, and the records that were merged into theirs."""

import datetime as dt
from dataclasses import dataclass

from journal.models import JournalEntry, RowChange
from series.domain.eligibility import age_on
from series.domain.public_name import kind_of
from series.models import IdCheck, Merge, Player


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
    made = RowChange.objects.filter(table="series.merge", row__in=list(merges), kind=RowChange.Kind.CREATE)
    entries: dict[int, JournalEntry] = {change.row: change.entry for change in made.select_related("entry")}
    return [Merged(merge.gone.name, merge.at, entries[pk].actor_name, entries[pk].pk) for pk, merge in merges.items()]
