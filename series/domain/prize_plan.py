"""How the prizes of an event are meant to be divided, and what that makes of a pool.

The house rules are silent on prizes, so the organiser plans them. Money is integer cents, shares are basis points,
places stand best first. Whatever the plan, the amounts add up to the pool and never rise from one place to the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from series.domain import payouts
from series.domain.money import format_money, format_percent

MOST_PLACES = 2_000


class Kind(StrEnum):
    """Where the amounts come from."""

    TABLE = "table"  # a table by the number of entries: the standard one, or the organiser's own
    PERCENT = "percent"  # the same shares for any number of entries
    FIXED = "fixed"  # promised amounts; what the pool holds beyond them goes to the first place
    CUSTOM = "custom"  # every amount written, for one pool


# the most entries a line of an own table is for, and its shares
Band = tuple[int, tuple[int, ...]]


@dataclass(frozen=True)
class Plan:
    """The plan of an event. Only what belongs to its kind is looked at; without bands a table is the standard one.

    No place is paid less than `minimum_cents` (tables and percent): rather, fewer places are paid.
    """

    kind: Kind = Kind.TABLE
    shares_bp: tuple[int, ...] = ()
    amounts_cents: tuple[int, ...] = ()
    bands: tuple[Band, ...] = ()
    step_cents: int = 100
    minimum_cents: int = 0


@dataclass(frozen=True)
class Planned:
    """What each place is paid. `problem` says in words why that is not what the plan says, empty if it is.

    `broken`: amounts that people were promised cannot be paid like this, so it cannot be published.
    """

    amounts: tuple[int, ...]
    problem: str = ""
    broken: bool = False


class PlanError(ValueError):
    """A plan that no pool could be paid by. `field` is the attribute of the plan that is wrong."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def check(plan: Plan) -> None:
    """Raises PlanError for a plan that is wrong whatever the pool: shares that are not 100 %, amounts that rise,
    a minimum that is not in steps.
    """
    if plan.step_cents < 1:
        raise PlanError("step_cents", "Prizes are rounded down to at least one cent.")
    if plan.minimum_cents < 0 or plan.minimum_cents % plan.step_cents:
        step = format_money(plan.step_cents)
        raise PlanError("minimum_cents", f"Prizes are paid in steps of {step}: so is the least one.")
    if plan.kind is Kind.PERCENT:
        _check_shares(plan.shares_bp, "shares_bp", "")
    elif plan.kind is Kind.TABLE:
        _check_bands(plan.bands)
    elif not plan.amounts_cents or not plan.amounts_cents[0]:
        raise PlanError("amounts_cents", "Write the prize of each place, the best first.")
    else:
        _check_falling(plan.amounts_cents, "amounts_cents", "")


def _check_bands(bands: Sequence[Band]) -> None:
    if any(lower[0] >= upper[0] for lower, upper in pairwise(bands)):
        raise PlanError("bands", "List the numbers of entries from few to many, each once.")
    for most, shares in bands:
        _check_shares(shares, "bands", f"Up to {most:,} entries: ")
        if len(shares) > most:
            raise PlanError("bands", f"Up to {most:,} entries: there are more paid places than entries.")


def _check_shares(shares: Sequence[int], field: str, where: str) -> None:
    if not shares:
        raise PlanError(field, f"{where}name at least one paid place.".capitalize())
    if min(shares) < 1:
        raise PlanError(field, f"{where}a share is more than nothing.".capitalize())
    _check_falling(shares, field, where)
    if sum(shares) != payouts.ALL_BASIS_POINTS:
        total = format_percent(sum(shares))
        raise PlanError(field, f"{where}these shares add up to {total}. They must add up to 100 %.".capitalize())


def _check_falling(values: Sequence[int], field: str, where: str) -> None:
    if len(values) > MOST_PLACES:
        raise PlanError(field, f"{where}more than {MOST_PLACES:,} places.".capitalize())
    for place, (upper, lower) in enumerate(pairwise(values), start=2):
        if lower > upper:
            raise PlanError(field, f"{where}place {place:,} is paid more than place {place - 1:,}.".capitalize())


