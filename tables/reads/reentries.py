"""Who waits for a re-entry that they cannot have any more."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable

from series.domain.entries import why_reentry_over
from series.models import Entry, Event, Registration
from series.reads.places import why_no_reentry
from tables.reads.clock import stage_of
from tables.reads.penalties import disqualified


def why_waits_in_vain(event: Event, rows: Iterable[Registration], at: dt.datetime) -> dict[int, str]:
    """Why those of the registrations that wait for a re-entry, or are called for one, lead to none, by their key; those
    that do, or wait for a first entry, are not in it. Two queries, and two for each day they wait for."""
    waits = [row for row in rows if row.again_on is not None]
    if not waits:
        return {}
    entries: dict[int, list[Entry]] = defaultdict(list)
    bought = event.entries.filter(player__in=[row.player_id for row in waits]).exclude(status=Entry.Status.VOID)
    for entry in bought.select_related("player").order_by("number"):
        entries[entry.player_id].append(entry)
    out = disqualified(event)
    over = {day: why_reentry_over(event.rules, stage_of(day, at)) for day in {row.wanted_day for row in waits}}
    found = {}
    for row in waits:
        mine = entries[row.player_id]
        barred = f"{row.player} was disqualified." if any(entry.pk in out for entry in mine) else ""
        if why := over[row.wanted_day] or barred or why_no_reentry(event, mine):
            found[row.pk] = why
    return found
