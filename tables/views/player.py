"""The player's own page, which only their link opens."""

import json
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.errors import Refused
from journal.forms import posted, see_other, whole_number
from series.commands.people import withdraw_own
from series.commands.waiting import accept_call
from series.models import Event, Player, Registration
from tables.commands.floor import confirm_own_move
from tables.reads.player import mine

DESK = frozenset({Permission.REGISTER, Permission.SIGHT_ID, Permission.TAKE_MONEY})
TABS = ("seat", "clock", "payouts")


def my_address(token: str) -> str:
    """The whole address of a player's own page, for QR codes and letters."""
    return settings.BASE_URL + reverse("my_page", args=[token])


def keep_secret(response: HttpResponse) -> HttpResponse:
    """The address is the key to this page: no search engine and no other site may learn it (nor a cache: never_cache).

    Not `no-referrer`: browsers then send `Origin: null` with the page's own forms, which the CSRF check refuses.
    """
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "strict-origin"
    return response


def kept_record(token: str) -> Player | None:
    """The player a link leads to now, if its own record was merged into another one."""
    player = Player.objects.filter(token=token).select_related("merged_into").first()
    seen: set[int] = set()
    while player is not None and player.status == Player.Status.MERGED and player.pk not in seen:
        seen.add(player.pk)
        player = player.merged_into
    return player if seen else None


def _page(request: HttpRequest, token: str, event_id: int | None, *, refused: Refused | None = None) -> HttpResponse:
    player = get_object_or_404(Player, token=token)
    found = mine(player, event_id, timezone.now())
    if found is None:
        raise Http404
    show = request.GET.get("show", "")
    context: dict[str, Any] = {
        "mine": found,
        "event": found.event,
        "series": found.event.series,
        "show": show if show in TABS else TABS[0],
        "address": my_address(token),
        "checkin": f"{my_address(token)}?event={found.event.pk}&desk=1",
        "refused": refused,
        "may_claim": player.user_id is None and request.user.is_authenticated,
    }
    template = "tables/my_page.html#mine" if request.htmx else "tables/my_page.html"  # type: ignore[attr-defined]
    response = render(request, template, context, status=refused.status if refused else 200)
    return keep_secret(response)


@never_cache
def my_page(request: HttpRequest, token: str) -> HttpResponse:
    """Where the player has to go now, their seat, the clock and the prizes, in the event that matters most."""
    if kept := kept_record(token):
        return keep_secret(redirect("my_page", kept.token))
    if desk := _desk_of(request, token):
        return keep_secret(redirect(desk))
    return _page(request, token, whole_number(request.GET.get("event", "")))


def _desk_of(request: HttpRequest, token: str) -> str:
    """Where the code that players show (`desk=1`) leads staff who scan it with a phone: the card at the desk."""
    event = Event.objects.filter(pk=whole_number(request.GET.get("event", "")) or 0).first()
    if "desk" not in request.GET or event is None or not request.user.is_authenticated:
        return ""
    if not DESK & request.user.permissions_in(event.series_id):
        return ""
    player = get_object_or_404(Player, token=token)
    return f"{reverse('desk', args=[event.pk])}?player={player.pk}"


@never_cache
def my_manifest(request: HttpRequest, token: str) -> HttpResponse:
    """What the home screen of a phone keeps: the player's own page instead of the site's first one."""
    get_object_or_404(Player, token=token)
    address = reverse("my_page", args=[token])
    manifest = json.loads((settings.BASE_DIR / "static" / "manifest.webmanifest").read_text())
    icons = [icon | {"src": static(icon["src"])} for icon in manifest["icons"]]
    manifest |= {"id": address, "start_url": address, "short_name": "My seat", "icons": icons}
    return keep_secret(JsonResponse(manifest, content_type="application/manifest+json"))


@never_cache
@require_POST
def my_seated(request: HttpRequest, token: str, event_id: int) -> HttpResponse:
    """The player sits at the seat they were sent to."""
    return _carry_out(request, token, event_id, confirm_own_move)


@never_cache
@require_POST
def my_give_back(request: HttpRequest, token: str, event_id: int) -> HttpResponse:
    """The player gives a held place back."""
    return _carry_out(request, token, event_id, withdraw_own)


@never_cache
@require_POST
def my_accept(request: HttpRequest, token: str, event_id: int) -> HttpResponse:
    """The player takes the place they were called for."""
    return _carry_out(request, token, event_id, accept_call)


def _carry_out(request: HttpRequest, token: str, event_id: int, command: Any) -> HttpResponse:
    if not Registration.objects.filter(player__token=token, event=event_id).exists():
        raise Http404
    try:
        command(**posted(request), on=event_id, token=token)
    except Refused as refused:
        return _page(request, token, event_id, refused=refused)
    return keep_secret(see_other(reverse("my_page", args=[token]) + f"?event={event_id}"))


urlpatterns: list[URLPattern] = [
    path("me/<str:token>/", my_page, name="my_page"),
    path("me/<str:token>/manifest.webmanifest", my_manifest, name="my_manifest"),
    path("me/<str:token>/events/<int:event_id>/seated/", my_seated, name="my_seated"),
    path("me/<str:token>/events/<int:event_id>/accept/", my_accept, name="my_accept"),
    path("me/<str:token>/events/<int:event_id>/give-back/", my_give_back, name="my_give_back"),
]
