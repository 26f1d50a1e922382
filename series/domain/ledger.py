"""How money is split, deducted, guaranteed and counted. Integer cents and basis points throughout; no clock.

House rule 1 leaves the terms of an event to the organiser, who has to publish them; the arithmetic below is that of
double-entry bookkeeping and needs no rule. Where a cent cannot be split it stays with the players.
"""

from collections.abc import Mapping
from dataclasses import dataclass

ALL_BASIS_POINTS = 10_000
NOTHING, PER_ENTRY, BUY_IN_SHARE, POOL_SHARE = "none", "entry", "buy_in", "pool"

# notes and coins in use, in cents, the largest first: Reserve Bank of New Zealand; Reserve Bank of Australia
DENOMINATIONS: Mapping[str, tuple[int, ...]] = {
    "NZD": (10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10),
    "AUD": (10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5),
}


@dataclass(frozen=True)
class StaffShare:
    """What the staff get of the money: `kind` says of what, `amount` is cents per entry or basis points.

    Kinds: `none`; `entry`: so many cents of each buy-in; `buy_in`: basis points of each buy-in; `pool`: basis points of
    the whole prize pool, taken once nobody can enter any more.
    """

    kind: str = NOTHING
    amount: int = 0

    def of_buy_in(self, buy_in_cents: int) -> int:
        """The cents that one buy-in gives to the staff, rounded down; never more than the buy-in.

        >>> StaffShare("buy_in", 333).of_buy_in(10_000), StaffShare("entry", 500).of_buy_in(10_000)
        (333, 500)
        """
        if self.kind == PER_ENTRY:
            return min(self.amount, buy_in_cents)
        return buy_in_cents * self.amount // ALL_BASIS_POINTS if self.kind == BUY_IN_SHARE else 0

    def of_pool(self, pool_cents: int) -> int:
        """The cents that the whole pool gives to the staff, rounded down; nothing of an empty pool."""
        return max(0, pool_cents) * self.amount // ALL_BASIS_POINTS if self.kind == POOL_SHARE else 0


@dataclass(frozen=True)
class Pool:
    """A prize pool, in cents. `paid_in`: by the players, net of what each buy-in gives to the staff; `added`: by
    sponsors or the organiser; `deducted`: the staff's share of the pool; `guarantee`: what was promised (0: nothing).
    """

    paid_in: int
    added: int
    deducted: int
    guarantee: int

    @property
    def net(self) -> int:
        """What there is for prizes without the guarantee."""
        return self.paid_in + self.added - self.deducted

    @property
    def overlay(self) -> int:
        """What the organiser puts in so that the guarantee is met."""
        return max(0, self.guarantee - self.net)

    @property
    def total(self) -> int:
        """What is paid in prizes: the pool, or the guarantee if that is more."""
        return self.net + self.overlay


def pool_of(paid_in: int, added: int, staff: StaffShare, guarantee: int) -> Pool:
    """The pool of an event: the staff's share is taken first, then the guarantee is met.

    >>> pool_of(100_000, 0, StaffShare("pool", 500), 120_000).overlay
    25000
    """
    return Pool(paid_in, added, staff.of_pool(paid_in + added), guarantee)


def split_price(buy_in_cents: int, fee_cents: int, staff: StaffShare, bounty_cents: int = 0) -> dict[str, int]:
    """The shares of one price, in cents by account: `prize_pool`, `fee`, `staff` and `bounty`. They add up to buy-in,
    fee and bounty.

    >>> split_price(10_000, 1_000, StaffShare("buy_in", 500))
    {'prize_pool': 9500, 'fee': 1000, 'staff': 500, 'bounty': 0}
    """
    to_staff = staff.of_buy_in(buy_in_cents)
    return {"prize_pool": buy_in_cents - to_staff, "fee": fee_cents, "staff": to_staff, "bounty": bounty_cents}


def in_cash(cents: int, currency: str) -> int:
    """What changes hands in cash for an amount, in cents: rounded to the smallest coin in use, as there is no other
    way to pay it. Below nothing is given to a player, above it taken from one; a half goes in the player's favour.
    Without a known currency nothing is rounded.

    Source: Reserve Bank of New Zealand on cash without 5c coins: card and transfer stay exact, 1 to 4 go down and 6 to
    9 up, 5 is left to whoever takes the money.

    >>> [in_cash(cents, "NZD") for cents in (25_004, 25_005, 25_006, -25_005, -25_004)]
    [25000, 25000, 25010, -25010, -25000]
    """
    coin = DENOMINATIONS.get(currency, (1,))[-1]
    return -((coin - 2 * cents) // (2 * coin)) * coin


def count_total(pieces: Mapping[int, int]) -> int:
    """What counted notes and coins come to, in cents: pieces by their value in cents."""
    return sum(value * number for value, number in pieces.items())


def till_difference(reckoned_cents: int, counted_cents: int) -> int:
    """What a till holds beyond what it should, in cents; less than nothing if it is short."""
    return counted_cents - reckoned_cents


def receipt_number(event_number: int, number: int) -> str:
    """A receipt's number as it is printed, "7-0123": the event's number and a running one without gaps."""
    return f"{event_number}-{number:04}"
