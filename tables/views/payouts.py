"""Paying prizes: the prize table, who has been paid, and the button that pays."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone

from accounts.permissions import Permission
from journal.commands import Done
from journal.forms import see_other, submit
from series.models import Day
from series.reads.places import open_flights
from tables.commands.payouts import pay_out
from tables.forms.floor import PayForm
from tables.reads.results import payout_table
from tables.views.staff import staff_context, staff_event


@login_required
def payouts(request: HttpRequest, event_id: int) -> HttpResponse:
    """The prizes of an event to the cent; each is paid with one button that names its amount."""
    event, held = staff_event(request, event_id, Permission.SEE_MONEY, Permission.PAY_OUT)
    form, status, paid = PayForm(), 200, None
    if request.method == "POST":
        form, status = PayForm(request.POST), 422
        if form.is_valid():
            outcome = submit(request, form, pay_out, on=event.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                paid, status = outcome, 200
            else:
                status = outcome.status
    if paid and not request.htmx:  # type: ignore[attr-defined]
        messages.success(request, "The prize is paid.")
        return see_other("payouts", event.pk)
    event.refresh_from_db(fields=["seq"])
    context = staff_context(event, held) | {
        "table": payout_table(event),
        "still_open": bool(open_flights(event, Day.objects.filter(event=event), timezone.now())),
        "may_pay": Permission.PAY_OUT in held,
        "directs": Permission.DIRECT in held,
        "form": form,
        "paid": paid,
    }
    template = "tables/payouts.html#table" if request.htmx else "tables/payouts.html"  # type: ignore[attr-defined]
    return render(request, template, context, status=status)


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/payouts/", payouts, name="payouts")]
