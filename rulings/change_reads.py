"""What changed between two versions of a rulebook, rule by rule, and why."""

from dataclasses import dataclass
from functools import cached_property

from rulings.domain.rule_diff import Change, ChangeKind, Op, Piece, compare_versions
from rulings.domain.rule_text import RuleText as Text
from rulings.models import RulebookVersion, RuleChange, RuleText
from rulings.version_reads import KindTag, VersionLine, Versions, count_kinds


@dataclass(frozen=True)
class Why:
    """The reason of a change, who gave it, and the number of the version that made it."""

    version: int
    reason: str
    author: str


def why(change: RuleChange) -> Why | None:
    """None if no reason was given. The change's author and version must be loaded."""
    if not change.reason:
        return None
    return Why(change.version.number, change.reason, change.author.journal_name if change.author else "")


@dataclass(frozen=True)
class ChangeRow:
    """One changed rule. `whys` are the reasons of the versions in between, the oldest first."""

    change: Change
    kinds: tuple[KindTag, ...]
    whys: tuple[Why, ...]

    @property
    def key(self) -> str:
        return self.change.key

    @property
    def _text(self) -> Text:
        text = self.change.new or self.change.old
        assert text is not None
        return text

    @property
    def number(self) -> str:
        return self._text.number

    @property
    def section(self) -> str:
        return self._text.section

    @property
    def is_removed(self) -> bool:
        return self.change.new is None

    @property
    def old_number(self) -> str:
        """The number it had, if that was another one."""
        old = self.change.old
        return old.number if old and old.number != self.number else ""

    @property
    def old_section(self) -> str:
        """The section it stood in, if that was another one."""
        old = self.change.old
        return old.section if old and old.section != self.section else ""

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self.change.pieces)

    @property
    def before(self) -> tuple[Piece, ...]:
        """The old words, with what was deleted."""
        return tuple(piece for piece in self.pieces if piece.op != Op.INSERTED)

    @property
    def after(self) -> tuple[Piece, ...]:
        """The new words, with what was inserted."""
        return tuple(piece for piece in self.pieces if piece.op != Op.DELETED)


@dataclass(frozen=True)
class Changes:
    """What differs between two versions, in the order of the new one. `old` is None for the first version."""

    old: VersionLine | None
    new: VersionLine
    rows: tuple[ChangeRow, ...]
    unchanged: int

    @property
    def kinds(self) -> tuple[KindTag, ...]:
        return count_kinds([tag.kind for tag in row.kinds] for row in self.rows)


def texts_of(*versions: RulebookVersion) -> list[dict[str, Text]]:
    """The rules of each version by permanent key, in order. One query."""
    found: dict[int, dict[str, Text]] = {version.pk: {} for version in versions}
    for row in RuleText.objects.filter(version__in=versions).select_related("rule").order_by("position"):
        found[row.version_id][row.rule.key] = row.as_text
    return [found[version.pk] for version in versions]


def kinds_of(change: Change, *, clarified: bool) -> list[str]:
    """The kinds of a change as they are shown: reworded is clarified where the editor says so."""
    shown = [
        ChangeKind.CLARIFIED if clarified and kind == ChangeKind.REWORDED else kind
        for kind in change.kinds
        if kind != ChangeKind.UNCHANGED
    ]
    return [str(kind) for kind in shown]


def compare(old: VersionLine, new: VersionLine, versions: Versions) -> Changes:
    """The difference of any two versions, with the reasons of every step between them. Two queries."""
    before, after = texts_of(old.row, new.row)
    steps = _steps(old, new, versions)
    reasons: dict[str, list[RuleChange]] = {}
    found = RuleChange.objects.filter(version__in=steps).select_related("rule", "author", "version")
    for step in found.order_by("version__number"):
        reasons.setdefault(step.rule.key, []).append(step)
    rows, unchanged = [], 0
    for change in compare_versions(before, after):
        given = reasons.get(change.key, [])
        kinds = kinds_of(change, clarified=bool(given) and all(_only_clarified(step) for step in given))
        if kinds:
            whys = tuple(said for step in given if (said := why(step)))
            rows.append(ChangeRow(change, tuple(map(KindTag, kinds)), whys))
        else:
            unchanged += 1
    return Changes(old, new, tuple(rows), unchanged)


def _steps(old: VersionLine, new: VersionLine, versions: Versions) -> list[RulebookVersion]:
    """The versions that lead from the old to the new one, without those that were withdrawn in between."""
    by_pk = {line.row.pk: line.row for line in versions.lines}
    steps = []
    at: RulebookVersion | None = new.row
    while at is not None and at.number > old.number:
        steps.append(at)
        at = by_pk.get(at.previous_id or 0)
    return steps


def _only_clarified(step: RuleChange) -> bool:
    return step.clarified or (bool(step.kinds) and ChangeKind.REWORDED not in step.kinds)


def changes_of(version: VersionLine, versions: Versions) -> Changes:
    """What a published version changed. Two queries; without a version before it there is nothing to compare."""
    old = next((line for line in versions.lines if line.row.pk == version.row.previous_id), None)
    if old is None:
        return Changes(None, version, (), version.row.texts.count())
    return compare(old, version, versions)
