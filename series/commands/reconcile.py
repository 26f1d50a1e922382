"""Signing that the money of an event or a series is right, for a day or as a whole."""

import datetime as dt
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Event, Reconciliation, Series
from series.reads.ledger import Scope
from series.reads.reconcile import open_tills, sheet, signed

MOST_NOTE = 200


def _sign(tx: Tx[Any], scope: Scope, note: str, expected_lines: int | None) -> dict[str, Any]:
    found = sheet(scope)
    note = " ".join(note.split())
    if not found.lines:
        raise Refused("There is no money to reconcile.", code="empty")
    if expected_lines is not None and expected_lines != found.lines:
        raise Refused("Money has moved since you looked. Look at it as it stands now.", code="moved")
    if not found.agrees:
        raise Refused("The sheet does not add up: nothing can be signed.", code="unbalanced")
    if (last := signed(scope)) and last.lines == found.lines:
        raise Refused("This is signed already, and no money has moved since.", code="signed")
    if len(note) > MOST_NOTE:
        raise Refused(f"{MOST_NOTE} letters at most.", field="note")
    row = Reconciliation(
        series=scope.series,
        event=scope.event,
        day=scope.day,
        at=tx.at,
        by_id=tx.actor.pk,
        lines=found.lines,
        note=note,
    )
    tx.add(row)
    of = f"{scope.day:%-d %B %Y}" if scope.day else "all days"
    tx.say("Money of {of} reconciled", of=of)
    return {"reconciliation": row.pk}


@command(Event, "money.reconcile", permission=Permission.TAKE_MONEY)
def reconcile_event(
    tx: Tx[Event], *, day: dt.date | None = None, note: str = "", lines: int | None = None
) -> dict[str, Any]:
    """State that the money of the event, on one local day or on all of them, is right. `lines`: how many lines of the
    ledger the signer saw. Result: `reconciliation`.

    Raises:
        Refused: at `note`; no money, money moved since, signed already, or the sheet does not add up.
    """
    return _sign(tx, Scope(tx.subject.series, tx.subject, day), note, lines)


@command(Series, "money.reconcile_series", permission=Permission.TAKE_MONEY)
def reconcile_series(
    tx: Tx[Series], *, day: dt.date | None = None, note: str = "", lines: int | None = None
) -> dict[str, Any]:
    """The same for a series, whose tills must be counted. Result: `reconciliation`.

    Raises:
        Refused: as for an event; a till is still open.
    """
    scope = Scope(tx.subject, None, day)
    if still := open_tills(scope):
        names = ", ".join(f"{till} of {till.holder.journal_name}" for till in still)
        raise Refused(f"Not counted yet: {names}. Close it first.", code="open_tills")
    return _sign(tx, scope, note, lines)
