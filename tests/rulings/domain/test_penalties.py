from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.penalties import (
    DISQUALIFICATION,
    OFFENCES,
    WARNING,
    Penalty,
    PenaltyPolicy,
    Role,
    Sanction,
    may_give,
    missed_hands,
    suggest_penalty,
)

TODAY = date(2026, 11, 30)
OFFENCE = {offence.code: offence for offence in OFFENCES}


def rounds(count: int) -> Penalty:
    return Penalty(Sanction.MISSED_ROUNDS, count)


def hands(count: int) -> Penalty:
    return Penalty(Sanction.MISSED_HANDS, count)


@given(total=st.integers(0, 50), completed=st.integers(0, 80), data=st.data())
def test_missed_hands_never_fall_below_zero_or_rise(total: int, completed: int, data: st.DataObject) -> None:
    redeals = data.draw(st.integers(0, completed))
    served = missed_hands(total=total, completed=completed, redeals=redeals)
    assert 0 <= served.remaining <= total
    assert served.remaining == total or completed > redeals
    assert missed_hands(total=total, completed=completed + 1, redeals=redeals).remaining <= served.remaining


def test_a_redeal_is_the_same_hand() -> None:
    served = missed_hands(total=9, completed=9, redeals=1)
    assert (served.remaining, served.rules) == (1, ("S3",))
    assert "8 of 9" in served.why


@pytest.mark.parametrize("wrong", [{"total": -1}, {"completed": -1}, {"redeals": 4}])
def test_impossible_counts_are_refused(wrong: dict) -> None:
    with pytest.raises(ValueError, match="redeal"):
        missed_hands(**{"total": 9, "completed": 3, "redeals": 0, **wrong})


def test_a_round_is_a_hand_for_each_player_when_given() -> None:
    assert rounds(2).hands(players_at_table=8) == 16
    assert hands(3).hands(players_at_table=8) == 3
    assert WARNING.hands(players_at_table=8) == DISQUALIFICATION.hands(players_at_table=8) == 0
    with pytest.raises(ValueError, match="at least 1"):
        rounds(1).hands(players_at_table=0)


@pytest.mark.parametrize(("sanction", "count"), [("warning", 1), ("missed_rounds", 0), ("missed_hands", -1)])
def test_only_missed_hands_and_rounds_have_a_size(sanction: str, count: int) -> None:
    with pytest.raises(ValueError, match="number of at least 1"):
        Penalty(Sanction(sanction), count)


@pytest.mark.parametrize(
    ("earlier", "severe", "penalty"),
    [
        (0, False, WARNING),
        (1, False, rounds(1)),
        (2, False, rounds(2)),
        (3, False, rounds(4)),
        (4, False, DISQUALIFICATION),
        (9, False, DISQUALIFICATION),
        (0, True, rounds(1)),
        (2, True, rounds(4)),
    ],
)
def test_repeats_of_a_kind_rise_on_the_ladder(earlier: int, severe: bool, penalty: Penalty) -> None:
    suggestion = suggest_penalty(OFFENCE["advice"], earlier=[TODAY] * earlier, on=TODAY, severe=severe)
    assert (suggestion.penalty, suggestion.counted) == (penalty, earlier)
    assert suggestion.rules == ("36", "S2")


def test_old_offences_decay_if_the_series_says_so() -> None:
    earlier = [TODAY - timedelta(days=30), TODAY - timedelta(days=29)]
    policy = PenaltyPolicy(forget_after_days=30)
    suggestion = suggest_penalty(OFFENCE["advice"], earlier=earlier, on=TODAY, policy=policy)
    assert (suggestion.counted, suggestion.penalty) == (1, rounds(1))
    assert suggestion.why == "One earlier offence of this kind counts: 1 missed round."
    assert suggest_penalty(OFFENCE["advice"], earlier=earlier, on=TODAY).penalty == rounds(2)


def test_collusion_is_a_disqualification_at_once() -> None:
    assert suggest_penalty(OFFENCE["collusion"], earlier=[], on=TODAY).penalty == DISQUALIFICATION


def test_codes_of_offences_are_unique() -> None:
    assert len(OFFENCE) == len(OFFENCES)


@pytest.mark.parametrize(
    ("role", "penalty", "allowed"),
    [
        (Role.DEALER, WARNING, False),
        (Role.DESK, WARNING, False),
        (Role.FLOOR, WARNING, True),
        (Role.FLOOR, rounds(1), True),
        (Role.FLOOR, hands(8), True),
        (Role.FLOOR, hands(9), False),
        (Role.FLOOR, rounds(2), False),
        (Role.FLOOR, DISQUALIFICATION, False),
        (Role.DIRECTOR, rounds(4), True),
        (Role.DIRECTOR, DISQUALIFICATION, True),
    ],
)
def test_limits_by_role(role: Role, penalty: Penalty, allowed: bool) -> None:
    assert may_give(penalty, role=role, players_at_table=8).allowed == allowed


@pytest.mark.parametrize("role", Role)
def test_nobody_rules_on_their_own_hand(role: Role) -> None:
    permission = may_give(WARNING, role=role, players_at_table=8, own_hand=True)
    assert not permission.allowed
    assert "Nobody rules on a hand they played in" in permission.why


def test_the_floors_limit_is_an_option() -> None:
    assert may_give(rounds(2), role=Role.FLOOR, players_at_table=8, policy=PenaltyPolicy(floor_rounds=2)).allowed
    none = PenaltyPolicy(floor_rounds=0)
    assert not may_give(hands(1), role=Role.FLOOR, players_at_table=8, policy=none).allowed
