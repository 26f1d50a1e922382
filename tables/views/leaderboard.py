"""The leaderboard of a series, for everybody."""

import defusedcsv.csv as csv
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from series.domain.points import format_points
from series.models import Series
from series.views.public import is_staff_of
from tables.reads.leaderboard import board

LEADERS_A_PAGE = 100


def _series_with_points(request: HttpRequest, slug: str) -> Series:
    series = get_object_or_404(Series, slug=slug)
    if not series.points_formula or not (series.published or is_staff_of(request, series.pk)):
        raise Http404
    return series


@never_cache
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Who leads the season, event by event."""
    series = _series_with_points(request, slug)
    found = board(series)
    context = {
        "series": series,
        "board": found,
        "exact": any(leader.points % 100 for leader in found.leaders),
        "shown": Paginator(found.leaders, LEADERS_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "tables/leaderboard.html", context)


@never_cache
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same as a file, a column for each event; points that do not count stand in brackets."""
    series = _series_with_points(request, slug)
    found = board(series)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="leaderboard-{series.slug}.csv"'
    response.write("\ufeff")
    out = csv.writer(response)
    out.writerow(["Rank", "Player", "Points", *(f"{event.number} {event.name}" for event in found.events)])
    for leader in found.leaders:
        given = {one.event.pk: one for one in leader.events}
        cells = []
        for event in found.events:
            one = given.get(event.pk)
            text = format_points(one.points).replace(",", "") if one else ""
            cells.append(f"({text})" if one and not one.counts else text)
        out.writerow([leader.rank, leader.name, format_points(leader.points).replace(",", ""), *cells])
    return response


urlpatterns: list[URLPattern] = [
    path("series/<slug:slug>/leaderboard/", leaderboard, name="leaderboard"),
    path("series/<slug:slug>/leaderboard.csv", leaderboard_csv, name="leaderboard_csv"),
]
