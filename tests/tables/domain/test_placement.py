"""What an open seat means, checked against playing the hands out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.button import DeadButton, first_hand, next_hand
from tables.domain.dealing import before_first
from tables.domain.halt import halt_alarm
from tables.domain.placement import OpenSeat, Role, open_seats
from tables.domain.table import Positions, Table
from tests.tables.domain.test_button import Play, played, plays


def at_table(seats: int, occupied: set[int], last: Positions, **options: object) -> tuple[OpenSeat, ...]:
    return open_seats(Table(1, seats, frozenset(occupied), last), last, **options)


def test_each_open_seat_has_its_role() -> None:
    seats = at_table(9, {1, 3, 7, 8}, Positions(1, 3, 6))
    assert [(seat.seat, seat.role, seat.hands_to_big_blind) for seat in seats] == [
        (9, Role.ORDINARY, 2),
        (2, Role.ORDINARY, 3),
        (6, Role.SMALL_BLIND, 4),
        (4, Role.BETWEEN, 4),
        (5, Role.BETWEEN, 4),
    ]
    assert [seat.seat for seat in seats if seat.sits_out] == [4, 5]
    assert at_table(6, {4, 5, 6}, Positions(1, 2, 3))[1].role is Role.BUTTON
    assert at_table(6, {1, 2, 3, 5}, Positions(1, 2, 3))[0] == OpenSeat(4, Role.BIG_BLIND, 0)


def test_locked_chairs_are_not_offered() -> None:
    last = Positions(1, 2, 3)
    table = Table(1, 9, frozenset({1, 2, 3, 4, 5}), last, locked=frozenset({7, 9}))
    assert [seat.seat for seat in open_seats(table, last)] == [6, 8]


def test_forward_leaves_only_the_last_seat_waiting() -> None:
    last = Positions(9, 1, 4)
    assert [s.seat for s in at_table(9, {4, 5, 6}, last) if s.sits_out] == [2, 3]
    forward = at_table(9, {4, 5, 6}, last, dead_button=DeadButton.FORWARD_2026)
    assert [s.seat for s in forward if s.sits_out] == [3]
    live = at_table(9, {1, 4, 5, 6}, last, dead_button=DeadButton.FORWARD_2026)
    assert [s.seat for s in live if s.sits_out] == [2, 3]


def hands_until_big_blind(table: Table, last: Positions, seat: int, option: DeadButton) -> tuple[int, bool]:
    """Play hands with a newcomer in `seat` until it posts the big blind; say whether it waited at first."""
    newcomers: set[int] = {seat}
    waited = None
    for count in range(2 * table.seats):
        hand = next_hand(table.seats, table.occupied | {seat}, last, newcomers, option)
        waited = seat in hand.sits_out if waited is None else waited
        if hand.big_blind == seat:
            return count, bool(waited)
        last, newcomers = hand.positions, set(hand.sits_out)
    raise AssertionError("the big blind never came")


@given(plays())
def test_the_order_is_that_of_playing_the_hands_out(play: Play) -> None:
    # The positions after some hands, and everybody dealt in: what a floor person sees when asking for a seat.
    hand, _, players = played(play)[-1]
    last = hand.positions
    table = Table(1, play.seats, frozenset(players - set(hand.sits_out)), last)
    shown = open_seats(table, last, play.dead_button)
    assert {open_seat.seat for open_seat in shown} == set(table.open)
    simulated = {seat: hands_until_big_blind(table, last, seat, play.dead_button) for seat in table.open}
    for open_seat in shown:
        count, waited = simulated[open_seat.seat]
        assert open_seat.hands_to_big_blind == count
        assert open_seat.sits_out == waited
    ordinary = [s for s in shown if s.role not in (Role.SMALL_BLIND, Role.BETWEEN)]
    counts = [simulated[open_seat.seat][0] for open_seat in ordinary]
    assert counts == sorted(counts)
    first_hands = {
        seat: next_hand(play.seats, table.occupied | {seat}, last, {seat}, play.dead_button) for seat in table.open
    }
    for open_seat in shown:
        hand = first_hands[open_seat.seat]
        assert (open_seat.role is Role.BIG_BLIND) == (hand.big_blind == open_seat.seat)
        if not hand.heads_up:
            assert (open_seat.role is Role.SMALL_BLIND) == (hand.small_blind == open_seat.seat)


@pytest.mark.parametrize("seats", [2, 6, 9, 10])
def test_a_table_of_one_offers_every_other_seat(seats: int) -> None:
    offered = at_table(seats, {1}, Positions(1, 1, 2))
    assert {seat.seat for seat in offered} == set(range(2, seats + 1))


@st.composite
def before_first_hands(draw: st.DrawFn) -> Table:
    seats = draw(st.integers(3, 10))
    occupied = draw(st.sets(st.integers(1, seats), min_size=1, max_size=seats - 1))
    button = draw(st.sampled_from(sorted(occupied)))
    return Table(1, seats, frozenset(occupied), before_first(seats, occupied, button), first=True)


@given(before_first_hands())
def test_before_the_first_hand_nobody_waits_and_the_order_is_that_of_playing_it_out(table: Table) -> None:
    assert table.last is not None
    shown = open_seats(table, table.last)
    assert {open_seat.seat for open_seat in shown} == set(table.open)
    for open_seat in shown:
        hand = first_hand(table.seats, table.occupied | {open_seat.seat}, table.last.button)
        assert not open_seat.sits_out
        assert (open_seat.role is Role.SMALL_BLIND) == (hand.small_blind == open_seat.seat)
        assert (open_seat.role is Role.BIG_BLIND) == (hand.big_blind == open_seat.seat)
        count = 0
        while hand.big_blind != open_seat.seat:
            hand, count = next_hand(table.seats, table.occupied | {open_seat.seat}, hand.positions), count + 1
        assert open_seat.hands_to_big_blind == count


def test_a_first_hand_is_not_halted_and_has_no_place_without_its_button() -> None:
    table = Table(1, 9, frozenset({1, 5, 7}), before_first(9, {1, 5, 7}, 1), first=True)
    alarm = halt_alarm(table, 7)
    assert alarm is not None
    assert not alarm.halted
    assert before_first(9, {1, 5, 7}, 2) is None
