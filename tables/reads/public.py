"""The first page and the page of one event, as anybody may see them."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accounts.models import StaffRole, User
from series.models import Day, Entry, Event, EventNotice, Organiser, Series
from series.reads.money import staff_words
from series.reads.places import extra_terms, reentry_words, with_places
from series.reads.public import (
    AgeTerms,
    EventLine,
    RulesVersion,
    age_terms,
    event_lines,
    flights_open,
    rules_in_force,
)
from tables.reads.clock import ClockItem, clock_views
from tables.reads.field import Field
from tables.reads.screens import ClockFace, PrizeRow, clocks_and_fields, days_of, pick_day, prize_ladder
from tables.reads.standings import Placed, standings

DEMO_ORGANISER = "Dead Button demo"
DEMO_PASSWORD = "dead-button-demo"  # printed on the first page of the demo and nowhere else in use
SHOWN_FINISHED = 6
SHOWN_COMING = 12
SHOWN_PLACES = 3
LADDER = 9


@dataclass(frozen=True)
class Running:
    """An event that is played now: its line, the day at hand, that day's clock and field."""

    line: EventLine
    day: Day
    face: ClockFace | None
    field: Field


@dataclass(frozen=True)
class Finished:
    """An event that is over. `winner` is empty when it ended without one."""

    line: EventLine
    winner: str
    field: Field


@dataclass(frozen=True)
class Home:
    """The first page. `demo` holds log-ins by role; it is empty unless this is the demo series."""

    running: list[Running]
    coming: list[EventLine]
    finished: list[Finished]
    series: list[Series]
    demo: dict[str, str]
    demo_password: str = DEMO_PASSWORD

    @property
    def at_hand(self) -> Event | None:
        """The event that staff most likely come for: the one played now, else the next."""
        lines = [found.line for found in self.running] + self.coming
        return lines[0].event if lines else None


def home(now: dt.datetime) -> Home:
    """Everything on the first page, in a fixed number of queries."""
    public = with_places(Event.objects.filter(series__published=True)).select_related("series")
    public = public.prefetch_related("days__clock")
    status = Event.Status
    running = event_lines(list(public.filter(status=status.RUNNING)), now)
    coming = event_lines(list(public.filter(status=status.OPEN)[:SHOWN_COMING]), now)
    over = event_lines(list(public.filter(status=status.FINISHED).order_by("-finished_at")[:SHOWN_FINISHED]), now)
    days = _days_of([*running, *over])
    shown = clocks_and_fields(days, now)
    winners = {
        entry.event_id: entry.player.public_name
        for entry in Entry.objects.filter(
            event__in=[line.event for line in over], status=Entry.Status.PLAYING
        ).select_related("player")
    }
    return Home(
        running=[_running(line, shown) for line in running if line.days],
        coming=coming,
        finished=[
            Finished(line, winners.get(line.event.pk, ""), shown[line.days[0].pk][1]) for line in over if line.days
        ],
        series=list(Series.objects.filter(published=True).order_by("-pk")),
        demo=demo_log_ins(),
    )


def _days_of(lines: Iterable[EventLine]) -> list[Day]:
    """All days of these events, each with its event and series loaded."""
    days = []
    for line in lines:
        for day in line.days:
            day.event = line.event
            days.append(day)
    return days


def _running(line: EventLine, shown: dict[int, tuple[ClockFace | None, Field]]) -> Running:
    day = pick_day(line.days, "") or line.days[0]
    return Running(line, day, *shown[day.pk])


def demo_log_ins() -> dict[str, str]:
    """E-mail addresses of the demo's staff by role, and of the `organiser`; empty anywhere else."""
    if not Organiser.objects.filter(name=DEMO_ORGANISER).exists():
        return {}
    roles = StaffRole.objects.filter(active=True, series__published=True).order_by("-pk")
    found = dict(roles.values_list("role", "user__email"))
    owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    return found | {"organiser": owner.email if owner else ""}


@dataclass(frozen=True)
class DayLine:
    """A day of an event with its clock and field; `open`: somebody can still enter it."""

    day: Day
    face: ClockFace | None
    field: Field
    open: bool


@dataclass(frozen=True)
class StructureRow:
    """One level or break. `entries_close`: registration closes when it begins."""

    item: ClockItem
    past: bool
    now: bool
    entries_close: bool


@dataclass(frozen=True)
class EventPage:
    """One event.

    `structure` is that of the day at hand, with times of day; `late_until` is when registration closes, as far as its
    clock can tell. `ladder` are the prizes as registration stands, `placed` the best of a finished event.
    """

    line: EventLine
    at_hand: DayLine
    days: list[DayLine]
    structure: list[StructureRow]
    late_until: dt.datetime | None
    reentry: str
    staff_share: str
    extras: list[tuple[str, str, int]]
    rules: RulesVersion | None
    age: AgeTerms
    ladder: list[PrizeRow]
    placed: list[Placed]
    notices: list[EventNotice]

    @property
    def event(self) -> Event:
        return self.line.event


def event_page(event: Event, now: dt.datetime) -> EventPage:
    """The page of an event from `event_with_places`, which has at least one day."""
    line = event_lines([event], now)[0]
    days = days_of(event)
    shown = clocks_and_fields(days, now)
    open_days = {day.pk for day in flights_open(event, now)}
    lines = [DayLine(day, *shown[day.pk], open=day.pk in open_days) for day in days]
    day = pick_day(days, "") or days[0]
    at_hand = next(found for found in lines if found.day == day)
    clock = clock_views([day], now).get(day.pk)
    position = clock.position if clock and event.status == Event.Status.RUNNING else None
    structure = _structure(clock.items if clock else [], position, event.late_reg_level)
    rules, over = event.rulebook_version, event.status == Event.Status.FINISHED
    return EventPage(
        line=line,
        at_hand=at_hand,
        days=lines,
        structure=structure,
        late_until=next((row.item.starts_at for row in structure if row.entries_close), None),
        reentry=reentry_words(event.max_reentries),
        staff_share=staff_words(event),
        extras=extra_terms(event),
        rules=RulesVersion(rules.pk, rules.number) if rules else rules_in_force(event.series),
        age=age_terms(event),
        ladder=[] if over else prize_ladder(at_hand.field, LADDER),
        placed=standings(event)[:SHOWN_PLACES] if over else [],
        notices=list(event.notices.all()),
    )


def _structure(items: Sequence[ClockItem], position: int | None, last_level: int | None) -> list[StructureRow]:
    rows, number, open_ = [], 0, True
    for item in items:
        number = number if item.is_break else (item.number or 0)
        over = number > (last_level or 0) or (item.is_break and number == last_level)
        rows.append(
            StructureRow(
                item=item,
                past=position is not None and item.position < position,
                now=item.position == position,
                entries_close=over and open_,
            )
        )
        open_ = open_ and not over
    return rows
