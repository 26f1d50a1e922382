"""A person's data: given out, and erased, by the person and by staff."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed
from journal.forms import see_other, submit
from series.models import Player
from tables.commands.erasing import ask_erasure, erase_player, take_back_erasure
from tables.forms.erasing import AskErasureForm, EraseForm
from tables.forms.floor import NoForm
from tables.reads.personal import personal_data
from tables.views.my import Mine
from tables.views.player import keep_secret
from tables.views.players import Here, player_page


def _download(player: Player) -> HttpResponse:
    response = JsonResponse(personal_data(player), json_dumps_params={"ensure_ascii": False, "indent": 1})
    name = slugify(player.public_name) or "player"
    response["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response


@never_cache
def my_data(request: HttpRequest, token: str) -> HttpResponse:
    """Everything kept of a player, for themselves."""
    player = get_object_or_404(Player.objects.select_related("user"), token=token, status=Player.Status.ACTIVE)
    return keep_secret(_download(player))


@never_cache
@login_required
def player_data(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """Everything kept of a player, to be given to them by the director."""
    here = Here(request, slug)
    if Permission.DIRECT not in here.may:
        raise NotAllowed
    return _download(here.player(player_id))


@never_cache
@require_POST
def my_erasure(request: HttpRequest, token: str) -> HttpResponse:
    """The player asks for erasure, or takes that back (`do=keep`)."""
    mine = Mine(request, token)
    if request.POST.get("do") == "keep":
        return mine.run("keep_form", NoForm(request.POST), take_back_erasure, "Your data stays.")
    form = AskErasureForm(request.POST, shown=mine.player.public_name)
    return mine.run("erasure_form", form, ask_erasure, "The tournament director sees your request now.")


@login_required
@require_POST
def player_erase(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """The director erases a player's data."""
    here = Here(request, slug)
    if Permission.DIRECT not in here.may:
        raise NotAllowed
    player = here.player(player_id)
    form = EraseForm(request.POST, shown=player.public_name)
    status = 422
    if form.is_valid():
        given: dict[str, Any] = {"player_id": player.pk, "keep_name": form.cleaned_data["keep_name"]}
        outcome = submit(request, form, erase_player, on=here.series.pk, **given)
        if isinstance(outcome, Done):
            kept = " Their account is a staff member’s and stays." if outcome.result["account_kept"] else ""
            messages.success(request, f"The data is erased. Results stay.{kept}")
            return see_other("series_players", slug)
        status = outcome.status
    return player_page(here, player, status, erase_form=form)


_ONE = "staff/series/<slug:slug>/players/<int:player_id>/"
urlpatterns: list[URLPattern] = [
    path("me/<str:token>/data.json", my_data, name="my_data"),
    path("me/<str:token>/erasure/", my_erasure, name="my_erasure"),
    path(_ONE + "data.json", player_data, name="player_data"),
    path(_ONE + "erase/", player_erase, name="player_erase"),
]
