"""What each place of an event is paid: as locked, or as the plan and the ledger have it while they can still grow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count

from series.domain import prize_plan
from series.domain.entries import satellite_prizes
from series.domain.money import format_money
from series.models import Deal, Entry, Event, PrizeLock
from series.reads.money import prize_pools


@dataclass(frozen=True)
class Prizes:
    """The prizes of an event. Money in cents.

    `entries` and `pool_cents` are those of now, `planned` what the plan makes of them. `lock`: the prizes as they were
    published, None while they are projected. `deal` with its shares loaded.
    """

    entries: int
    pool_cents: int
    planned: prize_plan.Planned
    lock: PrizeLock | None
    deal: Deal | None

    @property
    def amounts(self) -> tuple[int, ...]:
        """What each place is paid, best first."""
        return tuple(self.lock.amounts) if self.lock else self.planned.amounts

    @property
    def stale(self) -> list[str]:
        """What changed since the prizes were locked, in words; empty if they still hold."""
        lock = self.lock
        if lock is None:
            return []
        changed = []
        if lock.entries != self.entries:
            changed.append(f"entries: {lock.entries:,} → {self.entries:,}")
        if lock.pool_cents != self.pool_cents:
            changed.append(f"prize pool: {format_money(lock.pool_cents)} → {format_money(self.pool_cents)}")
        if not changed and tuple(lock.amounts) != self.planned.amounts:
            changed.append("how the prizes are divided")
        return changed

    @cached_property
    def shares(self) -> dict[int, int]:
        """What the deal gives each of its entries, without what is left to play for; empty without a deal."""
        return {share.entry_id: share.amount_cents for share in self.deal.shares.all()} if self.deal else {}


def prizes_of(
    events: Sequence[Event], entries: Mapping[int, int] | None = None, pools: Mapping[int, int] | None = None
) -> dict[int, Prizes]:
    """The prizes of any number of events, by the event's key. Three queries, and one for each of `entries` (every paid
    stack) and `pools` (cents) that is not given.
    """
    entries = _entries(events) if entries is None else entries
    pools = {pk: pool.total for pk, pool in prize_pools(events).items()} if pools is None else pools
    locks = {lock.event_id: lock for lock in PrizeLock.objects.filter(event__in=events, standing=True)}
    made = Deal.objects.filter(event__in=events, standing=True).prefetch_related("shares")
    deals = {deal.event_id: deal for deal in made}
    found = {}
    for event in events:
        count, pool = entries.get(event.pk, 0), pools.get(event.pk, 0)
        planned = planned_prizes(event, event.prize_plan, pool, count)
        found[event.pk] = Prizes(count, pool, planned, locks.get(event.pk), deals.get(event.pk))
    return found


def planned_prizes(event: Event, plan: prize_plan.Plan, pool_cents: int, entries: int) -> prize_plan.Planned:
    """What a plan makes of a pool; in a satellite its seats, whatever the plan says."""
    planned = prize_plan.prizes(plan, pool_cents, entries)
    if event.rules.seat_cents and planned.amounts:
        return prize_plan.Planned(satellite_prizes(pool_cents, event.rules.seat_cents, entries))
    return planned


def prizes(event: Event) -> tuple[int, ...]:
    """What each place is paid as it stands now, in cents, best first."""
    return prizes_of([event])[event.pk].amounts


def _entries(events: Sequence[Event]) -> dict[int, int]:
    counted = Entry.objects.filter(event__in=events).exclude(status=Entry.Status.VOID).order_by()
    return dict(counted.values_list("event").annotate(count=Count("pk")))
