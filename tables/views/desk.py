"""The desk: find or add a player, sight ID, take the buy-in, hand over the seat card."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.forms import whole_number
from series.domain.eligibility import BirthDateError, age_on, local_date, parse_birth_date
from series.models import Entry
from series.reads.receipts import receipt
from tables.reads import desk as reads
from tables.views.desk_page import LONGEST_SEARCH, Desk
from tables.views.player import my_address
from tables.views.staff import staff_context

PAPERS = (Permission.REGISTER, Permission.TAKE_MONEY, Permission.RUN_FLOOR, Permission.SEE_MONEY)
HANDS_OUT = frozenset({Permission.REGISTER, Permission.TAKE_MONEY, Permission.RUN_FLOOR})  # the way to a player’s page


@never_cache
@login_required
def desk(request: HttpRequest, event_id: int) -> HttpResponse:
    """One search field, what it found, and the card of one player or the form for a new one."""
    here = Desk(request, event_id)
    asked = whole_number(request.GET.get("player", ""))
    if asked:
        return here.show_player(here.candidate(asked))
    if "new" in request.GET and Permission.REGISTER in here.may and here.flights():
        return here.show(new_form=here.new_form(initial={"name": here.words}), full=here.is_full())
    if here.words and not request.htmx:  # type: ignore[attr-defined]  # Enter, or a scanner, without a choice
        found = here.found()
        if len(found.hits) == 1 and not found.elsewhere:
            return here.show_player(here.player(found.hits[0].player_id), found=found)
        if (
            not found.hits
            and not found.by_link
            and not found.elsewhere
            and Permission.REGISTER in here.may
            and here.flights()
        ):
            new_form = here.new_form(initial={"name": here.words})
            return here.show(found=found, new_form=new_form, full=here.is_full())
        return here.show(found=found)
    return here.show()


@never_cache
@login_required
def seat_card(request: HttpRequest, event_id: int, entry_id: int) -> HttpResponse:
    """The seat card and the receipt of one entry, to print."""
    here = Desk(request, event_id, *PAPERS)
    entries = Entry.objects.exclude(status=Entry.Status.VOID).select_related("player", "day")
    papers = reads.seat_card(here.event, get_object_or_404(entries, pk=entry_id, event=here.event))
    context = staff_context(here.event, here.may) | {
        "papers": papers,
        "my_address": my_address(papers.player.token) if here.may & HANDS_OUT else "",
        "with_receipt": here.sees_receipts,
        "receipt": receipt(here.event, papers.bought.receipt) if here.sees_receipts and papers.bought.receipt else None,
        "back": here.address(player=papers.player.pk),
    }
    return render(request, "tables/seat_card.html", context)


@never_cache
@login_required
def desk_born(request: HttpRequest, event_id: int) -> HttpResponse:
    """A birth date as it is understood while it is typed: the day in words and the age on the day of the event."""
    here = Desk(request, event_id, Permission.REGISTER)
    typed = request.GET.get("birth_date", "")[:LONGEST_SEARCH].strip()
    try:
        born, wrong = (parse_birth_date(typed, here.today) if typed else None), ""
    except BirthDateError as error:
        born, wrong = None, str(error)
    age = age_on(born, local_date(here.event.starts_at, here.event.series.tz)) if born else None
    return render(request, "tables/desk_born.html", {"event": here.event, "born": born, "age": age, "wrong": wrong})


_EVENT = "staff/events/<int:event_id>/"
urlpatterns: list[URLPattern] = [
    path(_EVENT + "desk/", desk, name="desk"),
    path(_EVENT + "desk/born/", desk_born, name="desk_born"),
    path(_EVENT + "entries/<int:entry_id>/seat-card/", seat_card, name="seat_card"),
]
