"""The page of a deal: chips, shares to the cent, everybody's yes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import add_refusal, see_other, submit
from series.models import Day, Deal, DealShare, Entry, Event
from series.reads.places import open_flights
from tables.commands.deals import (
    end_by_chips,
    make_deal,
    prizes_left,
    require_dealable,
    shares_of,
    show_deal,
    take_deal_back,
)
from tables.forms.deals import DealForm, ShowForm
from tables.reads.chips import in_play
from tables.reads.standings import Standings, standings_of
from tables.views.staff import staff_context, staff_event

WORK_OUT = frozenset({Permission.DIRECT, Permission.RUN_FLOOR, Permission.PAY_OUT})


# what the director does with a deal that was made: the form, the command, and what is said when it is done
AFTERWARDS: dict[str, tuple[type[forms.Form], Callable[..., Done], str]] = {
    "show": (ShowForm, show_deal, "Saved."),
    "end": (forms.Form, end_by_chips, "The event is over, with places by chips."),
    "take_back": (forms.Form, take_deal_back, "The deal is taken back."),
}


@dataclass(frozen=True)
class Row:
    """One player of the deal: the fields, and the share once it can be worked out."""

    entry: Entry
    stack: BoundField
    amount: BoundField
    agree: BoundField
    share: int | None


@login_required
def deal(request: HttpRequest, event_id: int) -> HttpResponse:
    """Work out a deal (`do=preview`, for floor and director) and write it down (`do=make`, for the director)."""
    event, held = staff_event(request, event_id, *WORK_OUT, Permission.SEE_FLOOR, Permission.SEE_MONEY)
    if request.method == "POST" and not held & WORK_OUT:
        raise NotAllowed
    now = standings_of([event])[event.pk]
    closed = not open_flights(event, Day.objects.filter(event=event), timezone.now())
    made = now.prizes.deal
    if made and request.POST.get("do") != "make":
        return _made(request, event, held, now, made)
    problem = ""
    try:
        require_dealable(now, event, closed)
    except Refused as refusal:
        problem = refusal.message
    players = [] if problem else now.playing
    form, status = DealForm(initial=_last_stacks(players), players=players), 200
    shares: dict[int, int] = {}
    if request.method == "POST" and not (problem and request.POST.get("do") != "make"):
        form, status = DealForm(request.POST, players=players), 422
        if form.is_valid():
            status, shares, done = _sent(request, form, event, now)
            if done:
                messages.success(request, "The deal is written down: the prizes are paid by it.")
                return see_other("deal", event.pk)
    context = staff_context(event, held) | {
        "form": form,
        "rows": _rows(form, players, shares),
        "shares": shares,
        "total": sum(shares.values()),
        "left": form.cleaned_data.get("left_cents") if form.is_bound and form.is_valid() else 0,
        "chips": sum(form.terms["stacks"].values()) if shares else 0,
        "in_play": sum(in_play(day) for day in event.days.all()) if shares else 0,
        "prizes": prizes_left(now),
        "problem": problem,
        "works_out": bool(held & WORK_OUT),
        "directs": Permission.DIRECT in held,
        "pay_page": bool({Permission.PAY_OUT, Permission.SEE_MONEY} & held),
    }
    return render(request, "tables/deal.html", context, status=status)


def _sent(request: HttpRequest, form: DealForm, event: Event, now: Standings) -> tuple[int, dict[int, int], bool]:
    """The status, the shares to show, and whether the deal was made."""
    if request.POST.get("do") == "make":
        given = form.terms | {"shown": form.cleaned_data["shown"], "agreed": form.agreed, "shares": form.shares}
        outcome = submit(request, form, make_deal, on=event.pk, **given)
        if isinstance(outcome, Done):
            return 200, {}, True
        if outcome.code not in ("agree", "shares"):
            return outcome.status, {}, False
        return outcome.status, shares_of(now, **form.terms), False
    try:
        return 200, shares_of(now, **form.terms), False
    except Refused as refusal:
        add_refusal(form, refusal)
        return refusal.status, {}, False


def _made(request: HttpRequest, event: Event, held: frozenset[str], now: Standings, made: Deal) -> HttpResponse:
    form: forms.Form = ShowForm(initial={"shown": made.shown})
    status = 200
    if request.method == "POST":
        make, command, done = AFTERWARDS.get(request.POST.get("do", "show"), AFTERWARDS["show"])
        form, status = make(request.POST), 422
        if form.is_valid():
            outcome = submit(request, form, command, on=event.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                messages.success(request, done)
                return see_other("deal", event.pk)
            status = outcome.status
    shares = made.shares.select_related("entry__player").order_by("-amount_cents", "pk")
    context = staff_context(event, held) | {
        "deal": made,
        "dealt": shares,
        "total": sum(share.amount_cents for share in shares),
        "broken": now.deal_broken,
        "show_form": form if form.fields else ShowForm(initial={"shown": made.shown}),
        "form": form,
        "directs": Permission.DIRECT in held,
        "pay_page": bool({Permission.PAY_OUT, Permission.SEE_MONEY} & held),
    }
    return render(request, "tables/deal_made.html", context, status=status)


def _rows(form: DealForm, players: Sequence[Entry], shares: dict[int, int]) -> list[Row]:
    return [
        Row(
            entry,
            form[f"stack_{entry.pk}"],
            form[f"amount_{entry.pk}"],
            form[f"agree_{entry.pk}"],
            shares.get(entry.pk),
        )
        for entry in players
    ]


def _last_stacks(players: Sequence[Entry]) -> dict[str, Any]:
    """The chips as they were counted for a deal that was undone."""
    counted = DealShare.objects.filter(entry__in=players, stack__isnull=False).order_by("pk")
    return {f"stack_{entry}": stack for entry, stack in counted.values_list("entry_id", "stack")}


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/deal/", deal, name="deal")]
