"""Events and their days. What may still change depends on what people have paid for or been promised."""

import datetime as dt
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from django.db import models
from django.utils import timezone

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.money import require_unpaid
from series.commands.notices import tell_changes
from series.commands.people import hold_again
from series.commands.setup import words
from series.domain.eligibility import HOUSE_MINIMUM, local_date
from series.domain.entries import differences, problems, rules_from
from series.domain.ledger import ALL_BASIS_POINTS, NOTHING
from series.domain.money import format_chips, format_money
from series.domain.structure import check
from series.domain.windows import misplaced
from series.models import Day, Entry, Event, Level, Series
from series.reads.money import staff_words
from series.reads.places import counted, extra_terms
from series.reads.setup import items_of

MOST_SEATS = 10
MOST_CENTS = 1_000_000_000
MOST_STACK = 100_000_000


class EventValues(TypedDict, total=False):
    """The terms of an event. Money in cents; `staff_amount` in cents or basis points, as `staff_kind` says. Its prizes
    have a command of their own (`series.commands.prizes`)."""

    name: str
    buy_in_cents: int
    fee_cents: int
    guarantee_cents: int
    staff_kind: str
    staff_amount: int
    starting_stack: int
    chips: Sequence[int]
    seats_per_table: int
    capacity: int
    late_reg_level: int | None
    max_reentries: int
    entry_rules: Mapping[str, Any]
    minimum_age: int | None
    seat_at_buy_in: bool


def _between(value: int, least: int, most: int, field: str, what: str) -> int:
    if not least <= value <= most:
        raise Refused(f"{what}: between {least:,} and {most:,}.", field=field)
    return value


def _checked(
    *,
    name: str = "",
    buy_in_cents: int = 0,
    fee_cents: int = 0,
    guarantee_cents: int = 0,
    staff_kind: str = NOTHING,
    staff_amount: int = 0,
    starting_stack: int = 0,
    chips: Sequence[int] = (),
    seats_per_table: int = 9,
    capacity: int = 0,
    late_reg_level: int | None = None,
    max_reentries: int = 0,
    entry_rules: Mapping[str, Any] = MappingProxyType({}),
    minimum_age: int | None = None,
    seat_at_buy_in: bool = True,
) -> dict[str, Any]:
    amounts = {"buy_in_cents": buy_in_cents, "fee_cents": fee_cents, "guarantee_cents": guarantee_cents}
    for field, cents in amounts.items():
        if not 0 <= cents <= MOST_CENTS:
            raise Refused(f"An amount between nothing and {format_money(MOST_CENTS)}.", field=field)
    values = sorted(set(chips))
    if not values or values[0] < 1:
        raise Refused("Name the chips of the event, for example 25, 100, 500, 1000.", field="chips")
    if starting_stack < 1 or starting_stack % values[0]:
        raise Refused(
            f"The starting stack must be payable in the smallest chip, {values[0]:,}.", field="starting_stack"
        )
    if minimum_age is not None and not HOUSE_MINIMUM <= minimum_age <= 99:
        raise Refused(f"The minimum age is never below {HOUSE_MINIMUM}.", field="minimum_age")
    if late_reg_level is not None and late_reg_level < 1:
        raise Refused("Name a level, or leave this empty for no late registration.", field="late_reg_level")
    rules = rules_from(entry_rules)
    for field, wrong in problems(rules, smallest_chip=values[0], starting_stack=starting_stack).items():
        raise Refused(wrong, field=field)
    return {
        "name": words(name, 120, "name", "Give the event a name."),
        "buy_in_cents": buy_in_cents,
        "fee_cents": fee_cents,
        "guarantee_cents": guarantee_cents,
        **_checked_staff_share(staff_kind, staff_amount, buy_in_cents),
        "starting_stack": _between(starting_stack, 1, MOST_STACK, "starting_stack", "The starting stack"),
        "chips": values,
        "seats_per_table": _between(seats_per_table, 2, MOST_SEATS, "seats_per_table", "Seats at a table"),
        "capacity": _between(capacity, 2, 100_000, "capacity", "Players"),
        "late_reg_level": late_reg_level,
        "max_reentries": _between(max_reentries, 0, 99, "max_reentries", "Re-entries"),
        "entry_rules": differences(rules),
        "minimum_age": minimum_age,
        "seat_at_buy_in": seat_at_buy_in,
    }


