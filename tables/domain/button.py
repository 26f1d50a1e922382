"""The dead button: where the button and the blinds lie in the next hand (rules 16, 18 to 22, 46, 47).

The next hand follows from the three positions of the last one and from who sits at the table. The
positions are kept as seats even where nobody sits, so that a dead button or a small blind that nobody
posts is no special case.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tables.domain.table import Positions, SeatingError, between, clockwise


class DeadButton(StrEnum):
    """The option `dead_button` of the series.

    HOUSE: the button stops where the small blind was, empty or not (rules 19 to 21). FORWARD_2026: a dead
    button goes on to the last empty seat before the small blind, so that newcomers can play (T26-36B).
    """

    HOUSE = "house"
    FORWARD_2026 = "forward_2026"


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand's positions and who posts.

    positions: kept for the next hand, also where nobody sits; button_dead: nobody is dealt in at the button;
    small_blind: the seat that posts it, None if nobody does; sits_out: newcomers who wait, in seat order.
    """

    positions: Positions
    button_dead: bool
    small_blind: int | None
    big_blind: int
    sits_out: tuple[int, ...]
    dealt_in: tuple[int, ...]

    @property
    def heads_up(self) -> bool:
        return len(self.dealt_in) == 2


@dataclass(frozen=True, slots=True)
class Change:
    """Who left (`busted`) and who sat down (`arrived`) before a hand, as seats; a seat may be in both."""

    busted: frozenset[int] = frozenset()
    arrived: frozenset[int] = frozenset()


def first_hand(seats: int, occupied: Collection[int], button: int) -> Hand:
    """Return the hand with the button set on a player; the blinds are left of it (rules 16, 18).

    Raises SeatingError if nobody sits there or nobody else is at the table.
    """
    players = _players(seats, occupied)
    if button not in players:
        raise SeatingError(f"Nobody sits in seat {button}: set the button on a player.")
    left = [seat for seat in clockwise(seats, button) if seat in players]
    small, big = (left[0], left[1]) if len(players) > 2 else (button, left[0])
    return Hand(Positions(button, small, big), False, small, big, (), tuple(sorted(players)))


def next_hand(
    seats: int,
    occupied: Collection[int],
    last: Positions,
    newcomers: Collection[int] = (),
    dead_button: DeadButton = DeadButton.HOUSE,
) -> Hand:
    """Return the next hand at a table with `seats` chairs.

    occupied: everybody at the table now, newcomers included; newcomers: those not yet dealt in since they
    sat down. Three or more dealt in: the big blind goes to the next of them left of the last one, the
    small blind's position is where the big blind was, the button where the small blind was (rules 19 to
    22). Two: the big blind goes on likewise, so that nobody has it twice running, the other player has
    button and small blind (rule 18, T24-34B). A newcomer between button and small blind waits (rule 47)
    unless then fewer than two would play. Raises SeatingError with fewer than two players.
    """
    players = _players(seats, occupied)
    button, small = last.small_blind, last.big_blind
    before_small = (small - 2) % seats + 1
    if dead_button is DeadButton.FORWARD_2026 and button not in players and before_small not in players:
        button = before_small
    sits_out = players & set(newcomers) & set(between(seats, button, small))
    if len(players) - len(sits_out) < 2:
        sits_out = set()
    dealt_in = players - sits_out
    big = next(seat for seat in clockwise(seats, last.big_blind) if seat in dealt_in)
    if len(dealt_in) == 2:
        (button,) = dealt_in - {big}
        small = button
    return Hand(
        positions=Positions(button, small, big),
        button_dead=button not in dealt_in,
        small_blind=small if small in dealt_in else None,
        big_blind=big,
        sits_out=tuple(sorted(sits_out)),
        dealt_in=tuple(sorted(dealt_in)),
    )


def hands(
    seats: int,
    occupied: Iterable[int],
    last: Positions,
    changes: Sequence[Change],
    newcomers: Collection[int] = (),
    dead_button: DeadButton = DeadButton.HOUSE,
) -> tuple[Hand, ...]:
    """Return the coming hands, one for each change.

    occupied: who sat at the table in the last hand, busted ones included; newcomers: who of them waited.
    """
    players, waiting = set(occupied), set(newcomers)
    played: list[Hand] = []
    for change in changes:
        players = (players - change.busted) | change.arrived
        waiting = (waiting - change.busted) | change.arrived
        hand = next_hand(seats, players, last, waiting, dead_button)
        last, waiting = hand.positions, set(hand.sits_out)
        played.append(hand)
    return tuple(played)


def walk(
    seats: int,
    occupied: Collection[int],
    last: Positions,
    newcomers: Collection[int] = (),
    dead_button: DeadButton = DeadButton.HOUSE,
    count: int = 3,
) -> tuple[tuple[Hand, tuple[str, ...]], ...]:
    """Return the coming `count` hands if nobody leaves or comes, each with its reasons."""
    coming = hands(seats, occupied, last, [Change()] * count, newcomers, dead_button)
    befores = (last, *(hand.positions for hand in coming))
    return tuple((hand, reasons(hand, before)) for hand, before in zip(coming, befores, strict=False))


def reasons(hand: Hand, last: Positions) -> tuple[str, ...]:
    """Return, in plain words and with the rule, why the hand after `last` has the positions it has."""
    button, small = hand.positions.button, hand.positions.small_blind
    if hand.heads_up:
        lines = [
            f"Seat {hand.big_blind} posts the big blind, as nobody has it twice running (rule 18, T24-34B).",
            f"Seat {button} has the button and posts the small blind: two players are left (rule 18).",
        ]
    else:
        lines = [
            f"Seat {hand.big_blind} posts the big blind: the next player after seat {last.big_blind},"
            " where it was last (rule 22).",
            _small_blind_reason(hand, small),
            _button_reason(hand, last),
        ]
    waits = "between the button and the small blind and waits until the button has passed (rule 47)"
    return (*lines, *(f"The newcomer in seat {seat} sits {waits}." for seat in hand.sits_out))


def _small_blind_reason(hand: Hand, seat: int) -> str:
    if hand.small_blind is not None:
        return f"Seat {seat} posts the small blind: the big blind was there last (rule 22)."
    rule = "21" if hand.button_dead else "19"
    return f"Nobody posts the small blind: seat {seat}, where the big blind was, is empty (rule {rule})."


def _button_reason(hand: Hand, last: Positions) -> str:
    button = hand.positions.button
    if not hand.button_dead:
        return f"Seat {button} has the button: the small blind was there last."
    if button != last.small_blind:
        return f"The dead button goes on to seat {button}, the last empty one before the small blind (T26-36B)."
    rules = "rules 19 and 20" if hand.small_blind is not None else "rule 21"
    return f"The dead button lies at seat {button}, empty now, where the small blind was ({rules})."


def _players(seats: int, occupied: Collection[int]) -> set[int]:
    players = set(occupied)
    if len(players) < 2:
        raise SeatingError("A hand needs at least two players at the table.")
    if not players <= set(range(1, seats + 1)):
        raise SeatingError(f"The table has only the seats 1 to {seats}.")
    return players
