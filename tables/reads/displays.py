"""Messages of the floor, and the screens of an event."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Q

from series.models import Event
from tables.models import Display, HallMessage
from tables.reads.action_clock import milliseconds

DISPLAYS, PHONES = HallMessage.Audience.DISPLAYS, HallMessage.Audience.PHONES


@dataclass(frozen=True)
class Said:
    """A message that is up. `gone_at` in milliseconds since 1970: the browser hides it then by itself."""

    message_id: int
    text: str
    audience: str
    said_at: dt.datetime
    until: dt.datetime | None
    gone_at: int | None


def messages_up(event: Event, now: dt.datetime, audience: str | None = None) -> list[Said]:
    """What is said at this instant to screens or to phones (None: to either), the latest first. One query."""
    up = HallMessage.objects.filter(Q(until=None) | Q(until__gt=now), event=event, taken_down=False)
    if audience:
        up = up.filter(audience__in=[audience, HallMessage.Audience.BOTH])
    return [
        Said(
            message_id=row.pk,
            text=row.text,
            audience=row.get_audience_display(),
            said_at=row.said_at,
            until=row.until,
            gone_at=milliseconds(row.until) if row.until else None,
        )
        for row in up.order_by("-said_at", "-pk")
    ]


def display_of(code: str) -> Display | None:
    """The paired screen that shows this code. One query."""
    return Display.objects.filter(code=code, paired=True).select_related("event__series", "day").first()


def displays_of(event: Event) -> list[Display]:
    """The screens paired with an event, by name. One query."""
    return list(Display.objects.filter(event=event, paired=True).order_by("name", "pk"))