def _checked_staff_share(kind: str, amount: int, buy_in_cents: int) -> dict[str, Any]:
    if kind not in Event.StaffKind.values:
        raise Refused("Choose what the staff get a share of.", field="staff_kind")
    if kind == Event.StaffKind.NONE:
        return {"staff_kind": kind, "staff_amount": 0}
    if amount < 1:
        raise Refused("Write how much the staff get.", field="staff_amount")
    if kind == Event.StaffKind.ENTRY and amount > buy_in_cents:
        raise Refused("The staff cannot get more than the buy-in.", field="staff_amount")
    if kind != Event.StaffKind.ENTRY and amount > ALL_BASIS_POINTS:
        raise Refused("A share is 100 % at most.", field="staff_amount")
    return {"staff_kind": kind, "staff_amount": amount}


@command(Series, "event.create", permission=Permission.SET_UP)
def create_event(tx: Tx[Series], *, starts_at: dt.datetime, **values: Unpack[EventValues]) -> dict[str, Any]:
    """A new event in the series, being set up, with its Day 1. Result: `event`.

    Raises:
        Refused: at the field that is wrong.
    """
    checked = _checked(**values)
    last = tx.subject.events.order_by("-number").values_list("number", flat=True).first() or 0
    event = tx.add(Event(series=tx.subject, number=last + 1, starts_at=starts_at, **checked))
    tx.add(Day(event=event, number=1, label="Day 1", starts_at=starts_at))
    tx.say("Event {event} created", event=event)
    return {"event": event.pk}


# after the first entry: what was paid for stays as it was
_FIXED_BY_ENTRIES = {
    "buy_in_cents": "the buy-in",
    "fee_cents": "the fee",
    "staff_kind": "the staff share",
    "staff_amount": "the staff share",
    "starting_stack": "the starting stack",
    "chips": "the chips",
    "seats_per_table": "the size of the tables",
    "max_reentries": "re-entry",
    "entry_rules": "what can be bought beside the entry",
    "minimum_age": "the minimum age",
}


def apply_terms(tx: Tx[Event], starts_at: dt.datetime | None, values: EventValues) -> None:
    """Change what is named of an event, as far as it may still change.

    Raises:
        Refused: at the field that is wrong or cannot change any more.
    """
    event = tx.subject
    tx.expect_unchanged(event)
    require_not_over(event)
    present = {name: getattr(event, name) for name in EventValues.__annotations__}
    if "entry_rules" in values:  # what the prizes are stays: `event.satellite` says it
        kept = {name: event.entry_rules[name] for name in ("seat_cents", "second_seat") if name in event.entry_rules}
        values["entry_rules"] = {**values["entry_rules"], **kept}
    checked = _checked(**{**present, **values})
    price = checked["buy_in_cents"] + checked["fee_cents"] + rules_from(checked["entry_rules"]).bounty_cents
    if price != event.price_cents and event.satellites.exclude(status=Event.Status.CANCELLED).exists():
        raise Refused(
            "Seats in this event are played for in a satellite: its price cannot change.",
            field="buy_in_cents",
            code="fixed",
        )
    entries = _bought_in(event.entries)
    if entries:
        paid = "One player has" if entries == 1 else f"{entries} players have"
        for field, what in _FIXED_BY_ENTRIES.items():
            if checked[field] != getattr(event, field):
                raise Refused(f"{paid} bought in: {what} cannot change any more.", field=field, code="fixed")
        if checked["guarantee_cents"] < event.guarantee_cents:
            raise Refused(f"{paid} bought in: the guarantee can only rise.", field="guarantee_cents", code="fixed")
    if event.status == Event.Status.RUNNING and checked["late_reg_level"] != event.late_reg_level:
        raise Refused(
            "The event is running: late registration ends where it was announced.",
            field="late_reg_level",
            code="fixed",
        )
    _require_playable(event, tx.lock(Level.objects.filter(event=event)), checked)
    taken = _places_taken(event)
    if checked["capacity"] < taken:
        raise Refused(f"{taken} places are taken or held already.", field="capacity", code="places_taken")
    first = tx.lock(Day.objects.filter(event=event, number=1))[0]
    if starts_at and starts_at != first.starts_at:
        _move_day(tx, first, starts_at)
    tx.change(event, **checked)


