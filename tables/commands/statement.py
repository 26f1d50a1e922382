"""Freezing the statement of an event once it is over."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Event, EventStatement
from tables.domain.statement import Document, read
from tables.reads.statement import statement
from tables.reads.statement_money import instant


@command(Event, "statement.freeze", permission=Permission.SET_UP, undoable=False)
def freeze_statement(tx: Tx[Event]) -> dict[str, Any]:
    """Keep the statement as it is now under the next number. What was frozen is never altered: what changes afterwards
    makes another one. Result: `number`, `fingerprint`.

    Raises:
        Refused: the event is not over; nothing changed since the last statement.
    """
    event = tx.subject
    if event.status not in (Event.Status.FINISHED, Event.Status.CANCELLED):
        raise Refused("The statement is frozen once the event is over.", code="status")
    now = statement(event, tx.at)
    last = EventStatement.objects.filter(event=event).order_by("-number").first()
    if last and read(last.content).says_the_same(now):
        raise Refused(f"Nothing changed since statement {last.number}.", code="unchanged")
    number = last.number + 1 if last else 1
    by = tx.actor.journal_name
    document = Document(now.title, now.currency, now.sections, number, instant(tx.at, event.series.tz), by)
    row = tx.add(
        EventStatement(
            event=event,
            number=number,
            content=document.content,
            fingerprint=document.fingerprint,
            at=tx.at,
            frozen_by_id=tx.actor.pk,
        )
    )
    tx.say(f"Statement {number} frozen, SHA-256 {row.fingerprint[:12]}…")
    return {"number": number, "fingerprint": row.fingerprint}
