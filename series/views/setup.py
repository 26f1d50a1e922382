"""The staff's first page, and setting up series, events and days."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused, Stale
from journal.forms import posted, see_other, submit
from series.commands.altering import alter_event, cancel_event
from series.commands.events import add_day, change_day, change_event, create_event
from series.commands.opening import close_event, open_event
from series.commands.satellites import set_satellite
from series.commands.setup import change_series, create_series, hide_series, publish_series
from series.domain.prize_plan import in_words
from series.forms.entry_rules import SatelliteForm
from series.forms.setup import CancelForm, ChangeDayForm, ChangeEventForm, DayForm, EventForm, SeriesForm
from series.models import Day, Event, Organiser, Series
from series.reads import setup as reads
from series.reads.money import refunds
from series.reads.pages import with_days


def held_in(request: HttpRequest, series: Series) -> frozenset[str]:
    """What the visitor may do in the series. Who reads its journal may look at how it is set up.

    Raises:
        NotAllowed: neither of the two.
    """
    held: frozenset[str] = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if not held & {Permission.SET_UP, Permission.SEE_JOURNAL}:
        raise NotAllowed
    return held


def event_with_series(event_id: int) -> Event:
    return get_object_or_404(with_days(Event.objects.select_related("series")), pk=event_id)


@login_required
def staff_home(request: HttpRequest) -> HttpResponse:
    """Everything the visitor is trusted with: each series, its events, and the next thing to do."""
    cards = reads.staff_home(request.user)  # type: ignore[arg-type]
    waiting = reads.waiting_roles(request.user)  # type: ignore[arg-type]
    return render(request, "series/setup/home.html", {"cards": cards, "waiting": waiting})


@login_required
def series_new(request: HttpRequest) -> HttpResponse:
    """A new series, for the organiser alone."""
    organiser = Organiser.objects.get()
    if not request.user.may(Permission.SET_UP, organiser):  # type: ignore[union-attr]
        raise NotAllowed
    form = SeriesForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            outcome = submit(request, form, create_series, on=organiser.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, "The series is created. Now its rulebook and its first event.")
                return see_other("series_setup", outcome.result["slug"])
            status = outcome.status
    return render(request, "series/setup/series_new.html", {"form": form}, status=status)


@login_required
def series_setup(request: HttpRequest, slug: str) -> HttpResponse:
    """A series: what is still to be done, its events, and what it says of itself."""
    series = get_object_or_404(Series, slug=slug)
    held = held_in(request, series)
    form, status = SeriesForm.of(series), 200
    if request.method == "POST":
        form, status = SeriesForm(request.POST), 422
        if form.is_valid():
            outcome = submit(request, form, change_series, on=series.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, "Saved.")
                return see_other("series_setup", outcome.result["slug"])
            status = outcome.status
            if isinstance(outcome, Stale):
                messages.error(request, outcome.message)
                series.refresh_from_db()
                form = SeriesForm.of(series)
    rulebook = reads.has_rulebook(series)
    context = {
        "series": series,
        "form": form,
        "may": held,
        "may_change": Permission.SET_UP in held,
        "has_rulebook": rulebook,
        "events": reads.events(series, held, rulebook=rulebook),
    }
    return render(request, "series/setup/series.html", context, status=status)


@login_required
@require_POST
def series_publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the series to everybody, or (`do=hide`) take it off the public pages."""
    series = get_object_or_404(Series, slug=slug)
    hide = request.POST.get("do") == "hide"
    said = "The series is hidden." if hide else "The series is published."
    return _press(request, hide_series if hide else publish_series, series.pk, said, "series_setup", slug)


def _press(request: HttpRequest, command: Any, on: int, said: str, *back: Any) -> HttpResponse:
    """A button that is one command: done, and back to the page with a message."""
    try:
        command(**posted(request), on=on)
    except NotAllowed:
        raise
    except Refused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, said)
    return see_other(*back)


@login_required
def event_new(request: HttpRequest, slug: str) -> HttpResponse:
    """A new event in a series."""
    series = get_object_or_404(Series, slug=slug)
    if not request.user.may(Permission.SET_UP, series):  # type: ignore[union-attr]
        raise NotAllowed
    form = EventForm(request.POST or None, series=series)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            outcome = submit(request, form, create_event, on=series.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, "The event is created. Now its blind structure.")
                return see_other("structure", outcome.result["event"])
            status = outcome.status
    return render(request, "series/setup/event_new.html", {"series": series, "form": form}, status=status)


