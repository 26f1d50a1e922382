"""Hand-for-hand play: nobody deals before all have finished, and a mistaken report can be taken back."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain import clock
from tables.domain.hand_for_hand import (
    HandForHand,
    HandForHandError,
    Phase,
    announce,
    drop_table,
    end,
    in_the_money,
    is_bubble,
    is_suggested,
    release,
    report,
    slow_tables,
    time_left,
    withdraw,
)

T0 = datetime(2026, 12, 5, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NORMAL = HandForHand()
ANNOUNCED = announce(NORMAL, [1, 4, 7], T0)


def all_report(state: HandForHand, now: datetime = T0) -> HandForHand:
    for table in state.waiting_for:
        state = report(state, table, now)
    return state


IDLE = all_report(ANNOUNCED)
DEALING = release(IDLE, [1, 4, 7], T0)


def test_the_way_through_a_bubble() -> None:
    seen = [(ANNOUNCED.phase, ANNOUNCED.round, ANNOUNCED.hands_completed)]
    for state in (IDLE, DEALING, all_report(DEALING), release(all_report(DEALING), [1, 4], T0)):
        seen.append((state.phase, state.round, state.hands_completed))
    assert seen == [
        (Phase.ANNOUNCED, 0, 0),
        (Phase.ALL_IDLE, 0, 1),
        (Phase.DEALING, 1, 1),
        (Phase.ALL_DONE, 1, 2),
        (Phase.DEALING, 2, 2),
    ]
    assert end(DEALING) == NORMAL
    assert NORMAL.round is None


def test_the_last_report_ends_the_round_and_a_second_one_changes_nothing() -> None:
    one = report(DEALING, 4, T0 + MINUTE)
    assert (one.phase, one.waiting_for) == (Phase.DEALING, (1, 7))
    assert report(one, 4, T0 + 2 * MINUTE) == one
    assert all_report(one).phase is Phase.ALL_DONE


@pytest.mark.parametrize(("playing", "phase"), [(ANNOUNCED, Phase.ANNOUNCED), (DEALING, Phase.DEALING)])
def test_a_mistaken_report_is_taken_back_even_if_it_was_the_last(playing: HandForHand, phase: Phase) -> None:
    state = withdraw(all_report(playing), 7)
    assert (state.phase, state.waiting_for, state.hands_completed) == (phase, (7,), playing.hands_completed)
    with pytest.raises(HandForHandError, match="waits for table 7"):
        release(state, [1, 4, 7], T0)


def test_a_table_broken_in_the_middle_is_not_waited_for() -> None:
    state = report(report(DEALING, 1, T0), 7, T0)
    assert drop_table(state, 4).phase is Phase.ALL_DONE
    assert drop_table(DEALING, 4).waiting_for == (1, 7)


def test_the_slow_table_is_named() -> None:
    state = report(DEALING, 1, T0 + MINUTE)
    assert slow_tables(state, T0 + 2 * MINUTE, 2 * MINUTE) == ()
    assert slow_tables(state, T0 + 3 * MINUTE, 2 * MINUTE) == (4, 7)
    assert slow_tables(all_report(state), T0 + 9 * MINUTE, 2 * MINUTE) == ()
    assert slow_tables(NORMAL, T0, MINUTE) == ()


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: announce(ANNOUNCED, [1, 2], T0), "announced already"),
        (lambda: announce(NORMAL, [1], T0), "at least two tables"),
        (lambda: report(NORMAL, 1, T0), "not been announced"),
        (lambda: report(DEALING, 9, T0), "Table 9 is not part"),
        (lambda: withdraw(DEALING, 1), "Table 1 has not reported"),
        (lambda: drop_table(NORMAL, 1), "not been announced"),
        (lambda: release(NORMAL, [1, 2], T0), "not been announced"),
        (lambda: release(ANNOUNCED, [1, 4], T0), "waits for table 1, 4, 7"),
        (lambda: end(NORMAL), "not been announced"),
    ],
)
def test_what_cannot_be_done_is_said_plainly(act: Callable[[], object], message: str) -> None:
    with pytest.raises(HandForHandError, match=message):
        act()


def test_sixteen_left_of_fifteen_paid_is_the_bubble_and_fifteen_is_in_the_money() -> None:
    assert [is_bubble(remaining, 15) for remaining in (17, 16, 15)] == [False, True, False]
    assert [in_the_money(remaining, 15) for remaining in (16, 15, 3)] == [False, True, True]
    assert [is_suggested(remaining, 15, tables=2) for remaining in (17, 16, 15)] == [False, True, False]
    assert not is_suggested(16, 15, tables=1)


reports = st.lists(st.tuples(st.sampled_from(["report", "withdraw", "drop"]), st.integers(1, 5)), max_size=25)


@given(reports)
def test_a_round_is_over_exactly_when_every_table_has_reported(acts: list[tuple[str, int]]) -> None:
    state = release(all_report(announce(NORMAL, range(1, 6), T0)), range(1, 6), T0)
    tables, done = {1, 2, 3, 4, 5}, set()
    for act, table in acts:
        try:
            if act == "report":
                state = report(state, table, T0)
                done.add(table)
            elif act == "withdraw":
                state = withdraw(state, table)
                done.remove(table)
            else:
                state = drop_table(state, table)
                tables.discard(table)
                done.discard(table)
        except HandForHandError:
            assert table not in (tables if act == "report" else done)
        assert set(state.waiting_for) == tables - done
        assert (state.phase is Phase.ALL_DONE) == (tables == done)


@given(st.integers(1, 3600), st.integers(0, 12), st.integers(0, 400))
def test_time_taken_off_hand_by_hand_is_the_same(seconds: int, hands: int, per_hand: int) -> None:
    level = clock.Item(timedelta(seconds=seconds))
    running = clock.pause(clock.start(clock.Clock(), [level], T0), [level], T0)
    for _ in range(hands):
        running = clock.take_off(running, [level], min(timedelta(seconds=per_hand), timedelta(minutes=3)), T0)
    assert running.remaining == time_left(level.duration, hands, timedelta(seconds=per_hand))
