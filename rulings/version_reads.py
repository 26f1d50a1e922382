"""The versions of a rulebook: which holds now, which is coming, and what became of the others."""

import datetime as dt
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils import timezone

from rulings.domain.rule_diff import ChangeKind
from rulings.models import RulebookVersion, RuleChange

Status = RulebookVersion.Status
TONES = {
    ChangeKind.NEW: "info",
    ChangeKind.REMOVED: "stop",
    ChangeKind.REWORDED: "warn",
    ChangeKind.CLARIFIED: "",
    ChangeKind.MOVED: "",
    ChangeKind.RENUMBERED: "",
}
STATE_TONES = {Status.ANNOUNCED: "info", Status.IN_FORCE: "go", Status.WITHDRAWN: "stop"}


@dataclass(frozen=True)
class KindTag:
    """A kind of change as a tag: "3 reworded" with the number of rules, "reworded" without."""

    kind: str
    count: int = 0

    @property
    def tone(self) -> str:
        return TONES.get(ChangeKind(self.kind), "")

    @property
    def words(self) -> str:
        return f"{self.count} {self.kind}" if self.count else self.kind


def count_kinds(rules: Iterable[Sequence[str]]) -> tuple[KindTag, ...]:
    """How many rules changed in each way, from the kinds of each rule; a rule can count twice."""
    counts = Counter(kind for kinds in rules for kind in kinds)
    return tuple(KindTag(kind.value, counts[kind.value]) for kind in TONES if counts[kind.value])


@dataclass(frozen=True)
class VersionLine:
    """A version as the instants say it stands, whatever a late worker has written.

    `until`: when the next one came into force, None as long as there is none. `kinds` counts its changed rules.
    """

    row: RulebookVersion
    state: RulebookVersion.Status
    until: dt.datetime | None
    kinds: tuple[KindTag, ...] = ()

    @property
    def number(self) -> int:
        return self.row.number

    @property
    def tone(self) -> str:
        return STATE_TONES.get(self.state, "")

    @property
    def words(self) -> str:
        return str(self.state.label)

    @property
    def is_published(self) -> bool:
        return self.state != Status.DRAFT

    @property
    def in_force(self) -> bool:
        return self.state == Status.IN_FORCE

    @property
    def has_begun(self) -> bool:
        """Whether it is or was in force."""
        return self.state in (Status.IN_FORCE, Status.SUPERSEDED)

    @property
    def announced_by(self) -> str:
        return self.row.announced_by.journal_name if self.row.announced_by else ""


@dataclass(frozen=True)
class Versions:
    """All versions of a series, the newest first, at an instant."""

    lines: tuple[VersionLine, ...]

    def by_number(self, number: int) -> VersionLine | None:
        return next((line for line in self.lines if line.number == number), None)

    def _in_state(self, state: RulebookVersion.Status) -> VersionLine | None:
        return next((line for line in self.lines if line.state == state), None)

    @property
    def in_force(self) -> VersionLine | None:
        return self._in_state(Status.IN_FORCE)

    @property
    def coming(self) -> VersionLine | None:
        return self._in_state(Status.ANNOUNCED)

    @property
    def draft(self) -> VersionLine | None:
        return self._in_state(Status.DRAFT)

    @property
    def published(self) -> tuple[VersionLine, ...]:
        return tuple(line for line in self.lines if line.is_published)


def versions_of(series_id: int, now: dt.datetime | None = None, *, count: bool = False) -> Versions:
    """The versions of a series, drafts too. One query, and one more to `count` the changes of each."""
    now = now or timezone.now()
    rows = list(
        RulebookVersion.objects.filter(series=series_id).select_related("announced_by", "series").order_by("-number")
    )
    held = [row for row in rows if row.status not in (Status.DRAFT, Status.WITHDRAWN)]
    held.sort(key=lambda row: (row.effective_from, row.number))
    ends = {row.pk: after.effective_from for row, after in itertools.pairwise(held)}
    changed: dict[int, list[list[str]]] = {}
    if count:
        for version, kinds in RuleChange.objects.filter(version__in=rows).values_list("version_id", "kinds"):
            changed.setdefault(version, []).append(kinds)
    return Versions(
        tuple(
            VersionLine(row, _state(row, ends.get(row.pk), now), ends.get(row.pk), count_kinds(changed.get(row.pk, [])))
            for row in rows
        )
    )


def _state(row: RulebookVersion, until: dt.datetime | None, now: dt.datetime) -> RulebookVersion.Status:
    if row.status in (Status.DRAFT, Status.WITHDRAWN) or row.effective_from is None:
        return Status(row.status)
    if row.effective_from > now:
        return Status.ANNOUNCED
    return Status.SUPERSEDED if until is not None and until <= now else Status.IN_FORCE
