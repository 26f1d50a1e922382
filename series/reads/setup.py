"""What the pages for setting up show: what an event lacks before it opens, and the next thing to do."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import StaffRole, User
from accounts.permissions import Permission, Role
from series.domain.structure import AnteType, Break, Item, average_in_big_blinds, check
from series.domain.structure import Level as StructureLevel
from series.domain.windows import misplaced
from series.models import Day, Entry, Event, Level, Series
from series.reads.places import with_places


@dataclass(frozen=True)
class Step:
    """One thing that must be true before an event opens. `missing` says what to do; empty once done."""

    name: str
    said: str
    missing: str

    @property
    def done(self) -> bool:
        return not self.missing


@dataclass(frozen=True)
class Link:
    """A page of an event, by the name of its address."""

    name: str
    label: str


@dataclass(frozen=True)
class EventCard:
    """An event as the staff's first page shows it. `next` is the one main button, `others` the quiet ones."""

    event: Event
    taken: int
    held: int
    missing: str
    next: Link | None
    others: tuple[Link, ...]


@dataclass(frozen=True)
class SeriesCard:
    """A series with what the user is trusted with there."""

    series: Series
    roles: tuple[Role, ...]
    may: frozenset[str]
    has_rulebook: bool
    events: tuple[EventCard, ...]


@dataclass(frozen=True)
class TimetableRow:
    """A level or break, when it begins, and how many big blinds a starting stack is worth then."""

    starts_at: dt.datetime
    level: int | None
    item: Item
    stack_in_big_blinds: Decimal | None

    @property
    def is_break(self) -> bool:
        return self.level is None


def items_of(levels: Sequence[Level]) -> tuple[Item, ...]:
    """Stored levels as the domain knows them, in their order."""
    return tuple(
        StructureLevel(
            row.minutes, row.small_blind, row.big_blind, row.ante, AnteType(row.ante_type), tuple(row.remove)
        )
        if row.kind == Level.Kind.LEVEL
        else Break(row.minutes, tuple(row.remove))
        for row in sorted(levels, key=lambda row: row.position)
    )


def timetable(items: Sequence[Item], starts_at: dt.datetime, starting_stack: int) -> tuple[TimetableRow, ...]:
    """When each level and break begins if the clock starts on time and never stops."""
    rows: list[TimetableRow] = []
    number = 0
    for item in items:
        if isinstance(item, StructureLevel):
            number += 1
            deep = average_in_big_blinds(starting_stack, 1, item.big_blind) if item.big_blind > 0 else None
            rows.append(TimetableRow(starts_at, number, item, deep))
        else:
            rows.append(TimetableRow(starts_at, None, item, None))
        starts_at += dt.timedelta(minutes=max(0, item.minutes))
    return tuple(rows)


@dataclass(frozen=True)
class StructureSummary:
    """A structure in one line. `ends_at`: if every level is played and the clock never stops."""

    levels: int
    breaks: int
    ends_at: dt.datetime


def structure_summary(items: Sequence[Item], starts_at: dt.datetime) -> StructureSummary:
    breaks = sum(isinstance(item, Break) for item in items)
    minutes = sum(item.minutes for item in items)
    return StructureSummary(len(items) - breaks, breaks, starts_at + dt.timedelta(minutes=minutes))


def has_rulebook(series: Series) -> bool:
    """Whether a rulebook is in force, so that players can accept it."""
    return series.rulebook_versions.in_force(timezone.now()).exists()


def opening_steps(event: Event, levels: Sequence[Level], *, rulebook: bool) -> tuple[Step, ...]:
    """What an event needs before players can register, in the order in which it is best done."""
    items = items_of(levels)
    found = check(items, event.chips, event.late_reg_level)
    if not levels:
        wrong = "Enter the blind structure: at least one level."
    elif found.errors:
        wrong = f"Put the blind structure right: {found.errors[0].explanation}"
    else:
        wrong = next((f"Structure and terms do not fit: {said}" for _, said in misplaced(event.rules, items)), "")
    rules = "" if rulebook else "Publish the rulebook of the series: players accept it when they register."
    shown = "" if event.series.published else "Publish the series, so that players can find it."
    return (
        Step("structure", "Blind structure", wrong),
        Step("rulebook", "Rulebook in force", rules),
        Step("publish", "Series published", shown),
    )


def staff_home(user: User) -> list[SeriesCard]:
    """Every series in which the user is trusted with something, the newest first. Five queries."""
    roles: dict[int, list[StaffRole]] = {}
    for role in StaffRole.objects.holding().filter(user=user):
        roles.setdefault(role.series_id, []).append(role)
    wanted = Series.objects.all() if user.is_superuser else Series.objects.filter(pk__in=roles)
    found = list(wanted.order_by("-pk"))
    versions: Any = Series._meta.get_field("rulebook_versions").related_model
    in_force = set(versions.objects.in_force(timezone.now()).values_list("series_id", flat=True))
    events: dict[int, list[Event]] = {}
    for event in with_places(Event.objects.filter(series__in=found)).prefetch_related("levels"):
        events.setdefault(event.series_id, []).append(event)
    cards = []
    for series in found:
        held = roles.get(series.pk, [])
        may = frozenset(Permission.values) if user.is_superuser else _may(held)
        rulebook = series.pk in in_force
        cards.append(
            SeriesCard(
                series,
                tuple(Role(role.role) for role in held),
                may,
                rulebook,
                _event_cards(series, events.get(series.pk, []), may, rulebook),
            )
        )
    return cards


