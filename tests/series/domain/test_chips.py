import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.chips import Rounding, chip_race, race_winners

pairs = st.sampled_from([(5, 25), (25, 100), (100, 500), (500, 1000), (1000, 5000), (1, 1000)])
tables = st.dictionaries(st.integers(1, 10), st.integers(0, 40))


@given(pairs, tables, st.sampled_from(Rounding), st.sets(st.integers(1, 10)))
def test_the_table_changes_by_less_than_one_new_chip_apart_from_rescued_players(pair, holdings, rounding, only):
    old, new = pair
    race = chip_race(old, new, holdings, only_chips=only, rounding=rounding)
    without_rescue = race.chips_in_play_change - race.additional * new
    if rounding is Rounding.UP:
        assert 0 <= without_rescue < new
    else:
        assert -new < 2 * without_rescue <= new
    assert race.raced <= len(race.left_over)
    assert race.additional <= len(race.at_risk)
    before = old * sum(holdings.values())
    after = new * (sum(race.exchanged.values()) + race.raced + race.additional)
    assert after - before == race.chips_in_play_change


@given(pairs, tables)
def test_full_sets_change_at_equal_value(pair, holdings):
    old, new = pair
    race = chip_race(old, new, holdings)
    for seat, count in holdings.items():
        left = race.left_over.get(seat, 0)
        assert old * count == new * race.exchanged.get(seat, 0) + old * left
        assert old * left < new


@given(pairs, st.dictionaries(st.integers(1, 10), st.integers(1, 40), min_size=1))
def test_nobody_is_left_with_nothing(pair, holdings):
    old, new = pair
    race = chip_race(old, new, holdings, only_chips=holdings)
    alive = len(race.exchanged) + race.raced + race.additional
    assert alive >= len(holdings)


def test_a_seat_with_a_full_set_is_not_at_risk():
    race = chip_race(25, 100, {1: 5, 2: 1}, only_chips=[1, 2])
    assert race.exchanged == {1: 1}
    assert race.left_over == {1: 1, 2: 1}
    assert race.at_risk == {2}


def test_who_loses_the_race_with_everything_at_stake_gets_a_chip_in_addition():
    race = chip_race(25, 100, {1: 1, 2: 1, 3: 1}, only_chips=[1, 2, 3])
    assert (race.raced, race.additional, race.chips_in_play_change) == (1, 2, 225)


def test_any_rest_is_rounded_up_on_request():
    assert chip_race(25, 100, {2: 1}, rounding=Rounding.UP).raced == 1
    assert chip_race(25, 100, {2: 4}, rounding=Rounding.UP).raced == 0


@pytest.mark.parametrize(("old", "new"), [(25, 25), (100, 25), (25, 60), (0, 25)])
def test_the_new_chip_is_a_multiple_of_the_old(old, new):
    with pytest.raises(ValueError, match="multiple"):
        chip_race(old, new, {1: 1})


def test_nobody_holds_a_negative_number_of_chips():
    with pytest.raises(ValueError, match="less than no chip"):
        chip_race(25, 100, {1: -1})


def test_the_highest_cards_win_and_suits_break_ties():
    cards = {1: ["2s", "Kd"], 3: ["Kh"], 4: ["Qs", "3c", "Td"], 7: ["As"], 9: []}
    assert race_winners(cards, 0) == ()
    assert race_winners(cards, 3) == (7, 3, 1)
    assert race_winners({1: ["Ac"], 2: ["Ad"], 3: ["Ah"], 4: ["As"]}, 4) == (4, 3, 2, 1)


def test_a_seat_with_two_high_cards_wins_one_chip():
    assert race_winners({1: ["As", "Ah"], 2: ["2c"]}, 2) == (1, 2)
