"""One table: its seats, what can be done with each, the button, breaking it."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from journal.forms import see_other
from series.domain.options import options_from
from tables.domain.button import DeadButton
from tables.domain.dealing import after_button
from tables.forms.floor import MoveForm
from tables.reads.advice import breaking
from tables.reads.floor import open_chairs, seat_map
from tables.reads.hall import HallTable, Sitter
from tables.reads.penalties import Away, away_at
from tables.views.actions import act
from tables.views.floor import Floor, with_done


@login_required
@never_cache
def table(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """A table of a day; `?seat=4` opens what can be done with a seat, `?set=button` asks for the button."""
    page = Floor(request, event_id)
    if request.method == "POST":
        return _pressed(request, page, number)
    context = _context(page, number, request.GET.get("seat", ""), None)
    if request.htmx.target == "table":  # type: ignore[attr-defined]
        return render(request, "tables/table.html#table", context)
    return render(request, "tables/table.html", context | page.just_done())


def _pressed(request: HttpRequest, page: Floor, number: int) -> HttpResponse:
    outcome = act(request, page.event, page.day)
    here = reverse("table", args=[page.event.pk, number]) + f"?day={page.day.pk}"
    if outcome.done:
        back = page.context["here"] if outcome.name == "break" else here
        return see_other(with_done(back, outcome.done))
    page = Floor(request, page.event.pk, outcome)
    typed = outcome.form if isinstance(outcome.form, MoveForm) else None
    if typed is None:
        for said in outcome.said:
            messages.error(request, said)
    context = _context(page, number, request.POST.get("at", ""), typed)
    return render(request, "tables/table.html", context, status=outcome.status)


def _context(page: Floor, number: int, seat: str, typed: MoveForm | None) -> dict[str, Any]:
    table = page.hall.table(number)
    if table is None:
        raise Http404
    at = int(seat) if seat.isdecimal() and 1 <= int(seat) <= table.seats else None
    asks_button = page.request.GET.get("set") == "button"
    url = f"?day={page.day.pk}{'&set=button' if asks_button else ''}&seat={{seat}}#seat"
    away = away_at(page.day)
    context = page.context | {
        "table": table,
        "rows": [(chair, table.sitters.get(chair)) for chair in range(1, table.seats + 1)],
        "map": seat_map(table, url, away),
        "listing": _listing(table, away),
        "asks_button": asks_button,
        "at": at,
        "keeper": next((who for who in table.in_seat_order if who.keeps), None),
        "breaking": breaking(page.hall, number),
    }
    if at is not None:
        context |= _seat(page, table, at, typed)
        context["gone"] = away.get(context["sitter"].entry_id) if context["sitter"] else None
    return context


def _listing(table: HallTable, away: Mapping[int, Away]) -> list[tuple[int, Sitter | None, str]]:
    """Every chair with who sits there and, if they serve a penalty, what is left of it."""
    listing = []
    for chair in range(1, table.seats + 1):
        sitter = table.sitters.get(chair)
        gone = away.get(sitter.entry_id) if sitter else None
        listing.append((chair, sitter, gone.words if gone else ""))
    return listing


def _seat(page: Floor, table: HallTable, at: int, typed: MoveForm | None) -> dict[str, Any]:
    """What the panel of one seat shows."""
    sitter = table.sitters.get(at)
    dead_button = DeadButton(options_from(page.event.series.options).dead_button)
    return {
        "sitter": sitter,
        "arrival": next((a for a in page.hall.arrivals if sitter and a.move_id == sitter.arriving), None),
        "positions": after_button(table.seats, table.sitters, at),
        "chairs": open_chairs(page.hall, table.number, dead_button) if sitter else [],
        "move_form": typed or MoveForm(initial={"entry_id": sitter.entry_id if sitter else None}),
    }


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/tables/<int:number>/", table, name="table"),
]
