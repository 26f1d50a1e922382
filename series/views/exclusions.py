"""Exclusions: the list for directors, and a player's own page to take a break from playing."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other, submit
from series.commands.exclusions import change_exclusion, exclude, exclude_self, lift_exclusion
from series.commands.people import withdraw_own
from series.domain.eligibility import local_date
from series.forms.exclusions import BreakForm, ChangeForm, ExcludeForm, LiftForm
from series.models import Event, Exclusion, Organiser, Player, Registration, Series
from series.reads.exclusions import exclusion_lines, own_exclusion


def _directed(request: HttpRequest, slug: str) -> tuple[Series, dict[str, Any]]:
    """The series and what its pages show.

    Raises:
        Http404: there is none.
        NotAllowed: the visitor does not direct it.
    """
    series = get_object_or_404(Series, slug=slug)
    held = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if Permission.DIRECT not in held:
        raise NotAllowed
    return series, {"series": series, "may": held}


@never_cache
@login_required
def exclusions(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody who is excluded, and a form for one more."""
    series, context = _directed(request, slug)
    now = timezone.now()
    options: dict[str, Any] = {"zone": series.tz, "today": local_date(now, series.tz)}
    form, status = ExcludeForm(**options), 200
    if request.method == "POST":
        form, status = ExcludeForm(request.POST, **options), 422
        if form.is_valid():
            given = form.cleaned_data
            whom = {"name": given["name"], "birth_date": given["birth_date"]}
            outcome = submit(request, form, exclude, on=series.pk, until=form.until_instant, why=given["why"], **whom)
            if isinstance(outcome, Done):
                messages.success(request, "Excluded. Every door of every series refuses them.")
                return see_other("exclusions", slug)
            status = outcome.status
    context |= {"form": form, "lines": exclusion_lines(now), "now": now}
    return render(request, "series/exclusions.html", context, status=status)


@never_cache
@login_required
def exclusion(request: HttpRequest, slug: str, exclusion_id: int) -> HttpResponse:
    """One exclusion: its end, its reason, and ending it before its time."""
    series, context = _directed(request, slug)
    row = get_object_or_404(Exclusion, pk=exclusion_id)
    form, lift_form, status = ChangeForm.of(row, series.tz), LiftForm(), 200
    if request.method == "POST":
        lifting, outcome = request.POST.get("do") == "lift", None
        status = 422
        if lifting:
            lift_form = LiftForm(request.POST)
            if lift_form.is_valid():
                why = lift_form.cleaned_data["why"]
                outcome = submit(request, lift_form, lift_exclusion, on=series.pk, exclusion_id=row.pk, why=why)
        else:
            form = ChangeForm(request.POST, zone=series.tz)
            form.fields["why"].required = not row.by_player
            if form.is_valid():
                given = {"until": form.until_instant, "why": form.cleaned_data["why"]}
                outcome = submit(request, form, change_exclusion, on=series.pk, exclusion_id=row.pk, **given)
        if isinstance(outcome, Done):
            messages.success(request, "Lifted." if lifting else "Saved.")
            return see_other("exclusions", slug)
        status = outcome.status if outcome else status
    form.fields["why"].required = not row.by_player
    context |= {"row": row, "form": form, "lift_form": lift_form}
    return render(request, "series/exclusion.html", context, status=status)


@never_cache
def take_a_break(request: HttpRequest, token: str) -> HttpResponse:
    """A player excludes themselves for a time; the places they hold go to others."""
    player = get_object_or_404(Player, token=token, status=Player.Status.ACTIVE)
    last = Registration.objects.filter(player=player).select_related("event__series").order_by("-at").first()
    if last is None:
        raise Http404
    asked: dict[str, Any] = {"player": player, "today": local_date(timezone.now(), last.event.series.tz)}
    form, status = BreakForm(**asked), 200
    if request.method == "POST":
        form, status = BreakForm(request.POST, **asked), 422
        if form.is_valid():
            outcome = submit(
                request, form, exclude_self, on=Organiser.objects.get().pk, token=token, **form.cleaned_data
            )
            if isinstance(outcome, Done):
                _give_places_back(request, player)
                return see_other("take_a_break", token)
            status = outcome.status
    context = {
        "player": player,
        "series": last.event.series,
        "form": form,
        "own": own_exclusion(player, timezone.now()),
    }
    response = render(request, "series/take_a_break.html", context, status=status)
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "strict-origin"
    return response


def _give_places_back(request: HttpRequest, player: Player) -> None:
    for event in Event.objects.filter(
        registrations__player=player, registrations__status=Registration.Status.REGISTERED
    ):
        try:
            withdraw_own(actor=posted(request)["actor"], on=event.pk, token=player.token)
        except Refused:
            continue  # given back meanwhile; every door refuses them in any case


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/exclusions/", exclusions, name="exclusions"),
    path("staff/series/<slug:slug>/exclusions/<int:exclusion_id>/", exclusion, name="exclusion"),
    path("me/<str:token>/break/", take_a_break, name="take_a_break"),
]
