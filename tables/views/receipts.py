"""Receipts to print: for the staff by their number, for players from their own page."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from series.models import Event, Player
from series.reads.receipts import Receipt, receipt, receipts_of
from tables.views.desk import HANDS_OUT
from tables.views.player import keep_secret, kept_record, my_address
from tables.views.staff import staff_context, staff_event

PAPERS = ("roll", "a4")


def _paper(request: HttpRequest, found: Receipt | None) -> dict[str, Any]:
    if found is None:
        raise Http404
    asked = request.GET.get("paper", "")
    player = found.line.entry.player if found.line.entry else None
    return {
        "receipt": found,
        "paper": asked if asked in PAPERS else PAPERS[0],
        "my_address": my_address(player.token) if player else "",
    }


@never_cache
@login_required
def receipt_page(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """One receipt of an event."""
    event, held = staff_event(request, event_id, Permission.TAKE_MONEY, Permission.PAY_OUT, Permission.SEE_MONEY)
    context = staff_context(event, held) | _paper(request, receipt(event, number))
    if not held & HANDS_OUT:
        context["my_address"] = ""
    return render(request, "tables/money/receipt.html", context)


@never_cache
def my_receipts(request: HttpRequest, token: str, event_id: int, number: int | None = None) -> HttpResponse:
    """A player's receipts in an event, or one of them to print."""
    if kept := kept_record(token):
        return keep_secret(redirect("my_page", kept.token))
    player = get_object_or_404(Player, token=token)
    mine = Event.objects.filter(registrations__player=player).select_related("series").distinct()
    event = get_object_or_404(mine, pk=event_id)
    context: dict[str, Any] = {"event": event, "series": event.series, "player": player, "own": True}
    if number is None:
        context["receipts"] = receipts_of(event, player)
        return keep_secret(render(request, "tables/money/my_receipts.html", context))
    context |= _paper(request, receipt(event, number, player))
    return keep_secret(render(request, "tables/money/receipt.html", context))


_MINE = "me/<str:token>/events/<int:event_id>/receipts/"
urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/receipts/<int:number>/", receipt_page, name="receipt"),
    path(_MINE, my_receipts, name="my_receipts"),
    path(_MINE + "<int:number>/", my_receipts, name="my_receipt"),
]
