"""The draft of the next version as its editors see it: its rules, what changed, what keeps it from being announced."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rulings.change_reads import ChangeRow, Changes, compare, texts_of
from rulings.domain.rule_check import Finding, check_rules
from rulings.domain.rule_diff import ChangeKind, compare_versions
from rulings.domain.rule_place import next_number
from rulings.domain.rule_text import RuleText as Text
from rulings.domain.rule_text import parse_markdown
from rulings.models import RulebookVersion, RuleText
from rulings.version_reads import VersionLine, Versions, versions_of

STARTING_RULES = Path(__file__).parent / "rulebook" / "house.md"


def starting_rules() -> list[Text]:
    """The rules that come with the site: the house rules in our own words, a supplement for what they leave open."""
    return parse_markdown(STARTING_RULES.read_text("utf-8"))


def base_of(series_id: int, now: dt.datetime) -> RulebookVersion | None:
    """What a draft's changes are counted from: the version that is announced, else that in force."""
    versions = RulebookVersion.objects.filter(series=series_id)
    return versions.coming(now).first() or versions.in_force(now).first()


def unexplained(draft: RulebookVersion, base: RulebookVersion | None) -> list[str]:
    """The keys of the rules that differ from the version before and have no reason yet. Two queries."""
    if base is None:
        return []
    before, after = texts_of(base, draft)
    given = set(draft.changes.exclude(reason="").values_list("rule__key", flat=True))
    return [
        change.key
        for change in compare_versions(before, after)
        if change.kinds != (ChangeKind.UNCHANGED,) and change.key not in given
    ]


@dataclass(frozen=True)
class DraftRule:
    """A rule of the draft, or one taken out of it (`row` is None), with its change if any and what the checker says."""

    rule_id: int | None
    row: RuleText | None
    change: ChangeRow | None
    findings: tuple[Finding, ...] = ()

    @property
    def clarified(self) -> bool:
        return self.change is not None and any(tag.kind == ChangeKind.CLARIFIED for tag in self.change.kinds)

    @property
    def unexplained(self) -> bool:
        return self.change is not None and not self.change.whys


@dataclass(frozen=True)
class DraftSection:
    name: str
    rules: tuple[DraftRule, ...]


@dataclass(frozen=True)
class DraftPage:
    """The rulebook from the editors' side. `base` is what the draft's changes are counted from."""

    versions: Versions
    draft: VersionLine | None
    base: VersionLine | None
    changes: Changes | None
    sections: tuple[DraftSection, ...]
    removed: tuple[DraftRule, ...]
    findings: tuple[Finding, ...]
    unexplained: int

    @property
    def rows(self) -> list[RuleText]:
        """The rules of the draft in their order."""
        return [rule.row for section in self.sections for rule in section.rules if rule.row]

    @property
    def next_number(self) -> str:
        """The number of the next house rule."""
        return next_number(row.number for row in self.rows)

    @property
    def last_house_rule(self) -> RuleText | None:
        """The last rule that is none of the supplement."""
        return next((row for row in reversed(self.rows) if not row.supplement), None)

    @property
    def ready(self) -> bool:
        """Whether it can be announced."""
        if self.draft is None or self.findings or self.unexplained or not self.sections:
            return False
        return self.changes is None or bool(self.changes.rows)


def draft_page(series_id: int, now: dt.datetime) -> DraftPage:
    """Everything of the editors' page. Four queries with a draft, one without."""
    versions = versions_of(series_id, now)
    draft, base = versions.draft, versions.coming or versions.in_force
    if draft is None:
        return DraftPage(versions, None, base, None, (), (), (), 0)
    changes = compare(base, draft, versions) if base else None
    by_key = {row.key: row for row in changes.rows} if changes else {}
    rows = list(draft.row.texts.select_related("rule"))
    found = check_rules([row.as_text for row in rows])
    sections: dict[str, list[DraftRule]] = {}
    for row in rows:
        faults = tuple(finding for finding in found if finding.number == row.number)
        shown = DraftRule(row.rule_id, row, by_key.get(row.rule.key), faults)
        sections.setdefault(row.section, []).append(shown)
    gone = {change.key: change for change in by_key.values() if change.is_removed}
    ids = _rule_ids(base, gone) if base and gone else {}
    removed = tuple(DraftRule(ids[key], None, change) for key, change in gone.items())
    return DraftPage(
        versions=versions,
        draft=draft,
        base=base,
        changes=changes,
        sections=tuple(DraftSection(name, tuple(rules)) for name, rules in sections.items()),
        removed=removed,
        findings=tuple(found),
        unexplained=sum(not change.whys for change in by_key.values()),
    )


def _rule_ids(base: VersionLine, keys: Sequence[str] | dict[str, ChangeRow]) -> dict[str, int]:
    return dict(base.row.texts.filter(rule__key__in=list(keys)).values_list("rule__key", "rule_id"))


def draft_rule(page: DraftPage, rule_id: int) -> DraftRule | None:
    """One rule of the draft."""
    rules = [rule for section in page.sections for rule in section.rules]
    return next((rule for rule in rules if rule.rule_id == rule_id), None)
