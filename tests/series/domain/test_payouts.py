from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain import payouts
from series.domain.payouts import (
    ALL_PARTS,
    PayoutError,
    amounts,
    amounts_by_weights,
    default_shares,
    places_paid,
    shares_for_field,
)

pools = st.integers(0, 10_000_000_00)
units = st.sampled_from([1, 5, 10, 100, 500, 1000, 2500])


def falling(values) -> bool:
    return all(upper >= lower for upper, lower in pairwise(values))


@st.composite
def basis_points(draw):
    """Non-increasing shares that add up to 100 %: cut points of the whole, sorted."""
    cuts = sorted(draw(st.lists(st.integers(0, 10_000), max_size=15)))
    return sorted((high - low for low, high in pairwise([0, *cuts, 10_000])), reverse=True)


@given(pools, basis_points(), units)
def test_the_whole_pool_is_paid_and_no_place_more_than_the_one_above(pool, shares, unit):
    paid = amounts(pool, shares, unit_cents=unit)
    assert sum(paid) == pool
    assert falling(paid)
    assert all(amount % unit == 0 for amount in paid[1:])
    for amount, share in zip(paid[1:], shares[1:], strict=True):
        assert 0 <= pool * share - amount * 10_000 < unit * 10_000


@given(pools, st.lists(st.integers(1, 10**9), min_size=1, max_size=60), units, st.integers(0, 40))
def test_weights_with_a_minimum_prize(pool, weights, unit, minimum_units):
    weights = sorted(weights, reverse=True)
    minimum = minimum_units * unit
    if len(weights) * minimum > pool:
        with pytest.raises(PayoutError, match="too small"):
            amounts_by_weights(pool, weights, unit_cents=unit, minimum_cents=minimum)
        return
    paid = amounts_by_weights(pool, weights, unit_cents=unit, minimum_cents=minimum)
    assert sum(paid) == pool
    assert falling(paid)
    assert min(paid) >= minimum
    assert all(amount % unit == 0 for amount in paid[1:])


def test_the_minimum_is_taken_from_the_places_above_in_proportion():
    # 90,000 left for 50 : 30 : 15, less what rounding down sends to the first place
    paid = amounts_by_weights(100_000, [50, 30, 15, 5], unit_cents=100, minimum_cents=10_000)
    assert paid == (47_400, 28_400, 14_200, 10_000)


@given(st.integers(1, 20_000), st.data())
def test_a_table_for_any_field(entries, data):
    places = data.draw(st.none() | st.integers(1, min(entries, 3_000)))
    shares = shares_for_field(entries, places)
    assert len(shares) == (places_paid(entries) if places is None else places)
    assert sum(shares) == ALL_PARTS
    assert falling(shares)
    assert shares[-1] > 0


@pytest.mark.parametrize("entries", [101, 250, 1_000, 5_000, 10_112, 20_000])
def test_the_smallest_cash_is_between_one_and_a_half_and_two_buy_ins(entries):
    buy_in = 30_000
    paid = amounts_by_weights(entries * buy_in, shares_for_field(entries), unit_cents=500)
    assert buy_in * 1.5 <= paid[-1] <= buy_in * 2
    assert falling(paid)
    assert sum(paid) == entries * buy_in


def test_the_first_prize_shrinks_as_the_field_grows_and_starts_below_the_published_table():
    firsts = [shares_for_field(entries)[0] for entries in (101, 200, 500, 1_000, 5_000, 20_000)]
    assert firsts == sorted(firsts, reverse=True)
    assert firsts[0] <= ALL_PARTS * 30 // 100


def test_an_odd_pool_of_1001():
    assert amounts(1_001_00, [5000, 3000, 2000], unit_cents=100) == (501_00, 300_00, 200_00)


@pytest.mark.parametrize(("entries", "places"), [(1, 1), (8, 1), (9, 3), (27, 3), (28, 5), (45, 5), (46, 9), (100, 9)])
def test_the_published_table_by_entries(entries, places):
    assert len(default_shares(entries)) == places
    assert sum(default_shares(entries)) == 10_000


@pytest.mark.parametrize(
    ("shares", "entries", "code"),
    [
        (None, 101, "no_table"),
        (None, 0, "no_table"),
        (None, None, "no_table"),
        ([], 0, "no_shares"),
        ([4000, 5000], 1, "shares_not_100"),
        ([4000, 6000], 1, "increasing_shares"),
        ([6000, 4000], 1, "more_places_than_entries"),
        ([11_000, -1000], None, "negative_share"),
    ],
)
def test_the_first_error_that_applies(shares, entries, code):
    with pytest.raises(PayoutError) as error:
        amounts(50_000, shares, unit_cents=100, entries=entries)
    assert error.value.code == code
    assert str(error.value) == payouts.EXPLANATIONS[code]


@pytest.mark.parametrize(("entries", "places"), [(0, None), (10, 0)])
def test_a_field_without_paid_places(entries, places):
    with pytest.raises(PayoutError, match="at least one"):
        shares_for_field(entries, places)


def test_more_places_than_entries_in_a_field():
    with pytest.raises(PayoutError, match="more paid places"):
        shares_for_field(5, 6)


@pytest.mark.parametrize(("pool", "unit", "minimum"), [(-1, 1, 0), (100, 0, 0), (100, 50, 20)])
def test_nonsense_amounts_are_refused(pool, unit, minimum):
    with pytest.raises(ValueError, match="multiple of the unit"):
        amounts_by_weights(pool, [1], unit_cents=unit, minimum_cents=minimum)


def test_weights_of_nothing_are_no_table():
    with pytest.raises(PayoutError, match="at least one"):
        amounts_by_weights(100, [0, 0], unit_cents=1)


def test_as_many_places_as_entries_is_fine():
    assert amounts(10_000, [6000, 4000], unit_cents=100, entries=2) == (6_000, 4_000)


@pytest.mark.parametrize(("entries", "places"), [(1, 1), (4, 1), (21, 3), (104, 12), (105, 13), (10_112, 1_213)])
def test_twelve_percent_are_paid_to_the_nearest_place(entries, places):
    assert places_paid(entries) == places


def test_the_table_of_a_field_of_101_in_hundredths_of_a_percent():
    shares = [share * 10_000 // ALL_PARTS for share in shares_for_field(101)]
    assert shares == [2992, 1801, 1245, 923, 714, 566, 456, 372, 305, 250, 204, 166]
