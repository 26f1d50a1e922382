"""The journal of an event or a series, and undo from wherever an entry is shown."""

from itertools import groupby
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.apps import apps
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from journal.commands import VERBS
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other, whole_number
from journal.models import JournalEntry, Stream
from journal.reads import Said, describe, latest
from journal.undo import undo as undo_entry

PAGE = 50
SEE_JOURNAL = "see_journal"  # accounts.permissions stands above the journal


def _original_verbs(stream: str, said: list[Said]) -> dict[int, str]:
    """For each entry the verb whose permission its undo needs: its own, or that of what it undid or redid."""
    undoes = {
        pk: (undone, verb)
        for pk, undone, verb in JournalEntry.objects.filter(stream=stream, undoes__isnull=False).values_list(
            "pk", "undoes_id", "undoes__verb"
        )
    }
    verbs = {}
    for entry in said:
        at, verb = entry.id, entry.verb
        while at in undoes:
            at, verb = undoes[at]
        verbs[entry.id] = verb
    return verbs


def _journal(request: HttpRequest, subject: Stream, series: Any, event: Any = None) -> HttpResponse:
    if not request.user.may(SEE_JOURNAL, subject):  # type: ignore[union-attr]
        raise NotAllowed
    before = whole_number(request.GET.get("before", ""))
    entries = latest(subject.stream_key, PAGE + 1, before=before)
    held = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    verbs = _original_verbs(subject.stream_key, entries)
    shown = entries[:PAGE]
    rows = [
        (entry, entry.undoable and verbs[entry.id] in VERBS and VERBS[verbs[entry.id]].undo_permission in held)
        for entry in shown
    ]
    zone = ZoneInfo(series.zone)
    days = [(date, list(of_date)) for date, of_date in groupby(rows, lambda row: timezone.localdate(row[0].at, zone))]
    context = {
        "series": series,
        "event": event,
        "subject": subject,
        "may": held,
        "days": days,
        "before": shown[-1].seq if len(entries) > PAGE else None,
        "newest": not before,
    }
    return render(request, "journal/journal.html", context)


@login_required
def event_journal(request: HttpRequest, event_id: int) -> HttpResponse:
    """Every entry of an event, newest first, `PAGE` at a time."""
    event = get_object_or_404(apps.get_model("series", "Event").objects.select_related("series"), pk=event_id)
    return _journal(request, event, event.series, event)


@login_required
def series_journal(request: HttpRequest, slug: str) -> HttpResponse:
    """What stands above the events: the series itself, its staff and its rulebook."""
    series = get_object_or_404(apps.get_model("series", "Series"), slug=slug)
    return _journal(request, series, series)


@login_required
@require_POST
def undo(request: HttpRequest, entry_id: int) -> HttpResponse:
    """Take one entry back and return to where the button was, with a message that says what happened."""
    entry = JournalEntry.objects.filter(pk=entry_id).first()
    if entry is None:
        raise Http404
    given = posted(request)
    try:
        done = undo_entry(
            actor=given["actor"],
            entry_id=entry.pk,
            command_id=given["command_id"],
            reason=request.POST.get("reason", ""),
        )
    except NotAllowed:
        raise
    except Refused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, describe([JournalEntry.objects.get(stream=entry.stream, seq=done.seq or 0)])[0].text)
    back = _way_back(request, entry)
    return HttpResponseClientRedirect(back) if request.htmx else see_other(back)  # type: ignore[attr-defined]


def _way_back(request: HttpRequest, entry: JournalEntry) -> str:
    """The page the button was on (`next`, else the referrer), else the event's journal."""
    for address in (request.POST.get("next", ""), request.headers.get("Referer", "")):
        if address and url_has_allowed_host_and_scheme(
            address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        ):
            parts = urlsplit(address)
            if parts.path.startswith("/"):
                return parts.path + (f"?{parts.query}" if parts.query else "")
    kind, pk = entry.stream.split(":")
    return reverse("event_journal", args=[pk]) if kind == "event" else reverse("staff_home")
