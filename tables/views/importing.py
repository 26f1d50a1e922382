"""Players from a file: read, looked at row by row, and only then registered, by the same commands as at the desk."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.errors import NotAllowed, Refused
from series.commands.people import register
from series.commands.players import list_player
from series.models import Day, Event
from series.reads.importing import Line, preview
from series.reads.places import open_flights
from tables.forms.importing import ANOTHER, SKIP, ConfirmForm, FileForm
from tables.views.players import Here


@dataclass(frozen=True)
class Outcome:
    """What became of one row: `done`, `there` already, `skipped`, or `refused` with the reason."""

    line: Line
    fate: str
    reason: str = ""


def _days(here: Here) -> list[Day]:
    """The days of the series that one can enter now."""
    events = here.series.events.filter(status__in=[Event.Status.OPEN, Event.Status.RUNNING])
    days = Day.objects.filter(event__in=events).select_related("event__series").order_by("starts_at", "pk")
    now = timezone.now()
    return [day for day in days if open_flights(day.event, [day], now)]


@never_cache
@login_required
def players_import(request: HttpRequest, slug: str) -> HttpResponse:
    """The file is sent (`do=read`), looked at, and its people are registered (`do=keep`)."""
    here = Here(request, slug)
    if Permission.REGISTER not in here.may:
        raise NotAllowed
    days = _days(here)
    if request.method == "POST" and request.POST.get("do") == "keep":
        confirm = ConfirmForm(request.POST, days=days, today=here.today)
        if not confirm.is_valid():
            file_form = FileForm(days=days, today=here.today)
            return here.show("tables/players/import.html", 422, form=file_form, damaged=confirm)
        return here.show("tables/players/imported.html", **_carry_out(here, confirm))
    form = FileForm(request.POST or None, request.FILES or None, days=days, today=here.today)
    if request.method != "POST" or not form.is_valid():
        return here.show("tables/players/import.html", 422 if request.method == "POST" else 200, form=form)
    rows, day = form.cleaned_data["file"], form.day
    lines = preview(here.series, day.event if day else None, rows, timezone.now())
    confirm = ConfirmForm.of(rows, form.cleaned_data["where"], days, here.today)
    context: dict[str, Any] = {"lines": lines, "day": day, "form": confirm, "counts": _counts(lines)}
    return here.show("tables/players/import_preview.html", **context)


def _counts(lines: list[Line]) -> dict[str, int]:
    return {fate: sum(line.fate == fate for line in lines) for fate in ("new", "known", "ask", "there", "refused")}


def _carry_out(here: Here, form: ConfirmForm) -> dict[str, Any]:
    day = form.day
    lines = preview(here.series, day.event if day else None, form.cleaned_data["people"], timezone.now())
    outcomes = [_one(here, form, day, line) for line in lines]
    counts = {fate: sum(one.fate == fate for one in outcomes) for fate in ("done", "there", "skipped", "refused")}
    return {"outcomes": outcomes, "counts": counts, "day": day}


def _one(here: Here, form: ConfirmForm, day: Day | None, line: Line) -> Outcome:
    row = line.row
    who: int | str = line.same.player_id if line.same else ANOTHER
    if line.fate == "ask":
        who = form.chosen(line)
    if who == SKIP:
        return Outcome(line, "skipped")
    given: dict[str, Any] = {"name": row.name, "birth_date": row.birth_date, "email": row.email, "phone": row.phone}
    if isinstance(who, int):
        given["player_id"] = who
    common: dict[str, Any] = {"actor": here.request.user, "command_id": form.command_id(row)}
    if line.fate == "there":
        return Outcome(line, "there")
    if line.fate == "refused":
        return Outcome(line, "refused", line.problem)
    try:
        if day is None:
            list_player(**common, on=here.series.pk, **given)
        else:
            register(**common, on=day.event_id, day_id=day.pk, **given)
    except NotAllowed:
        raise
    except Refused as refused:
        return Outcome(line, "there" if refused.code == "already_registered" else "refused", refused.message)
    return Outcome(line, "done")


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/players/import/", players_import, name="players_import"),
]
