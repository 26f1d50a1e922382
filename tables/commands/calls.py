"""Calls from the waiting list, in order, and the end of waits for a re-entry that nobody can have any more. The sweep
calls; the desk may as well."""

from typing import Any

from django.db.models import QuerySet

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from journal.models import JournalEntry
from series.commands.doors import refuse_excluded
from series.commands.people import require_open
from series.commands.waiting import tell
from series.domain.places import call_ends
from series.models import Event, Letter, Registration
from series.reads.places import who_is_called
from tables.reads.reentries import why_waits_in_vain

Status = Registration.Status


def _waits_again(event: Event) -> QuerySet[Registration]:
    rows = event.registrations.filter(status__in=[Status.WAITING, Status.CALLED], again_at__isnull=False)
    return rows.select_related("player", "again_on")


def _refuse_in_vain(tx: Tx[Event], _released: JournalEntry) -> None:
    """Raises Refused if somebody whose wait an undo brought back waits in vain as before."""
    for why in why_waits_in_vain(tx.subject, _waits_again(tx.subject), tx.at).values():
        raise Refused(why, code="no_reentry")


@command(Event, "waiting.release", permission=Permission.REGISTER, after_undo=_refuse_in_vain)
def release_in_vain(tx: Tx[Event]) -> dict[str, Any]:
    """End the waits, and the calls, for a re-entry of those who cannot have one any more: its window is over, they were
    disqualified, or they are in play again. Result: `released`, how many."""
    rows = tx.lock(_waits_again(tx.subject))
    in_vain = why_waits_in_vain(tx.subject, rows, tx.at)
    gone = [row for row in rows if row.pk in in_vain]
    tx.change_all((row, row.ended(Status.RELEASED, tx.at)) for row in gone)
    for row in gone:
        tell(tx, row, Letter.Kind.RELEASED)
    tx.say("No re-entry any more for {players}, who waited for one", players=[row.player for row in gone])
    return {"released": len(gone)}


@command(Event, "waiting.call", permission=Permission.REGISTER)
def call_waiting(tx: Tx[Event], *, registration_id: int | None = None) -> dict[str, Any]:
    """Call everybody there is a place for, in order; or the one that is named, who then comes before the others.

    Result: `called`, keys of registrations.

    Raises:
        Refused: the one named does not wait, there is no place for them, or they cannot have a re-entry any more.
    """
    event = tx.subject
    rows = Registration.objects.filter(event=event, status=Status.WAITING)
    waiting = tx.lock(rows.select_related("player", "day", "again_on"))
    in_vain = why_waits_in_vain(event, waiting, tx.at)
    waiting.sort(key=lambda row: (row.waits_since, row.pk))
    if registration_id is not None:
        named = [row for row in waiting if row.pk == registration_id]
        if not named:
            raise Refused("This player is not on the waiting list any more.", code="missing")
        tx.expect_unchanged(*named)
        refuse_excluded(tx, named[0].player)
        require_open(event, named[0].wanted_day, tx.at)
        if why := in_vain.get(registration_id):
            raise Refused(why, code="no_reentry")
        if not who_is_called(event, tx.at)(named[0]):
            raise Refused("There is no place for them: all are taken or held.", code="full")
        _call(tx, named[0])
        tx.say("{player} called from the waiting list", player=named[0].player)
        return {"called": [registration_id]}
    waiting = [row for row in waiting if row.pk not in in_vain]
    called = []
    while row := _next(tx, waiting):
        _call(tx, row)
        waiting.remove(row)
        called.append(row)
    tx.say("{players} called from the waiting list", players=[row.player for row in called])
    return {"called": [row.pk for row in called]}


def _next(tx: Tx[Event], waiting: list[Registration]) -> Registration | None:
    if not waiting:
        return None
    return next(filter(who_is_called(tx.subject, tx.at), waiting), None)


def _call(tx: Tx[Event], row: Registration) -> None:
    event, day = tx.subject, row.wanted_day
    until = call_ends(
        tx.at,
        starts=day.starts_at,
        hold_minutes=event.hold_minutes,
        call_minutes=event.call_minutes,
        early_call_minutes=event.early_call_minutes,
        closes=day.entries_close_at,
    )
    tx.change(row, status=Status.CALLED, called_at=tx.at, held_until=until)
    tell(tx, row, Letter.Kind.CALLED)
