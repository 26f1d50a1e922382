import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.entries import (
    EntryRules,
    Stage,
    best_bags,
    bounty_shares,
    differences,
    flight_over,
    problems,
    rules_from,
    satellite_prizes,
    stack_at,
    why_no_addon,
    why_no_rebuy,
    why_reentry_over,
)

REBUYS = EntryRules(rebuys=2, rebuy_cents=5000, rebuy_chips=10_000, rebuy_until=4)
ADDON = EntryRules(addons=1, addon_cents=4000, addon_chips=15_000, addon_break=4)
stages = st.builds(Stage, st.integers(0, 12), st.booleans(), st.booleans())


def fits(rules: EntryRules, **given: int) -> dict[str, str]:
    return problems(rules, **{"smallest_chip": 25, "starting_stack": 10_000} | given)


def test_what_an_event_stores_is_read_back_from_json():
    rules = replace(REBUYS, late_stacks=((3, 7_500), (5, 5_000)), best_stack=True)
    assert rules_from(json.loads(json.dumps(differences(rules)))) == rules
    assert differences(EntryRules()) == {}
    assert rules_from({"of_old": 1}) == EntryRules()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rebuys": 1}, "rebuy_chips"),
        ({"rebuys": 1, "rebuy_chips": 10_010, "rebuy_until": 2}, "rebuy_chips"),
        ({"rebuys": 1, "rebuy_chips": 10_000}, "rebuy_until"),
        ({"rebuys": 100}, "rebuys"),
        ({"addons": 1, "addon_chips": 10_000}, "addon_break"),
        ({"addons": 1, "addon_break": 2}, "addon_chips"),
        ({"late_stacks": ((1, 5_000),)}, "late_stacks"),
        ({"late_stacks": ((4, 5_000), (3, 2_500))}, "late_stacks"),
        ({"late_stacks": ((3, 5_000), (4, 7_500))}, "late_stacks"),
        ({"late_stacks": ((3, 5_010),)}, "late_stacks"),
        ({"bounty_cents": -1}, "bounty_cents"),
        ({"flight_percent": 100}, "flight_percent"),
        ({"reentry_day": "never"}, "reentry_day"),
    ],
)
def test_terms_that_cannot_be_are_named_at_their_field(change, field):
    assert field in fits(replace(EntryRules(), **change))


def test_plain_terms_are_sound():
    assert fits(EntryRules()) == {}
    assert fits(replace(REBUYS, **{k: v for k, v in asdict(ADDON).items() if k.startswith("addon")})) == {}


# --- windows ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("stage", "taken", "sold"),
    [
        (Stage(0), 0, False),  # not before the start
        (Stage(1), 0, True),
        (Stage(2, in_break=True), 1, True),
        (Stage(4), 1, True),
        (Stage(4), 2, False),
        (Stage(4, in_break=True), 0, False),  # the level is over
        (Stage(5), 0, False),
        (Stage(3, ended=True), 0, False),
    ],
)
def test_rebuys_are_sold_until_the_end_of_their_level(stage, taken, sold):
    assert (why_no_rebuy(REBUYS, stage, taken) == "") == sold


@pytest.mark.parametrize(
    ("rules", "stage", "sold"),
    [
        (ADDON, Stage(4), False),
        (ADDON, Stage(4, in_break=True), True),
        (ADDON, Stage(5), False),
        (ADDON, Stage(6, in_break=True), False),
        (replace(ADDON, addon_until=2), Stage(2), True),
        (replace(ADDON, addon_until=2), Stage(3), False),
        (replace(ADDON, addon_until=2), Stage(4, in_break=True), True),
        (ADDON, Stage(4, in_break=True, ended=True), False),
    ],
)
def test_the_add_on_has_its_break_or_its_levels(rules, stage, sold):
    assert (why_no_addon(rules, stage, 0) == "") == sold
    assert why_no_addon(rules, stage, 1)


@given(stages)
def test_without_rebuys_or_add_ons_nothing_is_sold(stage):
    assert why_no_rebuy(EntryRules(), stage, 0)
    assert why_no_addon(EntryRules(), stage, 0)


