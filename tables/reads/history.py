"""A player's seasons: every event they were registered for, with entries, places and prizes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from series.domain import finish
from series.domain.options import options_from
from series.models import Entry, Event, Payout, Player, Registration, Series
from tables.models import Bust


@dataclass(frozen=True)
class Run:
    """One entry of a player. `places`: the best and the worst of those it shares; None while it is being played."""

    number: int
    places: tuple[int, int] | None
    prize_cents: int


@dataclass(frozen=True)
class Attended:
    """An event a player was registered for; `runs` are their entries in it, `field` all entries of everybody."""

    event: Event
    registration: Registration | None
    runs: tuple[Run, ...]
    field: int

    @property
    def words(self) -> str:
        """Where they stand, for an event without entries of theirs."""
        if self.registration is None:
            return ""
        if self.registration.status == Registration.Status.WITHDRAWN:
            return "gave the place back"
        return "place held" if self.registration.status == Registration.Status.REGISTERED else ""


@dataclass(frozen=True)
class Season:
    """The events of one series, the latest first. Money in cents of its currency."""

    series: Series
    attended: tuple[Attended, ...]

    @property
    def entries(self) -> int:
        return sum(len(event.runs) for event in self.attended)

    @property
    def prizes_cents(self) -> int:
        return sum(run.prize_cents for event in self.attended for run in event.runs)


def seasons(player: Player) -> list[Season]:
    """Every series a player was in, that of the latest event first. Prizes are those handed over. Six queries."""
    registrations: dict[int, Registration] = {}
    for registration in (
        Registration.objects.filter(player=player).select_related("event__series", "day").order_by("at", "pk")
    ):
        known = registrations.get(registration.event_id)
        if known is None or known.status == Registration.Status.WITHDRAWN:
            registrations[registration.event_id] = registration
    bought = Entry.objects.filter(player=player).exclude(status=Entry.Status.VOID)
    entries: dict[int, list[Entry]] = defaultdict(list)
    for entry in bought.select_related("event__series").order_by("number"):
        entries[entry.event_id].append(entry)
    events = {registration.event_id: registration.event for registration in registrations.values()}
    events |= {mine[0].event_id: mine[0].event for mine in entries.values()}
    places = places_in([events[pk] for pk in entries])
    paid = dict(
        Payout.objects.filter(
            entry__in=[entry for mine in entries.values() for entry in mine], taken_back=False
        ).values_list("entry", "amount_cents")
    )
    sizes = dict(
        Entry.objects.filter(event__in=list(events))
        .exclude(status=Entry.Status.VOID)
        .order_by()
        .values_list("event")
        .annotate(n=Count("pk"))
    )
    by_series: dict[int, list[Attended]] = defaultdict(list)
    for event in sorted(events.values(), key=lambda event: (event.starts_at, event.pk), reverse=True):
        runs = tuple(Run(entry.number, places.get(entry.pk), paid.get(entry.pk, 0)) for entry in entries[event.pk])
        by_series[event.series_id].append(Attended(event, registrations.get(event.pk), runs, sizes.get(event.pk, 0)))
    return [Season(found[0].event.series, tuple(found)) for found in by_series.values()]


def places_in(events: Sequence[Event]) -> dict[int, tuple[int, int]]:
    """The places of everybody who is out in these events, and of their winners, by entry. Two queries."""
    busts = Bust.objects.filter(entry__event__in=events).order_by("elimination_id", "pk")
    groups: dict[int, dict[int, list[finish.Bust[int]]]] = defaultdict(lambda: defaultdict(list))
    for event_id, elimination, entry, table, stack in busts.values_list(
        "entry__event", "elimination", "entry", "table", "stack"
    ):
        groups[event_id][elimination].append(finish.Bust(entry, table, stack or 0))
    alive: dict[int, list[int]] = defaultdict(list)
    playing = Entry.objects.filter(event__in=events, status=Entry.Status.PLAYING)
    for event_id, pk in playing.values_list("event", "pk"):
        alive[event_id].append(pk)
    found: dict[int, tuple[int, int]] = {}
    for event in events:
        policy = finish.CrossTable(options_from(event.series.options).cross_table)
        left = alive[event.pk]
        for place in finish.standings(list(groups[event.pk].values()), len(left), {}, policy):
            found[place.entry] = place.best, place.worst
        if event.status == Event.Status.FINISHED and len(left) == 1:
            found[left[0]] = 1, 1
    return found
