"""What must be right before a rulebook is published: references, numbers, and no empty rule."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_lowercase

from rulings.domain.rule_text import RuleText

_NUMBER = r"S?[1-9][0-9]*[a-z]?(?![\w.]*[0-9A-Za-z])"
_JOIN = r"(?:\s*(?:,|/|–|-|\band\b|\bor\b|\bto\b)\s*)+"
_REFERENCE = re.compile(rf"\b[Rr]ules?\s+({_NUMBER}(?:{_JOIN}{_NUMBER})*)")
_SOURCES = r"\b(?:TDA|WSOP|RROP|Robert['’]s)\b"
# A rule of another book: its name stands right before ("TDA 2024 v1.0, rule 44") or follows ("of the TDA").
_OTHER_BOOK_BEFORE = re.compile(rf"{_SOURCES}(?:[\w'’ ]|\d\.\d)*,?\s*$")
_NAME_OF_A_BOOK = 80  # characters to look back for it; more would make a long text slow
_OTHER_BOOK_AFTER = re.compile(rf"\s+(?:of|in)\s+(?:the\s+)?{_SOURCES}")


@dataclass(frozen=True)
class Reference:
    """A number in a text that names another rule: text[start:end] is the number."""

    number: str
    start: int
    end: int


class FindingKind(StrEnum):
    """Each of them blocks publishing."""

    BROKEN_REFERENCE = "broken_reference"
    DUPLICATE_NUMBER = "duplicate_number"
    EMPTY_RULE = "empty_rule"


@dataclass(frozen=True)
class Finding:
    """One fault of the rule with that `number`, in plain words."""

    kind: FindingKind
    number: str
    message: str


def find_references(text: str) -> list[Reference]:
    """Return the references to rules of this rulebook in `text`, in order.

    "rule 31", "rules 9a and 9b", "rules 45 to 48" (its two ends). Rules of other books ("TDA 2024, rule
    44") are none.
    """
    found = []
    for match in _REFERENCE.finditer(text):
        begins = max(0, match.start() - _NAME_OF_A_BOOK)
        if _OTHER_BOOK_BEFORE.search(text, begins, match.start()) or _OTHER_BOOK_AFTER.match(text, match.end()):
            continue
        for number in re.finditer(_NUMBER, match[1]):
            start = match.start(1) + number.start()
            found.append(Reference(number[0], start, start + len(number[0])))
    return found


def check_rules(rules: Sequence[RuleText]) -> list[Finding]:
    """Return every fault that must be mended before publishing, in the order of the rules.

    A reference to 28 is met by 28a: it names all rules of that number.
    """
    numbers = Counter(rule.number for rule in rules)
    known = {*numbers, *(number.rstrip(ascii_lowercase) for number in numbers)}
    return [finding for rule in rules for finding in _check(rule, numbers[rule.number], known)]


def _check(rule: RuleText, times: int, known: set[str]) -> Iterator[Finding]:
    if times > 1:
        message = f"The number {rule.number} is given to {times} rules."
        yield Finding(FindingKind.DUPLICATE_NUMBER, rule.number, message)
    if not rule.text.strip():
        yield Finding(FindingKind.EMPTY_RULE, rule.number, f"Rule {rule.number} has no text.")
    for reference in find_references(rule.text):
        if reference.number not in known:
            message = f"Rule {rule.number} refers to rule {reference.number}, which does not exist."
            yield Finding(FindingKind.BROKEN_REFERENCE, rule.number, message)
