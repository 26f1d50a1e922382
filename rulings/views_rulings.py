"""Rulings of an event: the list with its search, a new one, one with its appeal. For the staff alone."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit
from rulings.calculator_reads import is_number, spot
from rulings.forms_rulings import AskAppealForm, DecideAppealForm, RulingForm
from rulings.models import Ruling
from rulings.penalty_reads import penalties_from
from rulings.ruling_commands import ask_appeal, decide_appeal, record_ruling
from rulings.ruling_reads import how_we_ruled, player_choices, rule_choices, rulebook_of, ruling_page, rulings_of
from rulings.views_calculators import calculation_of
from series.models import Event
from tables.views.staff import staff_context, staff_event

MOST_INPUTS = 4000
READERS = (Permission.RULE, Permission.SEE_JOURNAL)


@never_cache
@login_required
def rulings(request: HttpRequest, event_id: int) -> HttpResponse:
    """The rulings of an event; `?q=` searches those of the whole series."""
    event, held = staff_event(request, event_id, *READERS)
    search = request.GET.get("q", "").strip()[:80]
    context = staff_context(event, held) | {
        "search": search,
        "lines": how_we_ruled(event, search) if search else rulings_of(event),
    }
    template = "rulings/rulings/list.html"
    return render(request, f"{template}#lines" if request.htmx else template, context)  # type: ignore[attr-defined]


@never_cache
@login_required
def ruling_new(request: HttpRequest, event_id: int) -> HttpResponse:
    """A new ruling, by itself or with the answer of a calculator. `show` fetches players of a table or by name."""
    event, held = staff_event(request, event_id, Permission.RULE)
    sent = request.POST if request.method == "POST" else request.GET
    calculation = _calculation(event, sent)
    players = player_choices(
        event,
        table=int(sent["table"]) if is_number(sent.get("table", "")) else None,
        chosen=[int(value) for value in sent.getlist("players") if is_number(value)],
        find=sent.get("find", ""),
    )
    days, rules = list(event.days.all()), rule_choices(rulebook_of(event))
    given: dict[str, Any] = {"days": days, "rules": rules, "players": players}
    status = 200
    if request.method == "POST" and "show" not in request.POST:
        form, status = RulingForm(request.POST, **given), 422
        if form.is_valid():
            outcome = _record(request, form, event, calculation)
            if isinstance(outcome, Done):
                given = outcome.result["penalty"]
                also = f", penalty {given} is given" if given else ""
                messages.success(request, f"Ruling {outcome.result['number']} is recorded{also}.")
                return see_other("ruling", outcome.result["ruling"])
            status = outcome.status
    else:
        form = RulingForm(initial=_initial(sent, calculation, rules), **given)
    context = staff_context(event, held) | {"form": form, "calculation": calculation and calculation[1]}
    template = "rulings/rulings/new.html"
    return render(request, f"{template}#players" if request.htmx else template, context, status=status)  # type: ignore[attr-defined]


def _calculation(event: Event, sent: QueryDict) -> Any:
    """The calculator's form and answer, worked out anew from its inputs; None without one."""
    typed = sent.get("inputs", "")
    if not typed:
        return None
    inputs = QueryDict(typed[:MOST_INPUTS])
    at = spot(event, inputs.get("day", ""), inputs.get("table", ""))
    return calculation_of(sent.get("calculator", ""), inputs, at)


def _initial(sent: QueryDict, calculation: Any, rules: list[tuple[int, str, str]]) -> dict[str, Any]:
    """What is known before anybody writes: what was sent already, then what the calculator says."""
    known: dict[str, Any] = {}
    if calculation:
        form, answer = calculation
        by_number = {number: pk for pk, number, _ in rules}
        known = {
            "facts": form.facts(),
            "decision": " ".join(form.answer.said),
            "rule": next((by_number[number] for number in answer["rules"] if number in by_number), None),
        }
    written = {name: sent[name] for name in RulingForm.base_fields if name in sent and name != "players"}
    return known | written | {"players": sent.getlist("players")}