def test_re_entries_may_end_before_late_registration():
    rules = EntryRules(reentry_until=2)
    assert why_reentry_over(rules, Stage(2)) == ""
    assert why_reentry_over(rules, Stage(2, in_break=True))
    assert why_reentry_over(rules, Stage(0)) == ""
    assert why_reentry_over(EntryRules(), Stage(30)) == ""


# --- late stacks ------------------------------------------------------------------------------------------------------
@st.composite
def late_stacks(draw):
    levels = sorted(draw(st.sets(st.integers(2, 12), max_size=4)))
    chips = sorted(draw(st.lists(st.integers(1, 400), min_size=len(levels), max_size=len(levels))), reverse=True)
    return tuple((level, count * 25) for level, count in zip(levels, chips, strict=True))


@given(late_stacks(), stages)
def test_a_late_stack_is_that_of_the_last_step_reached(steps, stage):
    rules = EntryRules(late_stacks=steps)
    assert fits(rules) == {}
    reached = [chips for level, chips in steps if level <= stage.coming_level]
    assert stack_at(rules, 10_000, stage) == (reached[-1] if reached else 10_000)


def test_who_sits_down_in_a_break_has_the_stack_of_the_level_to_come():
    rules = EntryRules(late_stacks=((5, 5_000),))
    assert stack_at(rules, 10_000, Stage(4)) == 10_000
    assert stack_at(rules, 10_000, Stage(4, in_break=True)) == 5_000


# --- satellites -------------------------------------------------------------------------------------------------------
@given(st.integers(0, 10_000_000), st.integers(1, 1_000_000), st.integers(1, 300))
def test_a_satellite_pays_its_whole_pool_in_seats_and_one_rest(pool, seat, entries):
    prizes = satellite_prizes(pool, seat, entries)
    assert sum(prizes) == pool
    assert list(prizes) == sorted(prizes, reverse=True)
    assert len(prizes) <= entries
    assert sum(prize >= seat for prize in prizes) == min(pool // seat, entries)
    assert all(prize == seat for prize in prizes[1:-1])


def test_the_rest_goes_to_the_next_place():
    assert satellite_prizes(112_000, 25_000, 14) == (25_000, 25_000, 25_000, 25_000, 12_000)
    assert satellite_prizes(100_000, 25_000, 14) == (25_000,) * 4
    assert satellite_prizes(20_000, 25_000, 4) == (20_000,)
    assert satellite_prizes(60_000, 25_000, 2) == (35_000, 25_000)


# --- bounties ---------------------------------------------------------------------------------------------------------
@given(st.integers(0, 1_000_000), st.lists(st.integers(), unique=True, max_size=9))
def test_a_bounty_is_split_to_the_cent(cents, hunters):
    shares = bounty_shares(cents, hunters)
    assert list(shares) == hunters
    assert sum(shares.values()) == (cents if hunters else 0)
    if hunters:
        assert max(shares.values()) - min(shares.values()) <= 1


def test_nobody_is_named_twice_for_one_bounty():
    with pytest.raises(ValueError, match="twice"):
        bounty_shares(1000, [4, 4])


# --- flights ----------------------------------------------------------------------------------------------------------
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 9)), max_size=20))
def test_one_bag_of_each_player_goes_on_and_none_is_larger(found):
    bags = [(player, key, chips) for key, (player, chips) in enumerate(found)]
    on = best_bags(bags)
    assert sorted({player for player, _, _ in bags}) == sorted(player for player, key, _ in bags if key in on)
    for player, key, chips in bags:
        if key in on:
            assert chips == max(other for who, _, other in bags if who == player)


def test_a_flight_ends_with_its_level_or_its_share():
    by_level, by_share = EntryRules(flight_level=8), EntryRules(flight_percent=12)
    assert flight_over(by_level, Stage(8), 50, 60) == ""
    assert flight_over(by_level, Stage(8, in_break=True), 50, 60)
    assert flight_over(by_level, Stage(9), 50, 60)
    assert flight_over(by_share, Stage(2), 13, 100) == ""
    assert flight_over(by_share, Stage(2), 12, 100)
    assert flight_over(EntryRules(), Stage(30), 1, 100) == ""
