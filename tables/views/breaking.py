"""Breaking a table: what is certain before the draw, the draw, who goes where, who has arrived, and the tickets."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.forms import whole_number
from series.domain.options import options_from
from tables.commands import breaking, floor
from tables.domain.breaking import breaking_order
from tables.domain.button import DeadButton
from tables.forms import draws as draw_forms
from tables.forms.floor import ArrivedForm, NoForm, TableForm
from tables.models import Draw
from tables.reads.breaking import not_arrived, preview, tickets
from tables.reads.draws import view_of
from tables.views.actions import Action, Outcome, as_sent, on_day
from tables.views.player import my_address
from tables.views.staff_page import StaffPage, answer

ACTIONS = {
    "break": Action(TableForm, breaking.break_table, on_day),
    "order": Action(draw_forms.OrderForm, breaking.set_break_order, on_day),
    "draw_order": Action(NoForm, breaking.draw_break_order, on_day),
    "arrived": Action(ArrivedForm, floor.confirm_move, as_sent),
}


class BreakPage(StaffPage):
    """`?table=7` is the table to look at, else the first in the order; `?draw=12` shows what came of a draw."""

    template = "tables/break.html"
    address = "break_tables"
    actions = ACTIONS
    shown = frozenset({"order"})

    def after(self, outcome: Outcome) -> str:
        drawn = (outcome.done.result.get("draw") if outcome.done else None) or self._number("draw")
        return self.here + (f"&draw={drawn}" if drawn else "")

    def _number(self, name: str) -> int | None:
        return whole_number(self.request.GET.get(name, ""))

    def context(self) -> dict[str, Any]:
        hall = self.hall
        order = breaking_order([table.domain for table in hall.tables], hall.break_order)
        policy = DeadButton(options_from(self.event.series.options).dead_button)
        wanted = self._number("table")
        looked_at = wanted if wanted and hall.table(wanted) else next(iter(order), 0)
        draw_id = self._number("draw")
        drawn = Draw.objects.filter(pk=draw_id, day=self.day).select_related("day").first() if draw_id else None
        moves = tickets(self.day, drawn.pk if drawn else None)
        return {
            "order": order,
            "preview": preview(hall, looked_at, policy),
            "advised": self.advice.breaking,
            "notes": self.advice.notes,
            "due": self.redraw_due,
            "drawn": view_of(drawn) if drawn else None,
            "moves": moves,
            "on_the_way": not_arrived(moves),
            "order_form": self.form("order") or draw_forms.OrderForm(initial={"order": self.day.break_order}),
        }


@login_required
@never_cache
def break_tables(request: HttpRequest, event_id: int) -> HttpResponse:
    """The next table to break, and what came of the last one."""
    return answer(BreakPage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR))


class TicketsPage(StaffPage):
    """`?draw=12`: the moves of one draw, else all that are not finished."""

    template = "tables/tickets.html"
    address = "tickets"

    def context(self) -> dict[str, Any]:
        found = tickets(self.day, whole_number(self.request.GET.get("draw", "")))
        return {"tickets": [(ticket, my_address(ticket.token)) for ticket in found]}


@login_required
@never_cache
def ticket_slips(request: HttpRequest, event_id: int) -> HttpResponse:
    """One slip for each player who changes seat, with the way to their own page."""
    page = TicketsPage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR)
    return render(request, page.template, page.whole())


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/break/", break_tables, name="break_tables"),
    path("staff/events/<int:event_id>/tickets/", ticket_slips, name="tickets"),
]
