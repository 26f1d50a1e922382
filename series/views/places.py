"""How the places of an event are given out, for those who set it up."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit
from series.commands.place_rules import change_place_rules
from series.forms.places import PlacesForm
from series.models import Day, Event
from series.views.setup import event_with_series, held_in


@login_required
def place_setup(request: HttpRequest, event_id: int) -> HttpResponse:
    """Holds, caps and calls. Who reads the journal of the series may look."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    flights = list(event.days.filter(kind=Day.Kind.FLIGHT))
    form, status = PlacesForm.of(event, flights), 200
    if request.method == "POST":
        form, status = PlacesForm(request.POST, flights=flights, told=event.status != Event.Status.DRAFT), 422
        if form.is_valid():
            outcome = submit(request, form, change_place_rules, on=event.pk, **form.given())
            if isinstance(outcome, Done):
                messages.success(request, "Saved." if outcome.seq else "Nothing was changed.")
                return see_other("place_setup", event.pk)
            status = outcome.status
            if isinstance(outcome, Stale):
                messages.error(request, outcome.message)
                event.refresh_from_db()
                form = PlacesForm.of(event, flights)
    over = event.status in (Event.Status.FINISHED, Event.Status.CANCELLED)
    context = {
        "series": event.series,
        "event": event,
        "form": form,
        "may": held,
        "may_change": Permission.SET_UP in held and not over,
    }
    return render(request, "series/setup/places.html", context, status=status)


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/setup/places/", place_setup, name="place_setup")]
