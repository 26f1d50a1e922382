"""What the desk does for a player: each form is one command."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path

from journal.commands import Done
from journal.forms import see_other, submit
from series.commands.people import correct_player, register, sight_id, withdraw
from series.models import Day, Player
from series.reads.players import is_described, known_elsewhere
from series.reads.satellites import seat_won
from tables.commands.entries import buy_in, reenter, wait_for_reentry
from tables.commands.payouts import pay_out
from tables.commands.purchases import add_on, rebuy
from tables.commands.refunds import refund_entry
from tables.forms.desk import (
    BuyInForm,
    DayForm,
    DetailsForm,
    GiveUpForm,
    PurchaseForm,
    ReentryForm,
    RefundForm,
    RegisterForm,
    WithdrawForm,
)
from tables.forms.payouts import PayForm
from tables.reads import desk as reads
from tables.views.desk_page import Desk, desk_action


def _reentry_days(here: Desk, player: Player) -> list[Day]:
    """The days that a player can re-enter, as their card offers them."""
    return reads.card(here.event, player, here.now).days


@desk_action
def desk_add(here: Desk) -> HttpResponse:
    """Register a new player, unless somebody like them is known already: then ask first."""
    form = here.new_form(here.request.POST)
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
    return here.show(status, new_form=form, twins=twins, full=here.is_full())


@desk_action
def desk_register(here: Desk, player_id: int) -> HttpResponse:
    """Register a known player: one of this series, or one who was just described by name and birth date."""
    known = [reads.players_of(here.event), known_elsewhere(here.event.series_id, here.others)]
    player = next((found for among in known if (found := among.filter(pk=player_id).first())), None)
    given: dict[str, Any] = {}
    if player is None:
        player, given = _described(here, player_id)
    form = RegisterForm(here.request.POST, days=here.flights(), asks_on=here.asks_on(player))
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
    form = here.new_form(here.request.POST)
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


_EVENT, _PLAYER = "staff/events/<int:event_id>/desk/", "staff/events/<int:event_id>/desk/players/<int:player_id>/"
urlpatterns: list[URLPattern] = [
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
]
