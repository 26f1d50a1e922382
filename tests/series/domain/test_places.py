import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.places import (
    DayCount,
    EventCount,
    call_ends,
    free_on,
    free_places,
    free_seats,
    held_until,
    left_on,
    must_pay_now,
    places_left,
    seats_left,
)

START = dt.datetime(2026, 7, 4, 6, 30, tzinfo=dt.UTC)
few = st.integers(0, 30)
days = st.builds(
    DayCount,
    open=st.booleans(),
    capacity=st.none() | few,
    held=few,
    taken=few,
    playing=few,
    waiting=few,
    again_held=few,
    again_waiting=few,
)
events = st.builds(
    EventCount,
    capacity=st.integers(0, 60),
    held=few,
    taken=few,
    hall_seats=st.none() | few,
    days=st.lists(days, min_size=1, max_size=3),
)


def minutes(count):
    return dt.timedelta(minutes=count)


@given(events)
def test_what_is_left_is_free_and_nobody_waits_for_it(event):
    assert 0 <= places_left(event) <= free_places(event)
    for day in event.days:
        assert 0 <= left_on(event, day) <= free_on(event, day) <= free_places(event)
        if day.waiting and day.waiting >= free_on(event, day):
            assert left_on(event, day) == 0
        if day.capacity is not None and day.held + day.taken >= day.capacity:
            assert free_on(event, day) == 0
        if event.hall_seats is None:
            assert free_seats(event, day) is None
        elif day.held + day.again_held + day.playing >= event.hall_seats:
            assert (free_on(event, day), free_seats(event, day)) == (0, 0)
        elif day.waiting + day.again_waiting >= event.hall_seats - day.held - day.again_held - day.playing:
            assert (left_on(event, day), seats_left(event, day)) == (0, 0)


@given(events)
def test_everybody_who_waits_and_everybody_new_fit_into_what_is_free(event):
    called = sum(min(day.waiting, free_on(event, day)) for day in event.days if day.open)
    assert places_left(event) <= max(0, free_places(event) - called)


def test_those_who_wait_for_a_full_flight_take_no_place_of_the_other():
    full, roomy = DayCount(capacity=10, taken=10, waiting=12), DayCount(capacity=20, taken=5)
    event = EventCount(capacity=25, held=0, taken=15, days=[full, roomy])
    assert (left_on(event, full), left_on(event, roomy), places_left(event)) == (0, 10, 10)


def test_a_seat_is_free_when_somebody_is_out_though_the_event_counts_them():
    day = DayCount(taken=18, playing=17)
    event = EventCount(capacity=40, held=0, taken=18, hall_seats=18, days=[day])
    assert (free_on(event, day), places_left(event), seats_left(event, day)) == (1, 1, 1)
    assert seats_left(EventCount(40, 0, 18, None, [day]), day) is None


def test_who_waits_to_re_enter_needs_a_seat_but_no_place():
    day = DayCount(taken=20, playing=15, again_waiting=2, again_held=1)
    event = EventCount(capacity=20, held=0, taken=20, hall_seats=18, days=[day])
    assert (free_seats(event, day), seats_left(event, day), free_on(event, day)) == (2, 0, 0)
    roomy = replace(event, capacity=40)
    assert (free_on(roomy, day), left_on(roomy, day), places_left(roomy)) == (2, 0, 0)


@pytest.mark.parametrize(
    ("now", "hold", "until"),
    [
        (START - minutes(600), None, None),
        (START - minutes(600), 30, START - minutes(30)),
        (START - minutes(40), 30, START - minutes(25)),
        (START + minutes(60), 30, START + minutes(75)),
        (START - minutes(600), 0, START),
    ],
)
def test_until_when_a_place_is_held(now, hold, until):
    assert held_until(now, starts=START, hold_minutes=hold, grace_minutes=15) == until


@pytest.mark.parametrize(
    ("now", "hold", "closes", "ends"),
    [
        (START - minutes(5000), 30, None, START - minutes(5000 - 1440)),
        (START - minutes(600), 30, None, START - minutes(30)),
        (START - minutes(600), None, None, START),
        (START - minutes(35), 30, None, START - minutes(20)),
        (START + minutes(60), 30, None, START + minutes(75)),
        (START + minutes(60), 30, START + minutes(70), START + minutes(70)),
        (START + minutes(60), 30, START + minutes(50), START + minutes(75)),
    ],
)
def test_by_when_a_call_is_answered(now, hold, closes, ends):
    given_ = {"starts": START, "hold_minutes": hold, "closes": closes}
    assert call_ends(now, call_minutes=15, early_call_minutes=1440, **given_) == ends
    assert must_pay_now(now, starts=START, hold_minutes=hold) == (now >= START - minutes(hold or 0))
