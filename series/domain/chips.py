"""The chip race: changing up a chip that leaves play (TDA 2024 rule 24; house rules are silent)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

RANKS = "23456789TJQKA"
SUITS = "cdhs"


class Rounding(StrEnum):
    """When the rest of the left-over chips is worth one more new chip."""

    HALF_UP = "half_up"  # from half a new chip
    UP = "up"  # any rest


@dataclass(frozen=True)
class ChipRace:
    """What colouring up one chip at a table comes to. Maps go from seat to a number of chips, seats without
    any left out.

    `exchanged`: new chips for full sets of old ones, at equal value. `left_over`: old chips that are raced
    for and leave play. `raced`: new chips to win by cards, at most one a seat. `at_risk`: seats that have
    nothing unless they win one; a loser among them gets a new chip in addition (TDA 2024 rule 24A: nobody
    is raced out). `additional`: the fewest such chips, and exactly so if nothing is raced or everybody
    racing is at risk. `chips_in_play_change`: value of the raced and additional chips less the value of the
    left-over ones.
    """

    exchanged: Mapping[int, int]
    left_over: Mapping[int, int]
    raced: int
    at_risk: frozenset[int]
    additional: int
    chips_in_play_change: int


def chip_race(
    old: int,
    new: int,
    holdings: Mapping[int, int],
    *,
    only_chips: Collection[int] = (),
    rounding: Rounding = Rounding.HALF_UP,
) -> ChipRace:
    """How many new chips one table gets when the chip worth `old` is changed up to the one worth `new`.

    `holdings`: number of old chips by seat. `only_chips`: seats that own nothing else.
    Raises ValueError unless `new` is a larger multiple of `old`, or for a negative number of chips.
    """
    if old < 1 or new <= old or new % old:
        raise ValueError("The new chip must be worth a multiple of the old one.")
    if any(count < 0 for count in holdings.values()):
        raise ValueError("Nobody holds less than no chip.")
    old_per_new = new // old
    exchanged = {seat: count // old_per_new for seat, count in holdings.items() if count >= old_per_new}
    left_over = {seat: count % old_per_new for seat, count in holdings.items() if count % old_per_new}
    value = old * sum(left_over.values())
    raced, rest = divmod(value, new)
    if 2 * rest >= new or (rest and rounding is Rounding.UP):
        raced += 1
    at_risk = frozenset(seat for seat in left_over if seat in only_chips and seat not in exchanged)
    additional = max(0, len(at_risk) - raced)
    return ChipRace(exchanged, left_over, raced, at_risk, additional, (raced + additional) * new - value)


def race_winners(cards: Mapping[int, Sequence[str]], raced: int) -> tuple[int, ...]:
    """The seats that win a chip each, best card first.

    `cards`: by seat, one card for each left-over chip, such as "As" or "Td". The highest card of each seat
    counts; equal ranks go by suit: spades, hearts, diamonds, clubs (TDA 2024 rule 24). `raced`: chips to
    win.
    """
    best = {seat: max(map(_strength, dealt)) for seat, dealt in cards.items() if dealt}
    return tuple(sorted(best, key=lambda seat: best[seat], reverse=True)[:raced])


def _strength(card: str) -> tuple[int, int]:
    return RANKS.index(card[0]), SUITS.index(card[1])
