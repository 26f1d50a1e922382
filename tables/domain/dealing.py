"""The coming hand at a table as it stands: the first one, newcomers, players on the way (rules 16 to 22, 46 to 48)."""

from collections.abc import Collection
from dataclasses import dataclass, field

from tables.domain.button import Change, DeadButton, Hand, first_hand, hands, next_hand, reasons
from tables.domain.table import Positions, clockwise


@dataclass(frozen=True, slots=True)
class Dealing:
    """A table between two hands.

    sitting: the seats of players who are there; told: the positions of the last hand, or with `first` those of the
    first hand, which is still to come; newcomers: who of those sitting was not dealt in in the last hand; on_the_way:
    seats whose players were sent here and have not arrived.
    """

    seats: int
    sitting: frozenset[int]
    told: Positions
    first: bool = False
    newcomers: frozenset[int] = field(default=frozenset())
    on_the_way: frozenset[int] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class Coming:
    """One coming hand and why it is so. waits_for: seats that post a blind in it and whose players are on the way: the
    hand waits for them, as play may be halted for a move (rule 48).
    """

    hand: Hand
    reasons: tuple[str, ...]
    waits_for: tuple[int, ...] = ()


def coming_hand(table: Dealing, dead_button: DeadButton = DeadButton.HOUSE) -> Coming:
    """Return the next hand to be dealt.

    Players on the way are dealt in only if they post a blind, for then it waits for them. Raises SeatingError for fewer
    than two players, or if the player who was to have the first button has gone.
    """
    hand = _hand(table, table.sitting | table.on_the_way, dead_button)
    waits_for = tuple(sorted(seat for seat in table.on_the_way if seat in (hand.small_blind, hand.big_blind)))
    if not waits_for and len(table.sitting) > 1:
        hand = _hand(table, table.sitting, dead_button)
    return Coming(hand, first_reasons(hand) if table.first else reasons(hand, table.told), waits_for)


def coming_hands(table: Dealing, dead_button: DeadButton = DeadButton.HOUSE, count: int = 3) -> tuple[Coming, ...]:
    """Return the next `count` hands if nobody else leaves or comes; who is on the way has arrived by the second one.

    Raises SeatingError as `coming_hand`.
    """
    first = coming_hand(table, dead_button)
    at_table = {*first.hand.dealt_in, *first.hand.sits_out}
    arrived = Change(arrived=(table.sitting | table.on_the_way) - at_table)
    changes = [arrived, *[Change()] * (count - 2)][: count - 1]
    later = hands(table.seats, at_table, first.hand.positions, changes, first.hand.sits_out, dead_button)
    befores = (first.hand.positions, *(hand.positions for hand in later))
    return first, *(Coming(hand, reasons(hand, before)) for hand, before in zip(later, befores, strict=False))


def after_button(seats: int, occupied: Collection[int], button: int) -> Positions:
    """Return the usual positions of a hand with the button at this seat, empty or not: the blinds are left of it."""
    if button in occupied and len(occupied) > 1:
        return first_hand(seats, occupied, button).positions
    left = [seat for seat in clockwise(seats, button) if seat in occupied and seat != button]
    return Positions(button, *(left[0], left[1])) if len(left) > 1 else Positions(button, button, button)


def before_first(seats: int, occupied: Collection[int], button: int) -> Positions | None:
    """Return positions from which `button.next_hand` leads to those of a first hand with its button there.

    The blinds are left of it, whoever sits there by now; None if the player who was to have the button has gone.
    """
    if button not in occupied:
        return None
    return Positions(button, button, after_button(seats, occupied, button).small_blind)


def first_reasons(hand: Hand) -> tuple[str, ...]:
    """Return, in plain words and with the rule, why the first hand has the positions it has."""
    button = hand.positions.button
    if hand.heads_up:
        return (
            f"Seat {button} has the first button and posts the small blind: two players are there (rule 18).",
            f"Seat {hand.big_blind} posts the big blind.",
        )
    return (
        f"Seat {button} has the first button.",
        f"Seat {hand.small_blind}, the next player after it, posts the small blind (rule 16).",
        f"Seat {hand.big_blind}, the next one, posts the big blind.",
    )


def _hand(table: Dealing, players: frozenset[int], dead_button: DeadButton) -> Hand:
    if table.first:
        return first_hand(table.seats, players, table.told.button)
    return next_hand(table.seats, players, table.told, table.newcomers | table.on_the_way, dead_button)
