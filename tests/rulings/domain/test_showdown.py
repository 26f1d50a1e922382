from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.showdown import ShowdownPolicy, show_order

SEATS = 9
live_hands = st.sets(st.integers(1, SEATS), min_size=1)


@given(live=live_hands, button=st.integers(1, SEATS), all_in=st.booleans(), data=st.data())
def test_every_live_hand_shows_once_and_clockwise(live, button, all_in, data) -> None:
    aggressor = data.draw(st.none() | st.integers(1, SEATS))
    caller = data.draw(st.none() | st.integers(1, SEATS))
    order = show_order(
        seats=SEATS, button=button, live=live, last_aggressor=aggressor, last_caller=caller, all_in=all_in
    ).order
    assert sorted(order) == sorted(live)
    assert sum((after - before) % SEATS for before, after in pairwise(order)) < SEATS


@given(live=live_hands, button=st.integers(1, SEATS))
def test_without_an_all_in_the_aggressor_is_left_of_the_last_caller(live: set[int], button: int) -> None:
    aggressor = min(live)
    # Everyone live calls in turn, so the last call comes from the right of the bettor.
    caller = max(live)
    facts = {
        "seats": SEATS,
        "button": button,
        "live": live,
        "last_aggressor": aggressor,
        "last_caller": caller,
    }
    assert show_order(**facts).order == show_order(**facts, all_in=True).order
    assert show_order(**facts).order[0] == aggressor


def test_the_next_live_hand_starts_where_the_aggressors_hand_was_killed() -> None:
    shown = show_order(seats=SEATS, button=1, live=[3, 8], last_aggressor=5, last_caller=3)
    assert shown.order == (8, 3)


def test_all_hands_together_is_an_option() -> None:
    policy = ShowdownPolicy(all_in_face_up=True)
    facts = {"seats": SEATS, "button": 9, "live": [3, 5, 8], "last_aggressor": None}
    assert show_order(**facts, all_in=True, policy=policy).all_tabled
    assert not show_order(**facts, all_in=False, policy=policy).all_tabled
    assert not show_order(**facts, all_in=True).all_tabled


@pytest.mark.parametrize("wrong", [{"live": []}, {"live": [10]}, {"button": 0}, {"last_aggressor": 11}])
def test_what_cannot_be_is_refused(wrong: dict) -> None:
    facts = {"seats": SEATS, "button": 1, "live": [2], "last_aggressor": None}
    with pytest.raises(ValueError, match="seat"):
        show_order(**{**facts, **wrong})
