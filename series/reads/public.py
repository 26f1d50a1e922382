"""What anybody may see of a series and its events before the cards are in the air: dates, prices, places."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils import timezone

from series.domain.eligibility import ID_KINDS, NOT_ACCEPTED, IdKind, local_date
from series.domain.options import options_from
from series.domain.places import held_until
from series.models import Day, Event, Series
from series.reads.places import open_flights, places_of, why_closed, with_places


@dataclass(frozen=True)
class EventLine:
    """One event in a list. `closed` says why nobody can sign up, empty if somebody can."""

    event: Event
    days: tuple[Day, ...]
    places_left: int
    waiting: int
    taken: int
    playing: int
    closed: str

    @property
    def open(self) -> bool:
        return not self.closed and self.places_left > 0


@dataclass(frozen=True)
class Date:
    """The events that start on one day of the series' calendar."""

    date: dt.date
    lines: tuple[EventLine, ...]


@dataclass(frozen=True)
class RulesVersion:
    """A version of the rulebook, as pages refer to it. `id` is what an acceptance names."""

    id: int
    number: int


def event_lines(events: Sequence[Event], now: dt.datetime) -> list[EventLine]:
    """Lines for events that come from `with_places` and have their days prefetched. No query."""
    return [
        EventLine(
            event=event,
            days=tuple(event.days.all()),
            places_left=places_of(event, now),
            waiting=event.waiting,  # type: ignore[attr-defined]
            taken=event.taken,  # type: ignore[attr-defined]  # annotated by with_places
            playing=event.playing,  # type: ignore[attr-defined]
            closed=why_closed(event, event.days.all(), now),
        )
        for event in events
    ]


def schedule(series: Series, now: dt.datetime, *, drafts: bool) -> list[Date]:
    """All events of a series by date, with those being set up if `drafts`. Two queries."""
    events = with_places(series.events.all()).select_related("series")
    if not drafts:
        events = events.exclude(status=Event.Status.DRAFT)
    lines = event_lines(list(events.order_by("starts_at", "number")), now)
    by_date = groupby(lines, key=lambda line: local_date(line.event.starts_at, series.tz))
    return [Date(date, tuple(found)) for date, found in by_date]


def rules_in_force(series: Series) -> RulesVersion | None:
    """The version of the rulebook that a sign-up accepts now; None before the first is published. One query."""
    found = series.rulebook_versions.in_force(timezone.now()).first()
    return RulesVersion(found.pk, found.number) if found else None


@dataclass(frozen=True)
class AgeTerms:
    """From which age an event is open, on what day it must be reached (in words), and what shows it."""

    minimum: int
    when: str
    in_casino: bool
    accepted: tuple[IdKind, ...] = ID_KINDS
    refused: tuple[str, ...] = NOT_ACCEPTED


def age_terms(event: Event) -> AgeTerms:
    """The terms of an event with its series loaded. No query."""
    at_seating = options_from(event.series.options).age_rule == "at_seating"
    when = "when you take your seat" if at_seating else "on the day the event starts"
    return AgeTerms(event.age_required, when, event.series.venue_kind == Series.VenueKind.CASINO)


def event_with_places(event_id: int) -> Event | None:
    """One event with its series, its rulebook version, days and places. Two queries."""
    events = with_places(Event.objects.filter(pk=event_id)).select_related("series", "rulebook_version")
    return events.first()


@dataclass(frozen=True)
class Hold:
    """Until when a place taken now is held on one flight."""

    day: Day
    until: dt.datetime


def holds_of(event: Event, now: dt.datetime) -> list[Hold]:
    """What somebody who signs up now is told; empty where places are held until registration closes. No query."""
    holds = []
    for day in flights_open(event, now):
        grace = event.call_minutes
        until = held_until(now, starts=day.starts_at, hold_minutes=event.hold_minutes, grace_minutes=grace)
        if until is not None:
            holds.append(Hold(day, until))
    return holds


def flights_open(event: Event, now: dt.datetime) -> list[Day]:
    """The flights one can choose when signing up; the days must be prefetched."""
    return open_flights(event, event.days.all(), now)
