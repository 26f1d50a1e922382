"""What is kept of players, why, how long, and whom to ask."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from series.domain.options import options_from
from series.domain.privacy import PRIVACY_VERSION
from series.models import Organiser, Series
from series.views.public import is_staff_of


def privacy(request: HttpRequest, slug: str) -> HttpResponse:
    """The privacy page of a series (Privacy Act 2020, principle 3)."""
    series = get_object_or_404(Series, slug=slug)
    if not series.published and not is_staff_of(request, series.pk):
        raise Http404
    organiser = Organiser.objects.first()
    discards = options_from(series.options).birth_dates == "discard"
    context = {"series": series, "organiser": organiser, "version": PRIVACY_VERSION, "discards": discards}
    return render(request, "series/privacy.html", context)


urlpatterns: list[URLPattern] = [path("series/<slug:slug>/privacy/", privacy, name="privacy")]
