"""The rules of a series as people read them: a whole version, one rule, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import nh3
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from rulings.change_reads import Why, why
from rulings.domain.rule_diff import ChangeKind, Piece, diff_words
from rulings.domain.rule_text import NUMBER
from rulings.models import Rule, RulebookVersion, RuleChange, RuleText
from rulings.version_reads import KindTag, Status, VersionLine, Versions, versions_of
from series.domain.names import fold

_TAGS = {
    "p",
    "ul",
    "ol",
    "li",
    "em",
    "strong",
    "code",
    "br",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "blockquote",
}


@dataclass(frozen=True)
class RuleWords:
    """One rule as its version states it. `html` is safe to show."""

    number: str
    section: str
    html: SafeString
    supplement: bool
    key: str


@dataclass(frozen=True)
class Section:
    name: str
    rules: tuple[RuleWords, ...]


@dataclass(frozen=True)
class RulebookPage:
    """A version with all its rules, or those that hold every word searched for."""

    version: VersionLine
    versions: Versions
    sections: tuple[Section, ...]
    found: int
    total: int


@dataclass(frozen=True)
class Step:
    """What one version did to a rule. `version` names it; `pieces` is the difference from the words before."""

    version: VersionLine
    number: str
    kinds: tuple[KindTag, ...]
    pieces: tuple[Piece, ...]
    why: Why | None

    @property
    def removed(self) -> bool:
        return any(tag.kind == ChangeKind.REMOVED for tag in self.kinds)


@dataclass(frozen=True)
class RulePage:
    """One rule as a version states it, with the numbers of its neighbours and its history, newest first.

    `version` is the one whose words are shown: the one in force, else the last that had the rule. `gone`: the version
    that took it out.
    """

    rule: RuleWords
    version: VersionLine
    gone: VersionLine | None
    before: str | None
    after: str | None
    history: tuple[Step, ...]


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def to_html(text: str) -> SafeString:
    """The Markdown of a rule as HTML without scripts, links or pictures."""
    return mark_safe(nh3.clean(_renderer().render(text), tags=_TAGS, attributes={}))


def in_force(series_id: int) -> RulebookVersion | None:
    """The version that players accept now."""
    return RulebookVersion.objects.filter(series=series_id).in_force(timezone.now()).first()


def _words(row: RuleText) -> RuleWords:
    return RuleWords(row.number, row.section, to_html(row.text), row.supplement, row.rule.key)


def _matches(words: Sequence[str], number: str, text: str) -> bool:
    folded = fold(text)
    return all(word == number.lower() or word in folded for word in words)


def rulebook(series_id: int, search: str = "", *, number: int | None = None) -> RulebookPage | None:
    """A version by sections: that of the `number` asked for, else the one in force; None if there is none, or it is a
    draft. Two queries.
    """
    versions = versions_of(series_id)
    version = versions.in_force if number is None else versions.by_number(number)
    if version is None or not version.is_published:
        return None
    words = fold(search).split()
    total = found = 0
    sections: dict[str, list[RuleWords]] = {}
    for row in version.row.texts.select_related("rule"):
        total += 1
        if _matches(words, row.number, f"{row.section} {row.text}"):
            found += 1
            sections.setdefault(row.section, []).append(_words(row))
    return RulebookPage(
        version=version,
        versions=versions,
        sections=tuple(Section(name, tuple(rules)) for name, rules in sections.items()),
        found=found,
        total=total,
    )


def rule(series_id: int, name: str) -> RulePage | None:
    """One rule by its number in the rulebook in force, in any case, or by its permanent key; else the rule that had the
    number last. None if there was never one. At most six queries.
    """
    versions = versions_of(series_id)
    current = versions.in_force
    rows = list(current.row.texts.select_related("rule")) if current else []
    at = next((index for index, row in enumerate(rows) if name.lower() in (row.number.lower(), row.rule.key)), None)
    rule_id = rows[at].rule_id if at is not None else _former(series_id, name, versions)
    if rule_id is None:
        return None
    texts, history = _history(rule_id, versions)
    if not texts:
        return None
    lines = {line.row.pk: line for line in versions.lines}
    if at is None:
        shown = next((row for row in texts if lines[row.version_id].state != Status.WITHDRAWN), texts[0])
        gone = next((step.version for step in history if step.removed and step.version.has_begun), None)
    else:
        shown, gone = next(row for row in texts if row.version_id == rows[at].version_id), None
    return RulePage(
        rule=_words(shown),
        version=lines[shown.version_id],
        gone=gone,
        before=rows[at - 1].number if at else None,
        after=rows[at + 1].number if at is not None and at + 1 < len(rows) else None,
        history=history,
    )


def _former(series_id: int, name: str, versions: Versions) -> int | None:
    """A rule that is not in force, by its key or by the number it had last."""
    by_key = Rule.objects.filter(series=series_id, key=name.lower()).values_list("pk", flat=True).first()
    if by_key or not NUMBER.fullmatch(name):
        return by_key
    published = [line.row for line in versions.published]
    had = RuleText.objects.filter(version__in=published, number__iexact=name).order_by("-version__number")
    return had.values_list("rule_id", flat=True).first()


def _history(rule_id: int, versions: Versions) -> tuple[list[RuleText], tuple[Step, ...]]:
    """The published texts of a rule, the newest first, and each version that changed it. Two queries."""
    lines = {line.row.pk: line for line in versions.published}
    texts = list(
        RuleText.objects.filter(rule=rule_id, version__in=lines).select_related("rule").order_by("-version__number")
    )
    by_version = {row.version_id: row for row in texts}
    changes = RuleChange.objects.filter(rule=rule_id, version__in=lines).select_related("author", "version")
    steps = []
    for change in changes.order_by("-version__number"):
        line = lines[change.version_id]
        before, after = by_version.get(line.row.previous_id or 0), by_version.get(change.version_id)
        shown = after or before
        if shown is not None:
            pieces = diff_words(before.text if before else "", after.text if after else "")
            steps.append(Step(line, shown.number, tuple(map(KindTag, change.kinds)), tuple(pieces), why(change)))
    first = texts[-1] if texts else None
    if first and lines[first.version_id].row.previous_id is None:  # the first version says of no rule that it is new
        steps.append(Step(lines[first.version_id], first.number, (), (), None))
    return texts, tuple(steps)
