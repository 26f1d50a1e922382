"""What changed between two versions of a rulebook: word by word in a text, and rule by rule."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from rulings.domain.rule_text import RuleText

_WORDS = re.compile(r"\w+(?:['’-]\w+)*|\s+|[^\w\s]")
# The share of words two texts must have in common to be one rule under another number.
_ALIKE = 0.6


class Op(StrEnum):
    """What happened to a piece of text."""

    KEPT = "kept"
    DELETED = "deleted"
    INSERTED = "inserted"


@dataclass(frozen=True)
class Piece:
    """A run of words that was kept, deleted or inserted; blanks and punctuation included."""

    op: Op
    text: str


def diff_words(old: str, new: str) -> list[Piece]:
    """Return the pieces that lead from `old` to `new`, a deletion before the insertion that takes its place.

    Kept and deleted pieces together are the old text, kept and inserted ones the new. A few words that stayed between
    longer changes are shown as changed with them: a sentence written anew is read as one, not word by word.
    """
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    runs = [_Run("".join(before[i:j]), "".join(after[k:m]), op == "equal") for op, i, j, k, m in steps]
    while (joined := _join(runs)) != runs:
        runs = joined
    return [piece for run in runs for piece in run.pieces]


@dataclass(frozen=True)
class _Run:
    """Words that were kept (`old` and `new` are the same then), or old ones and the new that take their place."""

    old: str
    new: str
    kept: bool

    @property
    def size(self) -> int:
        """How many words it is long."""
        return max(len(re.findall(r"\w+", text)) for text in (self.old, self.new))

    @property
    def pieces(self) -> list[Piece]:
        if self.kept:
            return [Piece(Op.KEPT, self.old)]
        both = (Piece(Op.DELETED, self.old), Piece(Op.INSERTED, self.new))
        return [piece for piece in both if piece.text]


def _join(runs: Sequence[_Run]) -> list[_Run]:
    """Return the runs with changes put together that too little parts: a blank, or few words beside many."""
    joined: list[_Run] = []
    for run in runs:
        few = len(joined) > 1 and not run.kept and joined[-1].kept and "\n" not in joined[-1].old
        if few and (joined[-1].old.isspace() or 2 * joined[-1].size < min(joined[-2].size, run.size)):
            between, first = joined.pop(), joined.pop()
            run = _Run(first.old + between.old + run.old, first.new + between.new + run.new, kept=False)
        joined.append(run)
    return joined


def apply_diff(old: str, pieces: Iterable[Piece]) -> str:
    """Return the text that the pieces make of `old`; ValueError if they are not a difference of that text."""
    place, new = 0, ""
    for piece in pieces:
        if piece.op != Op.INSERTED:
            if not old.startswith(piece.text, place):
                raise ValueError(f"the text does not go on with {piece.text!r}")
            place += len(piece.text)
        if piece.op != Op.DELETED:
            new += piece.text
    if place != len(old):
        raise ValueError("the pieces do not cover the whole text")
    return new


class ChangeKind(StrEnum):
    """How a rule changed. Reworded, moved and renumbered can come together.

    Clarified is the editor's word for reworded where the rule means what it meant; a comparison never finds it.
    """

    NEW = "new"
    REMOVED = "removed"
    REWORDED = "reworded"
    CLARIFIED = "clarified"
    MOVED = "moved"
    RENUMBERED = "renumbered"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Change:
    """One rule in two versions: its permanent key, how it changed, and both texts (None: not there)."""

    key: str
    kinds: tuple[ChangeKind, ...]
    old: RuleText | None
    new: RuleText | None

    @property
    def pieces(self) -> list[Piece]:
        """The difference of the two texts word by word."""
        return diff_words(self.old.text if self.old else "", self.new.text if self.new else "")


def compare_versions(old: Mapping[str, RuleText], new: Mapping[str, RuleText]) -> list[Change]:
    """Return a change for every rule of two versions, given by permanent key in the order of each version.

    Rules come in the order of the new version, a removed one after the rule it followed. A rule is moved if
    its section is another one, or if it left the order that most rules kept.
    """
    kept = [key for key in new if key in old]
    in_order = _longest_in_order(kept, {key: place for place, key in enumerate(old)})
    changes = [Change(key, _kinds(key, old, new, in_order), old.get(key), new[key]) for key in new]
    places = {key: place for place, key in enumerate(new)}
    after = -1
    removed: list[tuple[int, Change]] = []
    for key in old:
        if key in new:
            after = places[key]
        else:
            removed.append((after, Change(key, (ChangeKind.REMOVED,), old[key], None)))
    for place, change in sorted(removed, key=lambda item: item[0])[::-1]:
        changes.insert(place + 1, change)
    return changes


def _kinds(
    key: str, old: Mapping[str, RuleText], new: Mapping[str, RuleText], in_order: frozenset[str]
) -> tuple[ChangeKind, ...]:
    if key not in old:
        return (ChangeKind.NEW,)
    before, after = old[key], new[key]
    kinds = {
        ChangeKind.REWORDED: before.text != after.text,
        ChangeKind.MOVED: before.section != after.section or key not in in_order,
        ChangeKind.RENUMBERED: before.number != after.number,
    }
    return tuple(kind for kind, applies in kinds.items() if applies) or (ChangeKind.UNCHANGED,)


def _longest_in_order(keys: Sequence[str], places: Mapping[str, int]) -> frozenset[str]:
    """Return the most keys that stand in the same order at their old `places`."""
    ends: list[int] = []
    chains: list[tuple[str, ...]] = []
    for key in keys:
        at = bisect_left(ends, places[key])
        chain = (*(chains[at - 1] if at else ()), key)
        ends[at : at + 1] = [places[key]]
        chains[at : at + 1] = [chain]
    return frozenset(chains[-1] if chains else ())


def carry_keys(old: Mapping[str, RuleText], new: Sequence[RuleText]) -> list[str | None]:
    """Return for each rule of an imported text the permanent key it had in `old`, or None for a new rule.

    Texts that share most of their words belong together, the most alike first, whatever their numbers; of the
    rest, those with the same number. No key is given twice.
    """
    old_words = {key: _words(rule.text) for key, rule in old.items()}
    pairs: list[tuple[float, bool, int, str]] = []
    for place, rule in enumerate(new):
        words = _words(rule.text)
        for key, before in old.items():
            alike, same_number = _likeness(old_words[key], words), before.number == rule.number
            if alike >= _ALIKE or same_number:
                pairs.append((alike if alike >= _ALIKE else 0, same_number, -place, key))
    keys: dict[int, str] = {}
    for _, _, place, key in sorted(pairs, reverse=True):
        if -place not in keys and key not in keys.values():
            keys[-place] = key
    return [keys.get(place) for place in range(len(new))]


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of words that two texts have in common: 0 for none, 1 for the same words."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
