"""The chips of a day: what is in play, counting tables, forfeits, differences, the chip race."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Refused
from journal.forms import see_other, submit, whole_number
from series.domain.chips import ChipRace, chip_race
from tables.commands import chips
from tables.forms.chips import CorrectForm, CountForm, ForfeitForm, RaceForm
from tables.reads.chips import chip_alarms, hall_chips, issued, ledger_lines
from tables.reads.clock import chips_in_play, clock_views
from tables.reads.hall import HallTable, Sitter, hall_of
from tables.views.actions import Action, Context, Outcome, on_day
from tables.views.staff_page import StaffPage, answer

READERS = (Permission.SEE_FLOOR, Permission.RUN_FLOOR, Permission.RULE, Permission.SEE_JOURNAL)


def _forfeit(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    table, seat = sent.pop("place")
    found = hall_of(at.day, timezone.now()).table(table)
    sitter = found.sitters.get(seat) if found else None
    if sitter is None:
        raise Refused(f"Nobody sits at table {table}, seat {seat}.", field="place")
    return {"entry_id": sitter.entry_id, **sent}


def _correction(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    sign = 1 if sent.pop("more") == "more" else -1
    return on_day(at, sent | {"chips": sign * sent["chips"]})


class ChipsPage(StaffPage):
    """The page of the chips of a day."""

    template = "tables/chips.html"
    address = "chips"
    actions = {  # noqa: RUF012
        "count": Action(CountForm, chips.count_chips, on_day),
        "forfeit": Action(ForfeitForm, chips.forfeit_chips, _forfeit),
        "correct": Action(CorrectForm, chips.correct_chips, _correction),
    }
    shown = frozenset({"count", "forfeit", "correct"})

    def context(self) -> dict[str, Any]:
        clock = getattr(self.day, "clock", None)
        sees_lines = bool(self.may & {Permission.RULE, Permission.SEE_JOURNAL})
        hall = hall_chips(self.day, clock.position if clock else 0)
        initial = {"place": self.request.GET.get("place", "")}
        return {
            "hall": hall,
            "refused": self._refused_count({line.number for line in hall.tables}),
            "alarms": chip_alarms(self.day),
            "issued": issued(self.day),
            "sees_lines": sees_lines,
            "lines": ledger_lines(self.day) if sees_lines else [],
            "forfeit_form": self.form("forfeit") or ForfeitForm(initial=initial),
            "correct_form": self.form("correct") or CorrectForm(),
        }

    def _refused_count(self, tables: set[int]) -> dict[str, Any]:
        """A count that was refused: what was typed, what is wrong with it, and its table if that is on the page."""
        if self.outcome is None or self.form("count") is None:
            return {}
        sent = self.request.POST
        number = whole_number(sent.get("table", ""))
        table = number if number in tables else None
        return {"table": table, "chips": sent.get("chips", ""), "error": " ".join(self.outcome.said)}

    def after(self, outcome: Outcome) -> str:
        """Who has no chips left is shown at their seat, where they are called out."""
        result = outcome.done.result if outcome.done else {}
        if result.get("empties"):
            place = next((s for s in self.hall.sitters if s.entry_id == result["entry"]), None)
            if place:
                messages.warning(self.request, f"{place.name} has no chips left: out of the event.")
                address = reverse("table", args=[self.event.pk, place.table])
                return f"{address}?day={self.day.pk}&seat={place.seat}"
        return self.here


@login_required
@never_cache
def chips_page(request: HttpRequest, event_id: int) -> HttpResponse:
    """What is in play, and the counts of the tables."""
    return answer(ChipsPage(request, event_id, *READERS))


@dataclass(frozen=True)
class RaceLine:
    """What the race means for one player: new chips for full sets, and a card for each old chip left over."""

    sitter: Sitter
    new_chips: int
    cards: int
    at_risk: bool


def _lines(table: HallTable, race: ChipRace) -> list[RaceLine]:
    lines = [
        RaceLine(sitter, race.exchanged.get(seat, 0), race.left_over.get(seat, 0), seat in race.at_risk)
        for seat, sitter in sorted(table.sitters.items())
    ]
    return [line for line in lines if line.new_chips or line.cards]


class RacePage(StaffPage):
    """The chip race of one table."""

    template = "tables/chip_race.html"
    address = "chip_race"
    shows: dict[str, Any]

    def context(self) -> dict[str, Any]:
        return self.shows

    @property
    def table(self) -> HallTable | None:
        asked = self.request.GET.get("table", "")
        return self.hall.table(int(asked)) if asked.isdecimal() and len(asked) < 5 else None


def _next_race(page: RacePage) -> dict[str, int]:
    """The smallest chip still in play, and the one that it is changed up to."""
    view = clock_views([page.day], timezone.now()).get(page.day.pk)
    chips = chips_in_play(page.event, view, view.position) if view else page.event.chips
    left = chips if len(chips) > 1 else page.event.chips
    return {"old": left[0], "new": left[1] if len(left) > 1 else left[0]}


@login_required
@never_cache
def chip_race_page(request: HttpRequest, event_id: int) -> HttpResponse:
    """What a colour-up comes to at `?table=`: worked out by GET, written into the ledger by POST."""
    page = RacePage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR)
    table = page.table
    if request.GET.get("table") and table is None:
        raise Http404
    context: dict[str, Any] = {"tables": page.hall.tables, "table": table}
    status = 200
    if table is not None:
        values = list(page.event.chips)
        first = _next_race(page)
        sent = request.POST if request.method == "POST" else request.GET if "old" in request.GET else None
        form = RaceForm(sent, chips=values, sitters=table.in_seat_order, initial=first)
        race = None
        if sent is not None and form.is_valid():
            race = _worked_out(form)
        if request.method == "POST":
            if race is not None:
                outcome = _save(request, page, table, form)
                if isinstance(outcome, Done):
                    change = outcome.result["change"]
                    messages.success(request, f"Saved: chips in play {change:+,}.")
                    return see_other(reverse("chips", args=[page.event.pk]) + f"?day={page.day.pk}")
                status = outcome.status
            else:
                status = 422
        context |= {"form": form, "race": race, "lines": _lines(table, race) if race else []}
    page.shows = context
    return render(request, page.template, page.whole(), status=status)


def _worked_out(form: RaceForm) -> ChipRace | None:
    given = form.cleaned_data
    try:
        return chip_race(given["old"], given["new"], form.holdings, only_chips=form.only_chips)
    except ValueError as error:
        form.add_error("new", str(error))
        return None


def _save(request: HttpRequest, page: RacePage, table: HallTable, form: RaceForm) -> Done | Refused:
    given = form.cleaned_data
    return submit(
        request,
        form,
        chips.colour_up,
        on=page.event.pk,
        table=table.number,
        old=given["old"],
        new=given["new"],
        holdings=form.holdings,
        only_chips=form.only_chips,
        additional=given["additional"],
        day_id=page.day.pk,
    )


urlpatterns: list[URLPattern] = [
    path("staff/events/<int:event_id>/chips/", chips_page, name="chips"),
    path("staff/events/<int:event_id>/chips/race/", chip_race_page, name="chip_race"),
]
