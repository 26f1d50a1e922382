"""The pages of holds, the waiting list and check-in: set-up, sign-up, the player's own page, the desk, the screens."""

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from series.commands.people import register, withdraw
from series.models import Event, Registration
from tables.commands.floor import bust
from tables.tasks import give_out_places
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.at_the_desk import HTMX, address, card, form, pay, send

pytestmark = pytest.mark.django_db
Status = Registration.Status


@pytest.fixture
def event() -> Event:
    starts = timezone.now() + dt.timedelta(hours=8)
    return make_event(capacity=2, hold_minutes=30, starts_at=starts)


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


@pytest.fixture
def held(event: Event, director: User) -> list[dict[str, Any]]:
    return add_players(event, 2, director, paid=False)


def wait(event: Event, director: User, name: str) -> Registration:
    given = {"name": name, "birth_date": dt.date(1990, 1, 1), "waiting": True}
    done = register(actor=director, on=event.pk, **given)
    return Registration.objects.select_related("player").get(pk=done.result["registration"])


def page_of(client: Client, row: Registration) -> str:
    response = client.get(reverse("my_page", args=[row.player.token]), {"event": row.event_id})
    assert response.status_code == 200
    return response.content.decode()


def test_the_places_are_set_up_by_a_form(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    page = reverse("place_setup", args=[event.pk])
    assert page in client.get(reverse("event_setup", args=[event.pk])).content.decode()
    good = {"hold_minutes": "45", "hall_seats": "", "call_minutes": "10", "early_call_minutes": "600"}
    assert client.post(page, form(**good | {"call_minutes": "0"})).status_code == 422
    assert client.post(page, form(**good | {"hold_minutes": "9" * 40})).status_code == 422
    assert client.post(page, form(**good)).status_code == 422  # players were told until when
    assert client.post(page, form(**good, reason="A long queue.")).status_code == 303
    event.refresh_from_db()
    assert (event.hold_minutes, event.hall_seats, event.call_minutes) == (45, None, 10)
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert client.get(page).status_code == 403


def test_who_signs_up_reads_until_when_the_place_is_held(event: Event, director: User, client: Client) -> None:
    page = client.get(reverse("sign_up", args=[event.pk])).content.decode()
    assert "Your place is held until" in page
    add_players(event, 1, director, paid=False)
    row = Registration.objects.select_related("player").get()
    mine = page_of(client, row)
    assert "Held until" in mine
    client.force_login(director)
    assert "Held until" in card(client, event, row.player)


def test_a_full_event_offers_the_waiting_list(event: Event, held: list[Any], client: Client) -> None:
    assert "Join the waiting list" in client.get(reverse("event", args=[event.pk])).content.decode()
    schedule = client.get(reverse("schedule", args=[event.series.slug])).content.decode()
    assert "Waiting list" in schedule
    given = {
        "name": "Ana Ngata", "birth_date": "3.4.80", "contact": "ana@example.nz", "rules": "on", "privacy": "on",
        "rules_version": event.series.rulebook_versions.get().pk,
    }  # fmt: skip
    address_ = reverse("sign_up", args=[event.pk])
    refused = client.post(address_, form(**given))
    assert refused.status_code == 422
    assert 'name="waiting"' in refused.content.decode()
    response = client.post(address_, form(**given, waiting="1"))
    assert response.status_code == 303
    page = client.get(response.url).content.decode()
    assert "You are on the waiting list" in page
    assert "number 1" in page
    assert "1 waiting" in client.get(reverse("schedule", args=[event.series.slug])).content.decode()


def test_a_called_player_takes_the_place_on_their_page(
    event: Event, director: User, held: list[Any], client: Client
) -> None:
    first, second = wait(event, director, "Ana Ngata"), wait(event, director, "Ben Tau")
    assert "number 2" in page_of(client, second)
    withdraw(actor=director, on=event.pk, registration_id=held[0]["registration"])
    give_out_places()
    page = page_of(client, first)
    assert "A place is free for you" in page
    assert "number 1" in page_of(client, second)
    accept = reverse("my_accept", args=[first.player.token, event.pk])
    assert client.post(reverse("my_accept", args=[second.player.token, event.pk]), form()).status_code == 422
    assert client.post(accept, form()).status_code == 303
    assert "Your place is held" in page_of(client, first)
    gone = reverse("my_give_back", args=[second.player.token, event.pk])
    assert client.post(gone, form()).status_code == 303
    second.refresh_from_db()
    assert second.status == Status.WITHDRAWN


def test_a_released_place_says_when_and_how_to_come_back(event: Event, director: User, client: Client) -> None:
    add_players(event, 1, director, paid=False)
    row = Registration.objects.select_related("player").get()
    with guard.writing():
        Registration.objects.filter(pk=row.pk).update(held_until=timezone.now() - dt.timedelta(minutes=1))
    give_out_places()
    page = page_of(client, row)
    assert "Your place was released" in page
    assert reverse("sign_up", args=[event.pk]) in page


def test_the_desk_puts_walk_ins_on_the_list(event: Event, held: list[Any], client: Client) -> None:
    client.force_login(make_user(role=Role.DESK, series=event.series))
    page = client.get(address(event), {"new": "1"}).content.decode()
    assert "Put on the waiting list" in page
    given = form(name="Ana Ngata", birth_date="3 4 80", email="", phone="", waiting="1")
    response = client.post(reverse("desk_add", args=[event.pk]), given)
    assert response.status_code == 303
    page = client.get(response.url).content.decode()
    assert "number 1 on the waiting list" in page
    assert "1 waiting" in page
    assert "Take $" not in page
    row = Registration.objects.select_related("player").get(status=Status.WAITING)
    assert pay(client, row).status_code == 422
    assert send(client, "desk_withdraw", event, row.player, registration=row.pk).status_code == 303
    assert "Put on the waiting list" in card(client, event, row.player)
    assert send(client, "desk_register", event, row.player, waiting="1").status_code == 303
    assert Registration.objects.filter(status=Status.WAITING).count() == 1


def test_the_list_is_called_and_skipped_by_hand(event: Event, director: User, held: list[Any], client: Client) -> None:
    first, second = wait(event, director, "Ana Ngata"), wait(event, director, "Ben Tau")
    client.force_login(make_user(role=Role.DESK, series=event.series))
    page = reverse("waiting", args=[event.pk])
    call, skip = reverse("waiting_call", args=[event.pk]), reverse("waiting_skip", args=[event.pk])
    assert "Ana Ngata" in client.get(page).content.decode()
    refused = client.post(call, form(registration=second.pk))
    assert refused.status_code == 422
    assert "There is no place for them" in refused.content.decode()
    withdraw(actor=director, on=event.pk, registration_id=held[0]["registration"])
    assert client.post(call, form(registration=second.pk)).status_code == 303
    assert "called" in client.get(page, headers=HTMX).content.decode()
    refused = client.post(skip, form(registration=second.pk, reason="  ")).content.decode()
    assert f'id="skip-{second.pk}" open' in refused
    assert refused.count('id="id_reason"') == refused.count('href="#id_reason"') == 1
    refused = client.post(skip, form(registration=second.pk, reason="went home " * 21)).content.decode()
    assert f'value="{"went home " * 21}"' in refused
    assert client.post(skip, form(registration="9" * 30, reason="x")).status_code == 422
    assert client.post(skip, form(registration=second.pk, reason="went home")).status_code == 303
    assert client.post(call, form()).status_code == 303
    first.refresh_from_db()
    assert first.status == Status.CALLED
    client.force_login(make_user(role=Role.DEALER, series=event.series))
    assert client.get(page).status_code == 403
    assert client.post(call, form()).status_code == 403


def test_the_list_asks_as_often_for_one_as_for_three(
    event: Event, director: User, held: list[Any], client: Client
) -> None:
    client.force_login(director)
    counts = []
    for names in (["Ana"], ["Ben", "Cy"]):
        for name in names:
            wait(event, director, name)
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("waiting", args=[event.pk]))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_who_is_here_is_checked_in(event: Event, director: User, held: list[Any], client: Client) -> None:
    client.force_login(make_user(role=Role.DESK, series=event.series))
    row = Registration.objects.select_related("player").get(pk=held[0]["registration"])
    assert "Here, pays later" in card(client, event, row.player)
    assert send(client, "desk_check_in", event, row.player, registration=row.pk).status_code == 303
    page = card(client, event, row.player)
    assert "here since" in page
    assert "Here, pays later" not in page
    assert send(client, "desk_check_in", event, row.player, registration=10**12).status_code == 422


