from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import State

from rulings.domain.pots import make_pots
from tests.rulings.domain.pokerkit_hands import PlayedHand, play, start

PLAYERS = "ABCDEFGH"


def as_list(hand: PlayedHand) -> list[tuple[int, tuple[int, ...]]]:
    return [(pot.amount, pot.eligible) for pot in make_pots(hand.contributions, folded=hand.folded).pots]


def call(state: State) -> None:
    state.check_or_call()


def raise_and_fold(state: State) -> None:
    if state.actor_index == 2:
        state.complete_bet_or_raise_to(300)
    else:
        state.fold()


@dataclass(frozen=True)
class Difference:
    """A hand of which pokerkit makes other pots than the house rules, and why ours stand."""

    name: str
    why: str
    hand: PlayedHand
    pokerkit: list[tuple[int, tuple[int, ...]]]
    ours: list[tuple[int, tuple[int, ...]]]


DIFFERENCES = [
    Difference(
        "folded out",
        "pokerkit gives the last player left all of their last bet back. The house returns only the part "
        "nobody reached (32), so the rest of it lies in the pot; it is theirs alike.",
        play(start([1000, 1000, 1000]), raise_and_fold),
        pokerkit=[(150, (2,))],
        ours=[(250, (2,))],
    ),
    Difference(
        "antes apart",
        "pokerkit can keep antes out of the layers, whole in the first pot. In the house an individual ante "
        "is a contribution: who is all-in for a part of it wins only that much from each (15).",
        play(start([60, 1000, 1000], antes=100, antes_apart=True), call),
        pokerkit=[(260, (0, 1, 2)), (200, (1, 2))],
        ours=[(180, (0, 1, 2)), (280, (1, 2))],
    ),
]


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.name)
def test_pokerkit_differs_only_as_named(difference: Difference) -> None:
    assert difference.hand.pots == difference.pokerkit
    assert as_list(difference.hand) == difference.ours


@given(
    stacks=st.lists(st.integers(1, 3000), min_size=2, max_size=9),
    ante=st.sampled_from([0, 10, 100]),
    data=st.data(),
)
@settings(deadline=None, max_examples=200)
def test_pots_are_those_of_pokerkit(stacks: list[int], ante: int, data: st.DataObject) -> None:
    def act(state: State) -> None:
        choices = ["call", "raise", "all_in"] + ["fold"] * state.can_fold()
        choice = data.draw(st.sampled_from(choices))
        if choice == "fold":
            state.fold()
        elif choice == "call" or not state.can_complete_bet_or_raise_to():
            state.check_or_call()
        else:
            most = state.max_completion_betting_or_raising_to_amount
            least = most if choice == "all_in" else state.min_completion_betting_or_raising_to_amount
            state.complete_bet_or_raise_to(data.draw(st.integers(least, most)))

    hand = play(start(stacks, antes=ante), act)
    if hand.folded_out:
        made = make_pots(hand.contributions, folded=hand.folded)
        winner = (set(hand.contributions) - set(hand.folded)).pop()
        assert {player for pot in made.pots for player in pot.eligible} | set(made.returned) == {winner}
    else:
        assert as_list(hand) == hand.pots


@given(stacks=st.lists(st.integers(200, 3000), min_size=3, max_size=9))
@settings(deadline=None, max_examples=50)
def test_a_big_blind_ante_is_dead_money_as_in_pokerkit(stacks: list[int]) -> None:
    def act(state: State) -> None:
        if state.can_complete_bet_or_raise_to():
            state.complete_bet_or_raise_to(state.max_completion_betting_or_raising_to_amount)
        else:
            state.check_or_call()

    hand = play(start(stacks, antes={1: 100}, antes_apart=True), act)
    contributions = {**hand.contributions, 1: hand.contributions[1] - 100}
    ours = make_pots(contributions, folded=hand.folded, dead=100)
    assert [(pot.amount, pot.eligible) for pot in ours.pots] == hand.pots


