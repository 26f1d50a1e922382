"""The view of a series and an event under New Zealand's Gambling Act: guidance, and what the organiser records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Stale
from journal.forms import see_other, submit
from series.commands import gambling as commands
from series.domain.eligibility import local_date
from series.forms import gambling as gambling_forms
from series.models import Event, GamblingTerms, Series
from series.reads import gambling as reads
from series.reads.pages import with_days

READERS = (Permission.SET_UP, Permission.SEE_MONEY, Permission.SEE_JOURNAL)


@dataclass(frozen=True)
class Button:
    """A form of a page: what it is called there, its command, and the name of the argument that a row becomes."""

    form: Callable[..., forms.Form]
    command: Callable[..., Done]
    said: str
    row: str = ""


@dataclass(frozen=True)
class Sent:
    """What came of a form: the answer if it was carried out, else the form with what is wrong."""

    name: str
    form: forms.Form
    status: int


def _press(request: HttpRequest, subject: Series | Event, buttons: Mapping[str, Button], back: str) -> Any:
    """Carry out the form named by `do`: a redirect, or a Sent with what is wrong.

    Raises:
        Http404: the page has no such form.
        NotAllowed: the actor lacks the permission.
    """
    name = request.POST.get("do", "")
    button = buttons.get(name)
    if button is None:
        raise Http404
    form = button.form(request.POST)
    if not form.is_valid():
        return Sent(name, form, 422)
    given = {button.row: form.cleaned_data["row"]} if button.row else form.cleaned_data
    outcome = submit(request, form, button.command, on=subject.pk, **given)
    if isinstance(outcome, Done):
        messages.success(request, button.said)
        return see_other(back)
    if isinstance(outcome, Stale) or name not in ("terms", "licence", "cost", "goods"):
        messages.error(request, outcome.message)
    return Sent(name, form, outcome.status)


SERIES_BUTTONS = {
    "terms": Button(gambling_forms.SeriesTermsForm, commands.set_series_terms, "Saved."),
    "licence": Button(gambling_forms.LicenceForm, commands.add_licence, "The paper is recorded."),
    "licence_withdraw": Button(gambling_forms.WithdrawForm, commands.withdraw_licence, "Withdrawn.", "licence_id"),
}


def _held(request: HttpRequest, series: Series) -> frozenset[str]:
    held: frozenset[str] = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if not held & set(READERS):
        raise NotAllowed
    return held


@login_required
@never_cache
def series_gambling(request: HttpRequest, slug: str) -> HttpResponse:
    """Who operates the series and what for, its papers, and each of its events beside the limits."""
    series = get_object_or_404(Series, slug=slug)
    held, sent = _held(request, series), None
    if request.method == "POST":
        sent = _press(request, series, SERIES_BUTTONS, request.path)
        if not isinstance(sent, Sent):
            return sent
        series.refresh_from_db(fields=["seq"])
    forms_ = {sent.name: sent.form} if sent else {}
    own = GamblingTerms.objects.filter(series=series, event=None).first()
    terms = reads.series_terms(series)
    context = {
        "series": series,
        "may": held,
        "may_change": Permission.SET_UP in held,
        "terms": terms,
        "lines": reads.event_lines(series),
        "papers": reads.papers(series, local_date(timezone.now(), series.tz)),
        "terms_form": forms_.get("terms")
        or gambling_forms.SeriesTermsForm.of(terms, own.retention_years if own else None),
        "licence_form": forms_.get("licence") or gambling_forms.LicenceForm(),
        "online": reads.ONLINE,
        "series_total": reads.SERIES_TOTAL,
    }
    return render(request, "series/setup/gambling_series.html", context, status=sent.status if sent else 200)


@login_required
@never_cache
def gambling(request: HttpRequest, event_id: int) -> HttpResponse:
    """One event beside the limits, each problem explained; its operator, costs and prizes that are goods."""
    event = get_object_or_404(with_days(Event.objects.select_related("series")), pk=event_id)
    held, sent = _held(request, event.series), None
    whole = reads.series_terms(event.series)

    def terms_form(*args: Any, **kwargs: Any) -> forms.Form:
        return gambling_forms.EventTermsForm(*args, whole=whole, **kwargs)

    if request.method == "POST":
        buttons = {
            "terms": Button(terms_form, commands.set_event_terms, "Saved."),
            "cost": Button(gambling_forms.CostForm, commands.add_cost, "The cost is recorded."),
            "cost_withdraw": Button(gambling_forms.WithdrawForm, commands.withdraw_cost, "Withdrawn.", "cost_id"),
            "goods": Button(gambling_forms.GoodsForm, commands.add_goods, "The prize is added."),
            "goods_withdraw": Button(gambling_forms.WithdrawForm, commands.withdraw_goods, "Withdrawn.", "goods_id"),
        }
        sent = _press(request, event, buttons, request.path)
        if not isinstance(sent, Sent):
            return sent
        event.refresh_from_db(fields=["seq"])
    forms_ = {sent.name: sent.form} if sent else {}
    own = GamblingTerms.objects.filter(event=event).values(*gambling_forms.EventTermsForm.base_fields).first()
    context = {
        "series": event.series,
        "event": event,
        "may": held,
        "may_change": Permission.SET_UP in held,
        "view": reads.gambling_view(event, timezone.now()),
        "terms_form": forms_.get("terms") or terms_form(initial=own or {}),
        "cost_form": forms_.get("cost") or gambling_forms.CostForm(auto_id="cost_%s"),
        "goods_form": forms_.get("goods") or gambling_forms.GoodsForm(auto_id="goods_%s"),
        "online": reads.ONLINE,
        "series_total": reads.SERIES_TOTAL,
    }
    return render(request, "series/setup/gambling.html", context, status=sent.status if sent else 200)


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/gambling/", series_gambling, name="series_gambling"),
    path("staff/events/<int:event_id>/gambling/", gambling, name="gambling"),
]