@command(Event, "event.change", permission=Permission.SET_UP, undoable=False)
def change_event(
    tx: Tx[Event], *, starts_at: dt.datetime | None = None, **values: Unpack[EventValues]
) -> dict[str, Any]:
    """Change what is named of an event: anything before the first entry; then its name, places and hour.

    Raises:
        Refused: at the field that is wrong or cannot change any more; at `reason`, if players were told of what
            changes: then `event.alter` does it in public.
    """
    before = told_terms(tx.subject)
    apply_terms(tx, starts_at, values)
    if tx.subject.status != Event.Status.DRAFT and told_terms(tx.subject) != before:
        raise Refused("Players were told of this already. Say why it changes: they will read it.", field="reason")
    tx.say("Event {event} changed", event=tx.subject)
    return {}


def told_terms(event: Event) -> dict[str, str]:
    """What players were told, in words."""
    return {
        "Name": event.name,
        "Start": _start_words(event, event.starts_at),
        "Buy-in": format_money(event.buy_in_cents),
        "Fee": format_money(event.fee_cents),
        "Guaranteed prize pool": format_money(event.guarantee_cents) if event.guarantee_cents else "none",
        "Staff share": staff_words(event) or "none",
        "Starting stack": format_chips(event.starting_stack),
        "Chips": ", ".join(format_chips(chip) for chip in event.chips),
        "Places": format_chips(event.capacity),
        "Seats at a table": str(event.seats_per_table),
        "Late registration until the end of level": str(event.late_reg_level or "none"),
        "Re-entries": str(event.max_reentries),
        **{what: f"{says} {format_money(cents) if cents else ''}".strip() for what, says, cents in extra_terms(event)},
        "Minimum age": str(event.age_required),
        "Seats drawn": "with the buy-in" if event.seat_at_buy_in else "all at once before the start",
    }


def _start_words(event: Event, at: dt.datetime) -> str:
    return f"{timezone.localtime(at, event.series.tz):%a %-d %B %Y, %H:%M}"


def _require_playable(event: Event, levels: Sequence[Level], checked: dict[str, Any]) -> None:
    """Refuse terms that the structure cannot be played with; in a draft, chips may still disagree with it."""
    if not levels:
        return
    for window, wrong in misplaced(rules_from(checked["entry_rules"]), items_of(levels)):
        raise Refused(wrong, field=window.field, code="misplaced")
    for finding in check(items_of(levels), checked["chips"], checked["late_reg_level"]).errors:
        if finding.code == "late_reg_after_last_level":
            raise Refused(finding.explanation, field="late_reg_level", code=finding.code)
        if event.status != Event.Status.DRAFT:
            raise Refused(f"The structure does not fit: {finding.explanation}", field="chips", code=finding.code)


def _places_taken(event: Event) -> int:
    found = counted(event)
    return int(found.held + found.taken)


def require_not_over(event: Event) -> None:
    """Raises Refused for a finished or cancelled event."""
    if event.status in (Event.Status.FINISHED, Event.Status.CANCELLED):
        raise Refused(f"This event is {event.get_status_display()}: nothing of it changes any more.", code="over")


