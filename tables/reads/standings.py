"""Places and prizes as they follow from the eliminations. Nothing of this is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from series.domain import finish
from series.domain.entries import bounty_shares
from series.domain.options import options_from
from series.models import Day, Deal, Entry, Event
from series.reads.prizes import Prizes, prizes_of
from tables.models import Bag, Bust

Days = dict[Day, dict[int, list[finish.Bust[int]]]]  # busts by day and elimination


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
    groups: dict[int, Days] = {event.pk: {} for event in events}
    entries: dict[int, Entry] = {}
    busts = Bust.objects.filter(entry__event__in=events).select_related("entry__player", "elimination__day")
    for bust in busts.order_by("elimination_id", "pk"):
        entries[bust.entry_id] = bust.entry
        day = groups[bust.entry.event_id].setdefault(bust.elimination.day, {})
        group = day.setdefault(bust.elimination_id, [])
        group.append(finish.Bust(bust.entry_id, bust.table, bust.stack or 0))
    playing: dict[int, list[Entry]] = {event.pk: [] for event in events}
    for entry in Entry.objects.filter(event__in=events, status__in=Entry.STILL_IN).select_related("player"):
        playing[entry.event_id].append(entry)
    return {
        event.pk: _standings(event, prizes[event.pk], groups[event.pk], entries, playing[event.pk]) for event in events
    }


def _standings(
    event: Event,
    prizes: Prizes,
    days: Days,
    entries: dict[int, Entry],
    playing: list[Entry],
) -> Standings:
    paid = dict(enumerate(prizes.amounts, start=1))
    policy = finish.CrossTable(options_from(event.series.options).cross_table)
    placed = [
        _placed(entries[result.entry], result.best, result.worst, result.prize_cents, prizes)
        for result in _finishes(days, playing, paid, policy)
    ]
    many = len(playing)
    if event.status == Event.Status.FINISHED and (many == 1 or event.rules.seat_cents):
        shares = bounty_shares(sum(paid.get(place, 0) for place in range(1, many + 1)), playing)  # even, to the cent
        placed = [_placed(entry, 1, many, cents, prizes) for entry, cents in shares.items()] + placed
    among_the_dealt = {row.entry_id for row in placed if row.best <= len(prizes.shares)}
    among_the_dealt |= {entry.pk for entry in playing}
    return Standings(
        placed,
        playing,
        prizes,
        deal_broken=bool(prizes.deal) and among_the_dealt != prizes.shares.keys(),
        by_entry={row.entry_id: row for row in placed},
    )


def _finishes(
    days: Days, playing: list[Entry], paid: dict[int, int], policy: finish.CrossTable
) -> Sequence[finish.Finish[int]]:
    """Who is out, in order of time; those of several flights by how many were left in theirs. One query more then."""
    flights = {day: list(groups.values()) for day, groups in days.items() if day.kind == Day.Kind.FLIGHT}
    if len(flights) < 2:
        in_order = sorted((pk, group) for groups in days.values() for pk, group in groups.items())
        return finish.standings([group for _, group in in_order], len(playing), paid, policy)
    later = sorted((pk, group) for day, groups in days.items() if day not in flights for pk, group in groups.items())
    after = finish.standings([group for _, group in later], len(playing), paid, policy)
    through: dict[int, set[int]] = {day.pk: set() for day in flights}
    for day_id, entry_id in Bag.objects.filter(day__in=flights, taken_back=False).values_list("day", "entry"):
        through[day_id].add(entry_id)
    for entry in playing:
        if entry.day_id in through:
            through[entry.day_id].add(entry.pk)
    by_flight = [finish.standings(groups, len(through[day.pk]), {}, policy) for day, groups in flights.items()]
    return [*after, *finish.across_flights(by_flight, len(playing) + len(after), paid)]


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
