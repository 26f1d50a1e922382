"""The tournament clock: no call may come too late, twice or not at all and change what the clock says."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.clock import (
    Clock,
    ClockError,
    Item,
    Status,
    Upcoming,
    adjust,
    advance,
    at,
    end,
    jump,
    level_number,
    pause,
    pause_after,
    resume,
    start,
    steps,
    take_off,
)

T0 = datetime(2026, 12, 5, 6, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ITEMS = (Item(20 * MINUTE), Item(20 * MINUTE), Item(10 * MINUTE, is_break=True), Item(15 * MINUTE))
PAUSED = pause(start(Clock(), ITEMS, T0), ITEMS, T0 + 5 * MINUTE)
OVERTIME = advance(start(Clock(), ITEMS, T0), ITEMS, T0 + 65 * MINUTE)

items_lists = st.lists(
    st.builds(Item, st.integers(1, 3600).map(lambda s: timedelta(seconds=s)), st.booleans()),
    min_size=1,
    max_size=8,
)
spans = st.integers(0, 5_000_000).map(lambda ms: timedelta(milliseconds=ms))


def test_sleeping_loses_no_time() -> None:
    clock = start(Clock(), ITEMS, T0)
    assert at(clock, ITEMS, T0).time_left == 20 * MINUTE
    assert at(clock, ITEMS, T0 + 7 * MINUTE).time_left == 13 * MINUTE


def test_the_next_deadline_is_reckoned_from_the_last() -> None:
    clock = advance(start(Clock(), ITEMS, T0), ITEMS, T0 + 20 * MINUTE + timedelta(seconds=4))
    assert (clock.position, clock.ends_at) == (1, T0 + 40 * MINUTE)


def test_a_long_outage_passes_every_item_in_turn() -> None:
    passed = list(steps(start(Clock(), ITEMS, T0), ITEMS, T0 + 52 * MINUTE))
    assert [(clock.position, clock.version) for clock in passed] == [(1, 2), (2, 3), (3, 4)]
    assert passed[-1].ends_at == T0 + 65 * MINUTE


def test_a_level_is_over_at_its_very_instant() -> None:
    clock = start(Clock(), ITEMS, T0)
    assert advance(clock, ITEMS, T0 + 20 * MINUTE - timedelta(microseconds=1)) is clock
    assert advance(clock, ITEMS, T0 + 20 * MINUTE).position == 1


def test_after_the_last_level_its_blinds_are_held_in_overtime() -> None:
    assert (OVERTIME.position, OVERTIME.status, OVERTIME.ends_at) == (3, Status.OVERTIME, None)
    view = at(OVERTIME, ITEMS, T0 + 300 * MINUTE)
    assert (view.position, view.time_left, view.upcoming) == (3, timedelta(0), ())
    paused = pause(OVERTIME, ITEMS, T0 + 70 * MINUTE)
    assert at(paused, ITEMS, T0 + 71 * MINUTE).time_left == timedelta(0)
    assert resume(paused, ITEMS, T0 + 72 * MINUTE).status is Status.OVERTIME
    longer = adjust(OVERTIME, ITEMS, 5 * MINUTE, T0 + 70 * MINUTE)
    assert (longer.position, longer.status, longer.ends_at) == (3, Status.RUNNING, T0 + 75 * MINUTE)


def test_a_structure_that_ends_with_a_break_holds_the_last_level() -> None:
    items = ITEMS[:3]
    assert advance(start(Clock(), items, T0), items, T0 + 55 * MINUTE).position == 1


def test_breaks_are_not_levels_and_not_pauses() -> None:
    assert [level_number(ITEMS, position) for position in range(4)] == [1, 2, 2, 3]
    assert at(start(Clock(), ITEMS, T0), ITEMS, T0 + 45 * MINUTE).status is Status.RUNNING


def test_coming_items_carry_their_instants() -> None:
    clock = start(Clock(), ITEMS, T0)
    expected = (
        Upcoming(2, T0 + 40 * MINUTE),
        Upcoming(3, T0 + 50 * MINUTE),
    )
    assert at(clock, ITEMS, T0 + 25 * MINUTE).upcoming == expected
    # A clock that stands: as if it ran on from now.
    assert at(PAUSED, ITEMS, T0 + 30 * MINUTE).upcoming[0] == Upcoming(1, T0 + 45 * MINUTE)
    assert at(Clock(), ITEMS, T0).upcoming[0] == Upcoming(1, T0 + 20 * MINUTE)


def test_pause_after_the_level_stops_before_the_next_begins() -> None:
    clock = pause_after(start(Clock(), ITEMS, T0), ITEMS, True, T0 + MINUTE)
    stopped = advance(clock, ITEMS, T0 + 90 * MINUTE)
    assert (stopped.position, stopped.status, stopped.remaining) == (1, Status.PAUSED, 20 * MINUTE)
    running = resume(stopped, ITEMS, T0 + 100 * MINUTE)
    assert advance(running, ITEMS, T0 + 121 * MINUTE).status is Status.RUNNING


def test_pause_after_the_last_level_holds_its_blinds() -> None:
    clock = jump(start(Clock(), ITEMS, T0), ITEMS, 3, T0)
    stopped = advance(pause_after(clock, ITEMS, True, T0), ITEMS, T0 + 16 * MINUTE)
    assert (stopped.position, stopped.status, stopped.remaining) == (3, Status.PAUSED, timedelta(0))
    assert resume(stopped, ITEMS, T0 + 20 * MINUTE).status is Status.OVERTIME


def test_adjusting_and_jumping() -> None:
    clock = start(Clock(), ITEMS, T0)
    assert at(adjust(clock, ITEMS, MINUTE, T0 + MINUTE), ITEMS, T0 + MINUTE).time_left == 20 * MINUTE
    assert at(adjust(PAUSED, ITEMS, -MINUTE, T0 + 9 * MINUTE), ITEMS, T0).time_left == 14 * MINUTE
    jumped = jump(clock, ITEMS, 2, T0 + 3 * MINUTE)
    assert (jumped.position, jumped.ends_at) == (2, T0 + 13 * MINUTE)
    assert (jump(PAUSED, ITEMS, 0, T0).status, jump(PAUSED, ITEMS, 0, T0).remaining) == (
        Status.PAUSED,
        20 * MINUTE,
    )
    with pytest.raises(ClockError, match="Only 0:40 is left"):
        adjust(clock, ITEMS, -MINUTE, T0 + 19 * MINUTE + timedelta(seconds=20))


def test_hands_take_their_time_off_and_carry_nothing_over() -> None:
    clock = PAUSED  # 15 minutes left
    for left in (13, 11, 9):
        clock = take_off(clock, ITEMS, 2 * MINUTE, T0)
        assert (clock.position, clock.remaining) == (0, left * MINUTE)
    clock = take_off(clock, ITEMS, 10 * MINUTE, T0)
    assert (clock.position, clock.status, clock.remaining) == (1, Status.PAUSED, 20 * MINUTE)
    last = jump(PAUSED, ITEMS, 3, T0)
    for _ in range(2):
        last = take_off(last, ITEMS, 15 * MINUTE, T0)
        assert (last.position, last.remaining) == (3, timedelta(0))


def test_hands_take_nothing_off_a_break() -> None:
    clock = jump(PAUSED, ITEMS, 2, T0)
    assert take_off(clock, ITEMS, 2 * MINUTE, T0) == clock


def test_an_ended_clock_keeps_what_it_showed() -> None:
    ended = end(start(Clock(), ITEMS, T0), ITEMS, T0 + 22 * MINUTE)
    view = at(ended, ITEMS, T0 + 500 * MINUTE)
    assert (view.position, view.status, view.time_left) == (1, Status.ENDED, 18 * MINUTE)


@pytest.mark.parametrize(
    ("act", "clock", "message"),
    [
        (start, PAUSED, "started already"),
        (pause, Clock(), "has not been started"),
        (pause, PAUSED, "is paused"),
        (resume, OVERTIME, "is in overtime"),
        (resume, start(Clock(), ITEMS, T0), "is running"),
        (lambda c, i, t: adjust(c, i, MINUTE, t), Clock(), "has not been started"),
        (lambda c, i, t: jump(c, i, 4, t), PAUSED, "no item 5"),
        (lambda c, i, t: jump(c, i, -1, t), PAUSED, "no item 0"),
        (lambda c, i, t: jump(c, i, 1, t), Clock(), "has not been started"),
        (lambda c, i, t: pause_after(c, i, True, t), OVERTIME, "overtime"),
        (lambda c, i, t: take_off(c, i, MINUTE, t), OVERTIME, "only while the clock is paused"),
        (lambda c, i, t: take_off(c, i, -MINUTE, t), PAUSED, "negative"),
        (end, end(PAUSED, ITEMS, T0), "ended already"),
        (lambda c, i, t: start(c, (), t), Clock(), "no levels"),
        (lambda c, i, t: Item(timedelta(0)), Clock(), "needs a length"),
    ],
)
def test_what_cannot_be_done_is_said_plainly(act: Callable, clock: Clock, message: str) -> None:
    with pytest.raises(ClockError, match=message):
        act(clock, ITEMS, T0 + 6 * MINUTE)


def test_naive_instants_are_a_fault_of_the_program() -> None:
    with pytest.raises(ValueError, match="aware"):
        start(Clock(), ITEMS, datetime(2026, 12, 5, 6, 0))  # noqa: DTZ001


@given(items_lists, st.lists(spans, max_size=12), spans, st.booleans())
def test_any_interleaving_of_calls_gives_the_same_clock(
    items: list[Item], calls: list[timedelta], last: timedelta, stop: bool
) -> None:
    clock = pause_after(start(Clock(), items, T0), items, stop, T0)
    end_of_all = max([last, *calls])
    stepped = clock
    for offset in sorted(calls):
        stepped = advance(advance(stepped, items, T0 + offset), items, T0 + offset)
    assert advance(stepped, items, T0 + end_of_all) == advance(clock, items, T0 + end_of_all)
    assert at(stepped, items, T0 + end_of_all) == at(clock, items, T0 + end_of_all)


@given(items_lists, st.lists(st.tuples(spans, spans), max_size=6), spans)
def test_pausing_never_loses_or_gains_time(
    items: list[Item], pauses: list[tuple[timedelta, timedelta]], last: timedelta
) -> None:
    clock = plain = start(Clock(), items, T0)
    now, played = T0, timedelta(0)
    for run, stand in pauses:
        now, played = now + run, played + run
        clock = pause(clock, items, now)
        now += stand
        clock = resume(clock, items, now)
    paused_view, plain_view = at(clock, items, now + last), at(plain, items, T0 + played + last)
    assert (paused_view.position, paused_view.status, paused_view.time_left) == (
        plain_view.position,
        plain_view.status,
        plain_view.time_left,
    )


@given(items_lists, spans)
def test_time_left_is_never_negative_nor_longer_than_the_item(items: list[Item], passed: timedelta) -> None:
    view = at(start(Clock(), items, T0), items, T0 + passed)
    assert timedelta(0) <= view.time_left <= items[view.position].duration
    assert view.time_left > timedelta(0) or view.status is Status.OVERTIME
