"""The tournament clock as rows hold it, as the domain thinks of it, and as screens show it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from series.domain.entries import Stage
from series.models import Day, Event, Level
from tables.domain import clock as domain
from tables.models import Clock, HandForHand


def items_of(levels: Sequence[Level]) -> tuple[domain.Item, ...]:
    """The structure as the clock needs it."""
    return tuple(
        domain.Item(dt.timedelta(minutes=level.minutes), is_break=level.kind == Level.Kind.BREAK) for level in levels
    )


def state_of(row: Clock | None) -> domain.Clock:
    """The clock of a row; a day without a row has a clock that was never started."""
    if row is None:
        return domain.Clock()
    return domain.Clock(
        position=row.position,
        status=domain.Status(row.status),
        ends_at=row.ends_at,
        remaining=row.remaining,
        pause_after=row.pause_after,
        version=row.version,
    )


def play_since(row: Clock | None, levels: Sequence[Level], now: dt.datetime) -> dt.datetime | None:
    """Since when cards have been in the air: the start, or the end of the last break. None while the clock stands."""
    items = items_of(levels)
    state = domain.advance(state_of(row), items, now) if row and items else domain.Clock()
    if state.status not in (domain.Status.RUNNING, domain.Status.OVERTIME) or items[state.position].is_break:
        return None
    if state.ends_at is None or not state.position or not items[state.position - 1].is_break:
        return dt.datetime.min.replace(tzinfo=dt.UTC)
    return state.ends_at - items[state.position].duration


def frozen_until(clocks: Sequence[Clock], levels: Sequence[Level], now: dt.datetime) -> int:
    """The position that play has reached, on the furthest of an event's days; −1 before any of them started."""
    items = items_of(levels)
    states = [domain.advance(state_of(clock), items, now) for clock in clocks]
    return max((state.position for state in states if state.status is not domain.Status.NOT_STARTED), default=-1)


def level_at(levels: Sequence[Level], position: int) -> int:
    """The number of the level at a position; in a break, of the level before it."""
    return domain.level_number(items_of(levels), position)


def stage_of(day: Day, now: dt.datetime) -> Stage:
    """Where the day's clock stands, as what may be bought depends on it. Two queries; `day` with its event."""
    row = Clock.objects.filter(day=day).first()
    items = items_of(list(Level.objects.filter(event=day.event_id)))
    if row is None or not items:
        return Stage()
    state = domain.advance(state_of(row), items, now)
    if state.status is domain.Status.NOT_STARTED:
        return Stage()
    here = items[state.position]
    level = domain.level_number(items, state.position)
    return Stage(level, in_break=here.is_break, ended=state.status is domain.Status.ENDED)


def stage_ahead(day: Day, now: dt.datetime) -> Stage:
    """The same, but a later day that has not begun stands where its clock will: after the levels of the flights. Until
    the bags are brought to it that is where the flights stand that went furthest. At most two queries for each day."""
    stage = stage_of(day, now)
    if stage.level or day.kind != Day.Kind.LATER:
        return stage
    row = Clock.objects.filter(day=day).first()
    if row is not None:
        items = items_of(list(Level.objects.filter(event=day.event_id)))
        return Stage(domain.level_number(items, row.position)) if items else stage
    flights = day.event.days.filter(kind=Day.Kind.FLIGHT).select_related("event")
    return Stage(max((stage_of(flight, now).level for flight in flights), default=0))


def resume_position(clock: Clock, items: Sequence[domain.Item]) -> int:
    """Where play goes on after a day: the next level if its last one was over or it ended in a break, else that level
    again."""
    position = clock.position
    over = items[position].is_break or not clock.remaining
    while position + 1 < len(items) and (over or items[position].is_break):
        position, over = position + 1, False
    return position


def blinds_at(levels: Sequence[Level], position: int) -> Level:
    """The level whose blinds hold at a position; in a break, the level before it."""
    played = [level for level in levels[: position + 1] if level.kind == Level.Kind.LEVEL]
    return played[-1] if played else levels[position]


@dataclass(frozen=True)
class Entries:
    """Whether late registration is over, and the instant at which it will be if the clock runs on as it does."""

    closed: bool
    close_at: dt.datetime | None


