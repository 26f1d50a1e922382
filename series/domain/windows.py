"""Where in a structure the terms of an event turn: until which level rebuys are sold, in which break the add-on is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from series.domain.entries import EntryRules
from series.domain.structure import Break, Item


@dataclass(frozen=True)
class Window:
    """One such place. `field`: of `EntryRules`; `mark`: what happens there, in a word or two; `says`: what was
    announced. `level`: its number; `in_break`: in the break after it, and there alone."""

    field: str
    mark: str
    says: str
    level: int
    in_break: bool = False


def windows(rules: EntryRules) -> tuple[Window, ...]:
    """All of them, of what the event has."""
    found = []
    if rules.reentry_until is not None:
        found.append(Window("reentry_until", "re-entries end", "Re-entries are sold", rules.reentry_until))
    if rules.rebuys and rules.rebuy_until is not None:
        found.append(Window("rebuy_until", "rebuys end", "Rebuys are sold", rules.rebuy_until))
    if rules.addons and rules.addon_until is not None:
        found.append(Window("addon_until", "add-on ends", "The add-on is sold", rules.addon_until))
    if rules.addons and rules.addon_break is not None:
        found.append(Window("addon_break", "add-on", "The add-on is sold", rules.addon_break, in_break=True))
    if rules.flight_level is not None:
        found.append(Window("flight_level", "a flight ends", "A flight is played", rules.flight_level))
    return tuple(found)


def misplaced(rules: EntryRules, items: Sequence[Item]) -> Iterator[tuple[Window, str]]:
    """Those for which the structure has no place, each with what is wrong in words."""
    levels = sum(not isinstance(item, Break) for item in items)
    breaks = {number for number, item in zip(numbers(items), items, strict=True) if isinstance(item, Break)}
    for window in windows(rules):
        if window.in_break and window.level not in breaks:
            words = f"{window.says} in the break after level {window.level}, but no break comes there."
            yield window, words
        elif window.level > levels:
            yield window, f"{window.says} until the end of level {window.level}, but level {levels} is the last one."


def numbers(items: Sequence[Item]) -> list[int]:
    """The number of each level, and for a break that of the level before it (0 before the first)."""
    found, number = [], 0
    for item in items:
        number += not isinstance(item, Break)
        found.append(number)
    return found
