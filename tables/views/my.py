"""What a player decides about themselves: the name everybody sees, and the account that holds their seasons."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.models import User
from journal.commands import Done
from journal.forms import see_other, submit
from series.commands.players import choose_public_name, claim_player, has_confirmed
from series.domain.public_name import gives_away
from series.models import ErasureRequest, Player, Series
from series.reads.players import series_of
from tables.forms.erasing import AskErasureForm
from tables.forms.players import PublicNameForm
from tables.reads.history import seasons
from tables.views.player import keep_secret, kept_record


class Mine:
    """One request of a player about themselves, by their own link. `series`: the latest that knows them.

    Raises:
        Http404: no such link, or no series knows the player.
    """

    def __init__(self, request: HttpRequest, token: str) -> None:
        self.request = request
        self.player = get_object_or_404(Player, token=token, status=Player.Status.ACTIVE)
        series = Series.objects.filter(pk__in=series_of(self.player)).order_by("-pk").first()
        if series is None:
            raise Http404
        self.series = series

    @property
    def address(self) -> str:
        return reverse("my_details", args=[self.player.token])

    def show(self, status: int = 200, **context: Any) -> HttpResponse:
        shown = {
            "player": self.player,
            "series": self.series,
            "name_form": PublicNameForm(player=self.player),
            "claim_form": forms.Form(),
            "keep_form": forms.Form(),
            "erasure_form": AskErasureForm(
                shown=self.player.public_name,
                initial={"keep_name": not gives_away(self.player.name, self.player.public_name)},
            ),
            "asked": self.player.erasure_requests.filter(status=ErasureRequest.Status.ASKED).first(),
            "claim": why_not_claimed(self.player, self.request.user),
        }
        return keep_secret(render(self.request, "tables/my/details.html", shown | context, status=status))

    def run(self, name: str, form: forms.Form, command: Callable[..., Done], said: str, **given: Any) -> HttpResponse:
        """One command for the player, if the form is right."""
        status = 422
        if form.is_valid():
            given = {**given, **form.cleaned_data}
            outcome = submit(self.request, form, command, on=self.series.pk, token=self.player.token, **given)
            if isinstance(outcome, Done):
                messages.success(self.request, said)
                return keep_secret(see_other(self.address))
            status = outcome.status
        return self.show(status, **{name: form})


def why_not_claimed(player: Player, user: Any) -> str:
    """What keeps a visitor from taking the player to their account, in one word: `signed_out`, `mine`, `taken`,
    `unconfirmed`, `other`; empty if nothing does."""
    if not isinstance(user, User):
        return "taken" if player.user_id else "signed_out"
    if player.user_id is not None:
        return "mine" if player.user_id == user.pk else "taken"
    if user.players.exists():
        return "other"
    return "" if has_confirmed(user) else "unconfirmed"


@never_cache
def my_details(request: HttpRequest, token: str) -> HttpResponse:
    """The name on public pages, and the account."""
    if request.method != "POST" and (kept := kept_record(token)):
        return keep_secret(redirect("my_details", kept.token))
    mine = Mine(request, token)
    if request.method != "POST":
        return mine.show()
    if request.POST.get("do") == "claim":
        return mine.run("claim_form", forms.Form(request.POST), claim_player, "This player is linked to your account.")
    form = PublicNameForm(request.POST, player=mine.player)
    return mine.run("name_form", form, choose_public_name, "Everybody sees you under this name now.")


@never_cache
@login_required
def my_history(request: HttpRequest) -> HttpResponse:
    """Every event of the player whose account this is."""
    player = Player.objects.filter(user=request.user.pk, status=Player.Status.ACTIVE).first()
    context = {"player": player, "seasons": seasons(player) if player else []}
    return render(request, "tables/my/history.html", context)


urlpatterns: list[URLPattern] = [
    path("me/<str:token>/details/", my_details, name="my_details"),
    path("my/", my_history, name="my_history"),
]
