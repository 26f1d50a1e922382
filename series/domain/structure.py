"""The structure of an event: its levels and breaks, and what is wrong or unusual in it.

Blinds, antes and chips are numbers of chips. Levels are numbered from 1 without the breaks; a position
counts rows of the structure, breaks included, from 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

LONGEST_WITHOUT_BREAK = 150
STEEPEST_PERCENT = 200
FLATTEST_PERCENT = 115

EXPLANATIONS = {
    "no_levels": "The structure has no level. Add at least one.",
    "no_chips": "No chip is left in play. Name the chips of the event, or remove fewer of them.",
    "bad_minutes": "A level or break lasts at least one minute.",
    "blind_not_positive": "Both blinds must be more than nothing.",
    "small_blind_over_big_blind": "The small blind is larger than the big blind.",
    "blinds_fall": "A blind is lower than in the level before. Blinds never go down.",
    "ante_falls": "The ante is lower than in the level before. Antes of one kind never go down.",
    "ante_without_type": "There is an ante, but not who pays it: each player, or the big blind.",
    "not_a_multiple_of_smallest_chip": "A blind or ante cannot be paid with the smallest chip in play.",
    "removed_chip_unknown": "A chip is to be removed that is not in play at that point.",
    "late_reg_after_last_level": "Late registration ends after the last level. Choose an earlier level.",
    "big_blind_not_double": "The big blind is usually twice the small blind.",
    "steep_step": "The big blind more than doubles. Short stacks get little time; a level in between helps.",
    "flat_step": "The big blind rises by less than 15 %. The level could be left out.",
    "ante_over_big_blind": "The ante is larger than the big blind.",
    "late_reg_in_last_level": "Late registration stays open in the last level; it usually ends earlier.",
    "long_without_break": "More than two and a half hours are played without a break.",
}


class AnteType(StrEnum):
    """Who pays the ante of a level."""

    NONE = "none"
    EACH = "each"
    BIG_BLIND = "big_blind"


@dataclass(frozen=True)
class Level:
    """One level. `remove`: chip values that leave play after it."""

    minutes: int
    small_blind: int
    big_blind: int
    ante: int = 0
    ante_type: AnteType = AnteType.NONE
    remove: tuple[int, ...] = ()


@dataclass(frozen=True)
class Break:
    """One break. `remove`: chip values coloured up during it, out of play from then on."""

    minutes: int
    remove: tuple[int, ...] = ()


Item = Level | Break


@dataclass(frozen=True)
class Finding:
    """Something found by `check`. `code`: a key of EXPLANATIONS.

    `position` is the row it was found in and `level` that row's level number; None where the whole
    structure, or a break, is meant.
    """

    code: str
    position: int | None = None
    level: int | None = None

    @property
    def explanation(self) -> str:
        """What is meant and what helps, in plain words."""
        return EXPLANATIONS[self.code]


@dataclass(frozen=True)
class Check:
    """Errors stop a structure from being used; warnings are only unusual."""

    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


@dataclass(frozen=True)
class Depth:
    """What a level means for a starting stack. `starts_after`: minutes of play and breaks before it."""

    level: int
    starts_after: int
    big_blind: int
    stack_in_big_blinds: Decimal


def check(items: Sequence[Item], chips: Sequence[int], late_reg_level: int | None = None) -> Check:
    """What is wrong or unusual in a structure played with the chip values `chips`.

    `late_reg_level`: the last level with entries, None or 0 where there is no late registration. A level
    with a blind of nothing gets no other check of its amounts, and the next is compared with the level
    before it.
    Raises ValueError for a chip of no value.
    """
    if any(chip < 1 for chip in chips):
        raise ValueError("A chip has a value of at least 1.")
    errors: list[Finding] = []
    warnings: list[Finding] = []
    in_play = set(chips)
    number = minutes_without_break = 0
    before: Level | None = None
    for position, item in enumerate(items, 1):
        level = None
        if isinstance(item, Level):
            number += 1
            level = number
            if min(item.small_blind, item.big_blind) <= 0:
                errors.append(Finding("blind_not_positive", position, level))
            else:
                smallest = min(in_play, default=None)
                errors += (Finding(code, position, level) for code in _level_errors(item, before, smallest))
                warnings += (Finding(code, position, level) for code in _level_warnings(item, before))
                before = item
            already_long = minutes_without_break > LONGEST_WITHOUT_BREAK
            minutes_without_break += max(0, item.minutes)
            if minutes_without_break > LONGEST_WITHOUT_BREAK and not already_long:
                warnings.append(Finding("long_without_break", position, level))
        else:
            minutes_without_break = 0
        if item.minutes < 1:
            errors.append(Finding("bad_minutes", position, level))
        for chip in item.remove:
            if chip not in in_play:
                errors.append(Finding("removed_chip_unknown", position, level))
            in_play.discard(chip)
    if not number:
        errors.append(Finding("no_levels"))
    if not chips:
        errors = [finding for finding in errors if finding.code != "no_chips"] + [Finding("no_chips")]
    if late_reg_level and late_reg_level > number:
        errors.append(Finding("late_reg_after_last_level"))
    elif late_reg_level and late_reg_level == number:
        warnings.append(Finding("late_reg_in_last_level"))
    return Check(tuple(errors), tuple(warnings))


def _level_errors(level: Level, before: Level | None, smallest_chip: int | None) -> Iterator[str]:
    if level.small_blind > level.big_blind:
        yield "small_blind_over_big_blind"
    if before and (level.small_blind < before.small_blind or level.big_blind < before.big_blind):
        yield "blinds_fall"
    if before and level.ante and before.ante and level.ante_type is before.ante_type and level.ante < before.ante:
        yield "ante_falls"
    if level.ante and level.ante_type is AnteType.NONE:
        yield "ante_without_type"
    if smallest_chip is None:
        yield "no_chips"
    elif any(amount % smallest_chip for amount in (level.small_blind, level.big_blind, level.ante)):
        yield "not_a_multiple_of_smallest_chip"


def _level_warnings(level: Level, before: Level | None) -> Iterator[str]:
    if level.big_blind != 2 * level.small_blind:
        yield "big_blind_not_double"
    if level.ante > level.big_blind:
        yield "ante_over_big_blind"
    if before is None:
        return
    if level.big_blind * 100 > STEEPEST_PERCENT * before.big_blind:
        yield "steep_step"
    if before.big_blind * 100 <= level.big_blind * 100 < FLATTEST_PERCENT * before.big_blind:
        yield "flat_step"


def average_in_big_blinds(chips_in_play: int, players: int, big_blind: int) -> Decimal:
    """The average stack in big blinds, rounded down to one decimal. Raises ValueError for no player or no
    blind.
    """
    if players < 1 or big_blind < 1:
        raise ValueError("An average needs at least one player and a big blind.")
    return Decimal(chips_in_play * 10 // (players * big_blind)) / 10


def preview(items: Sequence[Item], starting_stack: int) -> tuple[Depth, ...]:
    """How deep an untouched starting stack, the average before anybody is out, is at the start of each level.

    Raises ValueError if a big blind is not positive.
    """
    found: list[Depth] = []
    starts_after = 0
    for item in items:
        if isinstance(item, Level):
            in_big_blinds = average_in_big_blinds(starting_stack, 1, item.big_blind)
            found.append(Depth(len(found) + 1, starts_after, item.big_blind, in_big_blinds))
        starts_after += item.minutes
    return tuple(found)
