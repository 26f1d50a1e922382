"""What an imported document holds, beside the rulebook it is to replace."""

import datetime as dt
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from rulings.domain.rule_diff import carry_keys
from rulings.domain.rule_import import Imported
from rulings.domain.rule_text import RuleText as Text
from rulings.draft_reads import base_of, starting_rules
from rulings.models import RulebookVersion, RuleText


@dataclass(frozen=True)
class Known:
    """The rules that an import can continue, by permanent key: those of the draft and of the version before it.
    `draft`: the number of the draft that the import would replace.
    """

    texts: dict[str, Text]
    ids: dict[str, int]
    draft: int | None = None
    removed: frozenset[str] = frozenset()  # the keys of those that the draft does not hold

    @property
    def sections(self) -> list[str]:
        return list(dict.fromkeys(text.section for text in self.texts.values()))

    @cached_property
    def names(self) -> dict[str, str]:
        """How an editor calls each rule: by its number, or by the permanent key where that is not its alone.

        A rule that the draft has removed leaves its number to the one that has it now.
        """
        held = Counter(text.number for key, text in self.texts.items() if key not in self.removed)
        every = Counter(text.number for text in self.texts.values())
        return {
            key: text.number if (every if key in self.removed else held)[text.number] == 1 else key
            for key, text in self.texts.items()
        }

    def named(self, name: str) -> str | None:
        """The permanent key of the rule that an editor calls so, in any case; None if there is none."""
        wanted = name.strip().lower()
        return next((key for key, called in self.names.items() if wanted in (called.lower(), key)), None)


@dataclass(frozen=True)
class ImportRow:
    """A recognised rule. `continues`: the permanent key it keeps, "" for a new rule; `was`: the number it had.

    `kept`: a rule of the supplement that the document does not speak of, and that stays unless it is left out.
    """

    number: str
    section: str
    text: str
    continues: str = ""
    was: str = ""
    same_words: bool = False
    kept: bool = False
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recognised:
    """`general` are problems of the document as a whole; `gone` the numbers of present rules that it does not have.

    `in_order`: the numbers of its rules should follow each other.
    """

    rows: tuple[ImportRow, ...]
    general: tuple[str, ...]
    gone: tuple[str, ...]
    in_order: bool

    @property
    def sections(self) -> list[str]:
        """Those of the document."""
        return list(dict.fromkeys(row.section for row in self.rows if not row.kept))

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many rules were read from the document, and of them how many continue one and how many are new."""
        read = [row for row in self.rows if not row.kept]
        continued = sum(bool(row.continues) for row in read)
        return len(read), continued, len(read) - continued


def known_rules(series_id: int, now: dt.datetime) -> Known:
    """The rules that an import can continue. Three queries."""
    draft = RulebookVersion.objects.filter(series=series_id, status=RulebookVersion.Status.DRAFT).first()
    texts: dict[str, Text] = {}
    ids: dict[str, int] = {}
    held: set[str] = set()
    for version in (base_of(series_id, now), draft):
        if version is not None:
            held.clear()
            for row in RuleText.objects.filter(version=version).select_related("rule").order_by("position"):
                texts[row.rule.key], ids[row.rule.key] = row.as_text, row.rule_id
                held.add(row.rule.key)
    return Known(texts, ids, draft.number if draft else None, frozenset(texts.keys() - held))


def recognise(imported: Imported, known: Known) -> Recognised:
    """The rules of a document with the present rules they continue. Rules of the supplement stay if the document has
    none of its own; before a first rulebook they are those that come with the site.
    """
    rules = imported.rulebook
    keys = carry_keys(known.texts, rules)
    problems: dict[str, list[str]] = {}
    for problem in imported.problems:
        problems.setdefault(problem.number, []).append(problem.message)
    rows = []
    for rule, key in zip(rules, keys, strict=True):
        was = known.texts.get(key) if key else None
        rows.append(
            ImportRow(
                number=rule.number,
                section=rule.section,
                text=rule.text,
                continues=key or "",
                was=was.number if was else "",
                same_words=was is not None and was.text == rule.text,
                problems=tuple(problems.pop(rule.number, ())),
            )
        )
    if not any(rule.supplement for rule in rules):
        rows += _supplement(known)
    taken = {row.continues for row in rows}
    gone = [text.number for key, text in known.texts.items() if key not in taken]
    general = [message for messages in problems.values() for message in messages]
    return Recognised(tuple(rows), tuple(general), tuple(gone), imported.in_order)


def joined_words(words: str, number: str, more: str) -> str:
    """The words of two rules that were one: what was taken for a rule's number belongs to them.

    >>> joined_words("An all-in of", "10", "or more stands.")
    'An all-in of 10. or more stands.'
    """
    words, more = words.rstrip(), f"{number}. {more}" if number else more
    gap = "\n\n" if re.search(r"[.!?:;]$", words) else " "
    return f"{words}{gap}{more}".strip()


def _supplement(known: Known) -> list[ImportRow]:
    present = known.texts or {text.number: text for text in starting_rules()}
    return [
        ImportRow(
            number=text.number,
            section=text.section,
            text=text.text,
            continues=key if known.texts else "",
            was=text.number if known.texts else "",
            same_words=bool(known.texts),
            kept=True,
        )
        for key, text in present.items()
        if text.supplement
    ]
