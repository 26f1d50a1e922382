"""Going to the pages of the floor and pressing their buttons."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import User
from series.models import Day, Entry, Event
from tables.models import Seat


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def floor_url(event: Event, day: Day | None = None) -> str:
    return reverse("floor", args=[event.pk]) + (f"?day={day.pk}" if day else "")


def press(client: Client, event: Event, do: str, *, part: str = "", **sent: Any) -> HttpResponse:
    """A button of the floor; with `part` as htmx sends it, else as a plain form."""
    headers = {"HX-Request": "true", "HX-Target": part} if part else {}
    seen = Event.objects.values_list("seq", flat=True).get(pk=event.pk)
    given = {"do": do, "command_id": uuid.uuid4(), "version": seen} | sent
    return client.post(floor_url(event), given, headers=headers)


def words(response: HttpResponse) -> str:
    return response.content.decode()


def entries_at(event: Event, table: int) -> list[Entry]:
    seats = Seat.objects.filter(table__day__event=event, table__number=table, entry__isnull=False).order_by("number")
    return [seat.entry for seat in seats.select_related("entry__player")]
