"""The waiting list of an event: released places, answers to calls, and who is here already.

People wait in the order in which they joined, those for a first entry and those for a re-entry in one line. A place, or
for a re-entry a seat, that becomes free goes to the first whose flight has one; until then nobody new gets it
(`series.reads.places` counts it as theirs). Who is called, and when: `tables.commands.calls`.
"""

from typing import Any

from accounts.permissions import Permission
from journal.actors import PUBLIC, System
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.doors import refuse_excluded
from series.commands.people import hold_of, require_open
from series.domain.places import must_pay_now
from series.models import Event, Exclusion, Letter, Registration

DOOR = System("the door", frozenset({Permission.REGISTER}))
Status = Registration.Status


def tell(tx: Tx[Event], row: Registration, kind: Letter.Kind) -> None:
    """Write to a player who has an e-mail address."""
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
        tell(tx, row, Letter.Kind.RELEASED)
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
    tell(tx, row, Letter.Kind.RELEASED)
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
