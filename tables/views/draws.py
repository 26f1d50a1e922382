"""The draws of an event: what anybody can see and check, and the page from which the floor draws."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.errors import Refused
from series.reads.pages import opens
from series.views.public import held_in, visible_event
from tables.commands import breaking, draws, lots, redraw
from tables.forms import draws as draw_forms
from tables.forms.floor import NoForm
from tables.models import Draw, Seat
from tables.reads.draws import APART, document, draws_of, present_names, secrets_of, view_of
from tables.reads.floor import waiting_for_seats
from tables.views.actions import Action, Context, as_sent, at_place_on_day, on_day
from tables.views.staff_page import StaffPage, answer

DRAWS_A_PAGE = 50
NAMES_A_PAGE = 500
RECENT = 8
MOST_HIGH_CARDS = 3  # tables whose players are offered by name


# --- for everybody ----------------------------------------------------------------------------------------------------
@never_cache
def public_draws(request: HttpRequest, event_id: int) -> HttpResponse:
    """Every draw of an event and how to check it; `?kind=` shows those of late entrants, or lots of balancing."""
    event = visible_event(request, event_id)
    kind = request.GET.get("kind", "")
    kind = kind if kind in APART else ""
    rows = Paginator(draws_of(event, kind), DRAWS_A_PAGE).get_page(request.GET.get("page"))
    apart = Draw.objects.filter(day__event=event, kind__in=APART).order_by().values_list("kind").annotate(Count("pk"))
    context = {
        "event": event,
        "series": event.series,
        "secrets": secrets_of(event),
        "kind": kind,
        "apart": dict(apart),
        "shown": rows,
        "draws": [view_of(row) for row in present_names(rows)],
        "several_days": event.days.count() > 1,
        "to_floor": opens("staff_draws", event, held_in(request, event.series_id)),
    }
    template = "tables/draws.html#list" if request.htmx else "tables/draws.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@never_cache
def public_draw(request: HttpRequest, event_id: int, draw_id: int) -> HttpResponse:
    """One draw: what was frozen, what came out, by name."""
    event = visible_event(request, event_id)
    row = get_object_or_404(Draw.objects.select_related("day"), pk=draw_id, day__event=event)
    present_names([row])
    view = view_of(row)
    listed = view.by_name if view.came_out and not view.is_order else view.came_out or view.went_in
    pages = Paginator(listed, NAMES_A_PAGE)
    context = {
        "event": event,
        "series": event.series,
        "draw": view,
        "secrets": secrets_of(event),
        "names": pages.get_page(request.GET.get("page")),
        "moves": row.moves.exists(),
        "to_floor": opens("staff_draws", event, held_in(request, event.series_id)),
    }
    template = "tables/draws_one.html#draw" if request.htmx else "tables/draws_one.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@never_cache
def draw_document(request: HttpRequest, event_id: int, draw_id: int) -> HttpResponse:
    """The document that the stand-alone script checks."""
    event = visible_event(request, event_id)
    row = get_object_or_404(Draw, pk=draw_id, day__event=event)
    if row.by_hand:
        raise Http404
    present_names([row])
    response = JsonResponse(document(row, event), json_dumps_params={"ensure_ascii": False, "indent": 1})
    name = f"draw-{row.pk}{'-frozen' if row.status == Draw.Status.FROZEN else ''}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


# --- for the floor ----------------------------------------------------------------------------------------------------
def _lot(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    by_place = {
        (table, seat): entry_id
        for table, seat, entry_id in Seat.objects.filter(table__day=at.day, entry__isnull=False).values_list(
            "table__number", "number", "entry_id"
        )
    }
    missing = [place for place in sent["places"] if place not in by_place]
    if missing:
        table, seat = missing[0]
        raise Refused(f"Nobody sits at table {table}, seat {seat}.", field="places")
    return {"entry_ids": [by_place[place] for place in sent["places"]], "what": sent["what"]}


ACTIONS = {
    "freeze": Action(draw_forms.TablesWantedForm, draws.freeze_draw, on_day),
    "draw": Action(draw_forms.TablesWantedForm, draws.draw_seats, on_day),
    "freeze_redraw": Action(draw_forms.RedrawForm, redraw.freeze_redraw, on_day),
    "redraw": Action(draw_forms.RedrawForm, redraw.redraw, on_day),
    "redraw_frozen": Action(NoForm, redraw.redraw, on_day),
    "withdraw": Action(draw_forms.WithdrawForm, draws.withdraw_draw, as_sent),
    "points": Action(draw_forms.PointsForm, redraw.set_redraw_points, as_sent),
    "buttons": Action(NoForm, lots.draw_buttons, on_day),
    "high_card": Action(draw_forms.PlaceForm, lots.set_first_button, at_place_on_day),
    "lot": Action(draw_forms.LotForm, lots.draw_lot, _lot),
    "break_order": Action(NoForm, breaking.draw_break_order, on_day),
}


class DrawsPage(StaffPage):
    """The floor's page of draws."""

    template = "tables/draws_staff.html"
    address = "staff_draws"
    actions = ACTIONS
    shown = frozenset({"freeze", "draw", "withdraw", "freeze_redraw", "redraw", "points", "high_card", "lot"})

    def context(self) -> dict[str, Any]:
        frozen = Draw.objects.filter(day=self.day, status=Draw.Status.FROZEN).select_related("day").first()
        waiting = waiting_for_seats(self.day)
        unknown = [table for table in self.hall.tables if table.last is None and table.players > 1]
        due = self.redraw_due
        recent = draws_of(self.event).filter(day=self.day)[:RECENT]
        present_names([frozen] if frozen else [])
        return {
            "frozen": view_of(frozen) if frozen else None,
            "waiting": waiting,
            "tables": self.hall.tables,
            "players": len(self.hall.sitters),
            "kept": due.keep if due else tuple(table.number for table in self.hall.tables),
            "due": due,
            "unknown": unknown,
            "high_card_tables": unknown if len(unknown) <= MOST_HIGH_CARDS else [],
            "recent": [view_of(row) for row in present_names(recent)],
            "seats_form": self.form("freeze", "draw") or draw_forms.TablesWantedForm(),
            "withdraw_form": self.form("withdraw")
            or draw_forms.WithdrawForm(initial={"draw_id": frozen.pk if frozen else None}),
            "redraw_form": self.form("freeze_redraw", "redraw") or draw_forms.RedrawForm(),
            "points_form": self.form("points") or draw_forms.PointsForm(initial={"points": self.event.redraw_at}),
            "high_card_form": self.form("high_card") or draw_forms.PlaceForm(),
            "lot_form": self.form("lot") or draw_forms.LotForm(),
        }


@login_required
@never_cache
def staff_draws(request: HttpRequest, event_id: int) -> HttpResponse:
    """Freeze lists, draw, redraw, first buttons and lots of a day."""
    return answer(DrawsPage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR))


urlpatterns: list[URLPattern] = [
    path("events/<int:event_id>/draws/", public_draws, name="draws"),
    path("events/<int:event_id>/draws/<int:draw_id>/", public_draw, name="draw"),
    path("events/<int:event_id>/draws/<int:draw_id>.json", draw_document, name="draw_document"),
    path("staff/events/<int:event_id>/draws/", staff_draws, name="staff_draws"),
]
