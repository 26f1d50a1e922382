"""The public results of an event."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from series.views.public import visible_event
from tables.reads import results as reads

PLACES_A_PAGE = 200


@never_cache
def results(request: HttpRequest, event_id: int) -> HttpResponse:
    """Who took which place, with prizes to the cent, and how many are still playing."""
    event = visible_event(request, event_id)
    found = reads.results(event)
    context = {
        "event": event,
        "series": event.series,
        "results": found,
        "shown": Paginator(found.lines, PLACES_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "tables/results.html#list" if request.htmx else "tables/results.html", context)  # type: ignore[attr-defined]


urlpatterns: list[URLPattern] = [path("events/<int:event_id>/results/", results, name="results")]