def test_the_code_of_a_player_leads_staff_to_the_desk(event: Event, held: list[Any], client: Client) -> None:
    row = Registration.objects.select_related("player").get(pk=held[0]["registration"])
    mine = reverse("my_page", args=[row.player.token])
    scanned = {"event": event.pk, "desk": "1"}
    assert client.get(mine, scanned).status_code == 200
    client.force_login(make_user(role=Role.DEALER, series=event.series))
    assert client.get(mine, scanned).status_code == 200
    client.force_login(make_user(role=Role.DESK, series=event.series))
    response = client.get(mine, scanned)
    assert response.status_code == 302
    assert response.url == f"{address(event)}?player={row.player_id}"
    assert client.get(mine, {"event": event.pk}).status_code == 200
    assert client.get(mine, {"event": "9" * 30, "desk": "1"}).status_code in (200, 404)
    typed = f"http://testserver{mine}?event={event.pk}&desk=1"
    found = client.get(address(event), {"q": typed})
    assert row.player.name in found.content.decode()
    assert "Take $250.00" in found.content.decode()


def test_alternates_are_called_on_the_screens_while_the_event_runs(client: Client) -> None:
    event, director = make_running_event(4, hall_seats=4, capacity=20, hold_minutes=90)
    row = wait(event, director, "Ana Ngata")
    pages = [reverse(name, args=[event.pk]) for name in ("seats", "display")]
    for page in pages:
        assert "Ana Ngata" not in client.get(page).content.decode()
    bust(actor=director, on=event.pk, entry_ids=[event.entries.order_by("pk")[0].pk])
    give_out_places()
    for page in pages:
        assert "Ana Ngata" in client.get(page).content.decode()
    assert "Come to the desk and pay $250" in page_of(client, row)
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert "Called from the waiting list" in card(client, event, row.player)
    row.refresh_from_db()
    assert pay(client, row).status_code == 303
    for page in pages:
        assert "To the desk" not in client.get(page).content.decode()


