"""The prize pool beyond what players pay: money added to it, and settling it once nobody can enter any more."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.events import MOST_CENTS, require_not_over
from series.commands.money import post, require_unpaid, settle_pool
from series.domain.money import format_money
from series.models import Event, LedgerLine
from tables.commands.finish import everybody_in

Account, Item = LedgerLine.Account, LedgerLine.Item
MOST_NAME = 80


@command(Event, "pool.add", permission=Permission.DIRECT)
def add_to_pool(tx: Tx[Event], *, cents: int, method: str, source: str) -> dict[str, Any]:
    """Put money of a sponsor or of the organiser into the prize pool, in cents; `source` says whose.

    Raises:
        Refused: at `cents`, `method` or `source`; the event is over, or prizes have been paid.
    """
    event, source = tx.subject, " ".join(source.split())
    require_not_over(event)
    require_unpaid(event)
    if not 1 <= cents <= MOST_CENTS:
        raise Refused(f"An amount up to {format_money(MOST_CENTS)}.", field="cents")
    if not 1 <= len(source) <= MOST_NAME:
        raise Refused(f"Say whose money it is, in {MOST_NAME} letters at most.", field="source")
    post(tx, None, method, {Account.TILL: cents, Account.PRIZE_POOL: -cents}, item=Item.ADDITION, note=source)
    if everybody_in(event, tx):
        settle_pool(tx)
    tx.say("{amount} added to the prize pool", amount=format_money(cents))
    return {}


@command(Event, "pool.settle", permission=Permission.DIRECT)
def settle(tx: Tx[Event]) -> dict[str, Any]:
    """Post what is still missing of the staff's share of the pool and of the overlay. Result: `overlay` in cents.

    Raises:
        Refused: somebody can still enter.
    """
    event = tx.subject
    if event.status == Event.Status.CANCELLED or not everybody_in(event, tx):
        raise Refused("The pool is settled once registration has closed: it can still grow.", code="open")
    overlay = settle_pool(tx)
    tx.say("Prize pool settled" + (", overlay {overlay}" if overlay else ""), overlay=format_money(overlay))
    return {"overlay": overlay}
