"""The action clock on a staff phone: put a player on the clock, see the time run, say what came of it."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from series.domain.options import options_from
from series.models import Event
from tables.commands import action_clock as commands
from tables.reads.action_clock import action_clock_at, in_the_hand
from tables.views.actions import Action, Context, as_sent, on_day
from tables.views.staff_page import StaffPage, answer


class CallForm(forms.Form):
    """Who is put on the clock, who asked for it, and whether there is a bet to call."""

    table = forms.IntegerField()
    entry_id = forms.IntegerField()
    called_by = forms.IntegerField(required=False)
    facing_bet = forms.BooleanField(required=False)


class ClockForm(forms.Form):
    """An action clock that ends."""

    clock_id = forms.IntegerField()


class OverruleForm(ClockForm):
    """The floor finds that a player had acted."""

    reason = forms.CharField(max_length=300, required=False, label="Why")


class LeftForm(forms.Form):
    """A player who left the seat during a hand."""

    table = forms.IntegerField()
    entry_id = forms.IntegerField()
    all_in = forms.BooleanField(required=False)


def _heard(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    return sent | {"received_at": at.request.received_at}  # type: ignore[attr-defined]


def _left(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    return {"day_id": at.day.pk, "can_act": not sent.pop("all_in"), **sent}


ACTIONS = {
    "call": Action(CallForm, commands.call_clock, on_day),
    "acted": Action(ClockForm, commands.act, _heard),
    "cancel": Action(ClockForm, commands.cancel, as_sent),
    "left": Action(LeftForm, commands.left_seat, _left),
    "overrule": Action(OverruleForm, commands.overrule, as_sent),
}


class ActionClockPage(StaffPage):
    """One table: a player to be chosen, or the one on the clock; `?left=1` asks who left the seat."""

    template = "tables/action_clock.html"
    address = "action_clock"
    actions = ACTIONS
    shown = frozenset({"overrule"})

    def __init__(self, request: HttpRequest, event_id: int, number: int) -> None:
        super().__init__(request, event_id, Permission.SEE_FLOOR, Permission.REPORT_HANDS)
        self.number = number

    @property
    def here(self) -> str:
        return reverse(self.address, args=[self.event.pk, self.number]) + f"?day={self.day.pk}"

    def context(self) -> dict[str, Any]:
        table = self.hall.table(self.number)
        if table is None:
            raise Http404
        options = options_from(self.event.series.options)
        return {
            "table": table,
            "players": in_the_hand(table),
            "timed": action_clock_at(self.day.pk, self.number, self.now),
            "running": self.event.status == Event.Status.RUNNING,
            "asks_left": Permission.REPORT_HANDS in self.may and self.request.GET.get("left") == "1",
            "seconds": options.action_seconds,
            "countdown": options.action_countdown,
            "overrule_form": self.form("overrule") or OverruleForm(),
        }


@login_required
@never_cache
def action_clock(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """Put a player of a table on the clock. The moment of receipt decides whether an action was in time."""
    request.received_at = timezone.now()  # type: ignore[attr-defined]
    return answer(ActionClockPage(request, event_id, number))


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/tables/<int:number>/action-clock/", action_clock, name="action_clock"),
]
