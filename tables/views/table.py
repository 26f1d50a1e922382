"""One table: its seats, what can be done with each, the button, breaking it."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.forms import see_other, whole_number
from series.domain.options import options_from
from series.models import Event
from tables.domain.button import DeadButton
from tables.domain.dealing import after_button
from tables.forms.floor import DodgeForm, MoveForm
from tables.reads.advice import breaking
from tables.reads.floor import open_chairs, seat_map, seat_words
from tables.reads.hall import HallTable, Sitter
from tables.reads.hand_for_hand import bust_hands
from tables.reads.hands import assistant, dead_money
from tables.reads.penalties import Away, away_at
from tables.reads.purchases import offers
from tables.views.actions import act
from tables.views.floor import Floor, with_done


@login_required
@never_cache
def table(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """A table of a day; `?seat=4` opens what can be done with a seat, `?set=button` asks for the button."""
    page = Floor(request, event_id)
    if request.method == "POST":
        return _pressed(request, page, number)
    context = _context(page, number, request.GET.get("seat", ""), None)
    if request.htmx.target == "table":  # type: ignore[attr-defined]
        return render(request, "tables/table.html#table", context)
    return render(request, "tables/table.html", context | page.just_done())


def _pressed(request: HttpRequest, page: Floor, number: int) -> HttpResponse:
    outcome = act(request, page.event, page.day)
    here = reverse("table", args=[page.event.pk, number]) + f"?day={page.day.pk}"
    if outcome.done:
        back = page.context["here"] if outcome.name == "break" else here
        return see_other(with_done(back, outcome.done))
    page = Floor(request, page.event.pk, outcome)
    typed = outcome.form if isinstance(outcome.form, MoveForm | DodgeForm) else None
    if typed is None:
        for said in outcome.said:
            messages.error(request, said)
    context = _context(page, number, request.POST.get("at", ""), typed)
    return render(request, "tables/table.html", context, status=outcome.status)


def _context(page: Floor, number: int, seat: str, typed: Form | None) -> dict[str, Any]:
    table = page.hall.table(number)
    if table is None:
        raise Http404
    asked = whole_number(seat)
    at = asked if asked and asked <= table.seats else None
    asks_button = page.request.GET.get("set") == "button" and Permission.REPORT_HANDS in page.may
    which = page.request.GET.get("hand") or ("last" if page.started else "coming")
    url = f"?day={page.day.pk}{f'&set=button&hand={which}' if asks_button else ''}&seat={{seat}}#seat"
    away = away_at(page.day)
    options = options_from(page.event.series.options)
    policy = DeadButton(options.dead_button)
    old = table.number in page.hall.old_buttons(page.now, options.old_button_minutes)
    dealing = assistant(page.hall, table, policy, old=old)
    dealer = reverse("dealer", args=[page.event.pk, number])
    context = page.context | {
        "table": table,
        "rows": [(chair, table.sitters.get(chair)) for chair in range(1, table.seats + 1)],
        "map": seat_map(table, url, away),
        "listing": _listing(table, away, seat_words(table, policy)),
        "asks_button": asks_button,
        "asks_coming": which == "coming",
        "assistant": dealing,
        "may_deal": dealing.may_deal
        and page.event.status == Event.Status.RUNNING
        and Permission.REPORT_HANDS in page.may,
        "dead_money": dead_money(page.day.pk, number),
        "level": page.face.level if page.face else None,
        "dealer_address": f"{settings.BASE_URL}{dealer}?day={page.day.pk}",
        "at": at,
        "keeper": next((who for who in table.in_seat_order if who.keeps), None),
        "breaking": breaking(page.hall, number),
    }
    if at is not None:
        context |= _seat(page, table, at, policy, typed)
        sitter = context["sitter"]
        context["gone"] = away.get(sitter.entry_id) if sitter else None
        context["offer"] = (
            offers(page.event, page.day, [sitter.entry_id], page.now).get(sitter.entry_id) if sitter else None
        )
        hands = bust_hands(page.day.pk, page.now) if sitter else None
        context |= {"bust_hands": hands, "out_in": hands.usual([number]) if hands else None}
    return context


def _listing(
    table: HallTable, away: Mapping[int, Away], open_: Mapping[int, str]
) -> list[tuple[int, Sitter | None, str, str]]:
    """Every chair: who sits there, what is left of their penalty, and what an open one means for a newcomer."""
    listing = []
    for chair in range(1, table.seats + 1):
        sitter = table.sitters.get(chair)
        gone = away.get(sitter.entry_id) if sitter else None
        listing.append((chair, sitter, gone.words if gone else "", open_.get(chair, "")))
    return listing


def _seat(page: Floor, table: HallTable, at: int, policy: DeadButton, typed: Form | None) -> dict[str, Any]:
    """What the panel of one seat shows."""
    sitter = table.sitters.get(at)
    may_find = sitter and sitter.moved_lately and page.face and Permission.RULE in page.may
    move_form = typed if isinstance(typed, MoveForm) else None
    dodge_form = typed if isinstance(typed, DodgeForm) else None
    return {
        "sitter": sitter,
        "arrival": next((a for a in page.hall.arrivals if sitter and a.move_id == sitter.arriving), None),
        "positions": after_button(table.seats, table.sitters, at),
        "chairs": open_chairs(page.hall, table.number, policy) if sitter else [],
        "move_form": move_form or MoveForm(initial={"entry_id": sitter.entry_id if sitter else None}),
        "dodge_form": (dodge_form or DodgeForm(initial={"move_id": sitter.last_move})) if sitter and may_find else None,
    }


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/tables/<int:number>/", table, name="table"),
]
