"""Levels to come are changed in public while an event runs; what was played stays."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from journal.undo import undo
from series.domain.structure import Break, Level
from series.models import Event, EventNotice
from series.reads.setup import items_of
from tables.commands.clock import jump_clock
from tables.commands.future_levels import change_future_levels
from tables.models import Clock
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db
NEW = (Level(15, 100, 200), Break(10), Level(15, 200, 400))


@pytest.fixture
def event() -> Event:
    """Running, in the second of four levels."""
    made = make_event()
    make_hall(made, [4])
    with guard.writing():
        Clock.objects.update(position=1)
    made.refresh_from_db()
    return made


def change(event: Event, **given: Any) -> dict[str, Any]:
    given = {"actor": make_director(event.series), "after": 1, "items": NEW} | given
    return change_future_levels(on=event.pk, **given).result


def test_the_future_changes_and_the_past_stays(event: Event) -> None:
    before = items_of(list(event.levels.all()))
    assert change(event)["from_level"] == 3
    assert items_of(list(event.levels.all())) == (*before[:2], *NEW)
    assert [row.number for row in event.levels.order_by("position")] == [1, 2, 3, None, 4]


def test_everybody_reads_when_and_from_where(event: Event) -> None:
    change(event, reason="A slower finish")
    at = timezone.localtime(EventNotice.objects.get().at, event.series.tz)
    said = f"Level 3 onwards changed at {at:%H:%M}: A slower finish."
    for name in ("event", "clock", "display"):
        assert said in words(Client().get(reverse(name, args=[event.pk])))
    assert JournalEntry.objects.latest("pk").verb == "structure.change_future"


def test_a_clock_that_went_on_makes_it_stale(event: Event) -> None:
    jump_clock(actor=make_director(event.series), on=event.pk, position=2)
    with pytest.raises(Stale, match="gone on"):
        change(event)
    assert not EventNotice.objects.exists()


def test_a_level_that_is_due_counts_as_begun(event: Event) -> None:
    with guard.writing():
        Clock.objects.update(ends_at=timezone.now() - dt.timedelta(milliseconds=5))
    with pytest.raises(Stale):
        change(event)


def test_late_registration_follows_the_new_levels(event: Event) -> None:
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(late_reg_level=3)
    change(event, items=(Level(5, 100, 200), Level(15, 200, 400)))
    assert event.days.get().entries_close_at == Clock.objects.get().ends_at + dt.timedelta(minutes=5)


@pytest.mark.parametrize(
    ("items", "code"),
    [((Level(15, 50, 25),), "small_blind_over_big_blind"), ((Level(15, 25, 50),), "blinds_fall")],
)
def test_the_whole_structure_is_checked(event: Event, items: tuple[Level, ...], code: str) -> None:
    with pytest.raises(Refused) as refused:
        change(event, items=items)
    assert refused.value.code == code


def test_the_same_again_tells_nobody(event: Event) -> None:
    with pytest.raises(Refused, match="same as before"):
        change(event, items=items_of(list(event.levels.all()))[2:])


def test_it_is_changed_again_not_undone(event: Event) -> None:
    change(event)
    with pytest.raises(Refused, match="cannot be undone"):
        undo(actor=make_director(event.series), entry_id=JournalEntry.objects.latest("pk").pk)


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.DEALER])
def test_only_who_sets_up_may(event: Event, role: Role) -> None:
    with pytest.raises(NotAllowed):
        change(event, actor=make_user("Other", role=role, series=event.series))


def rows_of(*rows: tuple[str, ...]) -> dict[str, list[str]]:
    names = ("kind", "minutes", "small_blind", "big_blind", "ante", "ante_type", "removed")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def test_by_the_page(event: Event) -> None:
    client, url = signed_in(make_director(event.series)), reverse("future_levels", args=[event.pk])
    shown = words(client.get(url))
    assert "Level 1: 25 – 50" in shown
    assert shown.count('name="kind"') == 2
    sent = {"after": 1, "version": event.seq} | rows_of(
        ("level", "20", "100", "200", "", "none", ""), ("level", "20", "300", "200", "", "none", "")
    )
    refused = client.post(url, sent | {"do": "save", "command_id": uuid.uuid4()})
    assert refused.status_code == 422
    assert "small blind is larger" in words(refused)
    grown = words(client.post(url, sent | {"do": "add:break"}))
    assert grown.count('name="kind"') == 3
    shrunk = words(client.post(url, sent | {"do": "remove:3"}))
    assert shrunk.count('name="kind"') == 1
    sent["small_blind"][1], sent["big_blind"][1] = "150", "300"
    assert client.post(url, sent | {"do": "save", "command_id": uuid.uuid4()}).status_code == 303
    assert [row.big_blind for row in event.levels.order_by("position")] == [50, 100, 200, 300]


def test_queries_do_not_grow_with_the_structure() -> None:
    counts = []
    for levels in (3, 12):
        event = make_event(levels=levels)
        make_hall(event, [3])
        client = signed_in(make_director(event.series))
        with CaptureQueriesContext(connection) as found:
            client.get(reverse("future_levels", args=[event.pk]))
        counts.append(len(found))
    assert counts[0] == counts[1] <= 8
