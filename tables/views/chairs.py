"""Tables and chairs by the floor's own hand: sizes, prepared tables, locked chairs, players who keep their seat."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.forms import whole_number
from tables.commands import chairs
from tables.forms import draws as draw_forms
from tables.forms.floor import TableForm
from tables.reads.chairs import find_people, keepers, person, table_lines
from tables.views.actions import Action, as_sent, at_place, at_place_on_day, on_day
from tables.views.staff_page import StaffPage, answer

ACTIONS = {
    "add": Action(draw_forms.AddTableForm, chairs.add_table, on_day),
    "open": Action(TableForm, chairs.open_table, on_day),
    "size": Action(draw_forms.SizeForm, chairs.set_table_size, on_day),
    "order": Action(draw_forms.OrderForm, chairs.set_opening_order, on_day),
    "lock": Action(draw_forms.LockForm, chairs.lock_seat, at_place_on_day),
    "unlock": Action(draw_forms.PlaceForm, chairs.unlock_seat, at_place_on_day),
    "seat": Action(draw_forms.SeatByHandForm, chairs.seat_by_hand, at_place),
    "keep": Action(draw_forms.KeepForm, chairs.keep_seat, at_place),
    "release": Action(draw_forms.EntryForm, chairs.release_seat, as_sent),
}


class ChairsPage(StaffPage):
    """`?find=` looks for a player by name or place; `?who=7` opens what can be done with one."""

    template = "tables/draws_chairs.html"
    address = "chairs"
    actions = ACTIONS
    shown = frozenset({"add", "size", "order", "lock", "seat", "keep"})

    def context(self) -> dict[str, Any]:
        lines = table_lines(self.day)
        sent = self.request.POST.get("entry_id", "") or self.request.GET.get("who", "")
        asked = whole_number(sent)
        who = person(self.day, asked) if asked else None
        words = self.request.GET.get("find", "").strip()
        entry = {"entry_id": who.entry_id if who else None}
        prepared = [line for line in lines if not line.is_open]
        order = [line.number for line in prepared if line.opens is not None]
        return {
            "lines": lines,
            "prepared": prepared,
            "keepers": keepers(self.day),
            "words": words,
            "hits": find_people(self.day, words) if words else [],
            "who": who,
            "add_form": self.form("add") or draw_forms.AddTableForm(initial={"seats": self.event.seats_per_table}),
            "size_form": self.form("size") or draw_forms.SizeForm(),
            "order_form": self.form("order") or draw_forms.OrderForm(initial={"order": order}),
            "lock_form": self.form("lock") or draw_forms.LockForm(),
            "seat_form": self.form("seat") or draw_forms.SeatByHandForm(initial=entry),
            "keep_form": self.form("keep") or draw_forms.KeepForm(initial=entry),
        }


@login_required
@never_cache
def chairs_page(request: HttpRequest, event_id: int) -> HttpResponse:
    """The tables of a day as furniture, and who keeps which chair."""
    return answer(ChairsPage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR))


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/chairs/", chairs_page, name="chairs")]
