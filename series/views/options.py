"""How a series reads its rules."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit
from series.commands.options import change_options
from series.forms.options import OptionsForm
from series.models import Event, Series
from series.views.setup import held_in


@login_required
def series_options(request: HttpRequest, slug: str) -> HttpResponse:
    """Every option with its rule. Who reads the journal of the series may look."""
    series = get_object_or_404(Series, slug=slug)
    held = held_in(request, series)
    form, status = OptionsForm.of(series.options), 200
    if request.method == "POST":
        form, status = OptionsForm(request.POST), 422
        if form.is_valid():
            outcome = submit(request, form, change_options, on=series.pk, options=form.options)
            if isinstance(outcome, Done):
                messages.success(request, "Saved." if outcome.seq else "Nothing was changed.")
                return see_other("series_options", series.slug)
            status = outcome.status
            if isinstance(outcome, Stale):
                messages.error(request, outcome.message)
                series.refresh_from_db()
                form = OptionsForm.of(series.options)
    context = {
        "series": series,
        "form": form,
        "may": held,
        "may_change": Permission.SET_UP in held,
        "running": series.events.filter(status=Event.Status.RUNNING).exists(),
    }
    return render(request, "series/setup/options.html", context, status=status)


urlpatterns: list[URLPattern] = [path("staff/series/<slug:slug>/options/", series_options, name="series_options")]
