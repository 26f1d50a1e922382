"""What each open seat means for a newcomer in the next hand (rules 46 to 48)."""

from dataclasses import dataclass
from enum import StrEnum

from tables.domain.button import DeadButton
from tables.domain.draw import DrawTable
from tables.domain.table import Positions, Table, between, clockwise


class Role(StrEnum):
    """What a newcomer in a seat would be in the next hand."""

    BIG_BLIND = "big_blind"
    SMALL_BLIND = "small_blind"
    BUTTON = "button"
    BETWEEN = "between"  # waits until the button has passed (rule 47)
    ORDINARY = "ordinary"


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """One open seat: the newcomer's role, and after how many hands the big blind comes there (0: at once)."""

    seat: int
    role: Role
    hands_to_big_blind: int

    @property
    def sits_out(self) -> bool:
        return self.role is Role.BETWEEN

    @property
    def rank(self) -> tuple[int, int]:
        """Return the place in the order of preference for a balancing move; equal ranks are equally good."""
        return {Role.SMALL_BLIND: 1, Role.BETWEEN: 2}.get(self.role, 0), self.hands_to_big_blind


def open_seats(table: Table, last: Positions, dead_button: DeadButton = DeadButton.HOUSE) -> tuple[OpenSeat, ...]:
    """Return the open seats for one newcomer, most preferred for a balancing move first (rule 48, T24-11A).

    The worst seats are preferred: those by how soon the big blind reaches them, the next button's among
    them; then the next small blind's, which is never the worst; then those between the next button and small
    blind, where the newcomer would wait (rule 47). Neighbouring empty seats go clockwise from the last big
    blind. Before a table's first hand nobody waits: the blinds are the next two players after its button.
    """
    if table.first:
        return _before_first(table, last.button)
    waiting = waiting_seats(table, last, dead_button)
    seats = []
    players_passed = 0
    for seat in clockwise(table.seats, last.big_blind):
        if seat in table.occupied:
            players_passed += 1
        elif seat not in table.locked:
            seats.append(OpenSeat(seat, _role(seat, last, waiting, players_passed), players_passed))
    return tuple(sorted(seats, key=lambda open_seat: open_seat.rank))


def waiting_seats(table: Table, last: Positions, dead_button: DeadButton = DeadButton.HOUSE) -> tuple[int, ...]:
    """Return the seats, open or not, in which one newcomer would wait in the next hand (rule 47)."""
    if table.first:
        return ()
    arc = between(table.seats, last.small_blind, last.big_blind)
    if (
        arc
        and dead_button is DeadButton.FORWARD_2026
        and last.small_blind not in table.occupied
        and arc[-1] not in table.occupied
    ):
        # The button goes on to the last seat of the arc unless the newcomer takes that very seat.
        return arc[-1:]
    return arc


def _before_first(table: Table, button: int) -> tuple[OpenSeat, ...]:
    players = len(table.occupied)
    seats = []
    passed = 0
    for seat in clockwise(table.seats, button):
        if seat in table.occupied:
            passed += 1
        elif seat not in table.locked:
            seats.append(_first_role(seat, passed, players))
    return tuple(sorted(seats, key=lambda open_seat: open_seat.rank))


def _first_role(seat: int, passed: int, players: int) -> OpenSeat:
    """The role of a newcomer with `passed` players between the first button and them; with two dealt in the button has
    the small blind (rule 18)."""
    if passed == 0 and players > 1:
        return OpenSeat(seat, Role.SMALL_BLIND, players)
    hands = max(0, passed - 1)
    return OpenSeat(seat, Role.ORDINARY if hands else Role.BIG_BLIND, hands)


def _role(seat: int, last: Positions, waiting: tuple[int, ...], players_passed: int) -> Role:
    if seat in waiting:
        return Role.BETWEEN
    if seat == last.big_blind:
        return Role.SMALL_BLIND
    if not players_passed:
        return Role.BIG_BLIND
    return Role.BUTTON if seat == last.small_blind else Role.ORDINARY


def pool_table(table: Table, dead_button: DeadButton = DeadButton.HOUSE) -> DrawTable:
    """Return the table as part of a draw.

    Seats where a newcomer would wait are its last resort (rule 47, T24-8A); while the button is unknown every
    open seat is an ordinary one.
    """
    waiting = waiting_seats(table, table.last, dead_button) if table.last else ()
    return DrawTable(
        table.number,
        chairs=tuple(seat for seat in table.open if seat not in waiting),
        last_resort=tuple(seat for seat in table.open if seat in waiting),
        players=len(table.occupied),
    )
