"""The players of a series for its staff: the list, one player with all their seasons, and two records made one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other, submit, whole_number
from series.commands.merging import merge_players, tell_apart
from series.commands.players import put_player_right, release_claim
from series.domain.eligibility import local_date
from series.domain.public_name import gives_away
from series.models import ErasureRequest, Event, Player, Series
from series.reads import players as reads
from tables.forms.desk import DetailsForm
from tables.forms.erasing import EraseForm
from tables.forms.players import MergeForm
from tables.reads.erasing import records_of, why_not_erased
from tables.reads.history import seasons
from tables.reads.person import merges_of, record, told_apart
from tables.views.player import my_address

PLAYERS_A_PAGE = 50
LONGEST_SEARCH = 120
MOST_FOUND = 20


class Here:
    """One request about the players of a series.

    Raises:
        Http404: there is no such series.
        NotAllowed: the visitor may not see players there.
    """

    def __init__(self, request: HttpRequest, slug: str) -> None:
        self.request = request
        self.series = get_object_or_404(Series, slug=slug)
        self.may: frozenset[str] = request.user.permissions_in(self.series.pk)  # type: ignore[union-attr]
        if Permission.SEE_PLAYERS not in self.may:
            raise NotAllowed
        self.today = local_date(timezone.now(), self.series.tz)

    def player(self, player_id: int) -> Player:
        """A player of the series, with their account."""
        return get_object_or_404(reads.known_in(self.series.pk).select_related("user"), pk=player_id)

    def show(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        shared = {"series": self.series, "may": self.may, "version": self.series.seq}
        return render(self.request, template, shared | context, status=status)

    def address(self, player: Player) -> str:
        return reverse("series_player", args=[self.series.slug, player.pk])


@never_cache
@login_required
def series_players(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody the series knows, by name; found by name, birth date, phone or e-mail."""
    here = Here(request, slug)
    words = request.GET.get("q", "")[:LONGEST_SEARCH]
    found = reads.found(reads.known_in(here.series.pk), words, here.today)
    page = Paginator(reads.lines(found, here.series.pk), PLAYERS_A_PAGE).get_page(request.GET.get("page"))
    return here.show(
        "tables/players/list.html",
        q=words,
        page=page,
        lines=[reads.line(player) for player in page],
        pairs=len(reads.duplicates(here.series.pk)),
        events=list(here.series.events.exclude(status=Event.Status.DRAFT).order_by("starts_at", "number")),
        asked=reads.who_asks_erasure(here.series.pk) if Permission.DIRECT in here.may else [],
    )


@never_cache
@login_required
def player_duplicates(request: HttpRequest, slug: str) -> HttpResponse:
    """Records that may be one person."""
    here = Here(request, slug)
    return here.show(
        "tables/players/duplicates.html", pairs=reads.duplicates(here.series.pk), apart=told_apart(here.series.pk)
    )


def player_page(here: Here, player: Player, status: int = 200, **context: Any) -> HttpResponse:
    """The page of one player, with a form that was refused if there is one."""
    others = reads.known_in(here.series.pk).exclude(pk__in={player.pk, *reads.told_apart_from(player)})
    alike = reads.maybe_the_same(others, player.name, player.birth_date)
    shown = {
        "player": player,
        "record": record(player, here.today),
        "seasons": seasons(player),
        "alike": list(alike.order_by("pk")[:MOST_FOUND]),
        "merges": merges_of(player),
        "my_address": my_address(player.token),
        "details_form": DetailsForm.of(player, here.today),
    }
    if Permission.DIRECT in here.may:
        shown |= _erasure(player)
    return here.show("tables/players/player.html", status, **shown | context)


def _erasure(player: Player) -> dict[str, Any]:
    asked = player.erasure_requests.filter(status=ErasureRequest.Status.ASKED).first()
    keep = asked.keep_name if asked else not gives_away(player.name, player.public_name)
    return {
        "asked": asked,
        "not_erased": why_not_erased(records_of(player), timezone.now()),
        "erase_form": EraseForm(shown=player.public_name, initial={"keep_name": keep}),
    }


@never_cache
@login_required
def series_player(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """One player: details, account, seasons, and whom else they may be. A merged record leads to the one kept."""
    here = Here(request, slug)
    merged = Player.objects.filter(pk=player_id, status=Player.Status.MERGED).first()
    if merged is not None:
        return redirect("series_player", slug, merged.merged_into_id)
    player = here.player(player_id)
    if request.method != "POST":
        return player_page(here, player)
    form = DetailsForm(request.POST, player=player, today=here.today)
    status = 422
    if form.is_valid():
        outcome = submit(request, form, put_player_right, on=here.series.pk, player_id=player.pk, **form.cleaned_data)
        if isinstance(outcome, Done):
            messages.success(request, "Saved.")
            return see_other(here.address(player))
        status = outcome.status
    return player_page(here, player, status, details_form=form)


@never_cache
@login_required
def player_merge(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """Two records beside each other, to say that they are one person; without the second one, a search for it."""
    here = Here(request, slug)
    player = here.player(player_id)
    asked = whole_number(request.GET.get("with", ""))
    if not asked or asked == player.pk:
        words = request.GET.get("q", "")[:LONGEST_SEARCH]
        others = reads.found(reads.known_in(here.series.pk).exclude(pk=player.pk), words, here.today)
        hits = list(others.order_by("name_folded", "pk")[:MOST_FOUND]) if words.strip() else []
        return here.show("tables/players/merge_find.html", player=player, q=words, hits=hits)
    other = here.player(asked)
    pair = (player, other)
    form = MergeForm(request.POST or None, players=pair, initial={"kept": min(pair, key=lambda row: row.pk).pk})
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            outcome = submit(request, form, merge_players, on=here.series.pk, **form.chosen)
            if isinstance(outcome, Done):
                messages.success(request, "The two records are one now.")
                return see_other("series_player", slug, outcome.result["player"])
            status = outcome.status
    both = [{"player": each, "record": record(each, here.today), "seasons": seasons(each)} for each in pair]
    return here.show("tables/players/merge.html", status, player=player, other=other, both=both, form=form)


@login_required
@require_POST
def player_two_people(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """Say that this player and the one of `with` are two people; undo offers them again."""
    here = Here(request, slug)
    other = whole_number(request.POST.get("with", "")) or 0
    try:
        tell_apart(**posted(request), on=here.series.pk, first_id=player_id, second_id=other)
    except NotAllowed:
        raise
    except Refused as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, "They are two people: nobody is asked about them again.")
    return see_other("player_duplicates", slug)


@login_required
@require_POST
def player_release(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """Take the player from the account that claimed them."""
    here = Here(request, slug)
    player = here.player(player_id)
    try:
        release_claim(**posted(request), on=here.series.pk, player_id=player.pk)
    except NotAllowed:
        raise
    except Refused as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, "The account is released. The player’s own link is new: let them scan it.")
    return see_other(here.address(player))


_LIST = "staff/series/<slug:slug>/players/"
urlpatterns: list[URLPattern] = [
    path(_LIST, series_players, name="series_players"),
    path(_LIST + "duplicates/", player_duplicates, name="player_duplicates"),
    path(_LIST + "<int:player_id>/", series_player, name="series_player"),
    path(_LIST + "<int:player_id>/merge/", player_merge, name="player_merge"),
    path(_LIST + "<int:player_id>/two-people/", player_two_people, name="player_two_people"),
    path(_LIST + "<int:player_id>/release/", player_release, name="player_release"),
]
