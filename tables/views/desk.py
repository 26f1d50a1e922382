"""The desk: find or add a player, sight ID, take the buy-in, hand over the seat card."""

import datetime as dt
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit, whole_number
from journal.models import JournalEntry
from journal.reads import Said, describe
from series.commands.people import correct_player, register, sight_id, withdraw
from series.domain.eligibility import BirthDateError, age_on, hospitality_since, local_date, parse_birth_date
from series.models import Day, Entry, Player
from series.reads.age import asks_birth_date
from series.reads.places import open_flights
from series.reads.players import is_described, known_elsewhere, others_seen_by
from series.reads.receipts import receipt, receipts_of
from series.reads.satellites import seat_won
from series.reads.tills import my_open_till
from tables.commands.entries import buy_in, reenter, wait_for_reentry
from tables.commands.payouts import pay_out
from tables.commands.purchases import add_on, rebuy
from tables.commands.refunds import refund_entry
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
PAPERS = (Permission.REGISTER, Permission.TAKE_MONEY, Permission.RUN_FLOOR, Permission.SEE_MONEY)
HANDS_OUT = frozenset({Permission.REGISTER, Permission.TAKE_MONEY, Permission.RUN_FLOOR})  # the way to a player’s page
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
            "full": card.state == "new" and not card.closed and reads.places(self.event, self.now).left == 0,
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


@never_cache
@login_required
def desk(request: HttpRequest, event_id: int) -> HttpResponse:
    """One search field, what it found, and the card of one player or the form for a new one."""
    here = Desk(request, event_id)
    asked = whole_number(request.GET.get("player", ""))
    if asked:
        return here.show_player(here.candidate(asked))
    if "new" in request.GET and Permission.REGISTER in here.may and _days(here):
        return here.show(new_form=_new_form(here, initial={"name": here.words}), full=_is_full(here))
    if here.words and not request.htmx:  # type: ignore[attr-defined]  # Enter, or a scanner, without a choice
        found = here.found()
        if len(found.hits) == 1 and not found.elsewhere:
            return here.show_player(here.player(found.hits[0].player_id), found=found)
        if (
            not found.hits
            and not found.by_link
            and not found.elsewhere
            and Permission.REGISTER in here.may
            and _days(here)
        ):
            new_form = _new_form(here, initial={"name": here.words})
            return here.show(found=found, new_form=new_form, full=_is_full(here))
        return here.show(found=found)
    return here.show()


def _is_full(here: Desk) -> bool:
    """Whether somebody new can only wait; with several flights the one chosen decides, when it is chosen."""
    return reads.places(here.event, here.now).left == 0


def _new_form(here: Desk, *args: Any, **kwargs: Any) -> NewPlayerForm:
    return NewPlayerForm(*args, event=here.event, now=here.now, flights=_days(here), **kwargs)


def _days(here: Desk) -> list[Day]:
    """The days one can enter, to choose from."""
    return open_flights(here.event, here.event.days.select_related("event__series"), here.now)


def _reentry_days(here: Desk, player: Player) -> list[Day]:
    """The days that a player can re-enter, as their card offers them."""
    return reads.card(here.event, player, here.now).days


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


@desk_action
def desk_add(here: Desk) -> HttpResponse:
    """Register a new player, unless somebody like them is known already: then ask first."""
    form = _new_form(here, here.request.POST)
    twins: list[reads.Twin] = []
    status = 422
    if form.is_valid():
        given = form.cleaned_data
        if not given["another_person"]:
            twins = reads.twins(here.event, given["name"], given["birth_date"])
        if not twins:
            waits = bool(here.request.POST.get("waiting"))
            outcome = submit(here.request, form, register, on=here.event.pk, **form.given(), waiting=waits)
            if isinstance(outcome, Done):
                return see_other(here.address(player=outcome.result["player"], done=outcome.seq))
            status = outcome.status
            if outcome.code == "already_registered":
                twins = reads.twins(here.event, given["name"], given["birth_date"])
    return here.show(status, new_form=form, twins=twins, full=_is_full(here))


