"""Players and entries as files for a spreadsheet, in which nothing runs as a formula."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from series.models import Entry
from series.reads import players as reads
from series.spreadsheets import file_of
from tables.models import Seat
from tables.reads.standings import standings
from tables.views.players import Here
from tables.views.staff import staff_event

PLAYERS = ("Name", "Public name", "Birth date", "E-mail", "Phone", "Events", "Entries", "ID seen", "Account")
ENTRIES = ("Name", "Public name", "Entry", "Day", "Status", "Table", "Seat", "Place", "Shared to", "Prize", "Currency")


@never_cache
@login_required
def players_export(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Everybody the series knows."""
    here = Here(request, slug)
    rows = [
        [
            line.player.name,
            line.player.public_name,
            line.player.birth_date.isoformat() if line.player.birth_date else "",
            line.player.email,
            line.player.phone,
            line.events,
            line.entries,
            "yes" if line.proven else "no",
            "yes" if line.player.user_id else "no",
        ]
        for line in map(reads.line, reads.lines(reads.known_in(here.series.pk), here.series.pk))
    ]
    return file_of(kind, f"players-{here.series.slug}", PLAYERS, rows)


@never_cache
@login_required
def entries_export(request: HttpRequest, event_id: int, kind: str) -> HttpResponse:
    """All entries of an event, with seats, places and prizes as they stand."""
    event, _ = staff_event(request, event_id, Permission.SEE_PLAYERS)
    entries = event.entries.exclude(status=Entry.Status.VOID).select_related("player", "day")
    seats = {seat.entry_id: seat for seat in Seat.objects.filter(entry__event=event).select_related("table")}
    places = {placed.entry_id: placed for placed in standings(event)}
    rows = []
    for entry in entries.order_by("player__name_folded", "number", "pk"):
        seat, place = seats.get(entry.pk), places.get(entry.pk)
        rows.append(
            [
                entry.player.name,
                entry.player.public_name,
                entry.number,
                entry.day.label,
                entry.get_status_display(),
                seat.table.number if seat else None,
                seat.number if seat else None,
                place.best if place else None,
                place.worst if place else None,
                f"{place.prize_cents // 100}.{place.prize_cents % 100:02}" if place and place.prize_cents else None,
                event.series.currency,
            ]
        )
    return file_of(kind, f"entries-{event.series.slug}-{event.number}", ENTRIES, rows)


urlpatterns: list[URLPattern] = [
    path(f"staff/series/<slug:slug>/players/export.{kind}", players_export, {"kind": kind}, name=f"players_{kind}")
    for kind in ("csv", "xlsx")
] + [
    path(f"staff/events/<int:event_id>/entries/export.{kind}", entries_export, {"kind": kind}, name=f"entries_{kind}")
    for kind in ("csv", "xlsx")
]
