"""The dead button, hand by hand (rules 16, 18 to 22, 46, 47)."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.domain.button import Change, DeadButton, Hand, first_hand, hands, next_hand, reasons, walk
from tables.domain.table import Positions, SeatingError, between, clockwise


def gone(*seats: int) -> Change:
    return Change(busted=frozenset(seats))


def shown(hand: Hand) -> tuple[int, int | None, int]:
    return hand.positions.button, hand.small_blind, hand.big_blind


def test_the_player_beside_the_blinds_busts() -> None:
    played = hands(6, range(1, 7), Positions(1, 2, 3), [gone(4), gone(), gone()])
    assert [shown(hand) for hand in played] == [(2, 3, 5), (3, 5, 6), (5, 6, 1)]


def test_the_small_blind_busts() -> None:
    played = hands(9, range(1, 10), Positions(1, 2, 3), [gone(2), gone(), gone()])
    assert [shown(hand) for hand in played] == [(2, 3, 4), (3, 4, 5), (4, 5, 6)]
    assert [hand.button_dead for hand in played] == [True, False, False]


@pytest.mark.parametrize(
    ("busted", "expected"), [(1, (3, 3, 2)), (2, (3, 3, 1)), (3, (2, 2, 1))], ids=["button", "small", "big"]
)
def test_three_players_become_two(busted: int, expected: tuple[int, int, int]) -> None:
    # When the button busts, seat 3 would be big blind twice running if 2 kept its turn on the button
    # (T24-34B).
    (hand,) = hands(9, {1, 2, 3}, Positions(1, 2, 3), [gone(busted)])
    assert shown(hand) == expected


def test_heads_up_the_blinds_alternate() -> None:
    played = hands(9, {2, 6}, Positions(2, 2, 6), [gone()] * 4)
    assert [hand.big_blind for hand in played] == [2, 6, 2, 6]
    assert all(hand.positions.button == hand.small_blind != hand.big_blind for hand in played)


def test_a_newcomer_between_two_players_waits_for_the_third_place() -> None:
    first, second = hands(9, {2, 6}, Positions(2, 2, 6), [Change(arrived=frozenset({4})), gone()])
    assert (first.sits_out, first.heads_up, shown(first)) == ((4,), True, (6, 6, 2))
    assert (second.sits_out, shown(second)) == ((), (6, 2, 4))


def test_a_newcomer_waits_hand_after_hand_while_between() -> None:
    arrive = Change(busted=frozenset({2}), arrived=frozenset({1}))
    played = hands(4, {2, 3, 4}, Positions(3, 4, 2), [arrive, gone(), gone()])
    assert [hand.sits_out for hand in played] == [(1,), (1,), ()]
    assert [shown(hand) for hand in played] == [(4, 4, 3), (3, 3, 4), (3, 4, 1)]


def test_forward_lets_a_newcomer_behind_the_dead_button_play() -> None:
    arrive = [Change(busted=frozenset({1}), arrived=frozenset({2}))]
    last = Positions(9, 1, 4)
    (house,) = hands(9, {1, 4, 5, 6}, last, arrive)
    (forward,) = hands(9, {1, 4, 5, 6}, last, arrive, dead_button=DeadButton.FORWARD_2026)
    assert (house.positions.button, house.sits_out) == (1, (2,))
    assert (forward.positions.button, forward.button_dead, forward.sits_out) == (3, True, ())


def test_forward_has_no_effect_with_two_players() -> None:
    (hand,) = hands(9, {2, 5, 8}, Positions(2, 5, 8), [gone(5)], dead_button=DeadButton.FORWARD_2026)
    assert shown(hand) == (8, 8, 2)


def test_the_button_is_set_on_a_player() -> None:
    assert shown(first_hand(9, {2, 4, 7}, 4)) == (4, 7, 2)
    assert shown(first_hand(9, {2, 7}, 7)) == (7, 7, 2)
    with pytest.raises(SeatingError, match="Nobody sits in seat 3"):
        first_hand(9, {2, 4, 7}, 3)


@pytest.mark.parametrize(
    ("occupied", "message"), [({4}, "at least two"), (set(), "at least two"), ({4, 10}, "seats 1 to 9")]
)
def test_hands_that_cannot_be_played_are_refused(occupied: set[int], message: str) -> None:
    with pytest.raises(SeatingError, match=message):
        next_hand(9, occupied, Positions(1, 2, 3))


@pytest.mark.parametrize(
    ("occupied", "newcomers", "last", "rules"),
    [
        ({1, 2, 3, 4, 5}, (), Positions(1, 2, 3), ["rule 22", "rule 22", "has the button"]),
        ({1, 2, 4, 5}, (), Positions(1, 2, 3), ["rule 22", "rule 19", "has the button"]),
        ({1, 3, 4, 5}, (), Positions(1, 2, 3), ["rule 22", "rule 22", "rules 19 and 20"]),
        ({1, 4, 5}, (), Positions(1, 2, 3), ["rule 22", "rule 21", "rule 21"]),
        ({1, 4}, (), Positions(1, 2, 3), ["T24-34B", "rule 18"]),
        ({1, 2, 4, 5, 6}, {4}, Positions(1, 2, 5), ["rule 22", "rule 22", "has the button", "rule 47"]),
    ],
)
def test_every_line_names_its_rule(occupied: set[int], newcomers: set[int], last: Positions, rules: list[str]) -> None:
    lines = reasons(next_hand(9, occupied, last, newcomers), last)
    assert len(lines) == len(rules)
    assert all(rule in line for rule, line in zip(rules, lines, strict=True))


def test_forward_names_its_source() -> None:
    last = Positions(9, 1, 4)
    hand = next_hand(9, {4, 5, 6}, last, dead_button=DeadButton.FORWARD_2026)
    assert "T26-36B" in reasons(hand, last)[-1]


def test_the_walk_shows_three_hands_each_reasoned_from_the_one_before() -> None:
    walked = walk(9, {1, 2, 4, 5, 6, 7}, Positions(1, 2, 3))
    assert [shown(hand) for hand, _ in walked] == [(2, None, 4), (3, 4, 5), (4, 5, 6)]
    assert ["rule 19)" in " ".join(lines) for _, lines in walked] == [True, False, False]
    assert "seat 4" in walked[1][1][0]


class Play(NamedTuple):
    seats: int
    occupied: set[int]
    last: Positions
    changes: list[Change]
    dead_button: DeadButton


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A table that began with the button on a player, and some hands of busts and arrivals."""
    seats = draw(st.integers(2, 10))
    all_seats = st.sets(st.integers(1, seats))
    occupied = draw(st.sets(st.integers(1, seats), min_size=2))
    button = draw(st.sampled_from(sorted(occupied)))
    players = set(occupied)
    changes = []
    for _ in range(draw(st.integers(1, 8))):
        busted = draw(all_seats) & players
        while len(players - busted) < 2:
            busted.pop()
        arrived = draw(all_seats) - (players - busted)
        players = (players - busted) | arrived
        changes.append(Change(frozenset(busted), frozenset(arrived)))
    option = draw(st.sampled_from(DeadButton))
    return Play(seats, occupied, first_hand(seats, occupied, button).positions, changes, option)


