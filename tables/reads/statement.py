"""The statement of an event for the organiser and the Department: real names, everything in the same few queries."""

import datetime as dt
from collections import Counter
from typing import Any

from django.db.models import Count, Q, Sum

from accounts.models import StaffRole
from journal.models import JournalEntry
from series.models import Entry, Event, EventStatement, IdCheck, Purchase
from series.reads.gambling import gambling_view
from tables.domain.statement import Cell, Column, Document, Section, facts, read
from tables.models import ChipLine
from tables.reads.statement_money import instant, money_sections, real_names

COUNT = Column("How many", "number")


def statement(event: Event, now: dt.datetime) -> Document:
    """The statement as everything stands now, not frozen. A fixed number of queries."""
    names = real_names(event)
    sections = [
        _event(event, now),
        _entries(event),
        *money_sections(event, names),
        _chips(event),
        _staff(event),
        _age_checks(event),
    ]
    return Document(f"Event statement: {event.name}, {event.series.name}", event.series.currency, tuple(sections))


def frozen(event: Event) -> list[EventStatement]:
    """The statements that were frozen, the last first. One query."""
    return list(event.statements.select_related("frozen_by").order_by("-number"))


def document_of(row: EventStatement) -> Document:
    return read(row.content)


def _event(event: Event, now: dt.datetime) -> Section:
    series, rules = event.series, event.rulebook_version
    view = gambling_view(event, now)
    days = [f"{day.label}, {instant(day.starts_at, series.tz)}" for day in event.days.order_by("starts_at")]
    rows: list[tuple[str, Cell]] = [
        ("Series", series.name),
        ("Event", f"{event.number} · {event.name}"),
        ("Venue", series.venue),
        ("Days", "; ".join(days)),
        ("State", f"{event.get_status_display()} {instant(event.finished_at, series.tz)}".strip()),
        ("Operator", ": ".join(filter(None, (view.terms.operator_words or "not said", view.terms.name)))),
        ("Purpose", view.terms.purpose or "not said"),
        ("Class", f"{view.class_name}. {view.class_words}"),
        ("Licence", view.terms.licence_number or "none recorded"),
        ("Rulebook", f"version {rules.number}, SHA-256 {rules.content_hash}" if rules else "none"),
        ("Minimum age", f"{event.age_required}"),
        ("Money records are kept", f"{view.terms.retention_years} years"),
    ]
    return facts("Event", rows, "The class is guidance, not legal advice: talk to the Department of Internal Affairs.")


def _entries(event: Event) -> Section:
    void = Q(status=Entry.Status.VOID)
    counted: dict[str, Any] = event.entries.aggregate(
        first=Count("pk", filter=~void & Q(number=1)),
        again=Count("pk", filter=~void & Q(number__gt=1)),
        void=Count("pk", filter=void),
        players=Count("player", filter=~void, distinct=True),
    )
    bought = Purchase.objects.filter(event=event, status=Purchase.Status.PAID)
    kinds = dict(bought.order_by().values_list("kind").annotate(count=Count("pk")))
    rows = (
        ("Players", counted["players"]),
        ("Entries", counted["first"]),
        ("Re-entries", counted["again"]),
        ("Rebuys", kinds.get(Purchase.Kind.REBUY, 0)),
        ("Add-ons", kinds.get(Purchase.Kind.ADDON, 0)),
        ("Entries taken back", counted["void"]),
    )
    return Section("Entries", (Column("What"), COUNT), rows)


def _chips(event: Event) -> Section:
    kinds = dict(ChipLine.Kind.choices)
    sums = dict(event.chip_lines.order_by().values_list("kind").annotate(total=Sum("chips")))
    rows = [(str(kinds[kind]).capitalize(), sums[kind]) for kind in kinds if sums.get(kind)]
    rows.append(("In play at the end", sum(sums.values())))
    return Section("Chips issued and removed", (Column("What"), Column("Chips", "number")), tuple(rows))


def _staff(event: Event) -> Section:
    """Who held a role in the series, and who did something in the event's journal."""
    roles: dict[str, list[str]] = {}
    for held in StaffRole.objects.filter(series=event.series_id, active=True).select_related("user").order_by("pk"):
        roles.setdefault(str(held.user), []).append(held.get_role_display().lower())
    did = JournalEntry.objects.filter(stream=event.stream_key, actor_name__in=roles).order_by()
    did = did.exclude(verb="statement.freeze")  # freezing it does not change what it says
    acts = dict(did.values_list("actor_name").annotate(count=Count("pk")))
    rows = tuple((name, ", ".join(held), acts.get(name, 0)) for name, held in sorted(roles.items()))
    return Section("Staff", (Column("Name"), Column("Role"), Column("Entries in the journal", "number")), rows)


def _age_checks(event: Event) -> Section:
    """How the age of those who entered was proven; nothing of the documents themselves."""
    players = event.entries.exclude(status=Entry.Status.VOID).values("player")
    kinds = dict(IdCheck._meta.get_field("kind").flatchoices)
    last: dict[int, str] = {}
    proven = IdCheck.objects.filter(player__in=players, taken_back=False, age__gte=event.age_required)
    for player, kind in proven.order_by("at", "pk").values_list("player", "kind"):
        last[player] = kind
    counted = Counter(last.values())
    missing = players.distinct().count() - len(last)
    rows = [(str(kinds[kind]), counted[kind]) for kind in kinds if counted[kind]]
    rows += [(f"{event.age_required} or older, proven", len(last)), ("Not proven", missing)]
    return Section("Age checks", (Column("Document"), COUNT), tuple(rows))
