"""The waiting list of an event: released places, calls in order, answers, and who is here already.

People wait in the order in which they joined, those for a first entry and those for a re-entry in one line. A place, or
for a re-entry a seat, that becomes free goes to the first whose flight has one; until then nobody new gets it
(`series.reads.places` counts it as theirs). The sweep calls; the desk may as well.
"""

from typing import Any

from accounts.permissions import Permission
from journal.actors import PUBLIC, System
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.doors import refuse_excluded
from series.commands.people import hold_of, require_open
from series.domain.places import call_ends, must_pay_now
from series.models import Event, Exclusion, Letter, Registration
from series.reads.places import who_is_called

DOOR = System("the door", frozenset({Permission.REGISTER}))
Status = Registration.Status


def _tell(tx: Tx[Event], row: Registration, kind: Letter.Kind) -> None:
    if row.player.email:
        tx.add(Letter(registration=row, kind=kind, at=tx.at))


@command(Event, "registration.release", permission=Permission.REGISTER)
def release_lapsed(tx: Tx[Event]) -> dict[str, Any]:
    """Release the places of those who did not come in time, and calls that were not answered. Whoever is released may
    register again while registration is open, and then stands at the end. Result: `released`, how many."""
    due = Registration.objects.filter(event=tx.subject, status__in=Registration.HOLDING, held_until__lte=tx.at)
    rows = tx.lock(due.select_related("player"))
    tx.change_all((row, row.ended(Status.RELEASED, tx.at)) for row in rows)
    for row in rows:
        _tell(tx, row, Letter.Kind.RELEASED)
    said = "Place of {players} released" if len(rows) == 1 else f"{len(rows)} places released: {{players}}"
    tx.say(said, players=[row.player for row in rows])
    return {"released": len(rows)}


@command(Event, "registration.release_excluded", permission=Permission.REGISTER, undoable=False)
def release_excluded(tx: Tx[Event]) -> dict[str, Any]:
    """Give the places of excluded players to others. The journal does not say whose. Result: `released`."""
    excluded = Exclusion.objects.in_force(tx.at).exclude(player=None).values("player")
    open_ = (*Registration.HOLDING, Status.WAITING)
    rows = tx.lock(Registration.objects.filter(event=tx.subject, status__in=open_, player__in=excluded))
    tx.change_all((row, row.ended(Status.WITHDRAWN, tx.at)) for row in rows)
    tx.say("A place was given back")
    return {"released": len(rows)}


@command(Event, "waiting.call", permission=Permission.REGISTER)
def call_waiting(tx: Tx[Event], *, registration_id: int | None = None) -> dict[str, Any]:
    """Call everybody there is a place for, in order; or the one that is named, who then comes before the others.

    Result: `called`, keys of registrations.

    Raises:
        Refused: the one named does not wait, or there is no place for them.
    """
    event = tx.subject
    rows = Registration.objects.filter(event=event, status=Status.WAITING)
    waiting = tx.lock(rows.select_related("player", "day", "again_on"))
    waiting.sort(key=lambda row: (row.waits_since, row.pk))
    if registration_id is not None:
        named = [row for row in waiting if row.pk == registration_id]
        if not named:
            raise Refused("This player is not on the waiting list any more.", code="missing")
        tx.expect_unchanged(*named)
        refuse_excluded(tx, named[0].player)
        require_open(event, named[0].wanted_day, tx.at)
        if not who_is_called(event, tx.at)(named[0]):
            raise Refused("There is no place for them: all are taken or held.", code="full")
        _call(tx, named[0])
        tx.say("{player} called from the waiting list", player=named[0].player)
        return {"called": [registration_id]}
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
    _tell(tx, row, Letter.Kind.CALLED)


@command(Event, "waiting.skip", permission=Permission.REGISTER)
def skip_waiting(tx: Tx[Event], *, registration_id: int) -> dict[str, Any]:
    """Take somebody off the waiting list, called or not, for the reason given. They may join it again at its end.

    Raises:
        Refused: at `reason`; they are not on the list.
    """
    row = tx.lock_one(
        Registration, "This player is not on the waiting list any more.", pk=registration_id, event=tx.subject
    )
    tx.expect_unchanged(row)
    if row.status not in (Status.WAITING, Status.CALLED):
        raise Refused("This player is not on the waiting list any more.", code="missing")
    if not tx.reason:
        raise Refused("Say why.", field="reason")
    tx.change(row, **row.ended(Status.RELEASED, tx.at))
    _tell(tx, row, Letter.Kind.RELEASED)
    tx.say("{player} taken off the waiting list", player=row.player)
    return {"registration": row.pk}


@command(Event, "waiting.accept", permission=PUBLIC, undoable=False)
def accept_call(tx: Tx[Event], *, token: str) -> dict[str, Any]:
    """A player takes the place they were called for, from the page that only their link opens, while places are held.

    Raises:
        Refused: not called, too late, or the place can only be taken by paying at the desk now.
    """
    event = tx.subject
    rows = tx.lock(Registration.objects.filter(event=event, player__token=token, status=Status.CALLED))
    if not rows:
        raise Refused("You are not called at the moment.", code="missing")
    row = rows[0]
    refuse_excluded(tx, row.player)
    require_open(event, row.day, tx.at)
    if row.held_until is not None and row.held_until <= tx.at:
        raise Refused("The call has ended: the place goes to the next on the waiting list.", code="call_ended")
    if row.again_at or must_pay_now(tx.at, starts=row.day.starts_at, hold_minutes=event.hold_minutes):
        raise Refused("Come to the desk and pay there: places are not held any more.", code="pay_now")
    tx.change(row, status=Status.REGISTERED, held_until=hold_of(event, row.day, tx.at))
    tx.say("{player} takes the place", player=row.player)
    return {"registration": row.pk}


@command(Event, "registration.check_in", permission=Permission.REGISTER)
def check_in(tx: Tx[Event], *, registration_id: int) -> dict[str, Any]:
    """Somebody who holds a place is here: it does not lapse any more.

    Raises:
        Refused: no place is held, or the player is excluded.
    """
    row = tx.lock_one(Registration, "There is no place held here.", pk=registration_id, event=tx.subject)
    tx.expect_unchanged(row)
    if row.status != Status.REGISTERED:
        raise Refused("There is no place held here.", code="missing")
    refuse_excluded(tx, row.player)
    tx.change(row, checked_in_at=row.checked_in_at or tx.at, held_until=None)
    tx.say("{player} is here", player=row.player)
    return {"registration": row.pk}
