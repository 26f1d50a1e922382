"""From one day to the next: ending a day, the fast list of bags by table, bringing them to a later day; the bags as
everybody sees them."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.forms import whole_number
from series.domain.entries import flight_over
from series.models import Day
from series.views.public import visible_event
from tables.commands import flights
from tables.forms.bags import BagsForm, CloseBagsForm, GatherForm
from tables.forms.floor import NoForm
from tables.reads.bags import bagged, bags_page, waiting_for
from tables.reads.clock import stage_of
from tables.reads.field import fields_of
from tables.views.actions import Action, Outcome, on_day
from tables.views.staff_page import StaffPage, answer


class BagPage(StaffPage):
    """The bags of one day."""

    template = "tables/bags.html"
    address = "bags"
    actions = {  # noqa: RUF012
        "end": Action(NoForm, flights.end_day, on_day),
        "bag": Action(BagsForm, flights.record_bags, on_day),
        "close": Action(CloseBagsForm, flights.close_bags, on_day),
        "gather": Action(GatherForm, flights.gather, on_day),
    }
    shown = frozenset({"bag", "close"})

    def after(self, outcome: Outcome) -> str:
        """From the bags of a later day to the floor, where its seats are drawn."""
        if outcome.name == "gather":
            return reverse("floor", args=[self.event.pk]) + f"?day={self.day.pk}"
        return self.here

    def context(self) -> dict[str, Any]:
        sent = self.form("bag")
        page = bags_page(self.day, sent.typed if isinstance(sent, BagsForm) else None)
        number = whole_number(sent.data.get("table", "")) if sent else None
        field = fields_of([self.day], {})[self.day.pk]
        later = self.day.kind == Day.Kind.LATER
        return {
            "page": page,
            "over": flight_over(self.event.rules, stage_of(self.day, self.now), field.left, field.entries),
            "waiting": waiting_for(self.event) if later and not self.started else None,
            "levels": list(self.event.levels.all()) if later else [],
            "bags_form": sent,
            "sent_table": number if number in {table.number for table in page.tables} else None,
            "close_form": self.form("close") or CloseBagsForm(),
            "has_later": any(day.kind == Day.Kind.LATER and day.starts_at > self.day.starts_at for day in self.days),
            "may_run": Permission.RUN_FLOOR in self.may,
            "directs": Permission.DIRECT in self.may,
        }


@login_required
@never_cache
def bags(request: HttpRequest, event_id: int) -> HttpResponse:
    """The bags of a day, for the staff."""
    return answer(BagPage(request, event_id, Permission.RUN_FLOOR, Permission.SEE_FLOOR))


@never_cache
def bagged_stacks(request: HttpRequest, event_id: int) -> HttpResponse:
    """What everybody bagged, by public name."""
    event = visible_event(request, event_id)
    return render(request, "tables/bagged.html", {"event": event, "series": event.series, "bagged": bagged(event)})


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/bags/", bags, name="bags"),
    path("events/<int:event_id>/bags/", bagged_stacks, name="bagged"),
]
