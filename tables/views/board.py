"""The board of hand-for-hand play: every table, its state, the round's busts, and what is to be done (rules 50, 51)."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from series.models import Event
from series.reads.places import entries_open
from tables.commands import floor, hand_for_hand
from tables.forms import floor as floor_forms
from tables.reads.hand_for_hand import board, suggested, time_per_hand
from tables.reads.screens import clocks_and_fields
from tables.views.actions import Action, as_sent, on_day
from tables.views.staff_page import StaffPage, answer

ACTIONS = {
    "announce": Action(floor_forms.NoForm, hand_for_hand.announce_hand_for_hand, on_day),
    "finished": Action(floor_forms.TableForm, hand_for_hand.report_hand, on_day),
    "not_finished": Action(floor_forms.TableForm, hand_for_hand.withdraw_report, on_day),
    "release": Action(floor_forms.NoForm, hand_for_hand.release_hand_now, on_day),
    "end": Action(floor_forms.NoForm, hand_for_hand.end_hand_for_hand, on_day),
    "stack": Action(floor_forms.BustStackForm, floor.set_bust_stack, as_sent),
}


class BoardPage(StaffPage):
    """One day of an event, in hand-for-hand play or not."""

    template = "tables/board.html"
    address = "hand_for_hand"
    actions = ACTIONS

    def context(self) -> dict[str, Any]:
        face, field = clocks_and_fields([self.day], self.now)[self.day.pk]
        open_ = entries_open(self.event, self.day, self.now)
        found = board(self.event, self.day)
        tables = len(found.tables) if found else len(self.hall.tables)
        return {
            "board": found,
            "face": face,
            "field": field,
            "tables_open": tables,
            "per_hand": found.per_hand if found else time_per_hand(self.event),
            "may_announce": self.event.status == Event.Status.RUNNING and tables > 1,
            "suggested": not open_ and suggested(self.event, field, tables),
            "entries_open": open_,
        }


@login_required
@never_cache
def hand_for_hand_board(request: HttpRequest, event_id: int) -> HttpResponse:
    """Announce, watch the tables report, release, end."""
    return answer(BoardPage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR, Permission.REPORT_HANDS))


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/hand-for-hand/", hand_for_hand_board, name="hand_for_hand"),
]
