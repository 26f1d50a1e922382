"""The action clock: sixty seconds, ten more, and the tie to the player."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.action_clock import Options, Phase, Verdict, View, at, deadline, judge

T0 = datetime(2026, 12, 5, 10, 0, tzinfo=UTC)
TDA = Options(timedelta(seconds=25), timedelta(seconds=5), Verdict.CHECK, Verdict.LIVE)


@pytest.mark.parametrize(
    ("seconds", "phase", "left"),
    [
        (0, Phase.MINUTE, 60),
        (59, Phase.MINUTE, 1),
        (60, Phase.COUNTDOWN, 10),
        (70, Phase.COUNTDOWN, 0),
        (70.001, Phase.EXPIRED, 0),
    ],
)
def test_the_minute_and_then_the_countdown(seconds: float, phase: Phase, left: int) -> None:
    assert at(T0, T0 + timedelta(seconds=seconds)) == View(phase, timedelta(seconds=left))


@pytest.mark.parametrize("facing_bet", [True, False])
def test_the_very_last_instant_is_in_time(facing_bet: bool) -> None:
    last = deadline(T0) - T0
    assert judge(last, facing_bet=facing_bet) is Verdict.LIVE
    assert judge(last + timedelta.resolution, facing_bet=facing_bet) is Verdict.DEAD
    assert judge(None, facing_bet=facing_bet) is Verdict.DEAD


def test_options_of_the_tda() -> None:
    late = timedelta(seconds=31)
    assert judge(late, facing_bet=True, options=TDA) is Verdict.DEAD
    assert judge(late, facing_bet=False, options=TDA) is Verdict.CHECK
    assert judge(None, facing_bet=True, left_seat=True, can_act=False, options=TDA) is Verdict.LIVE
    assert judge(None, facing_bet=True, left_seat=True, options=TDA) is Verdict.DEAD


def test_leaving_the_seat_needs_no_clock() -> None:
    assert judge(timedelta(seconds=5), facing_bet=True, left_seat=True) is Verdict.DEAD
    assert judge(timedelta(seconds=5), facing_bet=True, left_seat=True, can_act=False) is Verdict.DEAD


@given(st.integers(0, 100_000_000).map(lambda us: timedelta(microseconds=us)), st.sampled_from([Options(), TDA]))
def test_what_the_phone_shows_is_what_is_ruled(passed: timedelta, options: Options) -> None:
    expired = at(T0, T0 + passed, options).phase is Phase.EXPIRED
    assert (judge(passed, facing_bet=True, options=options) is Verdict.DEAD) == expired
