"""Deals: dividing the remaining prizes among the players still in, by what their chips are worth.

Amounts are integer cents and add up to the prizes exactly: every share is rounded down, and the cents left
over go one each to the largest fractions, at equal fractions to the player listed first. Fractions are
compared to 1/10^12 cent.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb

from series.domain.money import format_money

MOST_PLAYERS = 100
# How many sets of best-placed players are followed one by one: all of them for 15 players.
MOST_SETS = 2**15
FRACTIONS_OF_A_CENT = 10**12

# Binary digits behind the point in all inexact steps.
_BITS = 128
_ONE = 1 << _BITS
# The integral's step and how far down its ends are cut off, both in the logarithm of time.
_STEPS_PER_UNIT = 12
_CUT_OFF = 40


class Method(StrEnum):
    """How a deal is worked out."""

    ICM = "icm"
    CHIP_CHOP = "chip_chop"


class DealError(ValueError):
    """A deal that cannot be worked out; the message says why in plain words."""


def deal(method: Method, stacks: Sequence[int], prizes: Sequence[int]) -> tuple[int, ...]:
    """What each player is paid, in cents, in the order of `stacks`.

    `stacks`: chips of the players still in. `prizes`: cents still to be paid, best first, at most one per
    stack.
    Raises DealError for more prizes than stacks, prizes that rise, a negative amount, or over 100 players
    by ICM.
    """
    if not stacks:
        raise DealError("A deal needs players.")
    if len(prizes) > len(stacks):
        raise DealError("There are more prizes than players.")
    if any(amount < 0 for amount in (*stacks, *prizes)):
        raise DealError("Neither chips nor prizes can be less than nothing.")
    if list(prizes) != sorted(prizes, reverse=True):
        raise DealError("List the prizes from the best down.")
    padded = [*prizes, *[0] * (len(stacks) - len(prizes))]
    return _chip_chop(stacks, padded) if method is Method.CHIP_CHOP else _icm(tuple(stacks), tuple(padded))


def _chip_chop(stacks: Sequence[int], prizes: Sequence[int]) -> tuple[int, ...]:
    """The lowest prize to everybody, the rest in proportion to chips."""
    if not any(stacks):
        return _to_cents([Fraction(sum(prizes), len(stacks))] * len(stacks), sum(prizes))
    lowest = prizes[-1]
    rest = sum(prizes) - lowest * len(prizes)
    return _to_cents([lowest + Fraction(rest * stack, sum(stacks)) for stack in stacks], sum(prizes))


@lru_cache(maxsize=100)  # for a hundred players it takes seconds, and what was previewed is then made
def _icm(stacks: Sequence[int], prizes: Sequence[int]) -> tuple[int, ...]:
    """Malmuth-Harville: the chance of the next place is in proportion to chips. Stacks of 0 share the
    lowest prizes.
    """
    chips = [stack for stack in stacks if stack]
    if len(chips) > MOST_PLAYERS:
        raise DealError(f"ICM is worked out for {MOST_PLAYERS} players at most.")
    to_play_for, for_the_broke = prizes[: len(chips)], prizes[len(chips) :]
    paid = sum(prize > 0 for prize in to_play_for)
    few_enough = sum(comb(len(chips), size) for size in range(paid)) <= MOST_SETS
    worth = iter((icm_by_sets if few_enough else icm_by_integral)(chips, to_play_for[:paid]))
    shares = [next(worth) if stack else Fraction(sum(for_the_broke), len(for_the_broke)) for stack in stacks]
    return _to_cents(shares, sum(prizes))


def icm_by_sets(chips: Sequence[int], prizes: Sequence[int]) -> list[Fraction]:
    """Each player's expectation in cents, by following every set of players who can hold the best places.

    The chance of a set is the sum, over its members, of the chance of the set without that member times the
    member's chips over all chips outside it. Worked in 128 binary digits and rounded down: short by less
    than 1/10^25 of the prizes for 15 players, and players with the same chips get exactly the same.
    """
    total = sum(chips)
    worth = [0] * len(chips)
    chances = {0: (_ONE, total)}
    for prize in prizes:
        following: dict[int, tuple[int, int]] = {}
        for best_placed, (chance, chips_outside) in chances.items():
            for player, stack in enumerate(chips):
                if best_placed >> player & 1:
                    continue
                next_chance = chance * stack // chips_outside
                worth[player] += next_chance * prize
                joined = best_placed | 1 << player
                before, _ = following.get(joined, (0, 0))
                following[joined] = before + next_chance, chips_outside - stack
        chances = following
    return [Fraction(value, _ONE) for value in worth]


def icm_by_integral(chips: Sequence[int], prizes: Sequence[int]) -> list[Fraction]:
    """Each player's expectation in cents, by one integral over time, for fields too large for `icm_by_sets`.

    Give each player an alarm that rings at a random time with a rate in proportion to chips: the order of
    ringing follows the Malmuth-Harville chances. A player's expectation is the integral, over the time of
    their own alarm, of the prize of the place after all that rang before. In the logarithm of time the
    integrand is smooth and dies out fast on both sides, so summing it in equal steps of 1/12 converges at
    once.

    Error: under 1/10^6 cent in each expectation for up to 100 players, prizes up to ten million dollars and
    stacks that differ up to 1 : 10^6. (Halving the step moves none by 1/10^11 cent; the ends cut off add
    1/10^8.)
    """
    total = sum(chips)
    worth = [Fraction(0)] * len(chips)
    with localcontext() as context:
        context.prec = 45
        rates = [Decimal(stack) / total for stack in chips]
        last = int(-min(rates).ln()) + 5
        for step in range(-_CUT_OFF * _STEPS_PER_UNIT, last * _STEPS_PER_UNIT + 1):
            time = (Decimal(step) / _STEPS_PER_UNIT).exp()
            silent = [int((-rate * time).exp() * _ONE) for rate in rates]
            expected = _expected_prizes(silent, prizes)
            for player, rate in enumerate(rates):
                density = int(rate * time * _ONE) * silent[player] >> _BITS
                worth[player] += Fraction(density * expected[player], _STEPS_PER_UNIT << 2 * _BITS)
    return worth


def _expected_prizes(silent: Sequence[int], prizes: Sequence[int]) -> list[int]:
    """For each player, the expected prize (times _ONE) of ringing now, when every other has rung or not by
    chance.

    `silent`: the chance of each player not having rung (times _ONE).
    """
    players, places = len(silent), len(prizes)
    # values[p][k]: the expected prize if k of the players before p have rung, over all of p and after.
    values = [[prize << _BITS for prize in prizes]]
    for player, quiet in reversed(list(enumerate(silent))):
        ringing = _ONE - quiet
        after = [*values[-1], 0][: player + 2]
        values.append([(one * quiet + more * ringing) >> _BITS for one, more in pairwise(after)])
    values.reverse()
    expected = []
    # rung[k]: the chance that k of the players before this one have rung.
    rung = [_ONE]
    for player in range(players):
        following = values[player + 1]
        expected.append(sum(chance * value for chance, value in zip(rung, following, strict=False)) >> _BITS)
        quiet, ringing = silent[player], _ONE - silent[player]
        rung = [(one * quiet + fewer * ringing) >> _BITS for fewer, one in pairwise([0, *rung, 0])][:places]
    return expected


def _to_cents(shares: Sequence[Fraction], total: int) -> tuple[int, ...]:
    """`shares` rounded down to cents that add up to `total`; the spare cents to the largest fractions."""
    fine = [round(share * FRACTIONS_OF_A_CENT) for share in shares]
    cents = [share // FRACTIONS_OF_A_CENT for share in fine]
    spare = total - sum(cents)
    largest_first = sorted(range(len(fine)), key=lambda index: -(fine[index] % FRACTIONS_OF_A_CENT))
    for index in largest_first[:spare]:
        cents[index] += 1
    return tuple(cents)


def without(prizes: Sequence[int], left: int) -> tuple[int, ...]:
    """The prizes that are divided at once if `left` cents stay to be played for, which the winner gets on top.

    They come off the best prizes, the highest first, so that none is ever over the one above it; odd cents come off the
    lower of equal ones. Raises DealError if they are not less than all prizes together.
    """
    if left < 0 or (left and left >= sum(prizes)):
        raise DealError(f"Leave less than {format_money(sum(prizes))}, all that is played for.")
    lowered = list(prizes)
    while left:
        # the best `count` prizes stand at one level now; they sink together to the next one
        level = lowered[0]
        count = sum(prize == level for prize in lowered)
        floor = lowered[count] if count < len(lowered) else 0
        sink, odd = divmod(min(left, (level - floor) * count), count)
        taken = sink * count + odd
        lowered[:count] = [level - sink - (index >= count - odd) for index in range(count)]
        left -= taken
    return tuple(lowered)


def custom(amounts: Sequence[int], to_divide: int) -> tuple[int, ...]:
    """Amounts that the players agreed on, in cents. Raises DealError unless they add up to `to_divide`."""
    over = sum(amounts) - to_divide
    if over:
        which = "more" if over > 0 else "less"
        raise DealError(
            f"These shares add up to {format_money(abs(over))} {which} than the {format_money(to_divide)} to divide."
        )
    return tuple(amounts)
