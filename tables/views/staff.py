"""What the staff pages of a running event share."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from accounts.permissions import Permission
from journal.errors import NotAllowed
from series.models import Event, Series
from series.reads.pages import with_days


def staff_event(request: HttpRequest, event_id: int, *permissions: Permission) -> tuple[Event, frozenset[str]]:
    """The event with its series, and what the visitor may do there. Two queries.

    Raises:
        Http404: there is no such event.
        NotAllowed: the visitor has none of the permissions.
    """
    event = get_object_or_404(with_days(Event.objects.select_related("series")), pk=event_id)
    held: frozenset[str] = request.user.permissions_in(event.series_id)  # type: ignore[union-attr]
    if not held & set(permissions):
        raise NotAllowed
    return event, held


def staff_series(request: HttpRequest, slug: str, *permissions: Permission) -> tuple[Series, frozenset[str]]:
    """The series, and what the visitor may do there. Two queries.

    Raises:
        Http404: there is no such series.
        NotAllowed: the visitor has none of the permissions.
    """
    series = get_object_or_404(Series, slug=slug)
    held: frozenset[str] = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if not held & set(permissions):
        raise NotAllowed
    return series, held


def staff_context(event: Event, held: frozenset[str]) -> dict[str, Any]:
    """What every staff page of an event shows in its bar."""
    return {"event": event, "series": event.series, "may": held}
