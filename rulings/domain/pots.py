"""Main pot and side pots from what each player put in over the whole hand.

House rules 13 to 15, 17, 30, 32, 35b and 49. The house calls the all-in pot "side pot" and the continuing
one "main pot", the reverse of usual; here pots are numbered from 1, the one everybody shares first. All
amounts are chips.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, TypeVar

from rulings.domain.words import chips, listed

P = TypeVar("P", bound=Hashable)

NOBODY_ELIGIBLE = "S21"


@dataclass(frozen=True)
class Pot(Generic[P]):
    """One pot: its `amount`, and the players whose hands can win it in the order of the contributions.

    With nobody eligible, `falls_to` is the player who takes it by default (the last of its contributors to
    fold; None if nobody folded), for the floor to confirm.
    """

    amount: int
    eligible: tuple[P, ...]
    falls_to: P | None
    why: str


@dataclass(frozen=True)
class Pots(Generic[P]):
    """The pots of a hand, lowest first, and the chips that go back to a player because nobody called them."""

    pots: tuple[Pot[P], ...]
    returned: dict[P, int]
    rules: tuple[str, ...]
    why: str


def make_pots(
    contributions: Mapping[P, int],
    *,
    folded: Sequence[P] = (),
    killed: Collection[P] = (),
    dead: int = 0,
    forfeited: Collection[P] = (),
) -> Pots[P]:
    """Return the pots of a hand.

    `contributions` are whole-hand totals per player, individual antes included. `folded` is in the order of
    folding. `killed` hands lose every claim except the uncalled top (house rules 32, 35b). `dead` chips
    belong to nobody (a big blind ante, dodged blinds, 49) and lie in Pot 1. `forfeited` are players whose
    post is lost (30): nothing goes back to them, and what lies above the last layer joins it.

    Pots plus returned chips equal contributions plus dead chips. Raises ValueError for negative amounts.
    """
    if min(contributions.values(), default=0) < 0 or dead < 0:
        raise ValueError("amounts of chips cannot be negative")
    returned = _uncalled(contributions, forfeited)
    paid = {player: amount - returned.get(player, 0) for player, amount in contributions.items()}
    out = {*folded, *killed, *forfeited}
    claims = {player: paid[player] for player in paid if player not in out and contributions[player]}
    levels = sorted({amount for amount in claims.values() if amount})
    top = max(levels, default=0)
    above = {player: amount - top for player, amount in paid.items() if amount > top}
    lost = sum(amount for player, amount in above.items() if player in forfeited)
    rest = {player: amount for player, amount in above.items() if player not in forfeited}

    pots: list[Pot[P]] = []
    for below, level in pairwise([0, *levels]):
        amount = sum(min(chips_in, level) - min(chips_in, below) for chips_in in paid.values())
        eligible = tuple(player for player in claims if claims[player] >= level)
        pots.append(Pot(amount, eligible, None, _why_layer(below, level, eligible)))
    if claims and not levels:
        pots.append(Pot(0, tuple(claims), None, f"All that is left is for {listed(claims)}."))
    if rest or not pots:
        folds = (player for player in reversed(folded) if player in rest and player not in killed)
        falls_to = next(folds, None)
        pots.append(Pot(sum(rest.values()), (), falls_to, _why_unclaimed(falls_to)))
    if lost:
        last = max(len(levels) - 1, 0)
        pots[last] = _added(pots[last], lost, "that an absent player posted above it")
    if dead:
        pots[0] = _added(pots[0], dead, "dead chips")
    made = tuple(pot for pot in pots if pot.amount)
    return Pots(made, returned, _rules(made, returned, killed, forfeited), _why(made, returned))


def _uncalled(contributions: Mapping[P, int], forfeited: Collection[P]) -> dict[P, int]:
    """Return the part of the highest contribution that nobody else reached, by its player."""
    second, highest = sorted([0, 0, *contributions.values()])[-2:]
    if highest == second:
        return {}
    return {
        player: amount - second
        for player, amount in contributions.items()
        if amount == highest and player not in forfeited
    }


def _added(pot: Pot[P], amount: int, what: str) -> Pot[P]:
    return replace(pot, amount=pot.amount + amount, why=f"{pot.why} With {chips(amount)} {what}.")


def _why_layer(below: int, level: int, eligible: tuple[P, ...]) -> str:
    span = f"from {chips(below)} to {chips(level)}" if below else f"up to {chips(level)}"
    return f"What every player put in {span}, for {listed(eligible)}."


def _why_unclaimed(falls_to: object | None) -> str:
    if falls_to is None:
        return "No hand can win these chips: the floor decides."
    return f"No hand can win these chips: {falls_to} folded last and takes them once the floor confirms it."


def _rules(
    pots: tuple[Pot[P], ...],
    returned: Mapping[P, int],
    killed: Collection[P],
    forfeited: Collection[P],
) -> tuple[str, ...]:
    applied = {
        "13": True,
        "15": len(pots) > 1,
        "30": bool(forfeited),
        "32": any(player in killed for player in returned),
        "35b": bool(killed),
        NOBODY_ELIGIBLE: any(not pot.eligible for pot in pots),
    }
    return tuple(rule for rule, applies in applied.items() if applies)


def _why(pots: tuple[Pot[P], ...], returned: Mapping[P, int]) -> str:
    back = [f"{chips(amount)} that nobody called goes back to {player}." for player, amount in returned.items()]
    made = [f"Pot {number}: {chips(pot.amount)}. {pot.why}" for number, pot in enumerate(pots, start=1)]
    return " ".join([*back, *made])
