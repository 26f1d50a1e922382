"""Penalties: the register of an event, giving one, one with its appeal, a player's history; for the staff alone.

Everybody else sees at most how many of each kind there were, if the director publishes that.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Stale
from journal.forms import posted, see_other, submit
from rulings.calculator_reads import is_number
from rulings.forms_penalties import NoPenaltyForm, PenaltyForm, WithdrawForm
from rulings.forms_rulings import AskAppealForm, DecideAppealForm
from rulings.models import Ruling
from rulings.penalty_commands import (
    appeal_penalty,
    decide_penalty_appeal,
    give_penalty,
    publish_penalties,
    withdraw_penalty,
)
from rulings.penalty_reads import (
    entry_to_penalise,
    history_of,
    offence_choices,
    penalties_of,
    penalty_page,
    ruling_choices,
    summary_of,
)
from rulings.ruling_reads import player_choices
from series.models import Player, Series
from tables.commands.penalties import count_hands
from tables.models import Penalty
from tables.views.staff import staff_context, staff_event

READERS = (Permission.RULE, Permission.SEE_JOURNAL)


@never_cache
@login_required
def penalties(request: HttpRequest, event_id: int) -> HttpResponse:
    """The register of an event: who serves now, and all that was given."""
    event, held = staff_event(request, event_id, *READERS)
    serving, others = penalties_of(event)
    context = staff_context(event, held) | {"serving": serving, "others": others}
    template = "rulings/penalties/list.html"
    return render(request, f"{template}#register" if request.htmx else template, context)  # type: ignore[attr-defined]


@never_cache
@login_required
def penalty_new(request: HttpRequest, event_id: int) -> HttpResponse:
    """A penalty for `?entry=`; without one, a search for the player. `?offence=` and `?ruling=` are filled in."""
    event, held = staff_event(request, event_id, Permission.RULE)
    context = staff_context(event, held)
    wanted = request.GET.get("entry", "")
    if not wanted:
        find = request.GET.get("find", "").strip()[:80]
        hits = player_choices(event, table=None, chosen=(), find=find) if find else []
        return render(request, "rulings/penalties/who.html", context | {"find": find, "hits": hits})
    found = entry_to_penalise(event, int(wanted)) if is_number(wanted) else None
    if found is None:
        raise Http404
    entry, seat = found
    rulings = ruling_choices(entry)
    kept: dict[str, Any] = {"offences": offence_choices(event, entry.player_id, timezone.now()), "rulings": rulings}
    form, status = PenaltyForm(initial=_known(request, rulings), **kept), 200
    if request.method == "POST":
        form, status = PenaltyForm(request.POST, **kept), 422
        if form.is_valid():
            outcome = submit(request, form, give_penalty, on=event.pk, entry_id=entry.pk, **form.given())
            if isinstance(outcome, Done):
                messages.success(request, f"Given: {outcome.result['said']}.")
                return see_other("penalty", outcome.result["penalty"])
            status = outcome.status
    context |= {"form": form, "entry": entry, "seat": seat, "directs": Permission.DIRECT in held}
    return render(request, "rulings/penalties/new.html", context, status=status)


def _known(request: HttpRequest, rulings: list[tuple[int, str]]) -> dict[str, Any]:
    """What the address says already, and what a ruling on the player says."""
    offence = {"offence": request.GET["offence"]} if "offence" in request.GET else {}
    found = next((key for key, _ in rulings if request.GET.get("ruling", "") == str(key)), None)
    return offence if found is None else offence | {"ruling": found, "facts": Ruling.objects.get(pk=found).facts}


@never_cache
@login_required
def penalty(request: HttpRequest, penalty_id: int) -> HttpResponse:
    """One penalty: how far it is served, the rule as it stood, the appeal."""
    return _page(request, penalty_id, 200)


def _page(request: HttpRequest, penalty_id: int, status: int, **forms_: forms.Form) -> HttpResponse:
    row = get_object_or_404(Penalty, pk=penalty_id)
    event, held = staff_event(request, row.event_id, *READERS)
    page = penalty_page(penalty_id)
    if page is None:
        raise Http404
    row = page.line.row
    stands = row.status != Penalty.Status.WITHDRAWN
    rules = Permission.RULE in held
    concerned = row.player.user_id is not None and row.player.user_id == request.user.pk
    own = row.given_by_id == request.user.pk or concerned
    context = staff_context(event, held) | {
        "page": page,
        "line": page.line,
        "row": row,
        "may_count": page.line.serving and Permission.REPORT_HANDS in held,
        "may_redeal": bool(row.hands_total) and stands and row.hands_done > row.redeals,
        "may_appeal": stands and rules and row.appeal == Penalty.Appeal.NONE,
        "may_decide": page.line.waits and Permission.DIRECT in held and not own,
        "may_withdraw": stands and rules and not concerned and (Permission.DIRECT in held or not row.by_director),
        "ask_form": AskAppealForm(),
        "decide_form": DecideAppealForm(),
        "withdraw_form": WithdrawForm(),
        **forms_,
    }
    return render(request, "rulings/penalties/penalty.html", context, status=status)


Arguments = Callable[[dict[str, Any]], dict[str, Any]]
# by the name of the button: the form, its name on the page, the command, its arguments from what was sent
DOES: dict[str, tuple[type[forms.Form], str, Callable[..., Done], Arguments]] = {
    "count": (NoPenaltyForm, "count_form", count_hands, lambda given: {}),
    "redeal": (NoPenaltyForm, "count_form", count_hands, lambda given: {"redeal": True}),
    "withdraw": (WithdrawForm, "withdraw_form", withdraw_penalty, lambda given: given),
    "appeal": (AskAppealForm, "ask_form", appeal_penalty, lambda given: given),
    "decide": (
        DecideAppealForm,
        "decide_form",
        decide_penalty_appeal,
        lambda given: {"upheld": given["outcome"] == "upheld", "note": given["note"]},
    ),
}


@login_required
@require_POST
def penalty_do(request: HttpRequest, penalty_id: int) -> HttpResponse:
    """A button of a penalty's page."""
    row = get_object_or_404(Penalty, pk=penalty_id)
    if request.POST.get("do", "") not in DOES:
        raise Http404
    kind, name, command, arguments = DOES[request.POST["do"]]
    form, status = kind(request.POST), 422
    if form.is_valid():
        given = arguments(form.cleaned_data)
        outcome = submit(request, form, command, on=row.event_id, penalty_id=row.pk, **given)
        if isinstance(outcome, Done):
            return see_other("penalty", row.pk)
        status = outcome.status
        if isinstance(outcome, Stale) or name == "count_form":
            messages.error(request, outcome.message)
    return _page(request, penalty_id, status, **{name: form})


