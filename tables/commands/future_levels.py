"""Changing the levels still to come while an event runs: in public, past and present ones frozen."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused, Stale
from series.commands.opening import checked, write_levels
from series.domain.structure import Item
from series.models import Day, Event, EventNotice, Level
from series.reads.setup import items_of
from tables.models import Clock
from tables.reads.clock import frozen_until, late_registration, state_of


@command(Event, "structure.change_future", permission=Permission.SET_UP, undoable=False)
def change_future_levels(tx: Tx[Event], *, after: int, items: Sequence[Item]) -> dict[str, Any]:
    """Replace the levels and breaks after the present one; everybody reads on the event's page and the clock that they
    changed. `after`: the position of the present one as the actor saw it. A change is changed again, not undone: the
    clock goes on meanwhile.

    Result: `from_level`, the first level that is another one now (None: only breaks are), and `warnings` (codes).

    Raises:
        Refused: the event does not run, nothing is different, or the structure has an error; the row is named.
        Stale: the clock has gone on since.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Levels to come are changed here while the event is running.", code="not_running")
    rows = sorted(tx.lock(Level.objects.filter(event=event)), key=lambda row: row.position)
    tx.expect_unchanged(*rows)
    clocks = tx.lock(Clock.objects.filter(day__event=event))
    if frozen_until(clocks, rows, tx.at) != after:
        raise Stale("The clock has gone on meanwhile: one level fewer is still to come. Here they are.")
    before = items_of(rows)
    whole = (*before[: after + 1], *items)
    if whole == before:
        raise Refused("These levels are the same as before.", code="unchanged")
    found = checked(event, whole)
    write_levels(tx, rows, whole)
    new = list(Level.objects.filter(event=event).order_by("position"))
    first = next((at for at, item in enumerate(whole) if at >= len(before) or item != before[at]), len(whole))
    from_level = next((row.number for row in new if row.position >= first and row.number), None)
    for clock in clocks:
        day = tx.lock(Day.objects.filter(pk=clock.day_id))[0]
        entries = late_registration(event, new, state_of(clock), tx.at)
        tx.change(day, entries_close_at=entries.close_at)
    local = tx.at.astimezone(event.series.tz)
    if from_level:
        words = f"Level {from_level} onwards changed at {local:%H:%M}"
    elif len(whole) < len(before):
        words = f"The structure ends earlier, changed at {local:%H:%M}"
    else:
        words = f"Breaks to come changed at {local:%H:%M}"
    reason = f": {tx.reason}" if tx.reason else ""
    tx.add(EventNotice(event=event, kind=EventNotice.Kind.LEVELS, text=f"{words}{reason}.", at=tx.at))
    tx.say("{words}", words=words)
    return {"from_level": from_level, "warnings": [finding.code for finding in found.warnings]}
