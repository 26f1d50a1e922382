import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.wagers import Declared, OpenUnderbet, Ruling, Wager, WagerPolicy, WagerRuling, rule_wager


def ruled(total: int, *, price: int = 1000, raise_size: int = 1000, **facts) -> WagerRuling:
    return rule_wager(Wager(big_blind=200, to_match=price, raise_size=raise_size, total=total, **facts))


@st.composite
def wagers(draw: st.DrawFn) -> Wager:
    price = draw(st.sampled_from([0, 200, 325, 1000]))
    already_in = draw(st.integers(0, price))
    pushed = draw(st.lists(st.sampled_from([25, 100, 500, 1000]), max_size=6))
    total = already_in + sum(pushed)
    cut = draw(st.integers(0, len(pushed)))
    motions = [sum(pushed[:cut]), sum(pushed[cut:])] if draw(st.booleans()) else []
    declared = draw(st.none() | st.sampled_from(Declared)) if total else None
    return Wager(
        big_blind=200,
        to_match=price,
        raise_size=draw(st.integers(200, 900)),
        total=total,
        already_in=already_in,
        pushed=pushed if draw(st.booleans()) else (),
        stack=draw(st.none() | st.integers(max(total, 1), 9000)),
        declared=declared,
        motions=motions,
        policy=draw(st.builds(WagerPolicy)),
    )


@given(wager=wagers())
def test_rulings_add_up(wager: Wager) -> None:
    answer = rule_wager(wager)
    assert answer.total + answer.returned == wager.total + answer.to_add
    assert 0 in (answer.returned, answer.to_add)
    assert answer.total >= wager.already_in
    if wager.stack is not None:
        assert answer.total <= wager.stack
    assert answer.rules
    assert answer.why.endswith(".")


@given(wager=wagers())
def test_names_fit_the_amounts(wager: Wager) -> None:
    answer = rule_wager(wager)
    price, full_raise = wager.to_match, wager.to_match + wager.raise_size
    whole_stack = answer.total == (wager.total if wager.stack is None else wager.stack)
    fits = {
        Ruling.CHECK: answer.total == wager.already_in == price,
        Ruling.BET: price == 0 and answer.total >= wager.big_blind,
        Ruling.CALL: answer.total == price,
        Ruling.RAISE: answer.total >= full_raise and price > 0,
        Ruling.ALL_IN: answer.total > price and whole_stack,
        Ruling.SHORT_CALL: answer.total < price and whole_stack,
        Ruling.UNDERCALL: answer.total == price > wager.total,
    }
    # A first motion can be an under-call of a larger total.
    assert fits[answer.ruling] or (answer.ruling == Ruling.UNDERCALL and len(wager.motions) > 1)


@given(raise_size=st.integers(200, 2000), step=st.integers(1, 2000))
def test_half_of_the_raise_size_makes_a_raise_without_rounding(raise_size: int, step: int) -> None:
    answer = ruled(1000 + step, raise_size=raise_size)
    if step >= raise_size:
        assert (answer.ruling, answer.total) == (Ruling.RAISE, 1000 + step)
    elif step / 2 >= raise_size / 4:
        assert (answer.ruling, answer.total) == (Ruling.RAISE, 1000 + raise_size)
    else:
        assert (answer.ruling, answer.total, answer.returned) == (Ruling.CALL, 1000, step)


@given(declared=st.sampled_from(Declared), stack=st.integers(1, 3000))
def test_words_reach_as_far_as_the_stack(declared: Declared, stack: int) -> None:
    answer = ruled(2500, stack=stack, declared=declared)
    wanted = {Declared.ALL_IN: stack, Declared.CALL: 1000, Declared.RAISE: 2500}[declared]
    assert answer.total == min(wanted, stack)
    assert "3" in answer.rules


def test_an_amount_in_words_above_the_stack_returns_nothing() -> None:
    answer = ruled(5000, stack=1800, declared=Declared.RAISE)
    assert (answer.ruling, answer.total, answer.returned) == (Ruling.ALL_IN, 1800, 0)


def test_an_under_call_is_completed_and_says_what_is_owed() -> None:
    answer = ruled(400)
    assert (answer.ruling, answer.total, answer.to_add) == (Ruling.UNDERCALL, 1000, 600)
    assert answer.rules == ("S11",)


def test_an_under_call_that_takes_the_stack_is_a_short_call() -> None:
    answer = ruled(400, stack=700)
    assert (answer.ruling, answer.total, answer.to_add) == (Ruling.SHORT_CALL, 700, 300)
    assert ruled(400, stack=1000).ruling == Ruling.CALL


def test_the_big_blind_who_pushes_too_little_has_checked() -> None:
    answer = ruled(1400, already_in=1000)
    assert (answer.ruling, answer.total, answer.returned) == (Ruling.CHECK, 1000, 400)
    assert answer.rules == ("9b",)


def test_one_chip_from_a_player_who_covers_the_price_is_judged_by_size() -> None:
    assert ruled(1500, already_in=1000, pushed=[500]).ruling == Ruling.RAISE
    assert ruled(1500, already_in=500, pushed=[1000]).ruling == Ruling.CALL


def test_only_the_chips_of_the_first_motion_are_tested() -> None:
    answer = ruled(2600, price=1200, motions=[2000, 600], pushed=[1000, 1000, 500, 100])
    assert (answer.ruling, answer.returned) == (Ruling.CALL, 1400)
    assert answer.rules == ("S8", "6")
    # Chips that cannot be told apart by motion leave the amount alone to decide.
    unclear = ruled(2600, price=1200, motions=[2000, 600], pushed=[500, 100, 1000, 1000])
    assert unclear.ruling == Ruling.RAISE


def test_last_chips_in_a_later_motion_are_not_in() -> None:
    answer = ruled(1800, all_in=True, motions=[1000, 800])
    assert (answer.ruling, answer.total, answer.returned) == (Ruling.CALL, 1000, 800)


def test_after_raise_two_motions_count_and_a_third_does_not() -> None:
    answer = ruled(3500, declared=Declared.RAISE, motions=[1000, 1500, 1000])
    assert (answer.ruling, answer.total, answer.returned) == (Ruling.RAISE, 2500, 1000)
    assert answer.rules == ("3", "9", "7")


@pytest.mark.parametrize(("total", "ruling", "bet"), [(99, Ruling.CHECK, 0), (100, Ruling.BET, 200)])
def test_a_first_bet_below_the_big_blind_goes_by_halves(total: int, ruling: Ruling, bet: int) -> None:
    answer = ruled(total, price=0, raise_size=200)
    assert (answer.ruling, answer.total) == (ruling, bet)
    lifted = ruled(total, price=0, raise_size=200, policy=WagerPolicy(open_underbet=OpenUnderbet.MIN_BET))
    assert (lifted.ruling, lifted.total) == (Ruling.BET, 200)


def test_a_raise_said_without_a_bet_is_a_bet() -> None:
    answer = ruled(50, price=0, raise_size=200, declared=Declared.RAISE)
    assert (answer.ruling, answer.total, answer.to_add) == (Ruling.BET, 200, 150)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"already_in": 1100}, "at most the price"),
        ({"already_in": -1}, "at most the price"),
        ({"motions": [600, 600]}, "motions do not add up"),
        ({"pushed": [500]}, "chips do not add up"),
        ({"raise_size": 0}, "at least 1"),
        ({"total": 0, "declared": Declared.ALL_IN}, "needs the stack"),
    ],
)
def test_amounts_that_contradict_each_other_are_refused(facts: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ruled(**{"total": 1500, **facts})
