"""The public results: places and prizes as everybody may see them."""

from dataclasses import dataclass

from series.models import Deal, Entry, Event
from tables.reads.bounties import Winner, bounty_winners
from tables.reads.standings import Placed, standings_of


@dataclass(frozen=True)
class ResultLine:
    """One entry that has its place. `again`: which entry of the same player it was, from 2 on."""

    placed: Placed
    again: int | None


@dataclass(frozen=True)
class Results:
    """Everybody who has a place, best first; `winner` is the first of them once the event is over. `locked`: the prizes
    are published and not only projected. `dealt`: among how many a deal was made, 0 if none is shown.
    `bounties`: who has won some, the most first.
    """

    lines: list[ResultLine]
    winner: Placed | None
    playing: int
    entries: int
    locked: bool
    dealt: int
    bounties: list[Winner]


def results(event: Event) -> Results:
    """The places of an event so far. Nine queries, ten with a deal, four more with bounties."""
    now = standings_of([event])[event.pk]
    numbers = dict(event.entries.filter(number__gt=1).values_list("pk", "number"))
    over = event.status == Event.Status.FINISHED
    placed, deal = now.placed, now.prizes.deal
    return Results(
        lines=[ResultLine(place, numbers.get(place.entry_id)) for place in placed],
        winner=placed[0] if over and placed and placed[0].worst == 1 else None,
        playing=0 if over else len(now.playing),
        entries=event.entries.exclude(status=Entry.Status.VOID).count(),
        locked=now.prizes.lock is not None,
        bounties=list(bounty_winners(event).values()),
        dealt=len(now.prizes.shares) if deal and deal.shown != Deal.Shown.NOTHING else 0,
    )
