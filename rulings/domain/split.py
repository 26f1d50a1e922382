"""Dividing pots among tied hands, and who gets the odd chips.

House rules 11 and 12, as TDA 2024, rules 20 and 21. Amounts and the unit are chips, seats count from 1
clockwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rulings.domain.words import chips, listed


@dataclass(frozen=True)
class WonPot:
    """A pot of `amount` chips and the seats whose hands tie for it (one seat: it wins alone)."""

    amount: int
    winners: Sequence[int]


@dataclass(frozen=True)
class Share:
    """What one pot pays: chips by seat, and the seats that get an odd chip in the order they get it."""

    awards: dict[int, int]
    odd_chips: tuple[int, ...]
    why: str


@dataclass(frozen=True)
class Split:
    """What each seat gets over all pots, and pot by pot."""

    awards: dict[int, int]
    shares: tuple[Share, ...]
    rules: tuple[str, ...]
    why: str


def split_pots(pots: Sequence[WonPot], *, button: int, seats: int, unit: int) -> Split:
    """Return the chips each winner gets, every pot divided on its own (house rule 12).

    `button` is the button's position, also where the seat is empty; `unit` is the smallest chip in play.
    Chips that cannot be divided go one each to the winners, starting with the first one left of the button;
    the button itself comes last (11). Raises ValueError if a pot is no multiple of `unit`, has no winner or
    one twice, or a seat does not exist.
    """
    if unit <= 0 or not 1 <= button <= seats:
        raise ValueError("the smallest chip is at least 1 and the button stands at a seat of the table")
    shares = tuple(_share(pot, button=button, seats=seats, unit=unit) for pot in pots)
    awards: dict[int, int] = {}
    for share in shares:
        for seat, amount in share.awards.items():
            awards[seat] = awards.get(seat, 0) + amount
    why = " ".join(f"Pot {number}: {share.why}" for number, share in enumerate(shares, start=1))
    return Split(awards, shares, ("11", "12") if len(shares) > 1 else ("11",), why)


def _share(pot: WonPot, *, button: int, seats: int, unit: int) -> Share:
    winners = sorted(pot.winners, key=lambda seat: (seat - button - 1) % seats)
    if not winners or len(set(winners)) < len(winners):
        raise ValueError("a pot has at least one winner, each named once")
    if not all(1 <= seat <= seats for seat in winners):
        raise ValueError(f"a winner sits at none of the {seats} seats")
    if pot.amount < 0 or pot.amount % unit:
        raise ValueError(f"{chips(pot.amount)} cannot be paid in chips of {chips(unit)}")
    each, odd = divmod(pot.amount // unit, len(winners))
    awards = {seat: (each + (place < odd)) * unit for place, seat in enumerate(winners)}
    odd_chips = tuple(winners[:odd])
    if len(winners) == 1:
        why = f"seat {winners[0]} wins {chips(pot.amount)} alone."
    else:
        why = f"{chips(each * unit)} each for {_seats(sorted(winners))}"
        if odd:
            why += f", and one more chip of {chips(unit)} for {_seats(odd_chips)}, first left of the button"
        why += "."
    return Share(awards, odd_chips, why)


def _seats(seats: Sequence[int]) -> str:
    return f"{'seat' if len(seats) == 1 else 'seats'} {listed(seats)}"