def _move_day(tx: Tx[Event], day: Day, starts_at: dt.datetime) -> None:
    """Set when a day starts. Once people bought in for it, its date stays."""
    event = tx.subject
    zone = event.series.tz
    if local_date(starts_at, zone) != local_date(day.starts_at, zone) and _bought_in(day.entries):
        raise Refused(
            "Players have bought in for this date. Only the hour can change.", field="starts_at", code="fixed"
        )
    tx.change(day, starts_at=starts_at)
    _start_with_earliest(tx)
    hold_again(tx)


def _bought_in(entries: models.Manager[Entry]) -> int:
    return entries.exclude(status=Entry.Status.VOID).count()


def _start_with_earliest(tx: Tx[Event]) -> None:
    """The event starts with its earliest day: on no earlier date once people bought in (house rule 1)."""
    event = tx.subject
    first = Day.objects.filter(event=event).order_by("starts_at")[0]
    zone = event.series.tz
    if local_date(first.starts_at, zone) < local_date(event.starts_at, zone) and _bought_in(event.entries):
        raise Refused(
            "Players have bought in, and their age was checked for the first date. No day can be earlier.",
            field="starts_at",
            code="fixed",
        )
    tx.change(event, starts_at=first.starts_at)


def _require_free_label(event: Event, label: str, but: int | None = None) -> str:
    label = words(label, 20, "label", "Give the day a label, for example Day 1B.")
    others = event.days.filter(label__iexact=label)
    if (others.exclude(pk=but) if but else others).exists():
        raise Refused("Another day of this event has this label.", field="label")
    return label


@command(Event, "day.add", permission=Permission.SET_UP)
def add_day(tx: Tx[Event], *, label: str, starts_at: dt.datetime, kind: str = Day.Kind.FLIGHT) -> dict[str, Any]:
    """Another flight, or a later day. A first flight still called Day 1 becomes Day 1A. Result: `day`.

    Raises:
        Refused: at `label`, `starts_at` or `kind`; the event is over; prizes have been paid, for another flight.
    """
    event = tx.subject
    require_not_over(event)
    if kind not in Day.Kind.values:
        raise Refused("Choose a flight or a later day.", field="kind")
    if kind == Day.Kind.FLIGHT:
        require_unpaid(event)
    days = tx.lock(Day.objects.filter(event=event))
    label = _require_free_label(event, label)
    if kind == Day.Kind.LATER and starts_at <= min(day.starts_at for day in days):
        raise Refused("A later day starts after the first one.", field="starts_at")
    if kind == Day.Kind.FLIGHT and len(days) == 1 and days[0].label == "Day 1":
        tx.change(days[0], label="Day 1A")
    number = max(day.number for day in days) + 1
    day = tx.add(Day(event=event, number=number, label=label, kind=kind, starts_at=starts_at))
    _start_with_earliest(tx)
    tx.say("{day} added", day=day)
    return {"day": day.pk}


@command(Event, "day.change", permission=Permission.SET_UP, undoable=False)
def change_day(tx: Tx[Event], *, day_id: int, label: str, starts_at: dt.datetime) -> dict[str, Any]:
    """Change the label or the start of a day; once people bought in for it, only the hour of its start. Of an
    event that people have been told of they read it, with the reason (house rule 54).

    Raises:
        Refused: at `label`, `starts_at` or `reason`; the event is over.
    """
    event = tx.subject
    require_not_over(event)
    day = tx.lock_one(Day, "There is no such day.", pk=day_id, event=event)
    tx.expect_unchanged(day)
    before, started = day.label, day.starts_at
    tx.change(day, label=_require_free_label(event, label, but=day.pk))
    changes = [f"{before} is called {day.label} now"] if day.label != before else []
    if starts_at != started:
        _move_day(tx, day, starts_at)
        changes.append(f"Start of {day}: {_start_words(event, started)} → {_start_words(event, starts_at)}")
    tell_changes(tx, changes)
    tx.say("{day} changed", day=day)
    return {}
