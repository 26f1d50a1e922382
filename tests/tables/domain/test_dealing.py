"""The coming hand at a table as it stands: first hands, newcomers, players on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.button import DeadButton, first_hand, next_hand
from tables.domain.dealing import Dealing, after_button, before_first, coming_hand, coming_hands
from tables.domain.table import Positions, SeatingError, between

POLICIES = st.sampled_from(DeadButton)


@st.composite
def tables(draw: st.DrawFn) -> Dealing:
    """Tables of two to ten seats with at least two players, a hand dealt already."""
    seats = draw(st.integers(2, 10))
    number = st.integers(1, seats)
    players = draw(st.frozensets(number, min_size=2))
    on_the_way = draw(st.frozensets(st.sampled_from(sorted(players)), max_size=len(players) - 1))
    told = Positions(draw(number), draw(number), draw(number))
    newcomers = draw(st.frozensets(st.sampled_from(sorted(players))))
    return Dealing(seats, players - on_the_way, told, False, newcomers, on_the_way)


@given(st.integers(2, 10), st.data(), POLICIES)
def test_a_first_hand_follows_from_what_stands_for_the_hand_before_it(
    seats: int, data: st.DataObject, policy: DeadButton
) -> None:
    players = data.draw(st.frozensets(st.integers(1, seats), min_size=2))
    first = first_hand(seats, players, data.draw(st.sampled_from(sorted(players))))
    before = before_first(seats, players, first.positions.button)
    assert before is not None
    assert next_hand(seats, players, before, (), policy).positions == first.positions


@given(tables(), POLICIES)
def test_it_waits_exactly_for_players_on_the_way_who_post(table: Dealing, policy: DeadButton) -> None:
    coming = coming_hand(table, policy)
    everybody = table.sitting | table.on_the_way
    assert set(coming.waits_for) == {coming.hand.small_blind, coming.hand.big_blind} & table.on_the_way
    assert set(coming.hand.dealt_in) | set(coming.hand.sits_out) <= everybody
    if not coming.waits_for and len(table.sitting) > 1:
        assert set(coming.hand.dealt_in) | set(coming.hand.sits_out) == table.sitting


@given(tables(), POLICIES)
def test_by_the_second_hand_everybody_is_there(table: Dealing, policy: DeadButton) -> None:
    first, second, third = coming_hands(table, policy)
    assert first == coming_hand(table, policy)
    for coming in (second, third):
        assert set(coming.hand.dealt_in) | set(coming.hand.sits_out) == table.sitting | table.on_the_way
        assert coming.reasons
    if not first.hand.heads_up and not second.hand.heads_up:
        assert second.hand.big_blind != first.hand.big_blind


def test_nobody_on_the_way_is_dealt_in_without_a_blind() -> None:
    table = Dealing(9, frozenset({1, 2, 3}), Positions(1, 2, 3), on_the_way=frozenset({7}), newcomers=frozenset({7}))
    coming = coming_hand(table)
    assert (coming.hand.big_blind, coming.waits_for) == (7, (7,))
    arrived = Dealing(9, frozenset({1, 2, 3, 7}), Positions(1, 2, 3), newcomers=frozenset({7}))
    assert coming_hand(arrived).waits_for == ()
    later = Dealing(9, frozenset({1, 2, 3}), Positions(7, 1, 2), on_the_way=frozenset({5}))
    assert coming_hand(later).hand.dealt_in == (1, 2, 3)
    assert [coming.hand.big_blind for coming in coming_hands(later)] == [3, 5, 1]


def test_a_newcomer_between_button_and_small_blind_waits_and_one_who_was_dealt_in_does_not() -> None:
    table = Dealing(6, frozenset({1, 3, 4, 5}), Positions(6, 1, 4), newcomers=frozenset({3}))
    first, second, _ = coming_hands(table)
    assert (first.hand.sits_out, second.hand.sits_out) == ((3,), ())
    assert "rule 47" in first.reasons[-1]


def test_the_first_hand_says_why() -> None:
    told = first_hand(9, {2, 5, 8}, 5).positions
    coming = coming_hand(Dealing(9, frozenset({2, 5, 8}), told, first=True, newcomers=frozenset({2, 5, 8})))
    assert (coming.hand.positions, coming.hand.sits_out) == (Positions(5, 8, 2), ())
    assert coming.reasons[0] == "Seat 5 has the first button."
    assert [coming.hand.positions.button for coming in coming_hands(Dealing(9, frozenset({2, 5, 8}), told, True))] == [
        5,
        8,
        2,
    ]
    duel = coming_hand(Dealing(9, frozenset({2, 5}), Positions(5, 5, 2), first=True))
    assert "posts the small blind: two players" in duel.reasons[0]


def test_a_newcomer_before_the_first_hand_is_dealt_in_wherever_they_sit() -> None:
    table = Dealing(9, frozenset({2, 5, 6, 8}), Positions(5, 8, 2), first=True, newcomers=frozenset({6}))
    assert coming_hand(table).hand.positions == Positions(5, 6, 8)


def test_without_its_player_a_first_button_is_asked_for_again() -> None:
    with pytest.raises(SeatingError, match="Nobody sits in seat 5"):
        coming_hand(Dealing(9, frozenset({2, 8}), Positions(5, 8, 2), first=True))


@given(st.integers(2, 10), st.data())
def test_blinds_that_nobody_named_are_left_of_the_button(seats: int, data: st.DataObject) -> None:
    players = data.draw(st.frozensets(st.integers(1, seats), min_size=2))
    button = data.draw(st.integers(1, seats))
    found = after_button(seats, players, button)
    if len(players - {button}) > 1:
        assert {found.small_blind, found.big_blind} <= players
        assert not players & {
            *between(seats, button, found.small_blind),
            *between(seats, found.small_blind, found.big_blind),
        }
    assert found.button == button