def late_registration(event: Event, levels: Sequence[Level], clock: domain.Clock, now: dt.datetime) -> Entries:
    """When entries close by the clock: at the end of the late registration level, or at the start without one."""
    if clock.status is domain.Status.NOT_STARTED:
        return Entries(False, None)
    items = items_of(levels)
    view = domain.at(clock, items, now)
    last_level = event.late_reg_level or 0
    if domain.level_number(items, view.position) > last_level or view.status in (
        domain.Status.OVERTIME,
        domain.Status.ENDED,
    ):
        return Entries(True, None)
    if items[view.position].is_break and domain.level_number(items, view.position) == last_level:
        return Entries(True, None)
    if view.status is not domain.Status.RUNNING:
        return Entries(False, None)
    for coming in view.upcoming:
        after = domain.level_number(items, coming.position)
        if after > last_level or (items[coming.position].is_break and after == last_level):
            return Entries(False, coming.starts_at)
    last = view.upcoming[-1] if view.upcoming else None
    return Entries(False, last.starts_at + items[last.position].duration if last else now + view.time_left)


@dataclass(frozen=True)
class ClockItem:
    """One level or break on a screen; `starts_at` is None for what is past or while nothing says when it comes."""

    position: int
    is_break: bool
    number: int | None
    small_blind: int
    big_blind: int
    ante: int
    ante_type: str
    minutes: int
    remove: list[int]
    starts_at: dt.datetime | None


@dataclass(frozen=True)
class ClockView:
    """Everything a clock shows at one instant. `items` is the whole structure; `ends_at` is set while it runs;
    `hand_for_hand`: it stands because the day is played hand-for-hand."""

    status: str
    position: int
    ends_at: dt.datetime | None
    time_left: dt.timedelta
    duration: dt.timedelta
    pause_after: bool
    now: dt.datetime
    current: ClockItem
    next_level: ClockItem | None
    next_break: ClockItem | None
    items: list[ClockItem]
    version: int
    hand_for_hand: bool

    @property
    def is_break(self) -> bool:
        return self.current.is_break

    @property
    def running(self) -> bool:
        return self.status == domain.Status.RUNNING


def chips_in_play(event: Event, view: ClockView, position: int) -> tuple[int, ...]:
    """The chips in play at a level or break, smallest first: what colour-ups before it removed is gone."""
    gone = {chip for item in view.items[:position] for chip in item.remove}
    return tuple(sorted(chip for chip in event.chips if chip not in gone))


def clock_views(days: Sequence[Day], now: dt.datetime) -> dict[int, ClockView]:
    """The clocks of any number of days at an instant, by the day's key. Two queries, however many days.

    A day whose event has no structure has no clock.
    """
    levels: dict[int, list[Level]] = defaultdict(list)
    for level in Level.objects.filter(event__in={day.event_id for day in days}):
        levels[level.event_id].append(level)
    rounds = HandForHand.objects.filter(day=OuterRef("day")).exclude(phase=HandForHand.Phase.NORMAL)
    rows = {row.day_id: row for row in Clock.objects.filter(day__in=days).annotate(in_rounds=Exists(rounds))}
    return {day.pk: _view(day, levels[day.event_id], rows.get(day.pk), now) for day in days if levels[day.event_id]}


def _view(day: Day, levels: Sequence[Level], row: Clock | None, now: dt.datetime) -> ClockView:
    state = state_of(row)
    items = items_of(levels)
    state = domain.advance(state, items, now)
    view = domain.at(state, items, now)
    starts = {coming.position: coming.starts_at for coming in view.upcoming}
    if view.status is domain.Status.NOT_STARTED:  # until it starts, the plan counts from the day's stated start
        begin = day.starts_at
        for position, item in enumerate(items):
            starts[position] = begin
            begin += item.duration
    shown = [
        ClockItem(
            position=level.position,
            is_break=level.kind == Level.Kind.BREAK,
            number=level.number,
            small_blind=level.small_blind,
            big_blind=level.big_blind,
            ante=level.ante,
            ante_type=level.ante_type,
            minutes=level.minutes,
            remove=level.remove,
            starts_at=starts.get(level.position),
        )
        for level in levels
    ]
    coming = shown[view.position + 1 :]
    return ClockView(
        status=str(view.status),
        position=view.position,
        ends_at=state.ends_at,
        time_left=view.time_left,
        duration=items[view.position].duration,
        pause_after=state.pause_after,
        now=now,
        current=shown[view.position],
        next_level=next((item for item in coming if not item.is_break), None),
        next_break=next((item for item in coming if item.is_break), None),
        items=shown,
        version=state.version,
        hand_for_hand=view.status is domain.Status.PAUSED and getattr(row, "in_rounds", False),
    )
