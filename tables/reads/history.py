"""A player's seasons: every event they were registered for, with entries, places and prizes."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count

from series.models import Entry, Event, Payout, Player, Registration, Series
from tables.reads.leaderboard import Leader, board
from tables.reads.standings import Placed, standings_of


@dataclass(frozen=True)
class Run:
    """One entry of a player. `places`: the best and the worst of those it shares; None while it is being played."""

    number: int
    status: str
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
        said = {Registration.Status.WITHDRAWN: "gave the place back", Registration.Status.REGISTERED: "place held"}
        status = Registration.Status(self.registration.status)
        return said.get(status, str(status.label))


@dataclass(frozen=True)
class Season:
    """The events of one series, the latest first. Money in cents of its currency. `leader`: their line in the
    leaderboard, if the series gives points and they have some."""

    series: Series
    attended: tuple[Attended, ...]
    leader: Leader | None = None

    @property
    def entries(self) -> int:
        return sum(len(event.runs) for event in self.attended)

    @property
    def prizes_cents(self) -> int:
        return sum(run.prize_cents for event in self.attended for run in event.runs)


def seasons(player: Player) -> list[Season]:
    """Every series a player was in, that of the latest event first. A dozen queries, however many events, and
    the leaderboard's for each series that gives points."""
    registrations: dict[int, Registration] = {}
    for registration in (
        Registration.objects.filter(player=player).select_related("event__series", "day").order_by("at", "pk")
    ):
        known = registrations.get(registration.event_id)
        if known is None or known.status in Registration.GONE:
            registrations[registration.event_id] = registration
    bought = Entry.objects.filter(player=player).exclude(status=Entry.Status.VOID)
    entries: dict[int, list[Entry]] = defaultdict(list)
    for entry in bought.select_related("event__series").order_by("number"):
        entries[entry.event_id].append(entry)
    events = {registration.event_id: registration.event for registration in registrations.values()}
    events |= {mine[0].event_id: mine[0].event for mine in entries.values()}
    stand = standings_of([events[pk] for pk in entries])
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
        runs = tuple(_run(entry, stand[event.pk].by_entry.get(entry.pk), paid) for entry in entries[event.pk])
        by_series[event.series_id].append(Attended(event, registrations.get(event.pk), runs, sizes.get(event.pk, 0)))
    return [
        Season(found[0].event.series, tuple(found), _leader(found[0].event.series, player))
        for found in by_series.values()
    ]


def _leader(series: Series, player: Player) -> Leader | None:
    if not series.points_formula:
        return None
    return next((leader for leader in board(series).leaders if leader.player_id == player.pk), None)


def _run(entry: Entry, placed: Placed | None, paid: dict[int, int]) -> Run:
    """A prize that is not handed over yet counts once the event is over: until then it may still change."""
    cents = paid.get(entry.pk)
    if cents is None:
        cents = placed.prize_cents if placed and entry.event.status == Event.Status.FINISHED else 0
    return Run(entry.number, entry.get_status_display(), (placed.best, placed.worst) if placed else None, cents)
