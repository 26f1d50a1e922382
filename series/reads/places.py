"""Who can still enter an event: the answers that every page shows and every command gives."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from series.domain.entries import addon_words
from series.domain.places import DayCount, EventCount, free_on, free_places, free_seats, left_on, seats_left
from series.domain.places import places_left as places_left_of
from series.models import Day, Entry, Event, Registration


def _count(rows: QuerySet[Registration] | QuerySet[Entry], of: str = "event") -> Coalesce:
    """How many of `rows` belong to the event (or `day`) at hand, as a column of a query over events (or days)."""
    found = rows.filter(**{of: OuterRef("pk")}).order_by().values(of).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(found, output_field=IntegerField()), 0)


def with_places(events: QuerySet[Event]) -> QuerySet[Event]:
    """Events with `held` (places that wait for a buy-in), `taken` (players who bought in), `playing` and `waiting`, and
    with their days, counted as well. Who waits for a re-entry is counted in `taken`, and on the days they wait for."""
    return events.annotate(
        held=_count(_first().filter(status__in=Registration.HOLDING)),
        taken=_count(Entry.objects.filter(number=1).exclude(status=Entry.Status.VOID)),
        playing=_count(Entry.objects.filter(status__in=Entry.STILL_IN)),
        waiting=_count(_first().filter(status=Registration.Status.WAITING)),
    ).prefetch_related(Prefetch("days", queryset=_with_counts(Day.objects.all())))


def _first() -> QuerySet[Registration]:
    """Registrations of those who have not played the event yet, as long as they have not."""
    return Registration.objects.filter(again_at=None)


def _with_counts(days: QuerySet[Day]) -> QuerySet[Day]:
    Status = Registration.Status
    return days.annotate(
        held=_count(_first().filter(status__in=Registration.HOLDING), "day"),
        taken=_count(Registration.objects.filter(Q(status=Status.ENTERED) | Q(again_at__isnull=False)), "day"),
        playing=_count(Entry.objects.filter(status=Entry.Status.PLAYING), "day"),
        waiting=_count(_first().filter(status=Status.WAITING), "day"),
        again_held=_count(Registration.objects.filter(status=Status.CALLED), "again_on"),
        again_waiting=_count(Registration.objects.filter(status=Status.WAITING), "again_on"),
    )


def _day_count(event: Event, day: Any, at: dt.datetime) -> DayCount:
    open_ = entries_open(event, day, at)
    return DayCount(
        open_, day.capacity, day.held, day.taken, day.playing, day.waiting, day.again_held, day.again_waiting
    )


def count_of(event: Any, at: dt.datetime) -> EventCount:
    """The counts of an event from `with_places`. No query."""
    days = [_day_count(event, day, at) for day in event.days.all() if day.kind == Day.Kind.FLIGHT]
    return EventCount(event.capacity, event.held, event.taken, event.hall_seats, days)


def places_of(event: Event, at: dt.datetime) -> int:
    """Places of an event from `with_places` for somebody new: neither taken nor held, nor waited for. No query."""
    return places_left_of(count_of(event, at))


def counted(event: Event) -> Any:
    """The event with its places. Two queries."""
    return with_places(Event.objects.filter(pk=event.pk)).get()


def places_left(event: Event, at: dt.datetime) -> int:
    """Places for somebody new: the counter on every page and the one that refuses. Two queries."""
    return places_of(counted(event), at)


def why_full(event: Event, day: Day, at: dt.datetime) -> str:
    """Why somebody new cannot have a place on this day, in words; empty if they can. Two queries."""
    found = counted(event)
    count = count_of(found, at)
    if places_left_of(count) == 0:
        seats = event.hall_seats is not None and free_places(count) > 0 and not found.waiting
        return "All seats are taken." if seats else "This event is full."
    mine = next(row for row in found.days.all() if row.pk == day.pk)
    return "" if left_on(count, _day_count(event, mine, at)) else f"{day} is full."


def with_seats(event: Event, days: Sequence[Day], at: dt.datetime) -> list[Day]:
    """Those of the days on which a re-entry finds a seat at once. Two queries where the hall has a limit."""
    if event.hall_seats is None:
        return list(days)
    found = counted(event)
    count = count_of(found, at)
    free = {day.pk for day in found.days.all() if seats_left(count, _day_count(event, day, at))}
    return [day for day in days if day.pk in free]


def who_is_called(event: Event, at: dt.datetime) -> Callable[[Registration], bool]:
    """Whether there is a place (for a re-entry, a seat) for somebody on the waiting list: the answer for each of them.
    Two queries."""
    found = counted(event)
    count = count_of(found, at)
    days = [(day.pk, _day_count(event, day, at)) for day in found.days.all() if day.kind == Day.Kind.FLIGHT]
    places = {pk for pk, day in days if day.open and free_on(count, day)}
    seats = {pk for pk, day in days if day.open and free_seats(count, day) != 0}
    return lambda row: row.again_on_id in seats if row.again_on_id else row.day_id in places


def in_order(waiting: QuerySet[Registration]) -> QuerySet[Registration]:
    """Those who wait, the first to be called first."""
    return waiting.annotate(since=Coalesce("again_at", "at")).order_by("since", "pk")


def entries_open(event: Event, day: Day, at: dt.datetime) -> bool:
    """Whether somebody can still enter this day of the event at `at`: the one answer for every door."""
    if event.status not in (Event.Status.OPEN, Event.Status.RUNNING) or day.kind != Day.Kind.FLIGHT:
        return False
    if day.entries_closed:
        return False
    return day.entries_close_at is None or at < day.entries_close_at


def open_flights(event: Event, days: Iterable[Day], at: dt.datetime) -> list[Day]:
    """Those of an event's days that somebody can still enter."""
    return [day for day in days if entries_open(event, day, at)]


