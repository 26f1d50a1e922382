"""Publishing the prizes of an event: from then on they are what was said, until they are locked anew."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from journal.models import JournalEntry
from series.commands.money import settle_pool
from series.domain.money import format_money
from series.models import Event, PrizeLock
from series.reads.prizes import prizes_of
from tables.commands.finish import everybody_in


def _settle_again(tx: Tx[Event], entry: JournalEntry) -> None:
    """What an undo or a redo took or posted of the overlay and the staff's share is due all the same."""
    if everybody_in(tx.subject, tx):
        settle_pool(tx)


@command(Event, "prizes.lock", permission=Permission.DIRECT, after_undo=_settle_again)
def lock_prizes(tx: Tx[Event]) -> dict[str, Any]:
    """Publish what each place is paid, as the plan and the ledger have it now. Result: `amounts` in cents.

    Raises:
        Refused: somebody can still enter, there is nothing to divide, promised amounts cannot be paid, a deal has
            divided the prizes, or they are locked like this already.
    """
    event = tx.subject
    if event.status not in (Event.Status.RUNNING, Event.Status.FINISHED):
        raise Refused(f"This event is {event.get_status_display()}: its prizes are not locked.", code="status")
    if not everybody_in(event, tx):
        raise Refused("Prizes are locked once registration has closed: the pool can still grow.", code="open")
    settle_pool(tx)
    now = prizes_of([event])[event.pk]
    if not now.planned.amounts:
        raise Refused("There is nothing in the prize pool.", code="no_prize")
    if now.planned.broken:
        raise Refused(now.planned.problem, code="broken")
    if now.deal:
        raise Refused("A deal has divided these prizes: undo it first.", code="deal")
    if now.lock:
        if not now.stale:
            raise Refused("The prizes are locked like this already.", code="locked")
        tx.change(tx.lock(PrizeLock.objects.filter(pk=now.lock.pk))[0], standing=False)
    amounts = list(now.planned.amounts)
    tx.add(PrizeLock(event=event, amounts=amounts, entries=now.entries, pool_cents=now.pool_cents, at=tx.at))
    places = f"{len(amounts):,} place{'' if len(amounts) == 1 else 's'}"
    tx.say("Prizes locked: {pool} for {places}", pool=format_money(now.pool_cents), places=places)
    return {"amounts": amounts}
