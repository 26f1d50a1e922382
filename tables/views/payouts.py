"""Prizes from their locking to the signature: the table they are paid from, the sheet that is signed, the file."""

from collections.abc import Callable

import defusedcsv.csv as csv
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import see_other, submit
from series.commands.people import register
from series.domain.money import format_money
from series.models import Day, Event, SeatWon
from series.reads.places import open_flights
from tables.commands.payouts import hold_prize, pay_out, release_prize, sign_payout
from tables.commands.prizes import lock_prizes
from tables.commands.satellites import award_seat, cash_seat
from tables.forms.payouts import CashSeatForm, EntryForm, HoldForm, LockForm, PayForm
from tables.reads.payouts import payout_table
from tables.views.staff import staff_context, staff_event

# by the button pressed: its form, its command, and what is said when it is done
ACTIONS: dict[str, tuple[type[forms.Form], Callable[..., Done], str]] = {
    "pay": (PayForm, pay_out, "The prize is paid."),
    "seat": (EntryForm, award_seat, "The seat is handed over."),
    "cash_seat": (CashSeatForm, cash_seat, "The seat is paid in cash."),
    "sign": (EntryForm, sign_payout, "Signed for."),
    "hold": (HoldForm, hold_prize, "The prize is held for the director."),
    "release": (EntryForm, release_prize, "The prize is released."),
    "lock": (LockForm, lock_prizes, "The prizes are locked: everybody can see them."),
}


@login_required
def payouts(request: HttpRequest, event_id: int) -> HttpResponse:
    """The prizes of an event to the cent; each is paid with one button that names its amount."""
    event, held = staff_event(request, event_id, Permission.SEE_MONEY, Permission.PAY_OUT)
    words = request.GET.get("q", "")[:80]
    form, status, said = forms.Form(), 200, ""
    if request.method == "POST":
        make, command, done = ACTIONS.get(request.POST.get("do", "pay"), ACTIONS["pay"])
        form, status = make(request.POST), 422
        if form.is_valid():
            outcome = submit(request, form, command, on=event.pk, **form.cleaned_data)
            if isinstance(outcome, Done):
                said, status = done, 200
                if "target" in outcome.result:
                    said += " " + _hold_place(request, outcome.result["target"], outcome.result["player"])
            else:
                status = outcome.status
    if said and not request.htmx:  # type: ignore[attr-defined]
        messages.success(request, said)
        back = reverse("payouts", args=[event.pk]) + (f"?{urlencode({'q': words})}" if words else "")
        return see_other(back)
    event.refresh_from_db(fields=["seq", "status"])
    table = payout_table(event)
    context = staff_context(event, held) | {
        "table": table,
        "lines": table.named(words),
        "words": words,
        "still_open": bool(open_flights(event, Day.objects.filter(event=event), timezone.now())),
        "may_pay": Permission.PAY_OUT in held,
        "directs": Permission.DIRECT in held,
        "may_deal": bool({Permission.DIRECT, Permission.RUN_FLOOR} & held),
        "methods": PayForm.base_fields["method"].choices,  # type: ignore[attr-defined]
        "unused": SeatWon.objects.filter(entry__event=event, status=SeatWon.Status.WON).select_related("entry__player"),
        "seat_cents": event.rules.seat_cents,
        "form": form,
        "said": said,
    }
    template = "tables/payouts.html#table" if request.htmx else "tables/payouts.html"  # type: ignore[attr-defined]
    return render(request, template, context, status=status)


def _hold_place(request: HttpRequest, target_id: int, player_id: int) -> str:
    """A place in the target for who won a seat there; in words what came of it."""
    target = Event.objects.select_related("series").get(pk=target_id)
    flights = open_flights(target, Day.objects.filter(event=target), timezone.now())
    try:
        register(
            actor=request.user,
            on=target.pk,
            player_id=player_id,
            day_id=flights[0].pk if flights else None,
        )
    except NotAllowed:
        return f"Register the player for {target} at its desk."
    except Refused as refusal:
        return f"{target}: {refusal.message}"
    return f"A place in {target} is held, paid with the seat."


@login_required
def payout_sheet(request: HttpRequest, event_id: int) -> HttpResponse:
    """All prizes on paper, with a line to sign for each."""
    event, held = staff_event(request, event_id, Permission.SEE_MONEY, Permission.PAY_OUT)
    context = staff_context(event, held) | {"table": payout_table(event), "now": timezone.now()}
    return render(request, "tables/payout_sheet.html", context)


@login_required
def payouts_csv(request: HttpRequest, event_id: int) -> HttpResponse:
    """The same list as a file. Amounts are plain numbers, so that a spreadsheet adds them up."""
    event, _ = staff_event(request, event_id, Permission.SEE_MONEY, Permission.PAY_OUT)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="payouts-{event.series.slug}-{event.number}.csv"'
    response.write("\ufeff")
    out = csv.writer(response)
    out.writerow(["Place", "Player", "Prize", "State", "Paid", "Method", "At", "Paid by", "Paid to", "Signed"])
    for line in payout_table(event).lines:
        place = str(line.best) if line.best == line.worst else f"{line.best} to {line.worst}"
        name = line.placed.name if line.placed else line.name
        state = "paid" if line.payout else "held" if line.held else "not paid" if line.placed else "still playing"
        row = [place, name, _plain(line.cents), state]
        if payout := line.payout:
            at = timezone.localtime(payout.at, event.series.tz)
            row += [_plain(payout.amount_cents), payout.get_method_display(), f"{at:%Y-%m-%d %H:%M}"]
            row += [str(payout.paid_by or ""), payout.paid_to or name, "yes" if payout.signed else "no"]
        out.writerow(row)
    return response


def _plain(cents: int) -> str:
    return format_money(cents, always_cents=True, symbol="").replace(",", "")


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/payouts/", payouts, name="payouts"),
    path("staff/events/<int:event_id>/payouts/sheet/", payout_sheet, name="payout_sheet"),
    path("staff/events/<int:event_id>/payouts.csv", payouts_csv, name="payouts_csv"),
]
