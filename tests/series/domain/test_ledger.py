"""Splitting, deducting, guaranteeing and counting money."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.ledger import (
    DENOMINATIONS,
    StaffShare,
    count_total,
    in_cash,
    pool_of,
    receipt_number,
    split_price,
    till_difference,
)

cents = st.integers(0, 10**9)
shares = st.one_of(
    st.just(StaffShare()),
    st.builds(StaffShare, st.just("entry"), cents),
    st.builds(StaffShare, st.sampled_from(["buy_in", "pool"]), st.integers(1, 10_000)),
)


@given(buy_in=cents, fee=cents, bounty=cents, staff=shares)
def test_a_price_is_split_to_the_cent_and_nobody_owes(buy_in: int, fee: int, bounty: int, staff: StaffShare):
    split = split_price(buy_in, fee, staff, bounty)
    assert sum(split.values()) == buy_in + fee + bounty
    assert min(split.values()) >= 0
    assert (split["fee"], split["bounty"]) == (fee, bounty)


@pytest.mark.parametrize(
    ("staff", "to_staff"),
    [
        (StaffShare(), 0),
        (StaffShare("entry", 500), 500),
        (StaffShare("entry", 99_999), 1_001),  # never more than there is
        (StaffShare("buy_in", 333), 33),  # 33.33 cents: the rest stays with the players
        (StaffShare("buy_in", 10_000), 1_001),
        (StaffShare("pool", 500), 0),  # taken of the pool, not of a buy-in
    ],
)
def test_what_the_staff_get_of_a_buy_in(staff: StaffShare, to_staff: int):
    assert split_price(1_001, 200, staff)["staff"] == to_staff


@pytest.mark.parametrize(
    ("cents", "currency", "cash"),
    [
        (25_000, "NZD", 25_000),
        (25_004, "NZD", 25_000),
        (25_005, "NZD", 25_000),  # half: what a player pays goes down
        (25_006, "NZD", 25_010),
        (-25_004, "NZD", -25_000),
        (-25_005, "NZD", -25_010),  # and what a player gets goes up
        (-25_006, "NZD", -25_010),
        (4, "NZD", 0),
        (25_003, "AUD", 25_005),  # Australia has a coin of 5c
        (25_002, "AUD", 25_000),
        (25_003, "XPF", 25_003),
    ],
)
def test_cash_is_rounded_to_the_smallest_coin(cents: int, currency: str, cash: int):
    assert in_cash(cents, currency) == cash


@given(paid=cents, added=cents, staff=shares, guarantee=cents)
def test_prizes_are_the_pool_or_the_guarantee(paid: int, added: int, staff: StaffShare, guarantee: int):
    pool = pool_of(paid, added, staff, guarantee)
    assert pool.total == max(paid + added - pool.deducted, guarantee)
    assert pool.overlay == pool.total - pool.net >= 0
    assert 0 <= pool.deducted <= paid + added


def test_the_staff_share_comes_before_the_guarantee():
    pool = pool_of(100_000, 10_000, StaffShare("pool", 1_000), 100_000)
    assert (pool.deducted, pool.net, pool.overlay, pool.total) == (11_000, 99_000, 1_000, 100_000)
    assert pool_of(100_001, 0, StaffShare("pool", 333), 0).deducted == 3_330  # of 3 330.03 cents


def test_a_counted_till():
    assert count_total({10_000: 3, 500: 1, 10: 7}) == 30_570
    assert count_total({}) == 0
    assert till_difference(30_570, 30_000) == -570
    assert till_difference(30_000, 30_570) == 570
    assert all(list(values) == sorted(values, reverse=True) for values in DENOMINATIONS.values())


def test_the_number_of_a_receipt():
    assert (receipt_number(7, 123), receipt_number(12, 12_345)) == ("7-0123", "12-12345")
