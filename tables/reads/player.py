"""A player's own page: where to go, where to sit, what is being played, and what came of it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from series.domain.places import must_pay_now
from series.models import Entry, Event, EventNotice, Payout, Player, Registration
from series.reads.age import age_to_register
from series.reads.exclusions import own_exclusion
from series.reads.places import entries_open
from series.reads.public import RulesVersion, rules_in_force
from tables.models import Bag, Move, Seat, Table
from tables.reads.action_clock import Timed, my_action_clock
from tables.reads.bounties import Winner, bounty_winners
from tables.reads.displays import PHONES, Said, messages_up
from tables.reads.field import Field
from tables.reads.hand_for_hand import Round, round_of
from tables.reads.screens import ClockFace, PrizeRow, clocks_and_fields, prize_ladder
from tables.reads.standings import Placed, standings
from tables.reads.waiting import position_of
from tables.templatetags.seatmap import SeatMap, SeatView

LADDER = 12
WITHOUT_ENTRY: dict[str, str] = {
    Registration.Status.REGISTERED: "held",
    Registration.Status.WAITING: "waiting",
    Registration.Status.CALLED: "called",
    Registration.Status.RELEASED: "released",
}


@dataclass(frozen=True)
class Mine:
    """The page of one player in one event.

    `state`: `moved` (go to `seat`, from `move`), `seated`, `unseated` (paid, the draw comes), `held` (not paid yet),
    `bagged` (waits for a later day with `bag`), `out` or `won` (with `placed` once it is known), `gave_back`;
    `waiting`, `called` or `released` (its registration says when); `cancelled` (`called_off` is what everybody was
    told). `reserved` says what a player waits for who is too young today. `others` are the player's other events.
    `button_at` is when the button of the map was last told. `timed` is the player's own action clock, `said` what the
    floor says to phones. `round` during hand-for-hand, while the player is in it. `break_until`: the end of their own
    exclusion. `position` on the waiting list, from 1; who is out may be on it for a re-entry. `pay_now`: a call is
    answered at the desk alone.
    """

    player: Player
    event: Event
    registration: Registration
    state: str
    can_enter: bool
    reserved: str
    move: Move | None
    seat: Seat | None
    map: SeatMap | None
    button_at: dt.datetime | None
    face: ClockFace | None
    field: Field
    ladder: list[PrizeRow]
    round: Round | None
    placed: Placed | None
    paid: bool
    bag: Bag | None
    bounty: Winner | None
    rules: RulesVersion | None
    others: list[Registration]
    timed: Timed | None
    said: list[Said]
    break_until: dt.datetime | None
    called_off: EventNotice | None
    position: int
    pay_now: bool


def mine(player: Player, event_id: int | None, now: dt.datetime) -> Mine | None:
    """The page of a player, for one of their events or else the one that matters most now; None without any.

    A fixed number of queries for each state.
    """
    registrations = list(
        Registration.objects.filter(player=player)
        .select_related("event__series", "day__event__series", "again_on")
        .order_by("-at")
    )
    bought = Entry.objects.filter(player=player).exclude(status=Entry.Status.VOID).select_related("day")
    entries = {entry.event_id: entry for entry in bought.order_by("number")}  # the last one counts
    latest = _latest_of_each_event(registrations)
    asked = [registration for registration in latest if registration.event_id == event_id]
    chosen = next(iter(asked or sorted(latest, key=lambda found: _weight(found, entries))), None)
    if chosen is None or (event_id and not asked):
        return None
    event, entry = chosen.event, entries.get(chosen.event_id)
    day = entry.day if entry and entry.day_id != chosen.day_id else chosen.day
    day.event = event
    face, field = clocks_and_fields([day], now)[day.pk]
    seat = Seat.objects.filter(entry=entry).select_related("table").first() if entry else None
    move = Move.objects.filter(entry=entry, status=Move.Status.ORDERED).first() if entry else None
    again_day = chosen.wanted_day if chosen.again_at else day
    can_enter = entries_open(event, again_day, now)
    state = _state(chosen, entry, seat, move)
    if state == "out" and chosen.again_at and can_enter:
        state = WITHOUT_ENTRY[chosen.status]
    placed = _placed(event, entry) if entry and state in ("out", "won") else None
    return Mine(
        player=player,
        event=event,
        registration=chosen,
        state=state,
        can_enter=can_enter,
        reserved=_reserved(player, event, now) if state == "held" else "",
        move=move,
        seat=seat,
        map=seat_map(seat.table, entry) if seat and entry else None,
        button_at=seat.table.button_at if seat else None,
        face=face,
        field=field,
        ladder=[] if event.status == Event.Status.FINISHED else prize_ladder(field, LADDER),
        round=round_of(day) if state in ("moved", "seated") else None,
        placed=placed,
        bag=Bag.objects.filter(entry=entry, taken_back=False).last() if entry and state == "bagged" else None,
        bounty=bounty_winners(event).get(player.pk),
        paid=bool(placed and Payout.objects.filter(entry=entry, taken_back=False).exists()),
        rules=rules_in_force(event.series),
        others=[found for found in latest if found.event_id != event.pk],
        timed=my_action_clock(entry, now) if entry and state == "seated" else None,
        said=messages_up(event, now, PHONES),
        called_off=event.notices.filter(kind=EventNotice.Kind.CANCELLED).first() if state == "cancelled" else None,
        break_until=own.until if (own := own_exclusion(player, now)) else None,
        position=position_of(chosen) if state == "waiting" else 0,
        pay_now=chosen.again_at is not None
        or must_pay_now(now, starts=chosen.day.starts_at, hold_minutes=event.hold_minutes),
    )


def _latest_of_each_event(registrations: Sequence[Registration]) -> list[Registration]:
    """One registration for each event: the one that holds a place, else the last that was given back."""
    found: dict[int, Registration] = {}
    for registration in registrations:
        kept = found.get(registration.event_id)
        if kept is None or (kept.status in Registration.GONE and registration.status not in Registration.GONE):
            found[registration.event_id] = registration
    return list(found.values())


def _weight(registration: Registration, entries: dict[int, Entry]) -> tuple[Any, ...]:
    """What matters most now comes first: playing, then held places by start, then what is over, the latest first."""
    entry = entries.get(registration.event_id)
    status, starts = registration.event.status, registration.day.starts_at.timestamp()
    if entry and entry.status == Entry.Status.PLAYING and status != Event.Status.FINISHED:
        return 0, starts
    if registration.status not in Registration.GONE and status in (Event.Status.OPEN, Event.Status.RUNNING):
        return (0 if registration.status == Registration.Status.CALLED else 1), starts
    return (2 if entry else 3), -starts


def _state(registration: Registration, entry: Entry | None, seat: Seat | None, move: Move | None) -> str:
    if registration.event.status == Event.Status.CANCELLED:
        return "cancelled"
    if entry is None:
        return WITHOUT_ENTRY.get(registration.status, "gave_back")
    if entry.status in (Entry.Status.OUT, Entry.Status.GIVEN_UP):
        return "out"
    if entry.status == Entry.Status.BAGGED:
        return "bagged"
    if registration.event.status == Event.Status.FINISHED:
        return "won"
    if move and seat:
        return "moved"
    return "seated" if seat else "unseated"


def _placed(event: Event, entry: Entry) -> Placed | None:
    return next((placed for placed in standings(event) if placed.entry_id == entry.pk), None)


def _reserved(player: Player, event: Event, now: dt.datetime) -> str:
    return age_to_register(event, player.birth_date, now).reason if player.birth_date else ""


def seat_map(table: Table, mine: Entry) -> SeatMap:
    """A table with the chair of `mine` marked, and those marked whose players are still on their way. Two queries."""
    on_the_way = set(
        Move.objects.filter(to_seat__table=table, status=Move.Status.ORDERED).values_list("entry_id", flat=True)
    )
    chairs = table.chairs.select_related("entry__player").order_by("number")
    return SeatMap(
        number=table.number,
        seats=[
            SeatView(
                number=chair.number,
                name=chair.entry.player.public_name if chair.entry else None,
                arriving=chair.entry_id in on_the_way and chair.entry_id != mine.pk,
                is_you=chair.entry_id == mine.pk,
            )
            for chair in chairs
        ],
        button=table.button,
        small_blind=table.small_blind,
        big_blind=table.big_blind,
        label="your table",
    )
