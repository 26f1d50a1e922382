"""What it costs to stay in, the smallest raise, and who may still raise on a street.

No limit and pot limit. All amounts are chips a player has in front on the street ("to" amounts), not
increments. House rules 5, 8 and 9; where they are silent TDA 2024, rules 43 and 47 (supplement S9 and S10).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rulings.domain.words import chips

RAISE_SIZE = "S9"
REOPENING = "S10"


class Street(StrEnum):
    """Before the flop the big blind is the first bet; on a later street there is none yet."""

    PREFLOP = "preflop"
    POSTFLOP = "postflop"


@dataclass(frozen=True)
class BettingRound:
    """The betting on one street so far, in chips.

    `to_match` is the price: what a player must have in front to stay in, 0 with no bet yet. `raise_size` is
    the largest full bet or raise so far, at first the big blind.
    """

    to_match: int
    raise_size: int

    @classmethod
    def begin(cls, *, big_blind: int, street: Street) -> "BettingRound":
        """Return the state before anyone acts. The nominal big blind counts, even if it was posted short."""
        if big_blind <= 0:
            raise ValueError("the big blind must be at least 1")
        return cls(to_match=big_blind if street == Street.PREFLOP else 0, raise_size=big_blind)

    @property
    def min_raise_to(self) -> int:
        """The smallest amount to raise to; with no bet yet, the smallest bet."""
        return self.to_match + self.raise_size

    def after(self, to: int) -> "BettingRound":
        """Return the state after a wager of `to` chips in front.

        A wager that is no full raise (a short all-in) moves the price and leaves the size of a raise alone.
        """
        step = to - self.to_match
        if step <= 0:
            return self
        return replace(self, to_match=to, raise_size=max(self.raise_size, step))


@dataclass(frozen=True)
class MinRaise:
    """The price (`to_match`) and the smallest raise (`min_raise_to`, or smallest bet), in chips in front."""

    to_match: int
    min_raise_to: int
    rules: tuple[str, ...]
    why: str


def min_raise(*, big_blind: int, street: Street, wagers: Iterable[int]) -> MinRaise:
    """Return the price and the smallest raise after `wagers`, each the chips its player then has in front.

    House rules 8 and 9, read with TDA 2024, rule 43: the size of a raise is the largest full bet or raise
    on the street; short all-ins are never added together to make one. Raises ValueError if the big blind is
    below 1.
    """
    opening = state = BettingRound.begin(big_blind=big_blind, street=street)
    for to in wagers:
        state = state.after(to)
    if state.to_match == 0:
        why = f"Nobody has bet: the smallest bet is the big blind, {chips(big_blind)}."
    elif state == opening:
        why = (
            f"The big blind of {chips(big_blind)} is the bet to match, "
            f"so the smallest raise is to {chips(state.min_raise_to)}."
        )
    else:
        why = (
            f"It takes {chips(state.to_match)} to stay in. The largest full bet or raise so far is "
            f"{chips(state.raise_size)}, so the smallest raise is to {chips(state.min_raise_to)}."
        )
    rules = ("8",) if state == opening else ("9", RAISE_SIZE)
    return MinRaise(state.to_match, state.min_raise_to, rules, why)


@dataclass(frozen=True)
class Action:
    """One action in turn: `player` then has `to` chips in front; a check repeats what was there."""

    player: str
    to: int


@dataclass(frozen=True)
class Reopening:
    """What the player who asks may do: chips still `to_call`; `min_raise_to` None means call or fold only."""

    to_call: int
    may_raise: bool
    min_raise_to: int | None
    rules: tuple[str, ...]
    why: str


def reopening(
    *,
    big_blind: int,
    street: Street,
    actions: Sequence[Action],
    asks: str,
    blinds: Mapping[str, int] | None = None,
) -> Reopening:
    """Return whether `asks` may raise, after `actions` in order without the folds.

    `blinds` are the chips posted by player; posting is not acting. Stacks are not looked at. TDA 2024, rule
    47, as the house rules are silent: a player who has acted may raise again only when facing a full raise,
    which several short all-ins may make together. House rule 5: a check, too, keeps that right.
    """
    state = BettingRound.begin(big_blind=big_blind, street=street)
    in_front = dict(blinds or {})
    for action in actions:
        state = state.after(action.to)
        in_front[action.player] = action.to
    to_call = state.to_match - in_front.get(asks, 0)
    if all(action.player != asks for action in actions):
        may_raise = True
        why = f"{asks} has not acted on this street and may raise to {chips(state.min_raise_to)} or more."
        rules: tuple[str, ...] = ("9", REOPENING)
    elif to_call >= state.raise_size:
        may_raise = True
        why = (
            f"{asks} has acted and now faces {chips(to_call)}, at least a full raise of "
            f"{chips(state.raise_size)}: a raise to {chips(state.min_raise_to)} or more is allowed."
        )
        rules = ("5", "9", REOPENING)
    elif to_call == 0:
        may_raise = False
        why = f"{asks} has acted and faces no further bet: there is nothing left to do."
        rules = (REOPENING,)
    else:
        may_raise = False
        why = (
            f"{asks} has acted and now faces {chips(to_call)}, less than a full raise of "
            f"{chips(state.raise_size)}: only a call or a fold."
        )
        rules = (REOPENING,)
    return Reopening(to_call, may_raise, state.min_raise_to if may_raise else None, rules, why)
