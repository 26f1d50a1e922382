"""What the floor page says is to be done, several days, and how much the page asks of the database."""

import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from series.models import Day, Event
from tables.commands.floor import order_move
from tables.models import Move, Seat, Table
from tables.reads.advice import advice
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, floor_url, press, signed_in, words

pytestmark = pytest.mark.django_db


# --- to do -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def uneven() -> tuple[Event, Day, Client]:
    """Tables of 8, 8, 6 and 6: two moves are advised."""
    event = make_event()
    day = make_hall(event, (8, 8, 6, 6))
    return event, day, signed_in(make_director(event.series))


def test_an_advised_move_is_ordered_and_confirmed(uneven: tuple[Event, Day, Client]):
    event, day, client = uneven
    page = words(client.get(floor_url(event)))
    move = advice(day).moves[0]
    assert move.sitter.name in page
    assert "(rule 48)" in page
    assert "sends 1" in page
    assert "receives 1" in page
    response = press(client, event, "balance", part="todo", move=f"{move.entry_id}:{move.to_table}-{move.to_seat}")
    assert response.status_code == 200
    ordered = Move.objects.get()
    assert (ordered.kind, ordered.rule, ordered.why) == ("balance", "48", move.reason[:200])
    assert f"{move.sitter.name} is on the way" in words(response)
    press(client, event, "arrived", move_id=ordered.pk)
    assert Move.objects.get().status == Move.Status.ARRIVED


def test_advice_that_has_changed_is_not_carried_out(uneven: tuple[Event, Day, Client]):
    event, day, client = uneven
    move = advice(day).moves[0]
    others = [entry.pk for entry in entries_at(event, 1)[4:6]]
    press(client, event, "bust", out=others)
    for part in ("todo", ""):
        response = press(client, event, "balance", part=part, move=f"{move.entry_id}:{move.to_table}-{move.to_seat}")
        assert response.status_code == 409
        assert "The tables have changed meanwhile" in words(response)
    assert not Move.objects.exists()


def test_an_order_sent_twice_is_one_move(uneven: tuple[Event, Day, Client]):
    event, day, client = uneven
    move = advice(day).moves[0]
    sent = {"move": f"{move.entry_id}:{move.to_table}-{move.to_seat}", "command_id": uuid.uuid4()}
    assert press(client, event, "balance", **sent).status_code == 303
    assert press(client, event, "balance", **sent).status_code == 303
    assert Move.objects.count() == 1


def test_a_table_is_previewed_and_broken():
    event = make_event()
    day = make_hall(event, (6, 6, 4))
    client = signed_in(make_director(event.series))
    page = words(client.get(floor_url(event)))
    assert "Break table 3?" in page
    assert "8 · 8" in page
    assert "breaks next" in page
    assert press(client, event, "break", table=3, part="todo").status_code == 200
    assert Table.objects.get(day=day, number=3).status == Table.Status.BROKEN
    assert Move.objects.filter(kind="break").count() == 4
    assert words(client.get(floor_url(event))).count("is on the way") == 4


def test_who_entered_without_a_seat_is_a_matter_once_the_clock_runs(uneven: tuple[Event, Day, Client]):
    event, _, client = uneven
    seat = Seat.objects.filter(entry__isnull=False, table__day__event=event).first()
    name = seat.entry.player.public_name
    with guard.writing():
        Seat.objects.filter(pk=seat.pk).update(entry=None)
    page = words(client.get(floor_url(event), headers={"HX-Request": "true", "HX-Target": "todo"}))
    assert "1 entered without a seat" in page
    assert name in page


def test_an_unknown_button_leads_to_the_table():
    event = make_event()
    day = make_hall(event, (8, 6), told=False)
    page = words(signed_in(make_director(event.series)).get(floor_url(event)))
    assert "Order the drawn move" in page
    assert f"{reverse('table', args=[event.pk, 2])}?day={day.pk}&amp;set=button" in page


def test_the_field_is_told_in_figures():
    event = make_event(starting_stack=30000)
    make_hall(event, (8, 7))
    client = signed_in(make_director(event.series))
    press(client, event, "bust", out=[entry.pk for entry in entries_at(event, 1)[:5]])
    page = words(client.get(floor_url(event)))
    assert "10 of 15" in page
    assert "45,000 · 900 bb" in page
    assert "450,000" in page
    assert "15 × 30,000" in page


def test_just_now_tells_and_undoes(uneven: tuple[Event, Day, Client]):
    event, _, client = uneven
    out = entries_at(event, 2)[0]
    press(client, event, "bust", out=out.pk)
    part = client.get(floor_url(event), headers={"HX-Request": "true", "HX-Target": "recent"})
    assert f"{out.player.public_name} is out, table 2 seat" in words(part)
    assert words(part).count("/staff/undo/") == 1
    floor = signed_in(make_user("Ana", role=Role.DEALER, series=event.series))
    part = floor.get(floor_url(event), headers={"HX-Request": "true", "HX-Target": "recent"})
    assert "/staff/undo/" not in words(part)


# --- several days ----------------------------------------------------------------------------------------------------


def test_flights_are_chosen_by_the_address():
    event = make_event()
    director = make_director(event.series)
    first = event.days.get()
    with guard.writing():
        second = Day.objects.create(event=event, number=2, label="Day 1B", starts_at=timezone.now())
    client = signed_in(director)
    assert client.get(floor_url(event)).context["day"] == first
    page = client.get(floor_url(event, second))
    assert page.context["day"] == second
    assert words(page).count("Day 1B") >= 2
    assert client.get(floor_url(event) + "?day=999999").context["day"] == first


# --- how much it asks of the database ---------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [True, False])
def test_a_page_of_120_tables_asks_as_little_as_one_of_a_single_table(told: bool):
    counts = {}
    for tables in (1, 3, 120):
        event = make_event(capacity=2000)
        make_hall(event, [8 if table % 3 else 9 for table in range(tables)], told=told)
        director = make_director(event.series)
        client = signed_in(director)
        seat = Seat.objects.filter(entry__isnull=False, table__day__event=event).first()
        press(client, event, "bust", out=seat.entry_id)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(floor_url(event)).status_code == 200
        counts[tables] = len(captured)
    assert counts[1] == counts[3] == counts[120], counts
    assert counts[120] <= 27


def test_a_refresh_of_one_part_asks_less_than_the_page(uneven: tuple[Event, Day, Client]):
    event, _, client = uneven
    limits = {"clock": 9, "todo": 17, "tables": 12, "recent": 9, "field": 12}
    for part, most in limits.items():
        with CaptureQueriesContext(connection) as captured:
            client.get(floor_url(event), headers={"HX-Request": "true", "HX-Target": part})
        assert len(captured) <= most, (part, len(captured))


def test_more_moves_than_fit_are_counted():
    event = make_event(capacity=2000)
    day = make_hall(event, (9, 9, 9, 9, 9, 9, 4, 9), told=True)
    found = advice(day)
    page = words(signed_in(make_director(event.series)).get(floor_url(event)))
    assert len(found.moves) == 3
    assert page.count("Order move") == 3


def test_moves_already_ordered_are_shown_to_all(uneven: tuple[Event, Day, Client]):
    event, _, client = uneven
    director = make_director(event.series)
    who = entries_at(event, 1)[0]
    order_move(actor=director, on=event.pk, entry_id=who.pk, table=3, seat=9, reason="Asked for more room")
    page = words(client.get(floor_url(event)))
    assert f"{who.player.public_name} is on the way" in page
    assert "table 3, seat 9" in page
