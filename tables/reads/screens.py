"""What clocks say: the state of a tournament clock in words and figures, for every screen from the phone to the hall.

The words of all levels go to the browser as well (`ClockFace.data`), so that static/js/clock.js turns the level at the
very instant, with no word of its own.
"""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from series.domain.money import format_chips
from series.models import Day, Deal, Event, Level
from tables.domain.clock import Status
from tables.models import Move
from tables.reads.clock import ClockItem, ClockView, clock_views
from tables.reads.field import Field, fields_of
from tables.reads.hand_for_hand import Round, round_of, time_per_hand
from tables.reads.standings import Placed, standings
from tables.reads.waiting import Called, called_now

SECOND = dt.timedelta(seconds=1)
MINUTE = dt.timedelta(minutes=1)
MILLISECOND = dt.timedelta(milliseconds=1)
LONG_BEFORE = dt.timedelta(hours=24)
LONG_BLINDS = 15

# how each state is called, and the tone of its tag
STATES = {
    "not_started": ("not started", ""),
    "running": ("running", "go"),
    "break": ("break", "info"),
    "paused": ("paused", "warn"),
    "hand_for_hand": ("hand-for-hand", "warn"),
    "overtime": ("blinds stay", "warn"),
    "ended": ("finished", ""),
    "cancelled": ("cancelled", "stop"),
}
SAID_INSTEAD_OF_TIME = {"overtime": "Last level", "ended": "Finished", "cancelled": "Cancelled"}


@dataclass(frozen=True)
class ClockFace:
    """One clock at one instant, in words.

    `state` is a key of `STATES`; the figure is `seconds`, or `words` where no time runs; `title` is the level or break,
    `blinds` and `note` (the ante, chips that leave play) belong to it, in a break to the level after it. `next_at` and
    `break_at` are set while the clock runs; `break_in` is the playing time until the break. `left` of `whole` seconds
    are a progress bar. `level` is that of a hand dealt now. `off_each_hand` is set while hand-for-hand play stops it
    in a level. `data` is JSON for static/js/clock.js.
    """

    event_id: int
    day_id: int
    zone: str
    state: str
    position: int
    title: str
    seconds: int | None
    words: str
    blinds: str
    note: str
    next_blinds: str
    next_at: dt.datetime | None
    break_at: dt.datetime | None
    break_in: dt.timedelta | None
    break_note: str
    left: int
    whole: int
    big_blind: int
    level: ClockItem
    off_each_hand: dt.timedelta | None
    is_long: bool
    data: str

    @property
    def state_words(self) -> str:
        return STATES[self.state][0]

    @property
    def break_due(self) -> bool:
        """Whether hand-for-hand play holds up a break, of which its hands take nothing off."""
        return self.state == "hand_for_hand" and self.off_each_hand is None

    @property
    def tone(self) -> str:
        return STATES[self.state][1]


