"""The statement of an event: as it stands, as it was frozen, and both on paper and in files."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other
from series.models import Event, EventStatement
from tables.commands.statement import freeze_statement
from tables.domain.statement import Document
from tables.reads.statement import document_of, frozen, statement
from tables.statement_files import state_of, to_csv, to_pdf
from tables.views.staff import staff_context, staff_event

OVER = (Event.Status.FINISHED, Event.Status.CANCELLED)


def _asked(request: HttpRequest, event_id: int, number: int) -> tuple[Event, frozenset[str], EventStatement | None]:
    """The event and its frozen statement of this number; 0 is the one that is not frozen.

    Raises:
        Http404: there is no such statement.
        NotAllowed: the visitor does not see the money.
    """
    event, held = staff_event(request, event_id, Permission.SEE_MONEY)
    if not number:
        return event, held, None
    row = EventStatement.objects.filter(event=event, number=number).first()
    if row is None:
        raise Http404
    return event, held, row


def _document(event: Event, row: EventStatement | None) -> Document:
    return document_of(row) if row else statement(event, timezone.now())


@login_required
@never_cache
def event_statement(request: HttpRequest, event_id: int, number: int = 0) -> HttpResponse:
    """The statement as it stands, with the button that freezes it; or the one that was frozen under a number."""
    event, held, row = _asked(request, event_id, number)
    if request.method == "POST" and row is None:
        return _freeze(request, event)
    document = _document(event, row)
    kept = frozen(event)
    context: dict[str, Any] = staff_context(event, held) | {
        "document": document,
        "sections": [
            (section, [list(zip(line, section.columns, strict=True)) for line in section.rows])
            for section in document.sections
        ],
        "state": state_of(document),
        "row": row,
        "intact": row is None or document.fingerprint == row.fingerprint,
        "frozen": kept,
        "unchanged": bool(row is None and kept and document_of(kept[0]).says_the_same(document)),
        "over": event.status in OVER,
        "may_freeze": Permission.SET_UP in held,
    }
    return render(request, "tables/statement.html", context)


def _freeze(request: HttpRequest, event: Event) -> HttpResponse:
    try:
        done = freeze_statement(**posted(request), on=event.pk)
    except NotAllowed:
        raise
    except Refused as refusal:
        messages.error(request, refusal.message)
        return see_other("event_statement", event.pk)
    messages.success(request, f"Statement {done.result['number']} is frozen.")
    return see_other("statement_frozen", event.pk, done.result["number"])


def _name(event: Event, number: int, ending: str) -> str:
    return f'attachment; filename="statement-{event.series.slug}-{event.number}-{number or "draft"}.{ending}"'


@login_required
@never_cache
def statement_pdf(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """A statement as a file to print; 0 is the one that is not frozen."""
    event, _, row = _asked(request, event_id, number)
    made_at = row.at if row else timezone.now()
    response = HttpResponse(to_pdf(_document(event, row), made_at), content_type="application/pdf")
    response["Content-Disposition"] = _name(event, number, "pdf")
    return response


@login_required
@never_cache
def statement_csv(request: HttpRequest, event_id: int, number: int) -> HttpResponse:
    """A statement for a spreadsheet; 0 is the one that is not frozen."""
    event, _, row = _asked(request, event_id, number)
    response = HttpResponse(to_csv(_document(event, row)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _name(event, number, "csv")
    return response


_EVENT = "staff/events/<int:event_id>/statement"
urlpatterns: list[URLPattern] = [
    path(f"{_EVENT}/", event_statement, name="event_statement"),
    path(f"{_EVENT}/<int:number>/", event_statement, name="statement_frozen"),
    path(f"{_EVENT}-<int:number>.pdf", statement_pdf, name="statement_pdf"),
    path(f"{_EVENT}-<int:number>.csv", statement_csv, name="statement_csv"),
]
