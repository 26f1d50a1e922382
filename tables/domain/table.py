"""What the seating rules look at: a table's chairs, who sits in them, and where the last hand's blinds lay.

Seats are numbered from 1 clockwise; left of a seat is the next higher number, from the last seat back to 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

LEAST_SEATS, MOST_SEATS = 2, 12


class SeatingError(ValueError):
    """A seating that cannot be; the message is in plain words, for the page."""


@dataclass(frozen=True, slots=True)
class Positions:
    """The seats of one hand's button, small blind and big blind, also where nobody sat or posted.

    With two players the button is the small blind (rule 18).
    """

    button: int
    small_blind: int
    big_blind: int


@dataclass(frozen=True, slots=True)
class Table:
    """One table between two hands.

    number: as called in the hall; seats: how many chairs; occupied: the chairs of players still in;
    last: positions of the last hand, None if nobody has told the button yet; first: the coming hand is the first one,
    and `last` are positions that lead to it (`dealing.before_first`); locked: chairs not to be used.
    """

    number: int
    seats: int
    occupied: frozenset[int]
    last: Positions | None = None
    locked: frozenset[int] = field(default=frozenset())
    first: bool = False

    def __post_init__(self) -> None:
        positions = () if self.last is None else (self.last.button, self.last.small_blind, self.last.big_blind)
        if any(not 1 <= seat <= self.seats for seat in (*self.occupied, *positions)):
            raise SeatingError(f"Table {self.number} has only the seats 1 to {self.seats}.")

    @property
    def open(self) -> tuple[int, ...]:
        """The empty chairs that may be used, in seat order."""
        return tuple(seat for seat in range(1, self.seats + 1) if seat not in self.occupied and seat not in self.locked)


def clockwise(seats: int, after: int) -> Iterator[int]:
    """Yield every seat once, from the one left of `after` round to `after` itself."""
    for step in range(1, seats + 1):
        yield (after - 1 + step) % seats + 1


def between(seats: int, first: int, second: int) -> tuple[int, ...]:
    """Return the seats strictly between two seats, clockwise from `first`; none if they are the same seat."""
    if first == second:
        return ()
    arc = []
    for seat in clockwise(seats, first):
        if seat == second:
            break
        arc.append(seat)
    return tuple(arc)
