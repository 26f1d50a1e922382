"""The money of an event or a series: the sheet that somebody signs, the ledger behind it, and both as CSV."""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

from defusedcsv import csv
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.forms import see_other, submit
from series.commands.reconcile import reconcile_event, reconcile_series
from series.commands.tills import count_common_till, move_own_cash
from series.models import Event
from series.reads import ledger as reads
from series.reads.exports import ledger_rows, sheet_rows
from series.reads.ledger import Filters, Scope
from series.reads.money import prize_pool, staff_words, unsettled
from series.reads.places import open_flights
from series.reads.reconcile import days, open_tills, sheet
from tables.commands.pool import add_to_pool, settle
from tables.forms.money import AddToPoolForm, CountForm, LedgerForm, OwnCashForm, SignForm
from tables.views.staff import staff_context, staff_event, staff_series

A_PAGE = 50


class Money:
    """One request for the money of an event (`event_id`) or of a series (`slug`), on the local day `?day=` if any.

    Raises:
        Http404: there is no such event or series.
        NotAllowed: the visitor may not see money.
    """

    def __init__(self, request: HttpRequest, event_id: int | None = None, slug: str = "") -> None:
        self.request = request
        event: Event | None = None
        if event_id is not None:
            event, self.may = staff_event(request, event_id, Permission.SEE_MONEY)
            series = event.series
        else:
            series, self.may = staff_series(request, slug, Permission.SEE_MONEY)
        self.scope = Scope(series, event, _date(request.GET.get("day", "")))

    def url(self, page: str, **query: Any) -> str:
        """The address of a page of the same event or series (`money`, `ledger`, …), by default on the same day."""
        scope = self.scope
        kind, key = ("event", scope.event.pk) if scope.event else ("series", scope.series.slug)
        given = {"day": scope.day.isoformat() if scope.day else ""} | query
        asked = urlencode({name: value for name, value in given.items() if value})
        return reverse(f"{kind}_{page}", args=[key]) + (f"?{asked}" if asked else "")

    def context(self) -> dict[str, Any]:
        scope = self.scope
        shared = staff_context(scope.event, self.may) if scope.event else {"series": scope.series, "may": self.may}
        urls = {page: self.url(page) for page in ("money", "ledger", "money_csv", "ledger_csv")}
        return shared | {"scope": scope, "urls": urls, "ledger_url": self.url("ledger", day="")}


def _date(text: str) -> dt.date | None:
    """The day that an address names; None for what is none, or beyond any series."""
    try:
        day = dt.date.fromisoformat(text[:10])
    except ValueError:
        return None
    return day if 2000 <= day.year < 2200 else None


@never_cache
@login_required
def money(request: HttpRequest, event_id: int | None = None, slug: str = "") -> HttpResponse:
    """The sheet of an event or a series, and what can be done about it."""
    here = Money(request, event_id, slug)
    scope, status = here.scope, 200
    bound: dict[str, forms.Form] = {}
    do = request.POST.get("do", "")
    if request.method == "POST" and (action := _actions(here).get(do)):
        form, command, given, said = action
        status = 422
        if form.is_valid():
            on = scope.event.pk if scope.event else scope.series.pk
            outcome = submit(request, form, command, on=on, **given(form))
            if isinstance(outcome, Done):
                messages.success(request, said)
                return see_other(here.url("money"))
            status = outcome.status
        bound = {do: form}
    found = sheet(scope)
    context = here.context() | {
        "sheet": found,
        "parts": [
            {"title": "Taken from players", "rows": found.taken, "total": found.total_taken},
            {"title": "Given back", "rows": found.refunded, "total": found.total_refunded},
            {"title": "Paid to players", "rows": found.paid, "total": found.total_paid},
            {"title": "Added to the pool", "rows": found.added, "total": found.total_added},
        ],
        "day_query": f"&day={scope.day.isoformat()}" if scope.day else "",
        "days": days(scope),
        "day_url": here.url("money", day=""),
        "open_tills": open_tills(scope) if scope.event is None else [],
        "directs": Permission.DIRECT in here.may,
        "takes": Permission.TAKE_MONEY in here.may,
        "sign": SignForm(initial={"lines": found.lines}),
        "add": AddToPoolForm(),
        "own_cash": OwnCashForm(),
        "count": CountForm(closing=True),
        "settle": forms.Form(),
    }
    if scope.event:
        context |= {
            "pool": prize_pool(scope.event),
            "unsettled": unsettled(scope.event),
            "still_open": bool(open_flights(scope.event, scope.event.days.all(), timezone.now())),
            "staff_share": staff_words(scope.event),
        }
    return render(request, "tables/money/sheet.html", context | bound, status=status)


