"""Public pages that show an event as it is played: the clock, the hall display, the seats."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from series.models import Event, EventNotice
from series.reads.places import entries_open
from series.views.public import visible_event
from tables.models import Display
from tables.reads.displays import DISPLAYS, PHONES, messages_up
from tables.reads.screens import clocks_and_fields, days_of, pick_day, screen
from tables.reads.seats import by_table, seat_lines
from tables.reads.waiting import called_now

LADDER = 12
LADDER_IN_THE_HALL = 8
MOST_LINES = 10_000
NAMES_A_PAGE = 400
TABLES_A_PAGE = 60


def _screen(
    request: HttpRequest, event_id: int, lines: int, audience: str, day_id: str | int | None = None
) -> dict[str, Any]:
    event = visible_event(request, event_id)
    days = days_of(event)
    day = pick_day(days, str(day_id or request.GET.get("day", "")))
    if day is None:
        raise Http404
    now = timezone.now()
    shown = screen(event, days, day, now, lines)
    over = event.status == Event.Status.CANCELLED
    return {
        "event": event,
        "series": event.series,
        "day": day,
        "screen": shown,
        "face": shown.face,
        "field": shown.field,
        "entries_open": entries_open(event, day, now),
        "said": messages_up(event, now, audience),
        "called_off": event.notices.filter(kind=EventNotice.Kind.CANCELLED).first() if over else None,
        "levels_changed": None if over else event.notices.filter(kind=EventNotice.Kind.LEVELS).first(),
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
    context = _screen(request, event_id, LADDER, PHONES)
    return render(request, "tables/clock.html#screen" if request.htmx else "tables/clock.html", context)  # type: ignore[attr-defined]


def shown_in_hall(request: HttpRequest, event_id: int, show: str, day_id: int | None = None) -> dict[str, Any]:
    """What a screen in the hall needs to show one thing, `show` being a key of `Display.Show`."""
    whole = show == Display.Show.PAYOUTS
    context = _screen(request, event_id, MOST_LINES if whole else LADDER_IN_THE_HALL, DISPLAYS, day_id)
    context |= {"show": show, "title": Display.Show(show).label}
    if show in (Display.Show.NAMES, Display.Show.TABLES):
        lines = seat_lines(context["day"])
        context |= {"lines": lines, "tables": by_table(lines) if show == Display.Show.TABLES else []}
    return context


@never_cache
def display(request: HttpRequest, event_id: int) -> HttpResponse:
    """What a screen shows across a hall, always dark: the clock, or with `?show=names` another thing."""
    show = request.GET.get("show", "")
    context = shown_in_hall(request, event_id, show if show in Display.Show else Display.Show.CLOCK)
    return render(request, "tables/display.html#screen" if request.htmx else "tables/display.html", context)  # type: ignore[attr-defined]


@never_cache
def seats(request: HttpRequest, event_id: int) -> HttpResponse:
    """Where everybody sits, by surname or by table, searched by name or table number."""
    event = visible_event(request, event_id)
    days = days_of(event)
    day = pick_day(days, request.GET.get("day", ""))
    if day is None:
        raise Http404
    query, by = request.GET.get("q", "").strip(), request.GET.get("by", "name")
    lines = seat_lines(day, query)
    pages = Paginator(by_table(lines), TABLES_A_PAGE) if by == "table" else Paginator(lines, NAMES_A_PAGE)
    context = {
        "event": event,
        "series": event.series,
        "days": days,
        "day": day,
        "q": query,
        "by": by,
        "count": len(lines),
        "called": called_now(event, timezone.now()),
        "shown": pages.get_page(request.GET.get("page")),
    }
    return render(request, "tables/seats.html#list" if request.htmx else "tables/seats.html", context)  # type: ignore[attr-defined]


urlpatterns: list[URLPattern] = [
    path("events/<int:event_id>/clock/", clock, name="clock"),
    path("events/<int:event_id>/display/", display, name="display"),
    path("events/<int:event_id>/seats/", seats, name="seats"),
]
