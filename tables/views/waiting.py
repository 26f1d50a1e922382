"""The waiting list at the desk: who waits, calling and taking off the list."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.forms import see_other, submit, whole_number
from series.commands.waiting import check_in, skip_waiting
from tables.commands.calls import call_waiting
from tables.forms.desk import WithdrawForm
from tables.forms.waiting import CallForm, SkipForm
from tables.reads.waiting import waiting_list
from tables.views.desk_page import Desk, desk_action
from tables.views.staff import staff_context, staff_event


@never_cache
@login_required
def waiting(request: HttpRequest, event_id: int) -> HttpResponse:
    """Who is called and who waits, in order."""
    return _page(request, event_id)


def _page(request: HttpRequest, event_id: int, status: int = 200, **context: Any) -> HttpResponse:
    event, held = staff_event(request, event_id, Permission.REGISTER, Permission.SEE_PLAYERS)
    context |= staff_context(event, held) | {"list": waiting_list(event, timezone.now()), "version": event.seq}
    part = "#list" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"tables/waiting.html{part}", context, status=status)


@login_required
def waiting_call(request: HttpRequest, event_id: int) -> HttpResponse:
    """Call the next, or the one who is named."""
    return _do(request, event_id, CallForm(request.POST), call_waiting, "Called.", "Nobody can be called now.")


@login_required
def waiting_skip(request: HttpRequest, event_id: int) -> HttpResponse:
    """Take somebody off the list, with a reason."""
    return _do(request, event_id, SkipForm(request.POST), skip_waiting, "Taken off the list.", "")


def _do(request: HttpRequest, event_id: int, form: forms.Form, command: Any, said: str, nothing: str) -> HttpResponse:
    staff_event(request, event_id, Permission.REGISTER)
    if request.method != "POST":
        return redirect("waiting", event_id)
    status = 422
    if form.is_valid():
        given: dict[str, Any] = {"registration_id": form.cleaned_data["registration"]}
        if "reason" in form.cleaned_data:
            given["reason"] = form.cleaned_data["reason"]
        outcome = submit(request, form, command, on=event_id, **given)
        if isinstance(outcome, Done):
            messages.success(request, said if outcome.seq else nothing)
            return see_other("waiting", event_id)
        status = outcome.status
    return _page(request, event_id, status, form=form, about=whole_number(form.data.get("registration", "")))


@desk_action
def desk_check_in(here: Desk, player_id: int) -> HttpResponse:
    """The player is here: the place does not lapse any more."""
    player, form = here.player(player_id), WithdrawForm(here.request.POST)
    given = {"registration_id": form.cleaned_data["registration"]} if form.is_valid() else {}
    return here.run(player, form, "withdraw_form", check_in, lambda: given)


_EVENT = "staff/events/<int:event_id>/"
urlpatterns: list[URLPattern] = [
    path(_EVENT + "waiting/", waiting, name="waiting"),
    path(_EVENT + "waiting/call/", waiting_call, name="waiting_call"),
    path(_EVENT + "waiting/skip/", waiting_skip, name="waiting_skip"),
    path(_EVENT + "desk/players/<int:player_id>/check-in/", desk_check_in, name="desk_check_in"),
]
