"""Telling everybody that an event is not as it was announced (house rule 54)."""

from collections.abc import Sequence

from journal.commands import Tx
from journal.errors import Refused
from series.models import Event, EventNotice, Letter, Registration


def tell_everybody(tx: Tx[Event], kind: EventNotice.Kind, text: str, refunded_cents: int = 0) -> None:
    """A notice on the event's page, and mail to everybody who holds a place and gave an address."""
    tx.add(EventNotice(event=tx.subject, kind=kind, text=text, at=tx.at, refunded_cents=refunded_cents))
    held = Registration.objects.filter(event=tx.subject).exclude(status__in=Registration.GONE)
    letter = Letter.Kind(str(kind))
    tx.add_all([Letter(registration=row, kind=letter, at=tx.at) for row in held.exclude(player__email="")])


def tell_changes(tx: Tx[Event], changes: Sequence[str]) -> None:
    """Say in public what changed of an event that people have been told of, with the reason. Nothing without changes.

    Raises:
        Refused: at `reason`, if there is none.
    """
    if not changes or tx.subject.status == Event.Status.DRAFT:
        return
    if not tx.reason:
        raise Refused("Players were told of this already. Say why it changes: they will read it.", field="reason")
    tx.rule = "54"
    tell_everybody(tx, EventNotice.Kind.ALTERED, "\n".join([*changes, tx.reason]))
