"""Public pages that show an event as it is played: the clock, the hall display, the seats."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from series.reads.places import entries_open
from series.models import Event
from tables.reads.screens import clocks_and_fields, days_of, pick_day, screen

LADDER = 12
LADDER_IN_THE_HALL = 8


def _screen(request: HttpRequest, event_id: int, lines: int) -> dict[str, Any]:
    event = visible_event(request, event_id)
    days = days_of(event)
    day = pick_day(days, request.GET.get("day", ""))
    if day is None:
        raise Http404
    now = timezone.now()
    shown = screen(event, days, day, now, lines)
    return {
        "event": event,
        "series": event.series,
        "day": day,
        "screen": shown,
        "face": shown.face,
        "field": shown.field,
        "entries_open": entries_open(event, day, now),
    }


@never_cache
def clock(request: HttpRequest, event_id: int) -> HttpResponse:
    """The public clock of a phone or laptop; `?part=line` is the card that other pages show."""
    if request.GET.get("part") == "line":
        event = visible_event(request, event_id)
        day = pick_day(days_of(event), request.GET.get("day", ""))
        face, field = clocks_and_fields([day], timezone.now())[day.pk] if day else (None, None)
        if face is None:
            raise Http404
        return render(request, "tables/clock_line.html", {"face": face, "field": field})
    context = _screen(request, event_id, LADDER)
    return render(request, "tables/clock.html#screen" if request.htmx else "tables/clock.html", context)


@never_cache
def display(request: HttpRequest, event_id: int) -> HttpResponse:
    """The clock across a hall: ten-foot letters, always dark."""
    context = _screen(request, event_id, LADDER_IN_THE_HALL)
    return render(request, "tables/display.html#screen" if request.htmx else "tables/display.html", context)


urlpatterns = [
    path("events/<int:event_id>/clock/", clock, name="clock"),
    path("events/<int:event_id>/display/", display, name="display"),
]
