from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.payouts import default_shares
from series.domain.prize_plan import Kind, Plan, PlanError, check, in_words, prizes

pools = st.integers(1, 10_000_000_00)
fields = st.integers(1, 1_500)
falling_amounts = st.lists(st.integers(1, 1_000_000_00), min_size=1, max_size=30).map(
    lambda amounts: tuple(sorted(amounts, reverse=True))
)


@st.composite
def shares(draw, most=15):
    cuts = sorted(draw(st.sets(st.integers(1, 9_999), max_size=most - 1)))
    return tuple(sorted((high - low for low, high in pairwise([0, *cuts, 10_000])), reverse=True))


@st.composite
def plans(draw):
    step = draw(st.sampled_from([1, 5, 100, 1000]))
    sizes = sorted(draw(st.sets(st.integers(15, 400), max_size=4)))
    return Plan(
        kind=draw(st.sampled_from(Kind)),
        shares_bp=draw(shares()),
        amounts_cents=draw(falling_amounts),
        bands=tuple((size, draw(shares())) for size in sizes),
        step_cents=step,
        minimum_cents=draw(st.integers(0, 50)) * step,
    )


@given(plans(), pools, fields)
def test_whatever_the_plan_the_whole_pool_is_paid_and_no_place_more_than_the_one_above(plan, pool, entries):
    check(plan)
    planned = prizes(plan, pool, entries)
    assert sum(planned.amounts) == pool
    assert all(upper >= lower > 0 for upper, lower in pairwise(planned.amounts))
    assert len(planned.amounts) <= entries
    assert bool(planned.problem) or not planned.broken


@given(plans(), pools, fields)
def test_nobody_is_paid_less_than_the_least_prize_unless_the_pool_is_less(plan, pool, entries):
    if plan.kind in (Kind.TABLE, Kind.PERCENT):
        assert min(prizes(plan, pool, entries).amounts) >= min(plan.minimum_cents, pool)


@given(falling_amounts, st.integers(0, 1_000_000), st.integers(30, 200))
def test_fixed_prizes_are_paid_as_promised_and_the_first_place_takes_the_rest(amounts, more, entries):
    planned = prizes(Plan(Kind.FIXED, amounts_cents=amounts), sum(amounts) + more, entries)
    assert planned.amounts == (amounts[0] + more, *amounts[1:])
    assert not planned.problem


@given(falling_amounts.filter(lambda amounts: sum(amounts) > 1), st.integers(30, 200))
def test_promised_prizes_that_the_pool_does_not_hold_are_broken(amounts, entries):
    planned = prizes(Plan(Kind.FIXED, amounts_cents=amounts, step_cents=1), sum(amounts) - 1, entries)
    assert planned.broken
    assert "$0.01 short" in planned.problem


@given(falling_amounts, st.sampled_from([-1, 1]))
def test_written_amounts_are_for_their_own_pool_alone(amounts, over):
    plan = Plan(Kind.CUSTOM, amounts_cents=amounts, step_cents=1)
    assert prizes(plan, sum(amounts), 50).amounts == amounts
    if sum(amounts) + over:
        other = prizes(plan, sum(amounts) + over, 50)
        assert other.broken
        assert ("less" if over > 0 else "more") in other.problem


def test_an_own_table_has_a_line_for_each_size_and_the_standard_one_beyond():
    plan = Plan(bands=((10, (10_000,)), (20, (6_000, 4_000))), step_cents=1)
    assert [len(prizes(plan, 100_000, entries).amounts) for entries in (10, 11, 20)] == [1, 2, 2]
    beyond = prizes(plan, 100_000, 21)
    assert beyond.amounts == (50_000, 30_000, 20_000)
    assert len(default_shares(21)) == 3
    assert len(prizes(plan, 1_000_000, 500).amounts) == 60  # 12 % of the field


def test_shares_for_more_places_than_entries_wait_and_say_so():
    planned = prizes(Plan(Kind.PERCENT, shares_bp=(5_000, 3_000, 2_000)), 40_000, 2)
    assert planned.amounts == (40_000,)
    assert "3 places for 2 entries" in planned.problem
    assert not planned.broken


def test_the_least_prize_leaves_fewer_places_paid():
    planned = prizes(Plan(Kind.PERCENT, shares_bp=(5_000, 3_000, 2_000), minimum_cents=30_000), 70_000, 20)
    assert planned.amounts == (40_000, 30_000)
    assert "2 of 3 places" in planned.problem
    assert prizes(Plan(minimum_cents=30_000), 20_000, 20).amounts == (20_000,)


@pytest.mark.parametrize(
    ("plan", "field", "words"),
    [
        (Plan(step_cents=0), "step_cents", "one cent"),
        (Plan(step_cents=500, minimum_cents=300), "minimum_cents", r"steps of \$5"),
        (Plan(minimum_cents=-100), "minimum_cents", "steps"),
        (Plan(Kind.PERCENT), "shares_bp", "at least one"),
        (Plan(Kind.PERCENT, shares_bp=(5_000, 3_050)), "shares_bp", r"add up to 80\.5 %"),
        (Plan(Kind.PERCENT, shares_bp=(3_000, 7_000)), "shares_bp", "Place 2 is paid more than place 1"),
        (Plan(Kind.PERCENT, shares_bp=(10_000, 0)), "shares_bp", "more than nothing"),
        (Plan(Kind.FIXED), "amounts_cents", "each place"),
        (Plan(Kind.CUSTOM, amounts_cents=(100, 200)), "amounts_cents", "Place 2"),
        (Plan(bands=((20, (10_000,)), (20, (10_000,)))), "bands", "few to many"),
        (Plan(bands=((2, (5_000, 3_000, 2_000)),)), "bands", "more paid places"),
        (Plan(bands=((20, (5_000,)),)), "bands", "Up to 20 entries: these shares add up to 50 %"),
    ],
)
def test_a_plan_that_no_pool_can_be_paid_by_is_refused_at_its_field(plan, field, words):
    with pytest.raises(PlanError, match=words) as refused:
        check(plan)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Plan(), "the standard table by entries, in steps of $1"),
        (
            Plan(Kind.PERCENT, shares_bp=(6_550, 3_450), minimum_cents=5_000),
            "65.5/34.5 %, no prize under $50, in",
        ),
        (Plan(bands=((1_000, (10_000,)),)), "up to 1,000 entries 100 %"),
        (Plan(Kind.FIXED, amounts_cents=(50_000, 30_000)), "$500 / $300, what the pool holds beyond"),
        (Plan(Kind.CUSTOM, amounts_cents=(50_000, 30_000)), "$500 / $300, in steps"),
    ],
)
def test_a_plan_in_words(plan, said):
    assert said in in_words(plan)