@desk_action
def desk_register(here: Desk, player_id: int) -> HttpResponse:
    """Register a known player: one of this series, or one who was just described by name and birth date."""
    known = [reads.players_of(here.event), known_elsewhere(here.event.series_id, here.others)]
    player = next((found for among in known if (found := among.filter(pk=player_id).first())), None)
    given: dict[str, Any] = {}
    if player is None:
        player, given = _described(here, player_id)
    form = RegisterForm(here.request.POST, days=_days(here), asks_on=here.asks_on(player))
    waits = bool(here.request.POST.get("waiting"))
    return here.run(
        player,
        form,
        "day_form",
        register,
        lambda: (
            {"player_id": player.pk, "day_id": form.day_id, "waiting": waits}
            | (given or {"birth_date": form.cleaned_data.get("birth_date")})
        ),
    )


def _described(here: Desk, player_id: int) -> tuple[Player, dict[str, Any]]:
    """A player of another series, for those alone who know name and birth date; and these as they were said."""
    form = _new_form(here, here.request.POST)
    form.is_valid()
    said = {name: form.cleaned_data.get(name) or None for name in ("name", "birth_date")}
    player = get_object_or_404(Player, pk=player_id, status=Player.Status.ACTIVE)
    if not is_described(player, said["name"] or "", said["birth_date"]):
        raise Http404
    return player, said


@desk_action
def desk_buy_in(here: Desk, player_id: int) -> HttpResponse:
    """Take the buy-in, with the ID sighted if need be; the seat is drawn with it."""
    player = here.player(player_id)
    form = BuyInForm(
        here.request.POST,
        proven=reads.is_proven(here.event, player),
        seat=seat_won(player.pk, here.event) is not None,
        asks_on=here.asks_on(player),
    )
    return here.run(
        player,
        form,
        "buy_in_form",
        buy_in,
        lambda: {
            "registration_id": form.cleaned_data["registration"],
            "method": form.cleaned_data["method"],
            "id_kind": form.cleaned_data["id_kind"],
            "birth_date": form.cleaned_data.get("birth_date"),
        },
    )


@desk_action
def desk_sight_id(here: Desk, player_id: int) -> HttpResponse:
    """Record that an ID was seen, nothing else."""
    player = here.player(player_id)
    form = BuyInForm(here.request.POST, proven=False, pays=False, asks_on=here.asks_on(player))
    return here.run(
        player,
        form,
        "buy_in_form",
        sight_id,
        lambda: {
            "player_id": player.pk,
            "kind": form.cleaned_data["id_kind"],
            "birth_date": form.cleaned_data.get("birth_date"),
        },
    )


@desk_action
def desk_reenter(here: Desk, player_id: int) -> HttpResponse:
    """Sell a new stack to a player who is out."""
    player = here.player(player_id)
    form = ReentryForm(
        here.request.POST, days=_reentry_days(here, player), seat=seat_won(player_id, here.event) is not None
    )
    return here.run(
        player,
        form,
        "reentry_form",
        reenter,
        lambda: {"player_id": player.pk, "method": form.cleaned_data["method"], "day_id": form.day_id},
    )


@desk_action
def desk_wait(here: Desk, player_id: int) -> HttpResponse:
    """Put a player who is out on the waiting list, for a seat to re-enter."""
    player = here.player(player_id)
    form = DayForm(here.request.POST, days=_reentry_days(here, player), auto_id="wait_%s")
    given = {"player_id": player.pk}
    return here.run(player, form, "wait_form", wait_for_reentry, lambda: given | {"day_id": form.day_id})


@desk_action
def desk_give_up(here: Desk, player_id: int) -> HttpResponse:
    """Sell a new stack to a player who is in, and take the old one out of play (TDA 2024 rule 8B)."""
    player = here.player(player_id)
    form = GiveUpForm(here.request.POST, days=_reentry_days(here, player), auto_id="give_up_%s")
    return here.run(
        player,
        form,
        "give_up_form",
        reenter,
        lambda: {
            "player_id": player.pk,
            "method": form.cleaned_data["method"],
            "day_id": form.day_id,
            "given_up": form.cleaned_data["given_up"],
        },
    )


@desk_action
def desk_purchase(here: Desk, player_id: int) -> HttpResponse:
    """Sell a rebuy or an add-on."""
    player, form = here.player(player_id), PurchaseForm(here.request.POST)
    addon = here.request.POST.get("kind") == "addon"
    names = ("entry_id", "method") if addon else ("entry_id", "method", "stack_confirmed")
    command = add_on if addon else rebuy
    return here.run(player, form, "purchase_form", command, lambda: {name: form.cleaned_data[name] for name in names})


