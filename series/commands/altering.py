"""Calling an event off, and changing what people were promised of it: in public, with the reason (house rule 54)."""

import datetime as dt
from typing import Any, Unpack

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.events import EventValues, apply_terms, told_terms
from series.commands.money import refund_all
from series.commands.notices import tell_changes, tell_everybody
from series.domain.money import format_money
from series.models import Event, EventNotice, LedgerLine, SeatWon


@command(Event, "event.cancel", permission=Permission.SET_UP)
def cancel_event(tx: Tx[Event]) -> dict[str, Any]:
    """Call the event off (house rule 54) for the reason given, which everybody reads. Every buy-in is answered by its
    refund, and people are told by mail. Once something was refunded this cannot be undone. Result: `refunded_cents`.

    Raises:
        Refused: at `reason`; the event is over already, or prizes have been paid.
    """
    event = tx.subject
    if event.status in (Event.Status.FINISHED, Event.Status.CANCELLED):
        raise Refused(f"This event is {event.get_status_display()} already.", code="status")
    if not tx.reason:
        raise Refused("Say why: players will ask.", field="reason")
    if event.payouts.filter(taken_back=False).exists():
        raise Refused("Prizes have been paid: take them back first.", code="paid")
    if event.ledger.filter(item=LedgerLine.Item.BOUNTY, reverses__isnull=True, reversed_by__isnull=True).exists():
        raise Refused("Bounties have been paid: take them back first.", code="paid")
    refunded = refund_all(tx)
    for seat in tx.lock(SeatWon.objects.filter(used_by__event=event, status=SeatWon.Status.USED)):
        tx.change(seat, status=SeatWon.Status.WON, used_by=None)  # the satellite can pay it in money
    told = event.status != Event.Status.DRAFT
    tx.rule = "54"
    tx.change(event, status=Event.Status.CANCELLED)
    if told:
        tell_everybody(tx, EventNotice.Kind.CANCELLED, tx.reason, refunded)
    money = f"; {format_money(refunded)} refunded" if refunded else ""
    tx.say("{event} cancelled" + money, event=event)
    return {"refunded_cents": refunded}


@command(Event, "event.alter", permission=Permission.SET_UP, undoable=False)
def alter_event(
    tx: Tx[Event], *, starts_at: dt.datetime | None = None, **values: Unpack[EventValues]
) -> dict[str, Any]:
    """Change an event that people have been told of (`event.change` says what can be), with a reason that everybody can
    read: the change stands on the event's page and goes by mail to those who hold a place (house rule 54).

    Raises:
        Refused: at `reason`, or at the field that is wrong or cannot change; nothing is changed; not open or running.
    """
    event = tx.subject
    if event.status not in (Event.Status.OPEN, Event.Status.RUNNING):
        raise Refused(f"This event is {event.get_status_display()}: nobody has to be told.", code="status")
    if not tx.reason:
        raise Refused("Say why: players will ask.", field="reason")
    before = told_terms(event)
    apply_terms(tx, starts_at, values)
    after = told_terms(event)
    names = [*before, *(name for name in after if name not in before)]
    told = [(name, before.get(name, "none"), after.get(name, "none")) for name in names]
    changes = [f"{name}: {old} → {new}" for name, old, new in told if old != new]
    if not changes:
        raise Refused("Nothing that players were told has changed.", code="unchanged")
    tell_changes(tx, changes)
    tx.say("{event} altered: {changes}", event=event, changes="; ".join(changes)[:200])
    return {"changes": changes}