@given(
    contributions=st.dictionaries(st.sampled_from(PLAYERS), st.integers(0, 500)),
    folded=st.permutations(PLAYERS).flatmap(lambda order: st.integers(0, 8).map(lambda count: order[:count])),
    killed=st.sets(st.sampled_from(PLAYERS)),
    forfeited=st.sets(st.sampled_from(PLAYERS), max_size=2),
    dead=st.integers(0, 300),
)
def test_no_chip_is_lost_and_every_pot_has_a_home(contributions, folded, killed, forfeited, dead) -> None:
    made = make_pots(contributions, folded=folded, killed=killed, dead=dead, forfeited=forfeited)
    out = {*folded, *killed, *forfeited}

    assert sum(pot.amount for pot in made.pots) + sum(made.returned.values()) == sum(contributions.values()) + dead
    assert all(pot.amount > 0 for pot in made.pots)
    assert all(amount > 0 for amount in made.returned.values())
    assert not forfeited & set(made.returned)
    assert not out & {player for pot in made.pots for player in pot.eligible}
    # Each pot is for fewer players than the one below it, and only the last can be for nobody.
    sizes = [len(pot.eligible) for pot in made.pots]
    assert sizes == sorted(set(sizes), reverse=True)


@given(contributions=st.dictionaries(st.sampled_from(PLAYERS), st.integers(1, 500), min_size=2))
def test_nobody_wins_more_than_their_stake_from_each_player(contributions: dict[str, int]) -> None:
    made = make_pots(contributions)
    for player, stake in contributions.items():
        within_reach = sum(pot.amount for pot in made.pots if player in pot.eligible)
        own = stake - made.returned.get(player, 0)
        assert within_reach == sum(min(own, amount) for amount in contributions.values())


def test_the_uncalled_raise_of_a_killed_hand_goes_back() -> None:
    made = make_pots({"A": 1000, "B": 600, "C": 600}, killed=["A"])
    assert made.returned == {"A": 400}
    assert {"32", "35b"} <= set(made.rules)
    assert made.why.startswith("400 that nobody called goes back to A.")


def test_the_last_of_its_contributors_to_fold_takes_a_pot_without_a_hand() -> None:
    stakes = {"A": 900, "B": 300, "C": 900, "D": 900, "E": 700}
    made = make_pots(stakes, folded=["D", "E", "B"], killed=["A", "C"])
    assert [(pot.amount, pot.eligible, pot.falls_to) for pot in made.pots] == [(3700, (), "B")]

    made = make_pots(stakes, folded=["D", "E"], killed=["A", "C"])
    assert [(pot.amount, pot.eligible, pot.falls_to) for pot in made.pots] == [
        (1500, ("B",), None),
        (2200, (), "E"),
    ]
    assert "S21" in made.rules


def test_without_a_fold_a_pot_without_a_hand_is_for_the_floor() -> None:
    made = make_pots({"A": 1000, "B": 300, "C": 1000}, killed=["A", "C"])
    assert made.pots[-1].falls_to is None
    assert "the floor decides" in made.pots[-1].why


def test_the_ante_of_an_uncalled_big_blind_is_theirs_to_win() -> None:
    made = make_pots({"BB": 1000, "BTN": 0}, folded=["BTN"], dead=1000)
    assert made.returned == {"BB": 1000}
    assert [(pot.amount, pot.eligible) for pot in made.pots] == [(1000, ("BB",))]


def test_nothing_goes_back_to_an_absent_player() -> None:
    made = make_pots({"BTN": 120, "SB": 150, "BB": 200}, forfeited=["BB"])
    assert made.returned == {}
    assert [pot.amount for pot in made.pots] == [360, 110]


def test_negative_chips_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        make_pots({"A": -1})
    with pytest.raises(ValueError, match="negative"):
        make_pots({"A": 1}, dead=-1)