def _series(request: HttpRequest, slug: str, *permissions: Permission) -> tuple[Series, frozenset[str]]:
    series = get_object_or_404(Series, slug=slug)
    held: frozenset[str] = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if not held & set(permissions):
        raise NotAllowed
    return series, held


@never_cache
@login_required
def penalty_history(request: HttpRequest, slug: str, player_id: int) -> HttpResponse:
    """A player's penalties in the series."""
    series, held = _series(request, slug, *READERS)
    player = get_object_or_404(Player.objects.filter(entries__event__series=series).distinct(), pk=player_id)
    context = {"series": series, "player": player, "may": held, "lines": history_of(series, player)}
    return render(request, "rulings/penalties/history.html", context)


@login_required
@require_POST
def penalties_publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish the summary (`wanted=on`), or take it off the public pages."""
    series = get_object_or_404(Series, slug=slug)
    publish_penalties(**posted(request), on=series.pk, wanted=request.POST.get("wanted") == "on")
    back = request.POST.get("event", "")
    return see_other("penalties", int(back)) if is_number(back) else see_other("series_setup", slug)


def penalty_summary(request: HttpRequest, slug: str) -> HttpResponse:
    """How many penalties of each kind there were in a series, if the director publishes it: numbers alone."""
    series = get_object_or_404(Series, slug=slug, published=True, penalty_summary=True)
    sanctions, offences = summary_of(series)
    context = {"series": series, "sanctions": sanctions, "offences": offences}
    return render(request, "rulings/penalties/summary.html", context)


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/penalties/", penalties, name="penalties"),
    path("staff/events/<int:event_id>/penalties/new/", penalty_new, name="penalty_new"),
    path("staff/penalties/<int:penalty_id>/", penalty, name="penalty"),
    path("staff/penalties/<int:penalty_id>/do/", penalty_do, name="penalty_do"),
    path("staff/series/<slug:slug>/penalties/publish/", penalties_publish, name="penalties_publish"),
    path("staff/series/<slug:slug>/penalties/<int:player_id>/", penalty_history, name="penalty_history"),
    path("series/<slug:slug>/penalties/", penalty_summary, name="penalty_summary"),
]
