"""Places and prizes as they follow from the eliminations. Nothing of this is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import F
from django.db.models.functions import Coalesce

from series.domain import finish
from series.domain.entries import bounty_shares
from series.domain.options import options_from
from series.models import Day, Deal, Entry, Event
from series.reads.prizes import Prizes, prizes_of
from tables.models import Bag, Bust

Days = dict[tuple[int, str], dict[int, list[finish.Bust[int]]]]  # busts by day (key and kind) and hand, in order
Person = tuple[int, str]  # a player's key and public name


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
    days: dict[int, Days] = {event.pk: {} for event in events}
    people: dict[int, Person] = {}
    # plain values: loading the rows of ten thousand busts with all they point to would take a second
    before = F("elimination__before")
    busts = Bust.objects.filter(entry__event__in=events).order_by(
        Coalesce(before, "elimination"), before.asc(nulls_last=True), "elimination", "pk"
    )
    order: dict[int, int] = {}
    for event_id, day_id, kind, elimination, entry_id, table, stack, player_id, name in busts.values_list(
        "entry__event",
        "elimination__day",
        "elimination__day__kind",
        "elimination",
        "entry",
        "table",
        "stack",
        "entry__player",
        "entry__player__public_name",
    ):
        people[entry_id] = player_id, name
        hand = order.setdefault(elimination, len(order))
        hands = days[event_id].setdefault((day_id, kind), {})
        hands.setdefault(hand, []).append(finish.Bust(entry_id, table, stack or 0))
    playing: dict[int, list[Entry]] = {event.pk: [] for event in events}
    for entry in Entry.objects.filter(event__in=events, status__in=Entry.STILL_IN).select_related("player"):
        people[entry.pk] = entry.player_id, entry.player.public_name
        playing[entry.event_id].append(entry)
    return {
        event.pk: _standings(event, prizes[event.pk], days[event.pk], people, playing[event.pk]) for event in events
    }


def _standings(event: Event, prizes: Prizes, days: Days, people: dict[int, Person], playing: list[Entry]) -> Standings:
    paid = dict(enumerate(prizes.amounts, start=1))
    policy = finish.CrossTable(options_from(event.series.options).cross_table)
    finishes = list(_finishes(days, playing, paid, policy))
    many = len(playing)
    if event.status == Event.Status.FINISHED and (many == 1 or event.rules.seat_cents):
        shares = bounty_shares(sum(paid.get(place, 0) for place in range(1, many + 1)), playing)  # even, to the cent
        finishes = [finish.Finish(entry.pk, 1, many, cents) for entry, cents in shares.items()] + finishes
    placed = [_placed(result, people[result.entry], prizes) for result in finishes]
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
    flights = {day: list(hands.values()) for (day, kind), hands in days.items() if kind == Day.Kind.FLIGHT}
    if len(flights) < 2:
        in_order = sorted((nth, hand) for hands in days.values() for nth, hand in hands.items())
        return finish.standings([hand for _, hand in in_order], len(playing), paid, policy)
    later = sorted((nth, hand) for (day, _), hands in days.items() if day not in flights for nth, hand in hands.items())
    after = finish.standings([hand for _, hand in later], len(playing), paid, policy)
    through: dict[int, set[int]] = {day: set() for day in flights}
    for day_id, entry_id in Bag.objects.filter(day__in=flights, taken_back=False).values_list("day", "entry"):
        through[day_id].add(entry_id)
    for entry in playing:
        if entry.day_id in through:
            through[entry.day_id].add(entry.pk)
    by_flight = [finish.standings(hands, len(through[day]), {}, policy) for day, hands in flights.items()]
    return [*after, *finish.across_flights(by_flight, len(playing) + len(after), paid)]


def _placed(result: finish.Finish[int], person: Person, prizes: Prizes) -> Placed:
    player_id, name = person
    places = result.entry, player_id, name, result.best, result.worst
    deal = prizes.deal
    if deal is None or result.entry not in prizes.shares:
        return Placed(*places, result.prize_cents, of_place_cents=result.prize_cents)
    cents = prizes.shares[result.entry] + (deal.left_cents if result.worst == 1 else 0)
    secret = deal.shown != Deal.Shown.AMOUNTS
    return Placed(*places, cents, by_deal=True, secret=secret, of_place_cents=result.prize_cents)
