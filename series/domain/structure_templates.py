"""Ready-made structures, built to a starting stack and a duration."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from series.domain.structure import FLATTEST_PERCENT, AnteType, Break, Item, Level

BREAK_MINUTES = 10
MINUTES_BETWEEN_BREAKS = 90
FIRST_LEVEL_WITH_ANTE = 4
BIG_BLINDS_IN_PLAY_AT_THE_END = 20
SHALLOWEST_START = 20
LEVEL_MINUTES = (5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120)

# What blinds are made of: these digits with any number of noughts.
_ROUND = (10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80)


@dataclass(frozen=True)
class Template:
    """`depth`: the starting stack in big blinds. `growth`: percent by which the blinds rise a level, on
    average.
    """

    code: str
    label: str
    description: str
    depth: int
    growth: range


TEMPLATES = {
    template.code: template
    for template in (
        Template(
            "turbo",
            "Turbo",
            "Starts with 60 big blinds; about half as much again each level.",
            60,
            range(42, 63),
        ),
        Template(
            "regular",
            "Regular",
            "Starts with 100 big blinds; blinds rise by about two fifths.",
            100,
            range(32, 47),
        ),
        Template(
            "deep",
            "Deep stack",
            "Starts with 200 big blinds; blinds rise by about a quarter.",
            200,
            range(22, 35),
        ),
    )
}


def build(
    template: str, starting_stack: int, hours: int | Decimal, chips: Sequence[int], *, entries: int = 50
) -> tuple[Item, ...]:
    """A structure of the named template (a key of TEMPLATES) that lasts about `hours`, breaks included.

    It is planned to end with 20 big blinds in play among `entries` starting stacks. Big blind antes from
    level 4. Each chip of `chips` is coloured up at the first break after which nothing needs it.
    `structure.check` finds no error.
    Raises ValueError, in plain words, if the smallest chip is too large for the stack or the hours do not
    fit.
    """
    shape = TEMPLATES[template]
    smallest = min(chips, default=0)
    if smallest < 1:
        raise ValueError("Name the chips of the event, each with a value of at least 1.")
    if starting_stack < SHALLOWEST_START * 2 * smallest:
        raise ValueError(f"The smallest chip, {smallest:,}, is too large for a starting stack of {starting_stack:,}.")
    first = _round_blind(Fraction(starting_stack, 2 * shape.depth), smallest, smallest, starting_stack)
    last_big_blind = starting_stack * entries // BIG_BLINDS_IN_PLAY_AT_THE_END
    middle = (shape.growth.start + shape.growth.stop - 1) // 2
    ladders = [(abs(growth - middle), _ladder(first, growth, last_big_blind, _units(chips))) for growth in shape.growth]
    wanted = int(hours * 60)
    off, _, minutes, small_blinds = min(
        (abs(_duration(len(small_blinds), minutes) - wanted), from_middle, minutes, small_blinds)
        for from_middle, small_blinds in ladders
        for minutes in LEVEL_MINUTES
    )
    if off * 4 > wanted:
        raise ValueError(f"A {shape.label.lower()} structure from this stack does not fit that duration.")
    return tuple(_with_breaks(small_blinds, minutes, sorted(set(chips))))


def _with_breaks(small_blinds: Sequence[int], minutes: int, in_play: list[int]) -> list[Item]:
    items: list[Item] = []
    for index, small_blind in enumerate(small_blinds):
        if index and index % _levels_between_breaks(minutes) == 0:
            remove = []
            while len(in_play) > 1 and not any(later % in_play[1] for later in small_blinds[index:]):
                remove.append(in_play.pop(0))
            items.append(Break(BREAK_MINUTES, tuple(remove)))
        big_blind = 2 * small_blind
        if index + 1 < FIRST_LEVEL_WITH_ANTE:
            items.append(Level(minutes, small_blind, big_blind))
        else:
            items.append(Level(minutes, small_blind, big_blind, big_blind, AnteType.BIG_BLIND))
    return items


def _duration(levels: int, minutes: int) -> int:
    breaks = (levels - 1) // _levels_between_breaks(minutes)
    return levels * minutes + breaks * BREAK_MINUTES


def _levels_between_breaks(minutes: int) -> int:
    return max(1, (MINUTES_BETWEEN_BREAKS + minutes // 2) // minutes)


def _units(chips: Sequence[int]) -> list[int]:
    """The chips that can measure the blinds, each a multiple of the one before, smallest first."""
    units: list[int] = []
    for chip in sorted(set(chips)):
        if not units or chip % units[-1] == 0:
            units.append(chip)
    return units


def _ladder(first: int, growth: int, last_big_blind: int, units: Sequence[int]) -> list[int]:
    """Small blinds from `first` until the big blind is `last_big_blind`, each 1.15 to 2 times the one
    before.
    """
    small_blinds = [first]
    target = Fraction(first)
    while 2 * small_blinds[-1] < last_big_blind:
        target *= Fraction(100 + growth, 100)
        highest = 2 * small_blinds[-1]
        lowest = -(-small_blinds[-1] * FLATTEST_PERCENT // 100)
        # Twice a chip is where blinds begin to be counted in it: 200/400 in hundreds, 1,000/2,000 in five
        # hundreds.
        unit = max(unit for unit in units if unit == units[0] or (2 * unit <= highest and 2 * unit <= target))
        small_blinds.append(_round_blind(target, unit, lowest, highest))
    return small_blinds


def _round_blind(target: Fraction, unit: int, lowest: int, highest: int) -> int:
    """The multiple of `unit` nearest to `target` between the bounds, a round number if there is one."""
    round_numbers: list[int] = [
        digits * 10**noughts // 10
        for noughts in range(len(str(highest)) + 1)
        for digits in _ROUND
        if digits * 10**noughts % 10 == 0
    ]
    fitting = [number for number in round_numbers if lowest <= number <= highest and number % unit == 0]
    if not fitting:
        return min(max(round(target / unit), -(-lowest // unit)), highest // unit) * unit
    return min(fitting, key=lambda number: max(number / target, target / number))