def test_a_re_entry_is_put_on_the_list_by_the_desk_and_bought_when_called(client: Client) -> None:
    event, director = make_running_event(4, hall_seats=4, capacity=20, hold_minutes=90, max_reentries=1)
    out = event.entries.order_by("pk")[0]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert "Take $250.00" in card(client, event, out.player)
    add_players(event, 1, director)
    shown = card(client, event, out.player)
    assert "All seats are taken." in shown
    assert "Take $250.00" not in shown
    assert send(client, "desk_reenter", event, out.player, method="cash").status_code == 422
    assert send(client, "desk_wait", event, out.player).status_code == 303
    assert "number 1 on the waiting list" in card(client, event, out.player)
    assert "waits for a seat to re-enter" in client.get(address(event), {"q": out.player.name}).content.decode()
    assert "re-entry" in client.get(reverse("waiting", args=[event.pk])).content.decode()
    row = Registration.objects.get(event=event, player=out.player)
    assert "You are on the waiting list for a re-entry" in page_of(client, row)
    bust(actor=director, on=event.pk, entry_ids=[event.entries.filter(status="playing").order_by("pk")[0].pk])
    give_out_places()
    assert "A seat is free for you" in page_of(client, row)
    assert "Called from the waiting list" in card(client, event, out.player)
    assert out.player.public_name in client.get(reverse("display", args=[event.pk])).content.decode()
    assert send(client, "desk_reenter", event, out.player, method="cash").status_code == 303
    assert event.entries.filter(player=out.player, status="playing").exists()