@login_required
def event_setup(request: HttpRequest, event_id: int) -> HttpResponse:
    """An event: what it lacks before it opens, its terms and its days."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    form, status = ChangeEventForm.of(event), 200
    if request.method == "POST":
        form, status = ChangeEventForm(request.POST, series=event.series), 422
        if form.is_valid():
            reason = form.cleaned_data["reason"]
            change = alter_event if reason and event.status != Event.Status.DRAFT else change_event
            outcome = submit(request, form, change, on=event.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, "Saved, and everybody is told." if change is alter_event else "Saved.")
                return see_other("event_setup", event.pk)
            status = outcome.status
            if isinstance(outcome, Stale):
                messages.error(request, outcome.message)
                event = event_with_series(event_id)
                form = ChangeEventForm.of(event)
    return _event_page(request, event, held, status, form=form)


def _event_page(
    request: HttpRequest,
    event: Event,
    held: frozenset[str],
    status: int,
    *,
    form: EventForm | None = None,
    cancel_form: CancelForm | None = None,
    satellite_form: SatelliteForm | None = None,
) -> HttpResponse:
    levels = list(event.levels.all())
    steps = reads.opening_steps(event, levels, rulebook=reads.has_rulebook(event.series))
    over = event.status in (Event.Status.FINISHED, Event.Status.CANCELLED)
    context: dict[str, Any] = {
        "series": event.series,
        "event": event,
        "may": held,
        "may_change": Permission.SET_UP in held and not over,
        "levels": levels,
        "structure": reads.structure_summary(reads.items_of(levels), event.starts_at),
        "steps": steps,
        "ready": all(step.done for step in steps),
        "days": reads.days(event),
        "prizes_in_words": in_words(event.prize_plan),
        "form": form or ChangeEventForm.of(event),
        "cancel_form": cancel_form or CancelForm(),
        "satellite_form": satellite_form or SatelliteForm.of(event),
        "notices": event.notices.all(),
        "refunds": refunds(event) if event.status == Event.Status.CANCELLED and Permission.SEE_MONEY in held else [],
    }
    return render(request, "series/setup/event.html", context, status=status)


@login_required
@require_POST
def event_open(request: HttpRequest, event_id: int) -> HttpResponse:
    """Open registration, or (`do=close`) take an event that nobody registered for back to being set up."""
    event = event_with_series(event_id)
    if request.POST.get("do") == "close":
        return _press(request, close_event, event.pk, "Closed again for setting up.", "event_setup", event.pk)
    return _press(request, open_event, event.pk, "Open for registration.", "event_setup", event.pk)


@login_required
@require_POST
def event_satellite(request: HttpRequest, event_id: int) -> HttpResponse:
    """What the prizes of the event are: money, or seats in another one."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    form, status = SatelliteForm(request.POST, event=event), 422
    if form.is_valid():
        given = {"target_id": form.cleaned_data["target"], "second_seat": form.cleaned_data["second_seat"] or "cash"}
        given["reason"] = form.cleaned_data.get("reason", "")
        outcome = submit(request, form, set_satellite, on=event.pk, **given)
        if isinstance(outcome, Done):
            messages.success(request, "Saved.")
            return see_other("event_setup", event.pk)
        status = outcome.status
    return _event_page(request, event, held, status, satellite_form=form)


@login_required
@require_POST
def event_cancel(request: HttpRequest, event_id: int) -> HttpResponse:
    """Call the event off, with a reason."""
    event = event_with_series(event_id)
    form, status = CancelForm(request.POST), 422
    if form.is_valid():
        outcome = submit(request, form, cancel_event, on=event.pk, reason=form.cleaned_data["reason"])
        if isinstance(outcome, Done):
            messages.success(request, "The event is cancelled.")
            return see_other("event_setup", event.pk)
        status = outcome.status
    return _event_page(request, event, held_in(request, event.series), status, cancel_form=form)


@login_required
def day_new(request: HttpRequest, event_id: int) -> HttpResponse:
    """Another flight or a later day of an event."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    present = reads.days(event)
    form = DayForm(
        request.POST or None,
        series=event.series,
        initial={"label": reads.next_label(present), "starts_at": present[-1].starts_at},
    )
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            outcome = submit(request, form, add_day, on=event.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, "The day is added.")
                return see_other("event_setup", event.pk)
            status = outcome.status
    return _day_page(request, event, held, status, form)


@login_required
def day_setup(request: HttpRequest, event_id: int, day_id: int) -> HttpResponse:
    """The label and start of a day."""
    event = event_with_series(event_id)
    held = held_in(request, event.series)
    day = get_object_or_404(Day, pk=day_id, event=event)
    initial = {"label": day.label, "starts_at": day.starts_at}
    told = event.status != Event.Status.DRAFT
    form = ChangeDayForm(request.POST or None, series=event.series, told=told, initial=initial)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            outcome = submit(request, form, change_day, on=event.pk, day_id=day.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, "Saved.")
                return see_other("event_setup", event.pk)
            status = outcome.status
    return _day_page(request, event, held, status, form, day)


def _day_page(
    request: HttpRequest,
    event: Event,
    held: frozenset[str],
    status: int,
    form: forms.Form,
    day: Day | None = None,
) -> HttpResponse:
    context = {
        "series": event.series,
        "event": event,
        "day": day,
        "form": form,
        "may_change": Permission.SET_UP in held,
    }
    return render(request, "series/setup/day.html", context, status=status)


urlpatterns: list[URLPattern] = [
    path("staff/", staff_home, name="staff_home"),
    path("staff/series/new/", series_new, name="series_new"),
    path("staff/series/<slug:slug>/", series_setup, name="series_setup"),
    path("staff/series/<slug:slug>/publish/", series_publish, name="series_publish"),
    path("staff/series/<slug:slug>/events/new/", event_new, name="event_new"),
    path("staff/events/<int:event_id>/setup/", event_setup, name="event_setup"),
    path("staff/events/<int:event_id>/open/", event_open, name="event_open"),
    path("staff/events/<int:event_id>/satellite/", event_satellite, name="event_satellite"),
    path("staff/events/<int:event_id>/cancel/", event_cancel, name="event_cancel"),
    path("staff/events/<int:event_id>/days/new/", day_new, name="day_new"),
    path("staff/events/<int:event_id>/days/<int:day_id>/", day_setup, name="day_setup"),
]
