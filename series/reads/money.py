"""What an event's ledger says: the prize pool, and what was given back."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Sum

from series.domain.ledger import Pool, pool_of
from series.domain.money import format_money
from series.models import Event, EventNotice, LedgerLine, Registration


def staff_words(event: Event) -> str:
    """What the staff get of the players' money, as the terms of an event say it; empty for nothing."""
    amount, kind = event.staff_amount, Event.StaffKind
    share = f"{amount / 100:g} %"
    return {
        kind.ENTRY: f"{format_money(amount)} of each buy-in",
        kind.BUY_IN: f"{share} of each buy-in",
        kind.POOL: f"{share} of the prize pool",
    }.get(kind(event.staff_kind), "")


def posted_cents(event: Event) -> dict[tuple[str, str], int]:
    """What the ledger holds, in cents by account and item. One query."""
    sums = event.ledger.order_by().values_list("account", "item").annotate(total=Sum("amount_cents"))
    return {(account, item): total for account, item, total in sums}


def unsettled(event: Event) -> bool:
    """Whether the staff's share of the pool or the overlay is not posted as it is reckoned. Two queries."""
    account, item = LedgerLine.Account, LedgerLine.Item
    posted, pool = posted_cents(event), prize_pool(event)
    overlay, staff = posted.get((account.OVERLAY, item.OVERLAY), 0), -posted.get((account.STAFF, item.STAFF), 0)
    return (overlay, staff) != (pool.overlay, pool.deducted)


def prize_pools(events: Iterable[Event]) -> dict[int, Pool]:
    """The prize pools of any number of events, by the event's key. One query.

    The staff's share and the overlay are reckoned, whether they are posted yet or not, so that the pool that people are
    shown is the same before and after. A cancelled event guarantees nothing.
    """
    known = {event.pk: event for event in events}
    lines = LedgerLine.objects.filter(event__in=known, account=LedgerLine.Account.PRIZE_POOL).order_by()
    sums: dict[int, dict[str, int]] = {pk: {} for pk in known}
    for event_id, item, total in lines.values_list("event", "item").annotate(total=Sum("amount_cents")):
        sums[event_id][item] = -total
    item = LedgerLine.Item
    pools = {}
    for pk, event in known.items():
        added = sums[pk].pop(item.ADDITION, 0)
        paid_in = sum(cents for of, cents in sums[pk].items() if of not in (item.STAFF, item.OVERLAY))
        guarantee = 0 if event.status == Event.Status.CANCELLED else event.guarantee_cents
        pools[pk] = pool_of(paid_in, added, event.staff_share, guarantee)
    return pools


def prize_pool(event: Event) -> Pool:
    """The prize pool of an event. One query."""
    return prize_pools([event])[event.pk]


def prize_pool_cents(event: Event) -> int:
    """What an event pays in prizes as it stands, in cents: its pool, or the guarantee if that is more."""
    return prize_pool(event).total


def refunded_cents(registration: Registration, at: dt.datetime) -> int:
    """What a player was given back when the event was called off at this instant, in cents."""
    lines = LedgerLine.objects.filter(
        event=registration.event_id,
        entry__player=registration.player_id,
        account=LedgerLine.Account.TILL,
        reverses__isnull=False,
        at=at,
    )
    return -(lines.aggregate(total=Sum("amount_cents"))["total"] or 0)


@dataclass(frozen=True)
class Refund:
    """What one player gets back of a cancelled event, in cents, and the way they had paid."""

    name: str
    cents: int
    method: str


def refunds(event: Event) -> list[Refund]:
    """Who gets what back since the event was called off, by name. Two queries."""
    notice = event.notices.filter(kind=EventNotice.Kind.CANCELLED).first()
    if notice is None:
        return []
    lines = event.ledger.filter(account=LedgerLine.Account.TILL, reverses__isnull=False, at=notice.at)
    rows = lines.select_related("entry__player").order_by("entry__player__name_folded", "pk")
    return [Refund(row.entry.player.name, -row.amount_cents, row.get_method_display()) for row in rows if row.entry]
