"""What an event's ledger says: the prize pool, and what was given back."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Sum

from series.models import Event, EventNotice, LedgerLine, Registration


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
