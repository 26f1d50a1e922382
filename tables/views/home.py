"""The first page and the page of one event."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from series.reads.pages import opens
from series.views.public import held_in, visible_event
from tables.reads import public as reads


@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """What is played now, what one can sign up for, what is over, and where to start for each role."""
    shown = reads.home(timezone.now())
    context: dict[str, Any] = {"home": shown}
    if request.user.is_authenticated and not request.htmx:  # type: ignore[attr-defined]
        series = shown.at_hand.series if shown.at_hand else next(iter(shown.series), None)
        context |= {"may": request.user.permissions_in(series.pk if series else None), "signed_in": True}
    return render(request, "tables/home.html#now" if request.htmx else "tables/home.html", context)  # type: ignore[attr-defined]


@never_cache
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Everything a player wants to know of an event before, while and after it is played."""
    found = visible_event(request, event_id)
    staff = held_in(request, found.series_id)
    context = {
        "event": found,
        "series": found.series,
        "page": reads.event_page(found, timezone.now()),
        "staff": staff,
        "to_desk": opens("desk", found, staff),
    }
    return render(request, "tables/event.html#state" if request.htmx else "tables/event.html", context)  # type: ignore[attr-defined]


urlpatterns: list[URLPattern] = [
    path("", home, name="home"),
    path("events/<int:event_id>/", event, name="event"),
]
