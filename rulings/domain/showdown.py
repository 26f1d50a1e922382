"""Who shows first at the showdown.

House rule 41; without a bet on the last street TDA 2024, rule 17, and as an option rule 16. Seats count
from 1 clockwise.
"""

from collections.abc import Collection
from dataclasses import dataclass

from rulings.domain.words import listed


@dataclass(frozen=True)
class ShowdownPolicy:
    """`all_in_face_up`: once somebody is all-in all hands are tabled together (TDA 2024, rule 16)."""

    all_in_face_up: bool = False


@dataclass(frozen=True)
class Showdown:
    """The seats in the order they show; `all_tabled` means all of them at once."""

    order: tuple[int, ...]
    all_tabled: bool
    rules: tuple[str, ...]
    why: str


def show_order(
    *,
    seats: int,
    button: int,
    live: Collection[int],
    last_aggressor: int | None,
    last_caller: int | None = None,
    all_in: bool = False,
    policy: ShowdownPolicy = ShowdownPolicy(),
) -> Showdown:
    """Return the order in which the `live` seats show.

    `last_aggressor` made the last bet or raise of the last street (None: nobody bet there), `last_caller`
    called it last, `all_in` says that somebody is all-in. The aggressor shows first, which without an
    all-in is the same as left of the last caller; with one the order starts left of the last caller, as
    house rule 41 is written. Raises ValueError if no hand is live or a seat does not exist.
    """
    named = {button, *live} | {seat for seat in (last_aggressor, last_caller) if seat is not None}
    if not live or not all(1 <= seat <= seats for seat in named):
        raise ValueError("at least one hand is live, and every seat is one of the table")

    def clockwise_from(first: int) -> tuple[int, ...]:
        return tuple(sorted(live, key=lambda seat: (seat - first) % seats))

    if all_in and policy.all_in_face_up:
        why = "Somebody is all-in: all hands are tabled together."
        return Showdown(clockwise_from(button + 1), True, ("10", "41"), why)
    if last_aggressor is None:
        start = button + 1
        reason = "Nobody bet on the last street: the first live hand left of the button shows first"
    elif all_in and last_caller is not None:
        start = last_caller + 1
        reason = f"Somebody is all-in: showing starts left of the last caller, seat {last_caller}"
    else:
        start = last_aggressor
        reason = f"Seat {last_aggressor} made the last bet or raise: showing starts there"
    order = clockwise_from(start)
    rules = ("10", "41") if all_in else ("41",)
    return Showdown(order, False, rules, f"{reason}. The order is {listed(order)}.")
