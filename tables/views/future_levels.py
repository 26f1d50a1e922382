"""The levels still to come, changed while an event runs."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other, whole_number
from series.forms.structure import BREAK, LEVEL, StructureForm
from series.models import Event, Level
from series.reads.setup import items_of
from series.views.structure import ANTE_WORDS
from tables.commands.future_levels import change_future_levels
from tables.models import Clock
from tables.reads.clock import frozen_until
from tables.views.staff import staff_context, staff_event


class Coming:
    """The structure in two parts: what is past or present, by `after` its last position, and what can be changed."""

    def __init__(self, event: Event, after: int | None = None) -> None:
        self.event = event
        self.levels: list[Level] = list(event.levels.order_by("position"))
        clocks = Clock.objects.filter(day__event=event)
        self.after = frozen_until(list(clocks), self.levels, timezone.now()) if after is None else after
        self.items = items_of(self.levels)
        self.frozen = StructureForm.of(self.items[: self.after + 1], event).rows
        self.form = StructureForm.of(self.items, event)

    def typed(self, request: HttpRequest) -> None:
        """Take the rows to come from the form, below those that stay."""
        event = self.event
        sent = StructureForm.typed(request.POST, event)
        self.form = StructureForm([*self.frozen, *sent.rows], event)

    @property
    def rows(self) -> list[tuple[int, Any]]:
        """The rows to come with their place in the whole structure."""
        return list(enumerate(self.form.numbered()))[self.after + 1 :]


@login_required
@never_cache
def future_levels(request: HttpRequest, event_id: int) -> HttpResponse:
    """Change what comes after the present level. `do`: `save`, `add:level`, `add:break` or `remove:7`."""
    event, held = staff_event(request, event_id, Permission.SEE_FLOOR, Permission.SET_UP, Permission.RUN_CLOCK)
    if request.method == "POST":
        if Permission.SET_UP not in held:
            raise NotAllowed
        return _posted(request, event, held)
    coming = Coming(event)
    coming.form.is_valid()
    return _page(request, coming, held, 200)


def _posted(request: HttpRequest, event: Event, held: frozenset[str]) -> HttpResponse:
    after = whole_number(request.POST.get("after", ""))
    coming = Coming(event, after if after is not None and after < event.levels.count() else None)
    coming.typed(request)
    do, _, where = request.POST.get("do", "").partition(":")
    if do == "add":
        coming.form.insert(len(coming.form.rows), BREAK if where == BREAK else LEVEL)
        coming.form = coming.form.unchecked()
    elif do == "remove" and (row := whole_number(where)) is not None and row > coming.after:
        coming.form.remove(row)
        coming.form = coming.form.unchecked()
    elif do == "save" and coming.form.is_valid():
        try:
            done = change_future_levels(
                **posted(request),
                on=event.pk,
                after=coming.after,
                items=coming.form.items[coming.after + 1 :],
                reason=request.POST.get("reason", ""),
            )
        except NotAllowed:
            raise
        except Refused as refusal:
            coming = Coming(event) if refusal.code == "stale" else coming
            event.refresh_from_db(fields=["seq"])
            coming.form.errors.append(refusal.message)
            return _page(request, coming, held, refusal.status)
        messages.success(request, "Changed. Players read it on the event's page and on the clock.")
        return see_other("future_levels", event.pk) if done.result.get("warnings") else see_other("floor", event.pk)
    else:
        coming.form.is_valid()
    return _page(request, coming, held, 422 if do == "save" else 200)


def _page(request: HttpRequest, coming: Coming, held: frozenset[str], status: int) -> HttpResponse:
    event = coming.event
    context = staff_context(event, held) | {
        "coming": coming,
        "form": coming.form,
        "running": event.status == Event.Status.RUNNING,
        "may_change": Permission.SET_UP in held and event.status == Event.Status.RUNNING,
        "ante_types": [(kind.value, words) for kind, words in ANTE_WORDS.items()],
        "reason": request.POST.get("reason", ""),
        "past": coming.levels[: coming.after + 1],
    }
    return render(request, "tables/future_levels.html", context, status=status)


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/levels/", future_levels, name="future_levels")]
