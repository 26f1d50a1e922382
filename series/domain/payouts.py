"""Prize tables: how a pool is divided among the paid places, to the cent.

Places are listed best first. Money is integer cents. Every function returns amounts that add up to the pool
exactly and never rise from one place to the next.
"""

from collections.abc import Sequence
from itertools import pairwise

ALL_BASIS_POINTS = 10_000
ALL_PARTS = 1_000_000_000
PAID_PERCENT = 12

# (most entries, shares in basis points): the published table for buy-ins over $5.
DEFAULT_TABLE: tuple[tuple[int, tuple[int, ...]], ...] = (
    (8, (10_000,)),
    (27, (5_000, 3_000, 2_000)),
    (45, (4_000, 2_400, 1_600, 1_200, 800)),
    (100, (3_000, 2_000, 1_200, 1_000, 800, 650, 550, 450, 350)),
)

EXPLANATIONS = {
    "no_table": "There is no ready-made table for this number of entries; use the table by field size.",
    "no_shares": "Name at least one paid place.",
    "shares_not_100": "The shares of all places must add up to exactly 100 %.",
    "increasing_shares": "A place may not be paid more than the place above it.",
    "more_places_than_entries": "There are more paid places than entries.",
    "negative_share": "A share cannot be less than nothing.",
    "pool_under_minimum": "The pool is too small to pay every place the minimum prize.",
}


class PayoutError(ValueError):
    """A prize table that cannot be paid. `code` is a key of EXPLANATIONS; the text is its explanation."""

    def __init__(self, code: str) -> None:
        super().__init__(EXPLANATIONS[code])
        self.code = code


def default_shares(entries: int) -> tuple[int, ...]:
    """The published table for a field of `entries`, in basis points. Raises PayoutError `no_table` outside
    1 to 100.
    """
    for most, shares in DEFAULT_TABLE:
        if 1 <= entries <= most:
            return shares
    raise PayoutError("no_table")


def amounts(
    pool_cents: int, shares_bp: Sequence[int] | None, *, unit_cents: int, entries: int | None = None
) -> tuple[int, ...]:
    """What each place is paid, in cents, by shares in basis points (None: the published table for `entries`).

    Every place but the first is rounded down to a multiple of `unit_cents`; the first takes the rest.
    Raises PayoutError with the first that applies of `no_table`, `no_shares`, `shares_not_100`,
    `increasing_shares`, `more_places_than_entries`, `negative_share`.
    """
    shares = default_shares(entries or 0) if shares_bp is None else tuple(shares_bp)
    if not shares:
        raise PayoutError("no_shares")
    if sum(shares) != ALL_BASIS_POINTS:
        raise PayoutError("shares_not_100")
    return amounts_by_weights(pool_cents, shares, unit_cents=unit_cents, entries=entries)


def amounts_by_weights(
    pool_cents: int,
    weights: Sequence[int],
    *,
    unit_cents: int,
    minimum_cents: int = 0,
    entries: int | None = None,
) -> tuple[int, ...]:
    """What each place is paid, in cents, in proportion to integer weights of any total, rounded as in
    `amounts`.

    Places that would get less than `minimum_cents` (a multiple of the unit) are lifted to it, and the
    places above divide what is left by their weights.
    Raises PayoutError `no_shares`, `increasing_shares`, `more_places_than_entries`, `negative_share` or
    `pool_under_minimum`; ValueError for a negative pool, a unit below one cent or a minimum that is not in
    units.
    """
    if pool_cents < 0 or unit_cents < 1 or minimum_cents < 0 or minimum_cents % unit_cents:
        raise ValueError("The pool must not be negative, the unit at least a cent, the minimum a multiple of the unit.")
    if not any(weights):
        raise PayoutError("no_shares")
    if any(lower > upper for upper, lower in pairwise(weights)):
        raise PayoutError("increasing_shares")
    if entries is not None and len(weights) > entries:
        raise PayoutError("more_places_than_entries")
    if weights[-1] < 0:
        raise PayoutError("negative_share")
    if len(weights) * minimum_cents > pool_cents:
        raise PayoutError("pool_under_minimum")
    by_weight, left, total = len(weights), pool_cents, sum(weights)
    while by_weight > 1 and left * weights[by_weight - 1] < minimum_cents * total:
        by_weight -= 1
        left -= minimum_cents
        total -= weights[by_weight]
    below_first = [left * weight // total // unit_cents * unit_cents for weight in weights[1:by_weight]]
    below_first += [minimum_cents] * (len(weights) - by_weight)
    return (pool_cents - sum(below_first), *below_first)


def places_paid(entries: int) -> int:
    """The usual number of paid places of a field: 12 % of the entries to the nearest whole, at least one."""
    return max(1, (entries * PAID_PERCENT + 50) // 100)


def shares_for_field(entries: int, places: int | None = None) -> tuple[int, ...]:
    """A smooth table for a field of any size, best place first, in parts that add up to ALL_PARTS.

    Basis points are too coarse for a thousand places, so use the result with `amounts_by_weights`.
    `places`: how many are paid (default `places_paid`). The last place gets a fifth of the average prize
    (1.7 times what an entry brought into the pool, with 12 % paid), the first 30 % of the pool with 12
    places, 13 % with 120, 8 % with 1,200; between them the share above the last place's falls as 1 / (place
    + 3/4).
    Raises PayoutError `no_shares` (no place, or no entry) or `more_places_than_entries`.
    """
    paid = places_paid(entries) if places is None else places
    if entries < 1 or paid < 1:
        raise PayoutError("no_shares")
    if paid > entries:
        raise PayoutError("more_places_than_entries")
    if paid == 1:
        return (ALL_PARTS,)
    lowest = ALL_PARTS // (5 * paid)
    curve = [ALL_PARTS * 4 // (4 * place + 3) for place in range(1, paid + 1)]
    above_lowest = [point - curve[-1] for point in curve]
    to_divide, total = ALL_PARTS - lowest * paid, sum(above_lowest)
    below_first = [lowest + to_divide * part // total for part in above_lowest[1:]]
    return (ALL_PARTS - sum(below_first), *below_first)
