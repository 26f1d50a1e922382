"""The desk's page: what the visitor may do there, one player's card, and what a form of the desk answers."""

import datetime as dt
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit, whole_number
from journal.models import JournalEntry
from journal.reads import Said, describe
from series.domain.eligibility import hospitality_since, local_date
from series.models import Day, Player
from series.reads.age import asks_birth_date
from series.reads.places import open_flights
from series.reads.players import known_elsewhere, others_seen_by
from series.reads.receipts import receipts_of
from series.reads.satellites import seat_won
from series.reads.tills import my_open_till
from tables.forms.desk import (
    BuyInForm,
    DayForm,
    DetailsForm,
    GiveUpForm,
    NewPlayerForm,
    PurchaseForm,
    ReentryForm,
    RefundForm,
    RegisterForm,
    WithdrawForm,
)
from tables.forms.payouts import PayForm
from tables.reads import desk as reads
from tables.reads.payouts import prizes_of_player
from tables.reads.waiting import position_of
from tables.views.player import my_address
from tables.views.staff import staff_context, staff_event

DESK = (Permission.REGISTER, Permission.SIGHT_ID, Permission.TAKE_MONEY, Permission.SEE_PLAYERS)
LONGEST_SEARCH = 120
VERBS = ("registration.", "entry.", "player.", "payout.")


