"""What each place of an event is paid."""

from series.domain import payouts
from series.models import Entry, Event
from series.reads.money import prize_pool_cents


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
