"""Tills: opening one's own, what is in it, cash to and from the safe, counting and closing."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed
from journal.forms import see_other, submit, whole_number
from series.commands.tills import close_till, drop_cash, open_till, top_up
from series.domain.options import options_from
from series.models import Event, Series, Till
from series.reads.tills import my_open_till, till_sheet, tills
from tables.forms.money import CashForm, CountForm
from tables.views.staff import staff_series

SEE = (Permission.TAKE_MONEY, Permission.SEE_MONEY)


def _way_back(request: HttpRequest, series: Series) -> Event | None:
    """The event whose desk the visitor came from (`?event=`)."""
    return series.events.filter(pk=whole_number(request.GET.get("event", "")) or 0).first()


def _address(series: Series, till: Till | None = None, event: Event | None = None) -> str:
    page = reverse("till", args=[series.slug, till.number]) if till else reverse("tills", args=[series.slug])
    return page + (f"?{urlencode({'event': event.pk})}" if event else "")


@never_cache
@login_required
def tills_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own till, or the form that opens it; and everybody's for those who may see the money."""
    series, held = staff_series(request, slug, *SEE)
    event, status = _way_back(request, series), 200
    form = CountForm(currency=series.currency)
    if request.method == "POST":
        form, status = CountForm(request.POST, currency=series.currency), 422
        if form.is_valid():
            outcome = submit(request, form, open_till, on=series.pk, **form.given)
            if isinstance(outcome, Done):
                messages.success(request, "Your till is open: what you take now goes into it.")
                return see_other("desk", event.pk) if event else see_other(_address(series))
            status = outcome.status
    sees_all = Permission.SEE_MONEY in held
    context = {
        "series": series,
        "may": held,
        "event": event,
        "mine": my_open_till(series.pk, request.user.pk),
        "may_open": Permission.TAKE_MONEY in held,
        "tills": tills(series, holder_id=None if sees_all else request.user.pk),
        "sees_all": sees_all,
        "required": options_from(series.options).till_required,
        "form": form,
    }
    return render(request, "tables/money/tills.html", context, status=status)


@never_cache
@login_required
def till_page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One till: what went through it, and while it is open cash to and from the safe and its count."""
    series, held = staff_series(request, slug, *SEE)
    till = get_object_or_404(series.tills.select_related("holder", "closed_by"), number=number)
    own = till.holder_id == request.user.pk
    if not own and Permission.SEE_MONEY not in held:
        raise NotAllowed("This is somebody else’s till.")
    event, status = _way_back(request, series), 200
    shown: dict[str, forms.Form] = {
        "drop": CashForm(prefix="drop"),
        "top_up": CashForm(prefix="top_up"),
        "close": CountForm(currency=series.currency, closing=True),
    }
    if request.method == "POST" and request.POST.get("do", "") in shown:
        do = request.POST["do"]
        form, status = _filled(request, do, series), 422
        if form.is_valid():
            command, given, said = _asked(do, form)
            outcome = submit(request, form, command, on=series.pk, till_id=till.pk, **given)
            if isinstance(outcome, Done):
                messages.success(request, said)
                return see_other(_address(series, till, event))
            status = outcome.status
            till.refresh_from_db()
        shown[do] = form
    context = {
        "series": series,
        "may": held,
        "event": event,
        "sheet": till_sheet(till),
        "own": own,
        "handles": Permission.TAKE_MONEY in held and (own or Permission.DIRECT in held),
        "version": series.seq,
    }
    return render(request, "tables/money/till.html", context | shown, status=status)


def _filled(request: HttpRequest, do: str, series: Series) -> CountForm | CashForm:
    if do == "close":
        return CountForm(request.POST, currency=series.currency, closing=True)
    return CashForm(request.POST, prefix=do)


def _asked(do: str, form: CountForm | CashForm) -> tuple[Callable[..., Done], dict[str, Any], str]:
    """The command of a button, what it is given, and what is said once it is done."""
    if isinstance(form, CountForm):
        return close_till, form.given, "The till is counted and closed."
    if do == "drop":
        return drop_cash, form.cleaned_data, "In the safe."
    return top_up, form.cleaned_data, "In the till."


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/tills/", tills_page, name="tills"),
    path("staff/series/<slug:slug>/tills/<int:number>/", till_page, name="till"),
]
