import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.betting import Action, BettingRound, Street, min_raise, reopening

PREFLOP, POSTFLOP = Street.PREFLOP, Street.POSTFLOP
amounts = st.lists(st.integers(0, 5000), max_size=8)


@given(big_blind=st.integers(1, 500), street=st.sampled_from(Street), wagers=amounts)
def test_price_and_raise_size_never_fall(big_blind: int, street: Street, wagers: list[int]) -> None:
    state = BettingRound.begin(big_blind=big_blind, street=street)
    for to in wagers:
        after = state.after(to)
        assert after.to_match == max(state.to_match, to)
        assert after.raise_size == max(state.raise_size, to - state.to_match)
        state = after
    answer = min_raise(big_blind=big_blind, street=street, wagers=wagers)
    assert answer.min_raise_to == state.to_match + state.raise_size >= answer.to_match + big_blind


def test_short_all_ins_are_not_added_up_to_a_raise_size() -> None:
    answer = min_raise(big_blind=100, street=POSTFLOP, wagers=[300, 450, 590])
    assert (answer.to_match, answer.min_raise_to) == (590, 890)
    assert answer.rules == ("9", "S9")
    assert "The largest full bet or raise so far is 300" in answer.why


def test_before_any_wager_the_big_blind_decides() -> None:
    assert min_raise(big_blind=100, street=PREFLOP, wagers=[]).rules == ("8",)
    assert min_raise(big_blind=100, street=POSTFLOP, wagers=[]).why == (
        "Nobody has bet: the smallest bet is the big blind, 100."
    )


def test_a_big_blind_is_at_least_one_chip() -> None:
    with pytest.raises(ValueError, match="big blind"):
        min_raise(big_blind=0, street=PREFLOP, wagers=[])


@given(steps=st.lists(st.integers(1, 400), min_size=1, max_size=6))
def test_all_ins_reopen_once_together_they_make_a_full_raise(steps: list[int]) -> None:
    """A bets 400; each step is another all-in on top, none of them more than a full raise."""
    total = 400
    actions = [Action("A", total)]
    for number, step in enumerate(steps):
        total += step
        actions.append(Action(f"all-in {number}", total))
    answer = reopening(big_blind=100, street=POSTFLOP, actions=actions, asks="A")
    assert answer.to_call == sum(steps)
    assert answer.may_raise == (sum(steps) >= 400)
    assert answer.min_raise_to == (total + 400 if answer.may_raise else None)


@given(to=st.integers(201, 5000), street=st.sampled_from(Street))
def test_who_has_only_posted_may_always_raise(to: int, street: Street) -> None:
    answer = reopening(
        big_blind=200, street=street, blinds={"SB": 100, "BB": 200}, actions=[Action("A", to)], asks="BB"
    )
    assert answer.may_raise
    assert answer.to_call == to - 200


def test_nothing_is_left_to_do_after_a_call() -> None:
    actions = [Action("A", 300), Action("B", 300)]
    answer = reopening(big_blind=100, street=POSTFLOP, actions=actions, asks="A")
    assert (answer.to_call, answer.may_raise) == (0, False)
    assert "nothing left to do" in answer.why


def test_the_reason_is_told() -> None:
    actions = [Action("A", 300), Action("B", 450)]
    answer = reopening(big_blind=100, street=POSTFLOP, actions=actions, asks="A")
    assert answer.rules == ("S10",)
    assert answer.why == "A has acted and now faces 150, less than a full raise of 300: only a call or a fold."
