"""How an event's prizes are divided: the plan, and what it makes of the pool now and of any other field."""

from dataclasses import dataclass
from itertools import groupby

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit
from series.commands.prizes import plan_prizes
from series.domain import prize_plan
from series.domain.ledger import pool_of
from series.forms.prizes import PlanForm
from series.models import Entry, Event
from series.reads.prizes import planned_prizes, prizes_of
from series.views.setup import event_with_series, held_in


@dataclass(frozen=True)
class Preview:
    """What a plan makes of one pool: `rows` of the best and the worst place with the same cents each."""

    entries: int
    pool_cents: int
    planned: prize_plan.Planned

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        rows, place = [], 1
        for cents, equal in groupby(self.planned.amounts):
            count = len(list(equal))
            rows.append((place, place + count - 1, cents))
            place += count
        return rows

    @property
    def total_cents(self) -> int:
        return sum(self.planned.amounts)


def previews(event: Event, plan: prize_plan.Plan, other: int | None) -> list[Preview]:
    """The plan at the pool as it is, if there is one, and at that of `other` entries who pay one buy-in each."""
    now = prizes_of([event])[event.pk]
    pools = [(now.entries, now.pool_cents)] if now.entries else []
    if other:
        paid_in = other * (event.buy_in_cents - event.staff_share.of_buy_in(event.buy_in_cents))
        pool = pool_of(paid_in, 0, event.staff_share, event.guarantee_cents)
        pools.append((other, pool.total))
    return [Preview(entries, pool, planned_prizes(event, plan, pool, entries)) for entries, pool in pools]


@login_required
def prize_setup(request: HttpRequest, event_id: int) -> HttpResponse:
    """The plan with its preview; `do=preview` shows what is typed without saving it."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    form, status = PlanForm.of(event), 200
    preview_only = request.POST.get("do") == "preview"
    if request.method == "POST":
        form = PlanForm(request.POST)
        valid = form.is_valid()
        if not preview_only:
            status = 422
            if valid:
                reason = form.cleaned_data["reason"]
                outcome = submit(request, form, plan_prizes, on=event.pk, plan=form.plan, reason=reason)
                if isinstance(outcome, Done):
                    messages.success(request, "Saved.")
                    return see_other("prize_setup", event.pk)
                status = outcome.status
                if isinstance(outcome, Stale):
                    messages.error(request, outcome.message)
                    event = event_with_series(event_id)
                    form = PlanForm.of(event)
    other = form.cleaned_data.get("entries") if form.is_bound else form["entries"].value()
    shown = previews(event, form.plan, other) if form.plan else []
    over = event.status in (Event.Status.FINISHED, Event.Status.CANCELLED)
    context = {
        "series": event.series,
        "event": event,
        "may": held,
        "may_change": Permission.SET_UP in held and not over,
        "form": form,
        "previews": shown,
        "bought_in": event.entries.exclude(status=Entry.Status.VOID).exists(),
    }
    partial = preview_only and request.htmx  # type: ignore[attr-defined]
    template = "series/setup/prizes.html#preview" if partial else "series/setup/prizes.html"
    return render(request, template, context, status=status)


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/prizes/", prize_setup, name="prize_setup")]
