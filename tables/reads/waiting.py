"""The waiting list of an event: for the desk, for the player who is on it, and who is called for everybody to see."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Q

from series.models import Event, Registration
from series.reads.places import entries_open, in_order, who_is_called

Status = Registration.Status


@dataclass(frozen=True)
class Waiting:
    """One player on the list, `again` for a re-entry. `position` counts from 1 over those who wait; 0: called, until
    `until`. `may_call`: there is a place for them."""

    registration_id: int
    player_id: int
    name: str
    day: str
    again: bool
    since: dt.datetime
    position: int
    until: dt.datetime | None
    may_call: bool


@dataclass(frozen=True)
class WaitingList:
    """Those called, and those who wait, in order."""

    called: list[Waiting]
    waiting: list[Waiting]


def waiting_list(event: Event, now: dt.datetime) -> WaitingList:
    """The list as the desk sees it. Three queries."""
    is_called = who_is_called(event, now)
    rows = event.registrations.filter(status__in=[Status.CALLED, Status.WAITING])
    called: list[Waiting] = []
    waiting: list[Waiting] = []
    for row in in_order(rows.select_related("player", "day", "again_on")):
        here = called if row.status == Status.CALLED else waiting
        position = 0 if row.status == Status.CALLED else len(waiting) + 1
        free = row.status == Status.WAITING and is_called(row)
        here.append(
            Waiting(
                registration_id=row.pk,
                player_id=row.player_id,
                name=row.player.name,
                day=str(row.wanted_day),
                again=row.again_at is not None,
                since=row.waits_since,
                position=position,
                until=row.held_until,
                may_call=free,
            )
        )
    return WaitingList(called, waiting)


def position_of(row: Registration) -> int:
    """Where somebody who waits stands, from 1. One query."""
    waiting = in_order(Registration.objects.filter(event=row.event_id, status=Status.WAITING))
    return waiting.filter(Q(since__lt=row.waits_since) | Q(since=row.waits_since, pk__lte=row.pk)).count()


@dataclass(frozen=True)
class Called:
    """One player called from the waiting list, by public name; `until` they must be at the desk."""

    name: str
    until: dt.datetime | None


def called_now(event: Event, now: dt.datetime) -> list[Called]:
    """Alternates called while places are not held any more, in the order of their calls. One query at most: none
    before the event runs, as calls are answered at home until then."""
    if event.status != Event.Status.RUNNING:
        return []
    called = event.registrations.filter(status=Status.CALLED, held_until__gt=now)
    rows = called.select_related("player", "day", "again_on")
    return [
        Called(row.player.public_name, row.held_until)
        for row in rows.order_by("called_at", "pk")
        if entries_open(event, row.wanted_day, now)
    ]