@desk_action
def desk_refund(here: Desk, player_id: int) -> HttpResponse:
    """Give a paid entry back."""
    player = here.player(player_id)
    form = RefundForm(here.request.POST, begun=reads.card(here.event, player, here.now).begun)
    return here.run(player, form, "refund_form", refund_entry, lambda: form.cleaned_data)


@desk_action
def desk_pay(here: Desk, player_id: int) -> HttpResponse:
    """Hand over a prize."""
    player, form = here.player(player_id), PayForm(here.request.POST)
    return here.run(player, form, "pay_form", pay_out, lambda: form.cleaned_data)


@desk_action
def desk_withdraw(here: Desk, player_id: int) -> HttpResponse:
    """Give back a place that is held and not paid."""
    player, form = here.player(player_id), WithdrawForm(here.request.POST)
    return here.run(
        player, form, "withdraw_form", withdraw, lambda: {"registration_id": form.cleaned_data["registration"]}
    )


@desk_action
def desk_details(here: Desk, player_id: int) -> HttpResponse:
    """Put a player's name, birth date or contact right."""
    player = here.player(player_id)
    form = DetailsForm(here.request.POST, player=player, today=here.today)
    return here.run(player, form, "details_form", correct_player, lambda: {"player_id": player.pk} | form.cleaned_data)


@never_cache
@login_required
def seat_card(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """The seat card and the receipt of one entry, to print."""
    here = Desk(request, event_id, *PAPERS)
    entries = Entry.objects.exclude(status=Entry.Status.VOID).select_related("player", "day")
    papers = reads.seat_card(here.event, get_object_or_404(entries, pk=entry_id, event=here.event))
    context = staff_context(here.event, here.may) | {
        "papers": papers,
        "my_address": my_address(papers.player.token) if here.may & HANDS_OUT else "",
        "with_receipt": here.sees_receipts,
        "receipt": receipt(here.event, papers.bought.receipt) if here.sees_receipts and papers.bought.receipt else None,
        "back": here.address(player=papers.player.pk),
    }
    return render(request, "tables/seat_card.html", context)


@never_cache
@login_required
def desk_born(request: HttpRequest, event_id: int) -> HttpResponse:
    """A birth date as it is understood while it is typed: the day in words and the age on the day of the event."""
    here = Desk(request, event_id, Permission.REGISTER)
    typed = request.GET.get("birth_date", "")[:LONGEST_SEARCH].strip()
    try:
        born, wrong = (parse_birth_date(typed, here.today) if typed else None), ""
    except BirthDateError as error:
        born, wrong = None, str(error)
    age = age_on(born, local_date(here.event.starts_at, here.event.series.tz)) if born else None
    return render(request, "tables/desk_born.html", {"event": here.event, "born": born, "age": age, "wrong": wrong})


_EVENT, _PLAYER = "staff/events/<int:event_id>/desk/", "staff/events/<int:event_id>/desk/players/<int:player_id>/"
urlpatterns: list[URLPattern] = [
    path(_EVENT, desk, name="desk"),
    path(_EVENT + "born/", desk_born, name="desk_born"),
    path(_EVENT + "add/", desk_add, name="desk_add"),
    path(_PLAYER + "register/", desk_register, name="desk_register"),
    path(_PLAYER + "buy-in/", desk_buy_in, name="desk_buy_in"),
    path(_PLAYER + "sight-id/", desk_sight_id, name="desk_sight_id"),
    path(_PLAYER + "re-enter/", desk_reenter, name="desk_reenter"),
    path(_PLAYER + "wait/", desk_wait, name="desk_wait"),
    path(_PLAYER + "give-up/", desk_give_up, name="desk_give_up"),
    path(_PLAYER + "purchase/", desk_purchase, name="desk_purchase"),
    path(_PLAYER + "refund/", desk_refund, name="desk_refund"),
    path(_PLAYER + "pay/", desk_pay, name="desk_pay"),
    path(_PLAYER + "withdraw/", desk_withdraw, name="desk_withdraw"),
    path(_PLAYER + "details/", desk_details, name="desk_details"),
    path("staff/events/<int:event_id>/entries/<int:entry_id>/seat-card/", seat_card, name="seat_card"),
]
