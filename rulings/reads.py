"""The rulebook of a series as people read it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from rulings.models import RulebookVersion
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


@dataclass(frozen=True)
class Section:
    name: str
    rules: tuple[RuleWords, ...]


@dataclass(frozen=True)
class RulebookPage:
    """A version with all its rules, or those that hold every word searched for."""

    number: int
    effective_from: dt.datetime | None
    content_hash: str
    sections: tuple[Section, ...]
    found: int
    total: int


@dataclass(frozen=True)
class RulePage:
    """One rule, with the numbers of the rules before and after it."""

    rule: RuleWords
    version: RulebookVersion
    before: str | None
    after: str | None


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def to_html(text: str) -> SafeString:
    """The Markdown of a rule as HTML without scripts, links or pictures."""
    return mark_safe(nh3.clean(_renderer().render(text), tags=_TAGS, attributes={}))


def in_force(series_id: int) -> RulebookVersion | None:
    """The version that players accept now."""
    return RulebookVersion.objects.filter(series_id=series_id, status=RulebookVersion.Status.IN_FORCE).first()


def _matches(words: Sequence[str], number: str, text: str) -> bool:
    folded = fold(text)
    return all(word == number.lower() or word in folded for word in words)


def rulebook(series_id: int, search: str = "") -> RulebookPage | None:
    """The rulebook in force by sections; None if there is none. Two queries."""
    version = in_force(series_id)
    if version is None:
        return None
    words = fold(search).split()
    total = found = 0
    sections: dict[str, list[RuleWords]] = {}
    for row in version.texts.all():
        total += 1
        if _matches(words, row.number, f"{row.section} {row.text}"):
            found += 1
            sections.setdefault(row.section, []).append(
                RuleWords(row.number, row.section, to_html(row.text), row.supplement)
            )
    return RulebookPage(
        number=version.number,
        effective_from=version.effective_from,
        content_hash=version.content_hash,
        sections=tuple(Section(name, tuple(rules)) for name, rules in sections.items()),
        found=found,
        total=total,
    )


def rule(series_id: int, number: str) -> RulePage | None:
    """One rule of the rulebook in force by its display number, in any case; None if it is not there."""
    version = in_force(series_id)
    if version is None:
        return None
    rows = list(version.texts.all())
    for index, row in enumerate(rows):
        if row.number.lower() == number.lower():
            return RulePage(
                rule=RuleWords(row.number, row.section, to_html(row.text), row.supplement),
                version=version,
                before=rows[index - 1].number if index else None,
                after=rows[index + 1].number if index + 1 < len(rows) else None,
            )
    return None