def played(play: Play) -> list[tuple[Hand, Positions, set[int]]]:
    """Return each hand with the positions before it and who sat at the table."""
    coming = hands(play.seats, play.occupied, play.last, play.changes, dead_button=play.dead_button)
    players, last, result = set(play.occupied), play.last, []
    for hand, change in zip(coming, play.changes, strict=True):
        players = (players - change.busted) | change.arrived
        result.append((hand, last, set(players)))
        last = hand.positions
    return result


@given(plays())
def test_the_big_blind_goes_on_to_the_next_player_and_passes_nobody_over(play: Play) -> None:
    for hand, last, players in played(play):
        assert set(hand.dealt_in) | set(hand.sits_out) == players
        assert hand.big_blind in hand.dealt_in
        skipped = set(between(play.seats, last.big_blind, hand.big_blind)) & set(hand.dealt_in)
        assert not skipped
        # One and the same player twice running: never.
        assert hand.big_blind != last.big_blind


@given(plays())
def test_nobody_posts_twice_and_only_newcomers_wait(play: Play) -> None:
    before = set(play.occupied)
    waited: set[int] = set()
    for (hand, _, players), change in zip(played(play), play.changes, strict=True):
        assert hand.small_blind != hand.big_blind
        assert len(hand.dealt_in) >= 2
        new = ((waited - change.busted) | change.arrived) & players
        assert set(hand.sits_out) <= new
        assert (before - waited - change.busted) - change.arrived <= set(hand.dealt_in)
        before, waited = players, set(hand.sits_out)


@given(plays())
def test_a_wait_lasts_one_hand_or_two_if_only_two_played_the_first(play: Play) -> None:
    waits: dict[int, int] = {}
    two_played = False
    for (hand, _, _), change in zip(played(play), play.changes, strict=True):
        fresh = change.busted | change.arrived
        waits = {seat: 1 + (waits.get(seat, 0) if seat not in fresh else 0) for seat in hand.sits_out}
        assert all(count <= 1 + two_played for count in waits.values())
        two_played = hand.heads_up


@given(plays())
def test_button_and_blinds_lie_clockwise(play: Play) -> None:
    waited: set[int] = set()
    for (hand, _, _), change in zip(played(play), play.changes, strict=True):
        button, small, big = hand.positions.button, hand.positions.small_blind, hand.positions.big_blind
        arcs = {*between(play.seats, button, small), *between(play.seats, small, big)}
        if hand.heads_up:
            assert button == small != big
        elif not (waited | change.arrived) & arcs & set(hand.dealt_in):
            # Newcomers who play between button and small blind, as else nobody would, are the one exception.
            order = [seat for seat in clockwise(play.seats, button) if seat in {button, small, big}]
            assert order == [small, big, button]
            assert not arcs & set(hand.dealt_in)
        waited = set(hand.sits_out)


@given(plays())
def test_without_arrivals_every_player_posts_small_blind_after_big(play: Play) -> None:
    quiet = [Change(change.busted & play.occupied) for change in play.changes]
    alive = set(play.occupied)
    kept = []
    for change in quiet:
        if len(alive - change.busted) < 3:
            break
        alive -= change.busted
        kept.append(change)
    last = play.last
    for hand in hands(play.seats, play.occupied, last, kept, dead_button=play.dead_button):
        # Rule 22: whoever had the big blind and is still in has the small blind next.
        if last.big_blind in hand.dealt_in:
            assert hand.small_blind == last.big_blind
        last = hand.positions