def why_closed(event: Event, days: Iterable[Day], at: dt.datetime) -> str:
    """Why nobody can enter any of these days of the event, in words for who asks; empty if somebody can."""
    if event.status == Event.Status.DRAFT:
        return "Registration has not opened yet."
    if event.status == Event.Status.CANCELLED:
        return "This event is cancelled."
    if not open_flights(event, days, at):
        return "Registration for this event is closed."
    return ""


def why_no_reentry(event: Event, entries: Sequence[Entry], *, giving_up: bool = False) -> str:
    """Why a player with these entries cannot buy a new stack; empty if they can while entries are open.

    `giving_up`: they would give up the stack they still play with, where the event allows it (TDA 2024 rule 8B).
    """
    rules = event.rules
    bought = [entry for entry in entries if entry.status != Entry.Status.VOID]
    if not bought:
        return "This player has not played this event yet: register and take the buy-in."
    if any(entry.status == Entry.Status.PLAYING for entry in bought) and not (giving_up and rules.forfeit):
        return f"{bought[0].player} is still playing."
    if any(entry.status == Entry.Status.BAGGED for entry in bought) and not rules.best_stack:
        return f"{bought[0].player} has a stack for the next day."
    if len(bought) > event.max_reentries:
        return f"This event allows {reentry_words(event.max_reentries)}."
    return ""


def reentry_days(event: Event, days: Iterable[Day], last: Day) -> list[Day]:
    """Those of the days that somebody who played `last` may re-enter: any, the same, or a later flight."""
    choice = event.rules.reentry_day
    if choice == "same":
        return [day for day in days if day.pk == last.pk]
    if choice == "next":
        return [day for day in days if (day.starts_at, day.number) > (last.starts_at, last.number)]
    return list(days)


def reentry_words(most: int) -> str:
    """How often a player may come back: "no re-entries", "one re-entry", "up to 3 re-entries"."""
    return {0: "no re-entries", 1: "one re-entry"}.get(most, f"up to {most} re-entries")


def extra_terms(event: Event) -> list[tuple[str, str, int]]:
    """What can be bought beside the entry, for the public page: what, when with what it gives, its price in cents."""
    rules = event.rules
    found = []
    if rules.reentry_until is not None and event.max_reentries:
        found.append(("Re-entries", f"until the end of level {rules.reentry_until}", 0))
    for level, chips in rules.late_stacks:
        found.append((f"From level {level}", f"{chips:,} chips for a new entry", 0))
    if rules.rebuys:
        many = "one" if rules.rebuys == 1 else f"up to {rules.rebuys}"
        words = f"{many}, {rules.rebuy_chips:,} chips, until the end of level {rules.rebuy_until}"
        found.append(("Rebuys", words, rules.rebuy_price_cents))
    if rules.addons:
        many = "one" if rules.addons == 1 else f"up to {rules.addons}"
        found.append(("Add-on", f"{many}, {rules.addon_chips:,} chips, {addon_words(rules)}", rules.addon_price_cents))
    if rules.seat_cents and event.seats_in:
        words = f"in {event.seats_in}: as many as the pool holds, the rest to the next place"
        found.append(("Seats to win", words, rules.seat_cents))
    if rules.bounty_cents:
        found.append(("Bounty", "for every player you bust, part of the buy-in", rules.bounty_cents))
    return found
