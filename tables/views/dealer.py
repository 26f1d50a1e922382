"""The dealer's own page: one table on a phone, with buttons for a thumb."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from series.domain.options import options_from
from series.models import Event
from tables.commands import dodges, floor, hand_for_hand, hands, purchases
from tables.domain.button import DeadButton
from tables.forms import floor as floor_forms
from tables.forms.purchases import EntryForm
from tables.reads.hall import HallTable
from tables.reads.hand_for_hand import round_of
from tables.reads.hands import assistant, dead_money
from tables.reads.penalties import away_at
from tables.reads.purchases import offers
from tables.reads.screens import clock_faces
from tables.views.actions import Action, as_sent, on_day
from tables.views.staff_page import StaffPage, answer

ACTIONS = {
    "next_hand": Action(floor_forms.TableForm, hands.next_hand, on_day),
    "button": Action(floor_forms.ButtonForm, hands.set_button, on_day),
    "coming_button": Action(floor_forms.ComingButtonForm, hands.set_coming_button, on_day),
    "finished": Action(floor_forms.TableForm, hand_for_hand.report_hand, on_day),
    "not_finished": Action(floor_forms.TableForm, hand_for_hand.withdraw_report, on_day),
    "arrived": Action(floor_forms.ArrivedForm, floor.confirm_move, as_sent),
    "declare_rebuy": Action(EntryForm, purchases.declare_rebuy, as_sent),
    "dodge_done": Action(floor_forms.DodgeDoneForm, dodges.clear_dodge, as_sent),
}


class DealerPage(StaffPage):
    """One table; `?set=button` asks for the button, of the last hand or, with `&hand=coming`, of the coming one."""

    template = "tables/dealer.html"
    address = "dealer"
    actions = ACTIONS

    def __init__(self, request: HttpRequest, event_id: int, number: int) -> None:
        super().__init__(request, event_id, Permission.SEE_FLOOR, Permission.REPORT_HANDS)
        self.number = number

    @property
    def here(self) -> str:
        return reverse(self.address, args=[self.event.pk, self.number]) + f"?day={self.day.pk}"

    @property
    def table(self) -> HallTable:
        found = self.hall.table(self.number)
        if found is None:
            raise Http404
        return found

    def context(self) -> dict[str, Any]:
        table = self.table
        options = options_from(self.event.series.options)
        old = table.number in self.hall.old_buttons(self.now, options.old_button_minutes)
        coming = assistant(self.hall, table, DeadButton(options.dead_button), old=old)
        playing = round_of(self.day)
        released = playing is not None and playing.hand > 0 and table.number in set(playing.waiting) - playing.dealt
        face = clock_faces([self.day], self.now).get(self.day.pk)
        away = away_at(self.day)
        which = self.request.GET.get("hand") or ("last" if self.started else "coming")
        reports = Permission.REPORT_HANDS in self.may
        running = reports and self.event.status == Event.Status.RUNNING
        people = [who.entry_id for who in table.in_seat_order] if reports else []
        found = offers(self.event, self.day, people, self.now)
        found = {entry_id: offer for entry_id, offer in found.items() if offer.rebuy or offer.owes}
        return {
            "table": table,
            "rows": [(seat, table.sitters.get(seat)) for seat in range(1, table.seats + 1)],
            "assistant": coming,
            "may_deal": running and coming.may_deal and (playing is None or released),
            "deal_words": f"Deal hand {playing.hand}" if playing and released else "",
            "round": playing,
            "plays": playing is not None and table.number in playing.waiting,
            "dead_money": dead_money(self.day.pk, table.number),
            "arrivals": [arrival for arrival in self.hall.arrivals if arrival.table == table.number],
            "away": [(who, away[who.entry_id]) for who in table.in_seat_order if who.entry_id in away],
            "buyers": [(who, found[who.entry_id]) for who in table.in_seat_order if who.entry_id in found],
            "face": face,
            "level": face.level if face else None,
            "asks_button": reports and self.request.GET.get("set") == "button",
            "asks_coming": which == "coming",
        }


@login_required
@never_cache
def dealer(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """The next hand, the button, and during hand-for-hand whether the hand is finished."""
    return answer(DealerPage(request, event_id, number))


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/dealer/<int:number>/", dealer, name="dealer"),
]
