"""Who may do what at the desk."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from series.models import Entry, Event, Player, Registration
from tests.factories import add_players, make_director, make_event, make_series, make_user
from tests.tables.at_the_desk import address, card, form, pay, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return make_event(name="Main")


@pytest.fixture
def desk(event: Event, client: Client) -> Client:
    client.force_login(make_user("Hana", role=Role.DESK, series=event.series))
    return client


@pytest.fixture
def held(event: Event) -> Registration:
    add_players(event, 1, make_director(event.series), paid=False)
    return Registration.objects.get()


@pytest.mark.parametrize(
    ("role", "status"),
    [
        (Role.DIRECTOR, 200),
        (Role.FLOOR, 200),
        (Role.DESK, 200),
        (Role.AUDITOR, 200),
        (Role.DEALER, 403),
        (Role.EDITOR, 403),
    ],
)
def test_who_may_open_the_desk(client: Client, event: Event, role: str, status: int) -> None:
    client.force_login(make_user(role=role, series=event.series))
    assert client.get(address(event)).status_code == status
    client.force_login(make_user(role=role, series=make_series()))
    assert client.get(address(event)).status_code == 403


def test_strangers_are_asked_to_sign_in(client: Client, held: Registration) -> None:
    response = client.get(address(held.event))
    assert response.status_code == 302
    assert response.url.startswith(reverse("account_login"))
    assert pay(client, held).status_code == 302
    assert not Entry.objects.exists()
    assert client.get(reverse("desk", args=[99999])).status_code == 302


def staff(event: Event, role: str) -> User:
    return make_user(role=role, series=event.series)


def test_the_floor_registers_but_takes_no_money(client: Client, held: Registration) -> None:
    client.force_login(staff(held.event, Role.FLOOR))
    page = card(client, held.event, held.player)
    assert "Put details right" in page
    assert "Take $" not in page
    assert 'name="id_kind"' not in page
    assert pay(client, held).status_code == 403
    assert (
        send(client, "desk_sight_id", held.event, held.player, registration=held.pk, id_kind="passport").status_code
        == 403
    )
    assert not Entry.objects.exists()
    given = form(name="Mia Paraone", birth_date="1/1/1990", email="", phone="")
    assert client.post(reverse("desk_add", args=[held.event_id]), given).status_code == 303


def test_the_auditor_reads_and_writes_nothing(client: Client, held: Registration) -> None:
    client.force_login(staff(held.event, Role.AUDITOR))
    page = card(client, held.event, held.player)
    assert held.player.email in page
    for words in ("Take $", "Put details right", "Give the place back", "Record the ID", "New player"):
        assert words not in page
    assert pay(client, held).status_code == 403
    assert send(client, "desk_withdraw", held.event, held.player, registration=held.pk).status_code == 403
    given = form(name="Quentin Baxter", birth_date="2/2/1970", email="", phone="")
    assert client.post(reverse("desk_add", args=[held.event_id]), given).status_code == 403
    assert Player.objects.count() == 1


def test_players_of_other_series_are_none_of_this_desk(desk: Client, event: Event) -> None:
    elsewhere = make_event()
    add_players(elsewhere, 1, make_director(elsewhere.series), paid=False)
    player = Player.objects.get()
    assert desk.get(address(event), {"player": player.pk}).status_code == 404
    assert send(desk, "desk_register", event, player).status_code == 404
    given = {"name": player.name, "birth_date": "2/1/1990", "email": "", "phone": ""}
    assert send(desk, "desk_register", event, player, **given).status_code == 404
    assert (
        player.name
        not in desk.get(address(event), {"q": player.name.split()[0]}).content.decode().split('id="hits"')[1]
    )
