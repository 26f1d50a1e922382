"""Places and prizes as they follow from the eliminations. Nothing of this is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from series.domain import finish
from series.domain.options import options_from
from series.models import Deal, Entry, Event
from series.reads.prizes import Prizes, prizes_of
from tables.models import Bust


@dataclass(frozen=True)
class Placed:
    """One entry's final place (shared from `best` to `worst`) and prize in cents. `player_id` and `name` are public.

    `by_deal`: the prize is what a deal gave; `secret`: the public is not shown how much. `of_place_cents` is the prize
    of the place without any deal.
    """

    entry_id: int
    player_id: int
    name: str
    best: int
    worst: int
    prize_cents: int
    by_deal: bool = False
    secret: bool = False
    of_place_cents: int = 0

    @property
    def public_cents(self) -> int:
        """The prize as everybody may see it, 0 if it is not shown."""
        return 0 if self.secret else self.prize_cents


@dataclass(frozen=True)
class Standings:
    """An event so far: who has a place, best first, who is still in, and the prizes.

    `deal_broken`: a deal was made, but those who are left are no longer those who made it, so prizes of their places
    cannot be paid.
    """

    placed: list[Placed]
    playing: list[Entry]
    prizes: Prizes
    deal_broken: bool = False
    by_entry: dict[int, Placed] = field(default_factory=dict)


def standings(event: Event) -> list[Placed]:
    """Everybody who is out, and the winner once one is left in a finished event, best place first. Six queries, seven
    with a deal.
    """
    return standings_of([event])[event.pk].placed


def standings_of(events: Sequence[Event]) -> dict[int, Standings]:
    """The standings of any number of events (with their series loaded), by the event's key. Six queries, seven with a
    deal, however many events.
    """
    prizes = prizes_of(events)
    groups: dict[int, dict[int, list[finish.Bust[int]]]] = {event.pk: {} for event in events}
    entries: dict[int, Entry] = {}
    busts = Bust.objects.filter(entry__event__in=events).select_related("entry__player")
    for bust in busts.order_by("elimination_id", "pk"):
        entries[bust.entry_id] = bust.entry
        group = groups[bust.entry.event_id].setdefault(bust.elimination_id, [])
        group.append(finish.Bust(bust.entry_id, bust.table, bust.stack or 0))
    playing: dict[int, list[Entry]] = {event.pk: [] for event in events}
    for entry in Entry.objects.filter(event__in=events, status=Entry.Status.PLAYING).select_related("player"):
        playing[entry.event_id].append(entry)
    return {
        event.pk: _standings(event, prizes[event.pk], list(groups[event.pk].values()), entries, playing[event.pk])
        for event in events
    }


def _standings(
    event: Event,
    prizes: Prizes,
    groups: list[list[finish.Bust[int]]],
    entries: dict[int, Entry],
    playing: list[Entry],
) -> Standings:
    paid = dict(enumerate(prizes.amounts, start=1))
    policy = finish.CrossTable(options_from(event.series.options).cross_table)
    placed = [
        _placed(entries[result.entry], result.best, result.worst, result.prize_cents, prizes)
        for result in finish.standings(groups, len(playing), paid, policy)
    ]
    if event.status == Event.Status.FINISHED and len(playing) == 1:
        placed.insert(0, _placed(playing[0], 1, 1, paid.get(1, 0), prizes))
    among_the_dealt = {row.entry_id for row in placed if row.best <= len(prizes.shares)}
    among_the_dealt |= {entry.pk for entry in playing}
    return Standings(
        placed,
        playing,
        prizes,
        deal_broken=bool(prizes.deal) and among_the_dealt != prizes.shares.keys(),
        by_entry={row.entry_id: row for row in placed},
    )


def _placed(entry: Entry, best: int, worst: int, prize_cents: int, prizes: Prizes) -> Placed:
    name, deal = entry.player.public_name, prizes.deal
    if deal is None or entry.pk not in prizes.shares:
        return Placed(entry.pk, entry.player_id, name, best, worst, prize_cents, of_place_cents=prize_cents)
    cents = prizes.shares[entry.pk] + (deal.left_cents if worst == 1 else 0)
    secret = deal.shown != Deal.Shown.AMOUNTS
    return Placed(
        entry.pk,
        entry.player_id,
        name,
        best,
        worst,
        cents,
        by_deal=True,
        secret=secret,
        of_place_cents=prize_cents,
    )