def prizes(plan: Plan, pool_cents: int, entries: int) -> Planned:
    """What each place is paid of a pool; nothing without a pool or entries. `plan` as `check` allows it.

    Where the plan does not fit the pool or the field, the nearest that adds up stands in for it: shares for more places
    than there are entries give way to the standard table, amounts are cut or raised in proportion.
    """
    if not entries or pool_cents <= 0:
        return Planned(())
    if plan.kind in (Kind.FIXED, Kind.CUSTOM):
        return _by_amounts(plan, pool_cents, entries)
    weights: Sequence[int] | None = plan.shares_bp if plan.kind is Kind.PERCENT else _of_band(plan.bands, entries)
    problem = ""
    if weights and len(weights) > entries:
        problem = f"{len(weights):,} places for {entries:,} entries: the standard table stands in."
        weights = None
    weights = weights or _standard(entries)
    if plan.minimum_cents and len(weights) * plan.minimum_cents > pool_cents:
        payable = max(1, pool_cents // plan.minimum_cents)
        problem = f"The least prize leaves {payable:,} of {len(weights):,} places paid."
        weights = weights[:payable]
    minimum = plan.minimum_cents if len(weights) * plan.minimum_cents <= pool_cents else 0
    amounts = payouts.amounts_by_weights(pool_cents, weights, unit_cents=plan.step_cents, minimum_cents=minimum)
    return Planned(_paid(amounts), problem)


def _by_amounts(plan: Plan, pool_cents: int, entries: int) -> Planned:
    written, promised = plan.amounts_cents[:entries], sum(plan.amounts_cents)
    over = pool_cents - promised
    if len(written) == len(plan.amounts_cents) and (not over or (over > 0 and plan.kind is Kind.FIXED)):
        return Planned(_paid((pool_cents - sum(written[1:]), *written[1:])))
    amounts = payouts.amounts_by_weights(pool_cents, written, unit_cents=plan.step_cents)
    if len(written) < len(plan.amounts_cents):
        problem = f"{len(plan.amounts_cents):,} places are written and there are {entries:,} entries."
    elif plan.kind is Kind.FIXED:
        problem = f"The pool is {format_money(-over)} short of the promised prizes."
    else:
        which = "more" if over < 0 else "less"
        problem = f"The amounts add up to {format_money(abs(over))} {which} than the pool."
    return Planned(_paid(amounts), f"{problem} Until that is settled all prizes are in proportion.", broken=True)


def _paid(amounts: Sequence[int]) -> tuple[int, ...]:
    """Without the places at the end that rounding leaves nothing for."""
    return tuple(amount for amount in amounts if amount)


def _of_band(bands: Sequence[Band], entries: int) -> tuple[int, ...] | None:
    return next((shares for most, shares in bands if entries <= most), None)


def _standard(entries: int) -> tuple[int, ...]:
    """The published table up to 100 entries, beyond it the table by the size of the field."""
    try:
        return payouts.default_shares(entries)
    except payouts.PayoutError:
        return payouts.shares_for_field(entries)


def in_words(plan: Plan) -> str:
    """A plan as players are told of it."""
    if plan.kind is Kind.PERCENT:
        said = _percents(plan.shares_bp)
    elif plan.kind is Kind.TABLE:
        bands = [f"up to {most:,} entries {_percents(shares)}" for most, shares in plan.bands]
        said = "; ".join(bands) or "the standard table by entries"
    else:
        said = " / ".join(format_money(cents) for cents in plan.amounts_cents)
        if plan.kind is Kind.FIXED:
            said += ", what the pool holds beyond that to the winner"
    if plan.minimum_cents and plan.kind in (Kind.TABLE, Kind.PERCENT):
        said += f", no prize under {format_money(plan.minimum_cents)}"
    return f"{said}, in steps of {format_money(plan.step_cents)}"


def _percents(shares: tuple[int, ...]) -> str:
    return "/".join(format_percent(share).removesuffix(" %") for share in shares) + " %"