def whole_seconds(span: dt.timedelta) -> int:
    """Seconds as a countdown shows them: the begun second counts, so that a level starts with its whole time."""
    return max(0, -(-span // SECOND))


def clock_faces(days: Sequence[Day], now: dt.datetime) -> dict[int, ClockFace]:
    """The clocks of any number of days, by the day's key; none for an event without a structure. Two queries.

    `days` with their events and series loaded.
    """
    views = clock_views(days, now)
    return {day.pk: _face(day, views[day.pk]) for day in days if day.pk in views}


def clocks_and_fields(days: Sequence[Day], now: dt.datetime) -> dict[int, tuple[ClockFace | None, Field]]:
    """Clock and field of any number of days, by the day's key. Four queries, however many days.

    `days` with their events and series loaded.
    """
    faces = clock_faces(days, now)
    fields = fields_of(days, {pk: face.big_blind for pk, face in faces.items()})
    return {day.pk: (faces.get(day.pk), fields[day.pk]) for day in days}


def days_of(event: Event) -> list[Day]:
    """The days of an event in order, with their clocks, if any. One query."""
    days = list(event.days.select_related("clock").order_by("number"))
    for day in days:
        day.event = event
    return days


def pick_day(days: Sequence[Day], wanted: str) -> Day | None:
    """The day asked for by its key, else the one being played: the last whose clock was started, else the first."""
    for day in days:
        if str(day.pk) == wanted:
            return day
    started = [day for day in days if hasattr(day, "clock") and day.clock.status != Status.NOT_STARTED]
    if started:
        return started[-1]
    return days[0] if days else None


@dataclass(frozen=True)
class PrizeRow:
    """One line of the prize ladder: the places that get `cents` each. `is_next`: whoever goes out next gets this, or it
    is the first prize still to be reached, `to_go` busts from now. `after_gap`: lines are left out above it. `name` of
    the one who took it, once the event is over. `note` stands where there is no amount: the places of a deal."""

    best: int
    worst: int
    cents: int
    is_next: bool = False
    to_go: int = 0
    after_gap: bool = False
    name: str = ""
    note: str = ""


def prize_ladder(field: Field, lines: int) -> list[PrizeRow]:
    """The prizes, equal ones in one line, at most `lines` of them: the top, those about to be played for, the last.
    Places that a deal divided have no prizes of their own any more.
    """
    if field.all_prizes.deal:
        return _ladder_of_a_deal(field, field.all_prizes.deal, lines)
    groups: list[tuple[int, int, int]] = []
    for place, cents in enumerate(field.prizes, start=1):
        if groups and groups[-1][2] == cents:
            groups[-1] = (groups[-1][0], place, cents)
        else:
            groups.append((place, place, cents))
    if not groups:
        return []
    turn = min(max(field.alive, 1), field.paid)  # the place whose prize is the next one
    at = next(index for index, (best, worst, _) in enumerate(groups) if best <= turn <= worst)
    last = len(groups) - 1
    order = [at, 0, last, *range(1, 3), at + 1, at - 1, *range(last + 1)]
    shown = sorted(set(list(dict.fromkeys(index for index in order if 0 <= index <= last))[:lines]))
    return [
        PrizeRow(
            best=groups[index][0],
            worst=groups[index][1],
            cents=groups[index][2],
            is_next=index == at and field.alive > 1,
            to_go=field.to_the_money if index == at else 0,
            after_gap=index > 0 and index - 1 not in shown,
        )
        for index in shown
    ]


def _ladder_of_a_deal(field: Field, deal: Deal, lines: int) -> list[PrizeRow]:
    dealt = len(field.all_prizes.shares)
    rows = []
    if deal.left_cents and deal.shown == Deal.Shown.AMOUNTS:
        rows.append(PrizeRow(1, 1, deal.left_cents, note="left to play for"))
    if deal.shown != Deal.Shown.NOTHING:
        rows.append(PrizeRow(1, dealt, 0, note="divided by a deal"))
    below = ((place, cents) for place, cents in enumerate(field.prizes, start=1) if place > dealt)
    return [*rows, *(PrizeRow(place, place, cents) for place, cents in below)][:lines]


@dataclass(frozen=True)
class OnTheWay:
    """A player on the way to another seat."""

    name: str
    table: int
    seat: int


def on_the_way(day: Day) -> list[OnTheWay]:
    """The players of a day sent to a seat and not seen there yet, the latest first. One query."""
    moves = Move.objects.filter(day=day, status=Move.Status.ORDERED).order_by("-ordered_at", "-pk")
    rows = moves.values_list("entry__player__public_name", "to_seat__table__number", "to_seat__number")
    return [OnTheWay(*row) for row in rows]


@dataclass(frozen=True)
class Screen:
    """All that a public clock or the hall display shows of one day. `called`: alternates to come to the desk.
    `round` during hand-for-hand; `winner` once the event is over."""

    event: Event
    day: Day
    days: list[Day]
    face: ClockFace | None
    field: Field
    ladder: list[PrizeRow]
    moves: list[OnTheWay]
    round: Round | None
    winner: Placed | None
    called: list[Called]

    @property
    def registration(self) -> str:
        """Until when somebody can enter, in words; `Day.entries_close_at` says the instant, if there is one."""
        if self.event.late_reg_level:
            return f"until the end of level {self.event.late_reg_level}"
        return "until the start"


def screen(event: Event, days: list[Day], day: Day, now: dt.datetime, lines: int) -> Screen:
    """One day of an event as its screens show it, with a prize ladder of at most `lines` lines.

    Seven queries while the event runs (six before), eight during hand-for-hand, eleven once the event is over.
    """
    face, field = clocks_and_fields([day], now)[day.pk]
    if event.status == Event.Status.FINISHED:
        placed = standings(event)
        paid = [row for row in placed if row.prize_cents]
        ladder = [PrizeRow(row.best, row.worst, row.public_cents, name=row.name) for row in paid[:lines]]
        winner = placed[0] if placed and placed[0].best == 1 else None
    else:
        ladder, winner = prize_ladder(field, lines), None
    return Screen(event, day, days, face, field, ladder, on_the_way(day), round_of(day), winner, called_now(event, now))


def _face(day: Day, view: ClockView) -> ClockFace:
    event, zone = day.event, day.event.series.tz
    state = _state(event, view)
    words = [_words(item, view.items) for item in view.items]
    start = _start_words(day, zone)
    title, blinds, note = words[view.position]
    figure: int | str = SAID_INSTEAD_OF_TIME.get(state) or whole_seconds(view.time_left)
    if state == "not_started":
        title, figure = _before(start, day.starts_at - view.now, view.duration)
    over = state in ("ended", "cancelled")
    begun = state != "not_started"
    coming_break = view.next_break if begun else None
    starts = coming_break.starts_at if coming_break else None
    break_in = max(starts - view.now, MINUTE) if starts else None
    return ClockFace(
        event_id=event.pk,
        day_id=day.pk,
        zone=event.series.zone,
        state=state,
        position=view.position,
        title="" if over else title,
        seconds=figure if isinstance(figure, int) else None,
        words=figure if isinstance(figure, str) else "",
        blinds="" if over else blinds,
        note="" if over else note,
        next_blinds=_blinds(view.next_level) if view.next_level and begun and not over else "",
        next_at=view.next_level.starts_at if view.next_level and view.running else None,
        break_at=coming_break.starts_at if coming_break and view.running else None,
        break_in=break_in,
        break_note=_colour_up(coming_break) if coming_break else "",
        left=0 if over else whole_seconds(view.time_left),
        whole=whole_seconds(view.duration),
        big_blind=_in_force(view).big_blind,
        level=(view.next_level if view.is_break else None) or _in_force(view),
        off_each_hand=time_per_hand(event) if view.hand_for_hand and not view.is_break else None,
        is_long=max(len(blinds) for _, blinds, _ in words) > LONG_BLINDS,
        data=json.dumps(
            {
                "now": _milliseconds(view.now),
                "zone": event.series.zone,
                "status": state if state in ("cancelled", "hand_for_hand") else view.status,
                "position": view.position,
                "ends_at": _milliseconds(view.ends_at) if view.ends_at else None,
                "left": view.time_left // MILLISECOND,
                "pause_after": view.pause_after,
                "starts_at": _milliseconds(day.starts_at),
                "start": start,
                "instead": SAID_INSTEAD_OF_TIME,
                "states": STATES,
                "items": [
                    {
                        "ms": item.minutes * 60_000,
                        "break": item.is_break,
                        "title": title,
                        "blinds": blinds,
                        "note": note,
                        "colour_up": _colour_up(item),
                    }
                    for item, (title, blinds, note) in zip(view.items, words, strict=True)
                ],
            },
            ensure_ascii=False,
            separators=(",", ":"),
        ),
    )


def _state(event: Event, view: ClockView) -> str:
    if event.status == Event.Status.CANCELLED:
        return "cancelled"
    if view.hand_for_hand:
        return "hand_for_hand"
    return "break" if view.running and view.is_break else view.status


def _start_words(day: Day, zone: ZoneInfo) -> dict[str, str]:
    local = day.starts_at.astimezone(zone)
    return {
        "day": f"Starts {local:%a} {local.day} {local:%b}",
        "time": f"{local:%H:%M}",
        "soon": f"Starts at {local:%H:%M}",
        "due": "About to start",
    }


def _before(start: dict[str, str], until: dt.timedelta, first_level: dt.timedelta) -> tuple[str, int | str]:
    """Title and figure of a clock not started yet: the day, then a countdown, then what the first level will last."""
    if until > LONG_BEFORE:
        return start["day"], start["time"]
    if until > dt.timedelta():
        return start["soon"], whole_seconds(until)
    return start["due"], whole_seconds(first_level)


def _words(item: ClockItem, items: Sequence[ClockItem]) -> tuple[str, str, str]:
    """Title, blinds and note of a level; of a break, with the blinds of the level after it."""
    if not item.is_break:
        leaving = f"{_colour_up(item)} at its end" if item.remove else ""
        return f"Level {item.number}", _blinds(item), " · ".join(part for part in (_ante(item), leaving) if part)
    then = next((later for later in items[item.position + 1 :] if not later.is_break), None)
    if then is None:
        return "Break", "", _colour_up(item)
    return f"Break, then level {then.number}", _blinds(then), " · ".join(filter(None, (_ante(then), _colour_up(item))))


def _blinds(level: ClockItem) -> str:
    return f"{format_chips(level.small_blind)} – {format_chips(level.big_blind)}"


def _ante(level: ClockItem) -> str:
    if not level.ante or level.ante_type == Level.AnteType.NONE:
        return ""
    kind = "big blind ante" if level.ante_type == Level.AnteType.BIG_BLIND else "ante"
    return f"{kind} {format_chips(level.ante)}"


def _colour_up(item: ClockItem) -> str:
    return f"colour up {', '.join(f'{format_chips(chip)}s' for chip in item.remove)}" if item.remove else ""


def _in_force(view: ClockView) -> ClockItem:
    """The level whose blinds hold now: in a break, the one before it."""
    past = [item for item in view.items[: view.position + 1] if not item.is_break]
    return past[-1] if past else view.current


def _milliseconds(instant: dt.datetime) -> int:
    return round(instant.timestamp() * 1000)