class Desk:
    """One request at the desk of an event: what the visitor may do, and what the page shows.

    Raises:
        Http404: there is no such event.
        NotAllowed: the visitor has none of the permissions.
    """

    def __init__(self, request: HttpRequest, event_id: int, *permissions: Permission) -> None:
        self.request = request
        self.event, self.may = staff_event(request, event_id, *(permissions or DESK))
        self.now = timezone.now()
        self.today = local_date(self.now, self.event.series.tz)
        self.words = request.GET.get("q", "")[:LONGEST_SEARCH]

    @property
    def sees_receipts(self) -> bool:
        return bool(self.may & {Permission.TAKE_MONEY, Permission.SEE_MONEY})

    @cached_property
    def others(self) -> list[int]:
        """Other series from which somebody can be registered here: whose players the visitor may see."""
        if Permission.REGISTER not in self.may:
            return []
        return others_seen_by(self.request.user, self.event.series_id)  # type: ignore[arg-type]

    def player(self, player_id: int) -> Player:
        """A player of this series, with whom alone the desk has business."""
        return get_object_or_404(reads.players_of(self.event), pk=player_id)

    def candidate(self, player_id: int) -> Player:
        """A player of this series, or of another one from which they can be registered here."""
        found = reads.players_of(self.event).filter(pk=player_id).first()
        return found or get_object_or_404(known_elsewhere(self.event.series_id, self.others), pk=player_id)

    def found(self) -> reads.Found:
        """What the words of the search mean, in this series or, if asked, in the others."""
        if "others" in self.request.GET and self.words.strip():
            return reads.find_elsewhere(self.event, self.words, self.others)
        return reads.find(self.event, self.words)

    def asks_on(self, player: Player) -> dt.date | None:
        """Today, where the ID has to show the birth date again; None otherwise."""
        return self.today if asks_birth_date(self.event, player) else None

    def is_full(self) -> bool:
        """Whether somebody new can only wait; with several flights the one chosen decides, when it is chosen."""
        return reads.places(self.event, self.now).left == 0

    def flights(self) -> list[Day]:
        """The days one can enter, to choose from."""
        return open_flights(self.event, self.event.days.select_related("event__series"), self.now)

    def new_form(self, *args: Any, **kwargs: Any) -> NewPlayerForm:
        """The form for a new player."""
        return NewPlayerForm(*args, event=self.event, now=self.now, flights=self.flights(), **kwargs)

    def address(self, **query: Any) -> str:
        """The desk with a query, the words of the search kept."""
        given = {"q": self.words} | query
        return reverse("desk", args=[self.event.pk]) + "?" + urlencode({k: v for k, v in given.items() if v})

    def show(self, status: int = 200, **context: Any) -> HttpResponse:
        """The page, or the part of it that htmx asked for."""
        event = self.event
        target = self.request.htmx.target  # type: ignore[attr-defined]
        context |= staff_context(event, self.may) | {"q": self.words, "version": event.seq}
        if target == "places":
            return self._render("places", context | {"places": reads.places(event, self.now)})
        if target == "hits":
            context["places"] = {"closed": reads.why_closed(event, event.days.all(), self.now)}
            return self._render("hits", context | self._hits(self.found()))
        if target == "card":
            response = self._render("card", context, status)
            if "done" in self.request.GET:  # loading the page again shows the card, not what was done
                response["HX-Replace-Url"] = self.address(player=self.request.GET.get("player"))
            return response
        takes = Permission.TAKE_MONEY in self.may
        context |= {
            "till": my_open_till(event.series_id, self.request.user.pk) if takes else None,
            "places": reads.places(event, self.now),
        } | self._hits(context.get("found") or self.found())
        return render(self.request, "tables/desk.html", context, status=status)

    def _hits(self, found: reads.Found) -> dict[str, Any]:
        return {"found": found, "others": bool(self.words.strip() and self.others)}

    def _render(self, part: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
        return render(self.request, f"tables/desk.html#{part}", context, status=status)

    def show_player(self, player: Player, status: int = 200, **context: Any) -> HttpResponse:
        """The page with a player's card. Forms given in `context` keep what was typed and what is wrong with it."""
        card = reads.card(self.event, player, self.now)
        if self.request.GET.get("seen") == card.key:
            return HttpResponse(status=204)
        held = card.registration
        pays_out = Permission.PAY_OUT in self.may and bool(card.bought) and bool(card.closed)
        seat = seat_won(player.pk, self.event) is not None
        asks_on = self.today if card.asks_birth_date else None
        unbound: dict[str, forms.Form] = {
            "pay_form": PayForm(),
            "buy_in_form": BuyInForm(
                initial={"registration": held.pk if held else None},
                proven=card.sighted is not None,
                seat=seat,
                asks_on=asks_on,
            ),
            "withdraw_form": WithdrawForm(initial={"registration": held.pk if held else None}),
            "reentry_form": ReentryForm(days=card.days, seat=seat),
            "wait_form": DayForm(days=card.days, auto_id="wait_%s"),
            "give_up_form": GiveUpForm(days=card.days, auto_id="give_up_%s"),
            "purchase_form": PurchaseForm(),
            "refund_form": RefundForm(begun=card.begun),
            "day_form": RegisterForm(days=card.days, asks_on=asks_on),
            "details_form": DetailsForm.of(player, self.today),
        }
        may_sight = Permission.SIGHT_ID in self.may and not (card.sighted or card.too_young or card.refer)
        may_pay = Permission.TAKE_MONEY in self.may and not (card.closed or card.too_young or card.refer)
        shown = {
            "card": card,
            "may_sight_now": may_sight,
            "id_hint": f"Hospitality 18+: issued since {date_format(hospitality_since(self.today), 'j F Y')}. "
            "No photos, nothing expired. Nothing of the document is kept.",
            "may_pay": may_pay and (may_sight or card.sighted is not None),
            "my_address": my_address(player.token),
            "prizes": prizes_of_player(self.event, player) if pays_out else [],
            "directs": Permission.DIRECT in self.may,
            "position": position_of(held) if held and (card.state == "waiting" or card.waits) else 0,
            "full": card.state == "new" and not card.closed and self.is_full(),
            "receipts": receipts_of(self.event, player) if self.sees_receipts else [],
            "done": self._done(),
            "elsewhere": not reads.players_of(self.event).filter(pk=player.pk).exists(),
        }
        return self.show(status, **unbound | shown | context)

    def _done(self) -> Said | None:
        """What the desk has just done, from the number in the address."""
        seq = whole_number(self.request.GET.get("done", ""))
        entry = JournalEntry.objects.filter(stream=self.event.stream_key, seq=seq or 0).first()
        return describe([entry])[0] if entry and entry.verb.startswith(VERBS) else None

    def run(
        self,
        player: Player,
        form: forms.Form,
        name: str,
        command: Callable[..., Done],
        given: Callable[[], dict[str, Any]],
    ) -> HttpResponse:
        """One command for a player, if the form is right; then the card: done, refused, or fresh if it was stale."""
        status, context = 422, dict[str, Any]({name: form})
        if form.is_valid():
            outcome = submit(self.request, form, command, on=self.event.pk, **given())
            if isinstance(outcome, Done):
                return see_other(self.address(player=player.pk, done=outcome.seq))
            status = outcome.status
            self.event.refresh_from_db(fields=["seq", "status"])
            player.refresh_from_db()
            if isinstance(outcome, Stale):
                context = {"stale": outcome}
        return self.show_player(player, status, **context)


def desk_action(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A form of the desk: `view(here, …)` for what was posted; whoever comes any other way is led to the desk."""

    @wraps(view)
    @login_required
    def action(request: HttpRequest, event_id: int, player_id: int | None = None) -> HttpResponse:
        here = Desk(request, event_id)
        if request.method != "POST":
            return redirect(here.address(player=player_id))
        return view(here, player_id) if player_id else view(here)

    return action
