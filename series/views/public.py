"""The schedule of a series and signing up for an event, open to everybody."""

from typing import Any

from allauth.account.adapter import get_adapter
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from journal.commands import Done
from journal.forms import see_other, submit
from series.commands.people import sign_up as sign_up_player
from series.forms.public import SignUpForm
from series.models import Event, Player, Registration, Series
from series.reads.age import asks_birth_date
from series.reads.places import places_of, why_closed
from series.reads.public import age_terms, event_with_places, flights_open, holds_of, rules_in_force, schedule

# a hall full of phones shares one address, so this only stops a machine
MOST_SIGN_UPS = 200
WINDOW_SECONDS = 600


def held_in(request: HttpRequest, series_id: int) -> frozenset[str]:
    """What the visitor may do in the series; nothing for who holds no role there."""
    user = request.user
    return user.permissions_in(series_id) if user.is_authenticated else frozenset()


def is_staff_of(request: HttpRequest, series_id: int) -> bool:
    """Whether the visitor holds any role in the series."""
    return bool(held_in(request, series_id))


def visible_event(request: HttpRequest, event_id: int) -> Event:
    """The event with its places.

    Raises:
        Http404: there is none, or it is not public and the visitor is no staff of its series.
    """
    event = event_with_places(event_id)
    if event is None or not (event.is_public or is_staff_of(request, event.series_id)):
        raise Http404
    return event


def series_schedule(request: HttpRequest, slug: str) -> HttpResponse:
    """All events of a series, by date."""
    series = get_object_or_404(Series, slug=slug)
    staff = is_staff_of(request, series.pk)
    if not series.published and not staff:
        raise Http404
    now = timezone.now()
    context = {
        "series": series,
        "dates": schedule(series, now, drafts=staff),
        "rules": rules_in_force(series),
        "now": now,
    }
    return render(request, "series/schedule.html", context)


@never_cache
def sign_up(request: HttpRequest, event_id: int) -> HttpResponse:
    """A player holds a place: name, birth date, contact, the rules accepted. Leads to the player's own page."""
    event = visible_event(request, event_id)
    now = timezone.now()
    player = _known_player(request)
    held = _held(event, player)
    rules = rules_in_force(event.series)
    closed = why_closed(event, event.days.all(), now)
    full = not closed and places_of(event, now) == 0
    context: dict[str, Any] = {"event": event, "series": event.series, "rules": rules, "held": held}
    context["age"] = age_terms(event)
    if rules is None:
        return render(request, "series/sign_up.html", context | {"closed": "The rules are not published yet."})
    form = SignUpForm(
        request.POST or None,
        event=event,
        now=now,
        flights=flights_open(event, now),
        rules=rules,
        player=player,
        asks=player is not None and asks_birth_date(event, player),
    )
    status = 200
    if request.method == "POST":
        status = 422
        if _too_many(request):
            form.add_error(None, "Too many sign-ups came from this network. Please try again in ten minutes.")
            status = 429
        elif form.is_valid():
            given = form.given() | {"waiting": bool(request.POST.get("waiting"))}
            outcome = submit(request, form, sign_up_player, on=event.pk, **given)
            if isinstance(outcome, Done):
                return see_other("my_page", Player.objects.get(pk=outcome.result["player"]).token)
            status = outcome.status
            full = full or outcome.code == "full"
            if outcome.code == "rules_changed":  # what is accepted now must be ticked anew
                form.data = {**request.POST.dict(), "rules_version": str(rules.id), "rules": ""}
    context |= {"form": form, "closed": closed if request.method == "GET" else "", "player": player, "full": full}
    context["holds"] = holds_of(event, now)
    return render(request, "series/sign_up.html", context, status=status)


def _known_player(request: HttpRequest) -> Player | None:
    if not request.user.is_authenticated:
        return None
    return Player.objects.filter(user=request.user, status=Player.Status.ACTIVE).order_by("pk").first()


def _held(event: Event, player: Player | None) -> Registration | None:
    """The place this player has here already."""
    if player is None:
        return None
    return event.registrations.filter(player=player).exclude(status__in=Registration.GONE).first()


def _too_many(request: HttpRequest) -> bool:
    address = get_adapter(request).get_client_ip(request)
    key = f"sign-up:{address}:{int(timezone.now().timestamp()) // WINDOW_SECONDS}"
    cache.add(key, 0, WINDOW_SECONDS)
    return cache.incr(key) > MOST_SIGN_UPS


urlpatterns: list[URLPattern] = [
    path("series/<slug:slug>/", series_schedule, name="schedule"),
    path("events/<int:event_id>/sign-up/", sign_up, name="sign_up"),
]