def _record(request: HttpRequest, form: RulingForm, event: Event, calculation: Any) -> Any:
    given = form.cleaned_data
    by_rule = given["basis"] == Ruling.Basis.RULE
    return submit(
        request,
        form,
        record_ruling,
        on=event.pk,
        reason="" if by_rule else given["reason"],
        facts=given["facts"],
        decision=given["decision"],
        basis=given["basis"],
        rule_id=given["rule"] if by_rule else None,
        day_id=given.get("day"),
        table=given["table"],
        hand=given["hand"],
        entry_ids=given["players"],
        sealed_check=given["sealed_check"],
        calculation=calculation and calculation[1],
        penalty=form.penalty(),
    )


def _event_of(ruling_id: int) -> int:
    return get_object_or_404(Ruling, pk=ruling_id).event_id


@never_cache
@login_required
def ruling(request: HttpRequest, ruling_id: int) -> HttpResponse:
    """One ruling, the rule as it stood then, and the appeal."""
    return _page(request, ruling_id, 200)


def _page(request: HttpRequest, ruling_id: int, status: int, **forms_: forms.Form) -> HttpResponse:
    event, held = staff_event(request, _event_of(ruling_id), *READERS)
    page = ruling_page(ruling_id)
    if page is None:
        raise Http404
    open_ = not page.row.withdrawn
    context = staff_context(event, held) | {
        "page": page,
        "ruling": page.line,
        "row": page.row,
        "penalties": penalties_from(ruling_id),
        "may_penalise": open_ and Permission.RULE in held,
        "may_appeal": open_ and Permission.RULE in held and page.row.appeal == Ruling.Appeal.NONE,
        "may_decide": page.line.waits and Permission.DIRECT in held and page.row.decided_by_id != request.user.pk,
        "ask_form": AskAppealForm(),
        "decide_form": DecideAppealForm(),
        **forms_,
    }
    return render(request, "rulings/rulings/ruling.html", context, status=status)


@login_required
@require_POST
def appeal_ask(request: HttpRequest, ruling_id: int) -> HttpResponse:
    """Note that a player appeals."""
    form = AskAppealForm(request.POST)
    return _appeal(request, ruling_id, form, "ask_form", ask_appeal, lambda given: {"grounds": given["grounds"]})


@login_required
@require_POST
def appeal_decide(request: HttpRequest, ruling_id: int) -> HttpResponse:
    """Decide an appeal."""

    def arguments(given: dict[str, Any]) -> dict[str, Any]:
        return {"upheld": given["outcome"] == "upheld", "note": given["note"]}

    return _appeal(request, ruling_id, DecideAppealForm(request.POST), "decide_form", decide_appeal, arguments)


def _appeal(
    request: HttpRequest,
    ruling_id: int,
    form: forms.Form,
    name: str,
    command: Callable[..., Done],
    arguments: Callable[[dict[str, Any]], dict[str, Any]],
) -> HttpResponse:
    status = 422
    if form.is_valid():
        given = arguments(form.cleaned_data)
        outcome = submit(request, form, command, on=_event_of(ruling_id), ruling_id=ruling_id, **given)
        if isinstance(outcome, Done):
            return see_other("ruling", ruling_id)
        status = outcome.status
        if isinstance(outcome, Stale):
            messages.error(request, outcome.message)
    return _page(request, ruling_id, status, **{name: form})


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/rulings/", rulings, name="rulings"),
    path("staff/events/<int:event_id>/rulings/new/", ruling_new, name="ruling_new"),
    path("staff/rulings/<int:ruling_id>/", ruling, name="ruling"),
    path("staff/rulings/<int:ruling_id>/appeal/", appeal_ask, name="appeal_ask"),
    path("staff/rulings/<int:ruling_id>/appeal/decide/", appeal_decide, name="appeal_decide"),
]
