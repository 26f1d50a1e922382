"""What an event's ledger says: the prize pool, and what each place is paid."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Sum

from series.domain import payouts
from series.models import Entry, Event, EventNotice, LedgerLine, Registration


def prize_pool_cents(event: Event) -> int:
    """Everything paid into the prize pool, in cents."""
    lines = event.ledger.filter(account=LedgerLine.Account.PRIZE_POOL)
    return -(lines.aggregate(total=Sum("amount_cents"))["total"] or 0)


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


def entries_paid_for(event: Event) -> int:
    """Entries that count for the payout table: every paid stack, re-entries too."""
    return event.entries.exclude(status=Entry.Status.VOID).count()


def prizes_for(event: Event, entries: int, pool_cents: int) -> tuple[int, ...]:
    """What each place is paid, in cents, best first; the sum is the pool, to the cent. Empty without entries.

    The event's own shares, else the published table up to 100 entries, else the table by size of the field. Shares for
    more places than there are entries wait: the field may still grow, so the table by entries stands in for them.
    """
    if not entries or not pool_cents:
        return ()
    step = event.payout_step_cents
    if event.payout_shares and len(event.payout_shares) <= entries:
        return payouts.amounts(pool_cents, event.payout_shares, unit_cents=step, entries=entries)
    try:
        return payouts.amounts(pool_cents, None, unit_cents=step, entries=entries)
    except payouts.PayoutError:
        weights = payouts.shares_for_field(entries)
        return payouts.amounts_by_weights(pool_cents, weights, unit_cents=step, entries=entries)


def prizes(event: Event) -> tuple[int, ...]:
    """What each place is paid as the ledger stands now, in cents, best first."""
    return prizes_for(event, entries_paid_for(event), prize_pool_cents(event))
