"""Hands played out in pokerkit, with what each player put in, to hold our pots against its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pokerkit import Automation, NoLimitTexasHoldem, State

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.HOLE_DEALING,
    Automation.BOARD_DEALING,
)


@dataclass(frozen=True)
class PlayedHand:
    """Contributions and, in order, folds by player index, and pokerkit's (amount, eligible players) pots."""

    contributions: dict[int, int]
    folded: tuple[int, ...]
    pots: list[tuple[int, tuple[int, ...]]]

    @property
    def folded_out(self) -> bool:
        return len(self.folded) == len(self.contributions) - 1


def start(stacks: Sequence[int], *, antes: int | dict[int, int] = 0, antes_apart: bool = False) -> State:
    """Return a no-limit hand at blinds of 50/100, no bet collected yet.

    pokerkit counts antes as contributions like any other, or keeps them `antes_apart` in the first pot.
    """
    return NoLimitTexasHoldem.create_state(
        AUTOMATIONS, not antes_apart, antes, (50, 100), 100, tuple(stacks), len(stacks)
    )


def play(state: State, act: Callable[[State], object]) -> PlayedHand:
    """Play `state` to its last bet; `act` makes the player whose turn it is act."""
    most_in = [0] * state.player_count
    folded: list[int] = []
    while True:
        now_in = [begin - now for begin, now in zip(state.starting_stacks, state.stacks, strict=True)]
        most_in = [max(both) for both in zip(most_in, now_in, strict=True)]
        if state.can_collect_bets():
            state.collect_bets()
        elif (actor := state.actor_index) is not None:
            act(state)
            if not state.statuses[actor]:
                folded.append(actor)
        else:
            pots = [(pot.amount, pot.player_indices) for pot in state.pots]
            return PlayedHand(dict(enumerate(most_in)), tuple(folded), pots)
