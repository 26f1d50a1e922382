"""The leaderboard of a series: reckoned from the standings each time it is read, so an undone result changes it."""

from dataclasses import dataclass

from django.db.models import Count

from series.domain.formula import FormulaError
from series.domain.points import Finish, Scored, leaderboard, shared_points
from series.models import Entry, Event, Player, Series
from tables.reads.standings import Standings, standings_of


@dataclass(frozen=True)
class EventPoints:
    """What one event gave a player, in hundredths of a point; `counts` if it is among their best."""

    event: Event
    best: int
    worst: int
    points: int
    counts: bool


@dataclass(frozen=True)
class Leader:
    """One line: the rank (`shared` by others), the player's key and public name, points in hundredths and where they
    come from."""

    rank: int
    shared: bool
    player_id: int
    name: str
    points: int
    events: list[EventPoints]


@dataclass(frozen=True)
class Board:
    """Who leads, of which events. `failed`: events for whose finishes the formula has no value."""

    leaders: list[Leader]
    events: list[Event]
    failed: list[Event]


def board(series: Series) -> Board:
    """The leaderboard by the series' formula. Nine queries, ten with a deal, however many events and players.

    Erased players are left out; everybody else stands under the public name of their choice.
    """
    events = list(series.events.filter(status=Event.Status.FINISHED).order_by("starts_at", "number"))
    for event in events:
        event.series = series
    found = standings_of(events)
    people = dict(
        Entry.objects.filter(event__in=events)
        .exclude(status=Entry.Status.VOID)
        .order_by()
        .values_list("event")
        .annotate(people=Count("player", distinct=True))
    )
    results: dict[int, list[Scored]] = {}
    failed = []
    for event in events:
        try:
            scored = _scored(event, found[event.pk], people.get(event.pk, 0))
        except FormulaError:
            failed.append(event)
            continue
        for player, one in scored:
            results.setdefault(player, []).append(one)
    active = Player.objects.filter(pk__in=results).exclude(status=Player.Status.ERASED)
    names = dict(active.values_list("pk", "public_name"))
    standing = leaderboard({pk: scored for pk, scored in results.items() if pk in names}, series.points_best)
    by_key = {event.pk: event for event in events}
    leaders = [
        Leader(
            line.rank,
            line.shared,
            line.player,
            names[line.player],
            line.points,
            [EventPoints(by_key[one.event], one.best, one.worst, one.points, one.counts) for one in line.scored],
        )
        for line in standing
    ]
    leaders.sort(key=lambda leader: (leader.rank, leader.name.casefold()))
    return Board(leaders, events, failed)


def _scored(event: Event, now: Standings, people: int) -> list[tuple[int, Scored]]:
    """What everybody with a place got of an event, by the player's key. Raises FormulaError."""
    amounts = now.prizes.amounts
    scored = []
    for row in now.placed:
        finish = Finish(
            place=row.best,
            entries=now.prizes.entries,
            players=people,
            buy_in_cents=event.buy_in_cents,
            fee_cents=event.fee_cents,
            prize_cents=row.of_place_cents,
            pool_cents=now.prizes.pool_cents,
            paid=len(amounts),
        )
        worth = shared_points(event.series.points_formula, finish, row.worst)
        scored.append((row.player_id, Scored(event.pk, row.best, row.worst, worth)))
    return scored