def waiting_roles(user: User) -> list[StaffRole]:
    """The roles that hold once the user has confirmed the address. One query."""
    return list(StaffRole.objects.waiting().filter(user=user).select_related("series"))


def events(series: Series, may: frozenset[str], *, rulebook: bool) -> tuple[EventCard, ...]:
    """The events of one series. Two queries."""
    return _event_cards(series, list(with_places(series.events.all()).prefetch_related("levels")), may, rulebook)


def structures_to_copy(user: User, event: Event) -> models.QuerySet[Event]:
    """Other events with a structure, in every series that the user sets up; the latest first."""
    with_levels = Event.objects.filter(Exists(Level.objects.filter(event=OuterRef("pk")))).exclude(pk=event.pk)
    if not user.is_superuser:
        own = StaffRole.objects.holding().filter(user=user)
        with_levels = with_levels.filter(
            series__in=[role.series_id for role in own if Permission.SET_UP in role.permissions]
        )
    return with_levels.select_related("series").order_by("-starts_at")


def next_label(present: Sequence[Day]) -> str:
    """A label for the next flight: Day 1B after Day 1 or Day 1A, Day 1C after Day 1B."""
    flights = sum(day.kind == Day.Kind.FLIGHT for day in present)
    return f"Day 1{chr(ord('A') + flights)}" if flights < 26 else ""


def _may(roles: Sequence[StaffRole]) -> frozenset[str]:
    return frozenset().union(*(role.permissions for role in roles))


_PAGES = {
    "event_setup": Link("event_setup", "Set up"),
    "desk": Link("desk", "Desk"),
    "floor": Link("floor", "Floor"),
    "payouts": Link("payouts", "Payouts"),
    "results": Link("results", "Results"),
    "event_journal": Link("event_journal", "Journal"),
}
_NEEDS = {
    "event_setup": {Permission.SET_UP, Permission.SEE_JOURNAL},
    "desk": {Permission.REGISTER, Permission.TAKE_MONEY},
    "floor": {Permission.SEE_FLOOR, Permission.RUN_FLOOR, Permission.RUN_CLOCK, Permission.REPORT_HANDS},
    "payouts": {Permission.PAY_OUT, Permission.SEE_MONEY},
    "results": set(Permission),
    "event_journal": {Permission.SEE_JOURNAL},
}
# by status: the pages in the order in which they are wanted
_WANTED = {
    Event.Status.DRAFT: ("event_setup", "event_journal"),
    Event.Status.OPEN: ("desk", "floor", "event_setup", "event_journal"),
    Event.Status.RUNNING: ("floor", "desk", "payouts", "event_journal", "event_setup"),
    Event.Status.FINISHED: ("payouts", "results", "event_journal", "event_setup"),
    Event.Status.CANCELLED: ("event_journal", "event_setup"),
}


# what needs somebody now stands first
_ORDER = (Event.Status.RUNNING, Event.Status.OPEN, Event.Status.DRAFT, Event.Status.FINISHED, Event.Status.CANCELLED)


def _event_cards(series: Series, own: Sequence[Event], may: frozenset[str], rulebook: bool) -> tuple[EventCard, ...]:
    for event in own:
        event.series = series
    ordered = sorted(own, key=lambda event: _ORDER.index(Event.Status(event.status)))
    return tuple(_event_card(event, may, rulebook) for event in ordered)


def _event_card(event: Event, may: frozenset[str], rulebook: bool) -> EventCard:
    pages = [name for name in _WANTED[Event.Status(event.status)] if may & _NEEDS[name]]
    missing = ""
    links = [_PAGES[name] for name in pages]
    if not links and event.is_public:
        links = [Link("event", "Event page")]
    if event.status == Event.Status.DRAFT and Permission.SET_UP in may:
        steps = opening_steps(event, list(event.levels.all()), rulebook=rulebook)
        missing = next((step.missing for step in steps if not step.done), "")
        links[0] = Link("event_setup", "Go on setting up" if missing else "Open for registration")
    return EventCard(
        event=event,
        taken=event.taken,  # type: ignore[attr-defined]
        held=event.held,  # type: ignore[attr-defined]
        missing=missing,
        next=links[0] if links else None,
        others=tuple(links[1:]),
    )


def days(event: Event) -> list[Day]:
    """The flights and later days of an event with the entries of each as `entry_count`. One query."""
    counted = Count("entries", filter=~Q(entries__status=Entry.Status.VOID))
    return list(event.days.annotate(entry_count=counted))