_Action = tuple[forms.Form, Callable[..., Done], Callable[[Any], dict[str, Any]], str]


def _actions(here: Money) -> dict[str, _Action]:
    """The buttons of the sheet: their form, their command, what it is given, and what is said once it is done."""
    data, scope = here.request.POST, here.scope
    sign = reconcile_event if scope.event else reconcile_series
    actions: dict[str, _Action] = {
        "sign": (SignForm(data), sign, lambda form: form.cleaned_data | {"day": scope.day}, "Signed."),
    }
    if scope.event:
        actions |= {
            "add": (AddToPoolForm(data), add_to_pool, lambda form: form.cleaned_data, "Added to the prize pool."),
            "settle": (forms.Form(data), settle, lambda form: {}, "The prize pool is settled."),
            "count": (CountForm(data, closing=True), count_common_till, _counted, "The common till is counted."),
        }
    else:
        actions["own_cash"] = OwnCashForm(data), move_own_cash, lambda form: form.cleaned_data, "Written down."
    return actions


def _counted(form: CountForm) -> dict[str, Any]:
    return {name: form.given[name] for name in ("total_cents", "reason")}


@never_cache
@login_required
def ledger(request: HttpRequest, event_id: int | None = None, slug: str = "") -> HttpResponse:
    """The lines of the ledger, newest first, as far as they fit what was asked."""
    here = Money(request, event_id, slug)
    filters = Filters.of(request.GET)
    lines = filters.apply(here.scope.lines())
    page = Paginator(reads.shown(lines), A_PAGE).get_page(request.GET.get("page"))
    asked = {"day": here.scope.day.isoformat() if here.scope.day else ""} | vars(filters)
    context = here.context() | {
        "page": page,
        "sums": reads.sides(lines),
        "form": LedgerForm(initial=vars(filters)),
        "filters": filters,
        "query": urlencode({name: value for name, value in asked.items() if value}),
        "csv_url": here.url("ledger_csv", **vars(filters)),
        "clear_url": here.url("ledger", day=""),
    }
    return render(request, "tables/money/ledger.html", context)


def _csv(name: str, rows: Iterator[list[Any]]) -> HttpResponse:
    """A file that spreadsheets open; what looks like a formula is defused."""
    response = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    csv.writer(response).writerows(rows)
    return response


def _file_name(scope: Scope, what: str) -> str:
    parts = [scope.series.slug, f"event-{scope.event.number}" if scope.event else "", what]
    return "-".join(part for part in [*parts, scope.day.isoformat() if scope.day else ""] if part)


@login_required
def money_csv(request: HttpRequest, event_id: int | None = None, slug: str = "") -> HttpResponse:
    """The sheet as CSV."""
    scope = Money(request, event_id, slug).scope
    return _csv(_file_name(scope, "money"), sheet_rows(sheet(scope)))


@login_required
def ledger_csv(request: HttpRequest, event_id: int | None = None, slug: str = "") -> HttpResponse:
    """The lines of the ledger that were asked for as CSV, oldest first."""
    scope = Money(request, event_id, slug).scope
    lines = reads.shown(Filters.of(request.GET).apply(scope.lines())).order_by("pk")
    return _csv(_file_name(scope, "ledger"), ledger_rows(scope, lines))


_EVENT, _SERIES = "staff/events/<int:event_id>/", "staff/series/<slug:slug>/"
urlpatterns: list[URLPattern] = [
    path(_EVENT + "money/", money, name="event_money"),
    path(_EVENT + "money/sheet.csv", money_csv, name="event_money_csv"),
    path(_EVENT + "ledger/", ledger, name="event_ledger"),
    path(_EVENT + "ledger/lines.csv", ledger_csv, name="event_ledger_csv"),
    path(_SERIES + "money/", money, name="series_money"),
    path(_SERIES + "money/sheet.csv", money_csv, name="series_money_csv"),
    path(_SERIES + "ledger/", ledger, name="series_ledger"),
    path(_SERIES + "ledger/lines.csv", ledger_csv, name="series_ledger_csv"),
]
