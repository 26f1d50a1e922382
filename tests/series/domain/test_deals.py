from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import calculate_icm

from series.domain.deals import DealError, Method, custom, deal, icm_by_integral, icm_by_sets, without

stacks_of = st.sampled_from([0, 1, 2, 1000, 2500, 10_000]) | st.integers(0, 1_000_000)
methods = st.sampled_from(Method)


@st.composite
def tables(draw, most=8, smallest=0):
    """Stacks and prizes: at most one prize per stack, best first."""
    stacks = draw(st.lists(stacks_of.filter(lambda stack: stack >= smallest), min_size=1, max_size=most))
    prizes = draw(st.lists(st.integers(0, 1_000_000_00), max_size=len(stacks)))
    return stacks, sorted(prizes, reverse=True)


def icm_by_orders(stacks, prizes):
    """Malmuth-Harville over every order of finish, in exact fractions: the naive oracle. No stack of 0."""
    worth = [Fraction(0)] * len(stacks)
    for order in permutations(range(len(stacks)), len(prizes)):
        chance, outside = Fraction(1), sum(stacks)
        for player in order:
            chance *= Fraction(stacks[player], outside)
            outside -= stacks[player]
        for player, prize in zip(order, prizes, strict=True):
            worth[player] += chance * prize
    return worth


