"""The page of one table: seats, the button, moves with a reason, breaking it."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Permission, Role
from journal import guard
from series.models import Day, Entry, Event
from tables.models import Move, Seat, Table
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall, seat_players
from tests.tables.pages import entries_at, signed_in, words

pytestmark = pytest.mark.django_db


def address(event: Event, number: int = 1, **query: Any) -> str:
    found = reverse("table", args=[event.pk, number])
    return found + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")


def press(client: Client, event: Event, number: int, do: str, **sent: Any) -> HttpResponse:
    seen = Event.objects.values_list("seq", flat=True).get(pk=event.pk)
    return client.post(address(event, number), {"do": do, "command_id": uuid.uuid4(), "version": seen} | sent)


@pytest.fixture
def hall() -> tuple[Event, Day, Client]:
    """Tables of six and four, the button of neither told."""
    event = make_event()
    day = make_hall(event, (6, 4), told=False)
    return event, day, signed_in(make_director(event.series))


def positions(day: Day, number: int = 1) -> tuple[int | None, int | None, int | None]:
    row = Table.objects.get(day=day, number=number)
    return row.button, row.small_blind, row.big_blind


def test_three_taps_lead_from_the_floor_to_out(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    table = address(event, 1, day=day.pk)
    assert table in words(client.get(reverse("floor", args=[event.pk])))
    seat = f"?day={day.pk}&amp;seat=4#seat"
    assert f'href="{seat}"' in words(client.get(table))
    out = entries_at(event, 1)[3]
    page = words(client.get(f"{table}&seat=4"))
    assert f'name="out" value="{out.pk}"' in page
    response = press(client, event, 1, "bust", out=out.pk, at=4)
    assert response.status_code == 303
    assert response["Location"].startswith(table + "&done=")
    assert "/staff/undo/" in words(client.get(response["Location"]))
    assert Entry.objects.get(pk=out.pk).status == Entry.Status.OUT


def test_the_blinds_follow_from_the_button_and_can_be_corrected(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    assert press(client, event, 1, "button", table=1, button=5, at=5).status_code == 303
    assert positions(day) == (5, 6, 1)
    press(client, event, 1, "button", table=1, button=5, small_blind=6, big_blind=2, at=5)
    assert positions(day) == (5, 6, 2)


def test_the_button_may_be_dead_and_heads_up_it_is_the_small_blind(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    press(client, event, 1, "button", table=1, button=8)
    assert positions(day) == (8, 1, 2)
    seat_players(day, 3, (2, 7))
    press(client, event, 3, "button", table=3, button=7)
    assert positions(day, 3) == (7, 7, 2)


def test_a_dealer_sets_the_button_and_nothing_else(hall: tuple[Event, Day, Client]):
    event, day, _ = hall
    dealer = signed_in(make_user("Ana", role=Role.DEALER, series=event.series))
    page = words(dealer.get(address(event, 1, seat=2)))
    assert 'value="button"' in page
    assert 'value="bust"' not in page
    assert 'value="move"' not in page
    assert 'value="break"' not in page
    assert press(dealer, event, 1, "button", table=1, button=2).status_code == 303
    assert positions(day) == (2, 3, 4)
    assert press(dealer, event, 1, "break", table=1).status_code == 403


def test_asked_for_the_button_every_seat_sets_it(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    page = words(client.get(address(event, 1, day=day.pk, set="button")))
    assert "Tap the seat that had the button" in page
    assert page.count('form="set-button" name="button"') == 9
    assert f"?day={day.pk}&amp;set=button&amp;hand=last&amp;seat=3#seat" in page
    coming = words(client.get(address(event, 1, day=day.pk, set="button", hand="coming")))
    assert "a first hand: the blinds are left of it" in coming
    assert coming.count('form="set-button" name="button"') == 6
    page = words(client.get(address(event, 1, day=day.pk, set="button", seat=3)))
    assert "Button here, blinds at seats 4 and 5" in page
    assert 'value="bust"' not in page


def test_a_move_needs_a_reason_and_keeps_what_was_chosen(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    who = entries_at(event, 1)[0]
    response = press(client, event, 1, "move", entry_id=who.pk, seat="2-9", reason="", at=1)
    assert response.status_code == 422
    assert "Say why this player is moved." in words(response)
    assert '<option value="2-9" selected>' in words(response)
    assert "The player reads it." in words(response)
    assert (
        press(client, event, 1, "move", entry_id=who.pk, seat="2-9", reason="Asked for room", at=1).status_code == 303
    )
    move = Move.objects.get()
    assert (move.kind, move.why, move.to_seat.number) == ("manual", "Asked for room", 9)
    page = words(client.get(address(event, 2, seat=9)))
    assert "On the way from table 1, seat 1" in page
    assert press(client, event, 2, "arrived", move_id=move.pk, at=9).status_code == 303
    assert Move.objects.get().status == Move.Status.ARRIVED


def test_who_reports_hands_is_offered_to_confirm_an_arrival(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    who = entries_at(event, 1)[0]
    press(client, event, 1, "move", entry_id=who.pk, seat="2-9", reason="Asked for room", at=1)
    runs_only = make_user("Ana", role=Role.AUDITOR, series=event.series)
    with guard.writing():
        runs_only.staff_roles.update(also=[Permission.RUN_FLOOR])
    dealer = make_user("Dee", role=Role.DEALER, series=event.series)
    pages = [address(event, 2, seat=9), reverse("floor", args=[event.pk])]
    for user, offered in ((dealer, True), (runs_only, False)):
        for page in pages:
            assert ('value="arrived"' in words(signed_in(user).get(page))) is offered
    broken = reverse("break_tables", args=[event.pk])
    assert 'value="arrived"' in words(client.get(broken))
    assert 'value="arrived"' not in words(signed_in(runs_only).get(broken))


@pytest.mark.parametrize(("seat", "said"), [("2-1", "is taken"), ("2-x", "Choose the seat."), ("7-1", "is not open")])
def test_a_seat_that_cannot_be_had_is_refused_beside_the_field(hall: tuple[Event, Day, Client], seat: str, said: str):
    event, _, client = hall
    who = entries_at(event, 1)[0]
    response = press(client, event, 1, "move", entry_id=who.pk, seat=seat, reason="Asked for room", at=1)
    assert response.status_code == 422
    assert said in response.context["move_form"].errors["seat"][0]
    assert "Asked for room" in words(response)


def test_open_seats_say_what_they_mean_next_hand(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    press(client, event, 2, "button", table=2, button=1, small_blind=3, big_blind=4)
    page = words(client.get(address(event, 1, seat=1)))
    assert "Table 2, seat 5 · big blind next hand" in page
    seat_of_the_lost = [line for line in page.split("<option") if "Table 2, seat" in line]
    assert len(seat_of_the_lost) == 5


def test_who_looked_at_an_old_table_sees_how_it_stands(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    seen = Event.objects.get(pk=event.pk).seq
    press(client, event, 1, "button", table=1, button=5)
    response = press(client, event, 1, "button", table=1, button=2, version=seen)
    assert response.status_code == 409
    assert "“Button of the last hand at table 1: seat 5” by Mere" in words(response)
    assert "button seat 5" in words(response)


def test_a_table_is_broken_from_its_own_page(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    assert "do not fit at the other tables" in words(client.get(address(event, 2)))
    assert press(client, event, 2, "break", table=2).status_code == 422
    press(client, event, 2, "bust", out=entries_at(event, 2)[0].pk)
    assert "Sizes afterwards" in words(client.get(address(event, 2)))
    response = press(client, event, 2, "break", table=2)
    assert response.status_code == 303
    assert response["Location"].startswith(reverse("floor", args=[event.pk]))
    assert Seat.objects.filter(table__day=day, table__number=1, entry__isnull=False).count() == 9
    assert Table.objects.get(day=day, number=2).status == Table.Status.BROKEN
    assert client.get(address(event, 2)).status_code == 404


def test_the_part_that_refreshes_comes_alone(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    response = client.get(address(event, 1), headers={"HX-Request": "true", "HX-Target": "table"})
    assert 'id="table"' in words(response)
    assert "<html" not in words(response)


def test_a_table_asks_as_little_in_a_hall_of_sixty():
    counts = []
    for tables in (1, 3, 60):
        event = make_event(capacity=2000)
        make_hall(event, [8] * tables)
        client = signed_in(make_director(event.series))
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(event, 1, seat=2)).status_code == 200
        counts.append(len(captured))
    assert len(set(counts)) == 1, counts