def by_largest_fraction(shares, total):
    cents = [share.numerator // share.denominator for share in shares]
    order = sorted(range(len(shares)), key=lambda index: (cents[index] - shares[index], index))
    return tuple(cents[index] + (index in order[: total - sum(cents)]) for index in range(len(shares)))


@given(methods, tables())
def test_the_prizes_are_divided_to_the_cent_and_more_chips_never_get_less(method, table):
    stacks, prizes = table
    amounts = deal(method, stacks, prizes)
    assert sum(amounts) == sum(prizes)
    by_stack = sorted(zip(stacks, amounts, strict=True))
    for (fewer, less), (more, enough) in pairwise(by_stack):
        assert less <= enough + (1 if fewer == more else 0)


@given(methods, tables())
def test_nobody_gets_more_than_the_first_prize_or_less_than_the_last(method, table):
    stacks, prizes = table
    padded = [*prizes, *[0] * (len(stacks) - len(prizes))]
    for amount in deal(method, stacks, prizes):
        assert padded[-1] <= amount
        # a chip chop may give a big stack more than the first prize
        assert method is Method.CHIP_CHOP or amount <= padded[0] + 1


@settings(max_examples=60)
@given(tables(most=6, smallest=1))
def test_icm_is_exact_for_small_tables(table):
    stacks, prizes = table
    expected = by_largest_fraction(icm_by_orders(stacks, prizes), sum(prizes))
    assert deal(Method.ICM, stacks, prizes) == expected


@settings(max_examples=40)
@given(tables(most=6, smallest=1))
def test_icm_agrees_with_pokerkit(table):
    stacks, prizes = table
    for amount, expected in zip(deal(Method.ICM, stacks, prizes), calculate_icm(prizes, stacks), strict=True):
        assert abs(amount - expected) <= 1


@given(tables())
def test_a_chip_chop_is_exact(table):
    stacks, prizes = table
    if not any(stacks):
        return
    lowest = min([*prizes, *[0] * (len(stacks) - len(prizes))])
    rest = sum(prizes) - lowest * len(stacks)
    shares = [lowest + Fraction(rest * stack, sum(stacks)) for stack in stacks]
    assert deal(Method.CHIP_CHOP, stacks, prizes) == by_largest_fraction(shares, sum(prizes))


@settings(max_examples=8, deadline=None)
@given(tables(most=15, smallest=1))
def test_the_integral_agrees_with_the_sets(table):
    stacks, prizes = table
    for one, other in zip(icm_by_integral(stacks, prizes), icm_by_sets(stacks, prizes), strict=True):
        assert abs(one - other) < Fraction(1, 10**6)


def test_fifteen_players_are_followed_exactly():
    stacks = [10_000 * player for player in range(1, 16)]
    prizes = [150_000 - 9_000 * place for place in range(15)]
    worth = icm_by_sets(stacks, prizes)
    assert abs(sum(worth) - sum(prizes)) < Fraction(1, 10**20)
    assert deal(Method.ICM, stacks, prizes) == by_largest_fraction(worth, sum(prizes))


@pytest.mark.parametrize("stacks", [[1000] * 60, [1 + 17_000 * player for player in range(60)]])
def test_large_fields_lose_nothing_of_the_prizes(stacks):
    prizes = [10_000_000_00 // place for place in range(1, 31)]
    worth = icm_by_integral(stacks, prizes)
    assert abs(sum(worth) - sum(prizes)) < Fraction(1, 10**6)
    amounts = deal(Method.ICM, stacks, prizes)
    assert sum(amounts) == sum(prizes)
    if len(set(stacks)) == 1:
        assert set(amounts) == {sum(prizes) // 60, sum(prizes) // 60 + 1}
        assert list(amounts) == sorted(amounts, reverse=True)


def test_many_players_with_few_prizes_are_still_followed_exactly():
    stacks = [1000 + 10 * player for player in range(100)]
    amounts = deal(Method.ICM, stacks, [50_000, 30_000])
    assert amounts == by_largest_fraction(icm_by_sets(stacks, [50_000, 30_000]), 80_000)


@pytest.mark.parametrize(
    ("method", "stacks", "prizes", "amounts"),
    [
        (Method.ICM, [3, 0, 1, 0], [70, 30, 21], (60, 11, 40, 10)),
        (Method.ICM, [0, 0], [70, 31], (51, 50)),
        (Method.ICM, [5], [70], (70,)),
        (Method.ICM, [5, 5], [], (0, 0)),
        (Method.CHIP_CHOP, [0, 0], [70, 31], (51, 50)),
        (Method.CHIP_CHOP, [3, 1, 0], [70, 30, 10], (70, 30, 10)),
    ],
)
def test_players_without_chips_and_other_edges(method, stacks, prizes, amounts):
    assert deal(method, stacks, prizes) == amounts


@pytest.mark.parametrize(
    ("method", "stacks", "prizes", "words"),
    [
        (Method.ICM, [], [], "needs players"),
        (Method.ICM, [1], [2, 1], "more prizes than players"),
        (Method.CHIP_CHOP, [1, -1], [2, 1], "less than nothing"),
        (Method.CHIP_CHOP, [1, 1], [2, -1], "less than nothing"),
        (Method.ICM, [1, 1], [1, 2], "from the best down"),
        (Method.ICM, [1] * 101, [1], "100 players at most"),
    ],
)
def test_what_is_no_deal_is_explained(method, stacks, prizes, words):
    with pytest.raises(DealError, match=words):
        deal(method, stacks, prizes)


# --- something left to play for, and own amounts ----------------------------------------------------------------------

prize_lists = st.lists(st.integers(0, 1_000_000_00), min_size=1, max_size=12).map(lambda p: sorted(p, reverse=True))


@given(prize_lists, st.integers(0, 12_000_000_00))
def test_what_is_left_to_play_for_comes_off_the_best_prizes_and_nothing_is_lost(prizes, left):
    if left and left >= sum(prizes):
        with pytest.raises(DealError, match="Leave less than"):
            without(prizes, left)
        return
    lowered = without(prizes, left)
    assert sum(lowered) == sum(prizes) - left
    assert all(upper >= lower >= 0 for upper, lower in pairwise([*lowered, 0]))
    # what was lowered stands at one level, to the cent, and the rest is as it was
    touched = [now for before, now in zip(prizes, lowered, strict=True) if before != now]
    assert not touched or max(touched) - min(touched) <= 1
    assert all(now <= before for before, now in zip(prizes, lowered, strict=True))


@given(methods, tables(most=6, smallest=1), st.integers(0, 5_000_00))
def test_shares_and_what_is_left_add_up_to_the_prizes(method, table, left):
    stacks, prizes = table
    if left and left >= sum(prizes):
        return
    assert sum(deal(method, stacks, without(prizes, left))) + left == sum(prizes)


def test_a_little_left_is_the_difference_of_the_first_prize():
    assert without([50_000, 30_000, 20_000], 10_000) == (40_000, 30_000, 20_000)
    assert without([50_000, 30_000, 20_000], 30_001) == (25_000, 24_999, 20_000)
    assert without([], 0) == ()
    with pytest.raises(DealError):
        without([100], -1)


@given(st.lists(st.integers(0, 10**9), max_size=9), st.integers(-(10**6), 10**6))
def test_own_amounts_are_taken_as_they_are_if_they_add_up(amounts, over):
    if over:
        with pytest.raises(DealError, match="less" if over > 0 else "more"):
            custom(amounts, sum(amounts) + over)
    assert custom(amounts, sum(amounts)) == tuple(amounts)


@given(methods, tables(most=7), st.randoms(use_true_random=False))
def test_it_does_not_matter_who_sits_where(method, table, shuffler):
    stacks, prizes = table
    order = list(range(len(stacks)))
    shuffler.shuffle(order)
    before = deal(method, stacks, prizes)
    after = deal(method, [stacks[index] for index in order], prizes)
    for place, index in enumerate(order):
        # who is listed first gets the odd cent among equals
        assert abs(after[place] - before[index]) <= 1


def test_nine_players_agree_with_pokerkit_to_the_cent():
    stacks = [412_500, 268_000, 205_000, 133_500, 90_000, 61_000, 22_500, 7_000, 500]
    prizes = [1_250_000, 812_500, 560_000]
    ours = deal(Method.ICM, stacks, prizes)
    for amount, expected in zip(ours, calculate_icm(prizes, stacks), strict=True):
        assert abs(amount - expected) < 1
