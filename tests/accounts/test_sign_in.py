"""Where signing in leads, and what a closed door says."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from tests.factories import PASSWORD, make_event, make_user

pytestmark = pytest.mark.django_db


def sign_in(client: Client, user: User, **sent: str) -> str:
    given = {"login": user.email, "password": PASSWORD} | sent
    response = client.post(reverse("account_login"), given)
    assert response.status_code == 302
    return str(response["Location"])


def test_staff_come_to_their_own_page_and_others_to_the_first():
    series = make_event().series
    dealer = make_user(role=Role.DEALER, series=series)
    assert sign_in(Client(), dealer) == reverse("staff_home")
    assert sign_in(Client(), make_user(owner=True)) == reverse("staff_home")
    assert sign_in(Client(), make_user("Hana")) == reverse("home")
    with guard.writing():
        dealer.staff_roles.update(active=False)
    assert sign_in(Client(), dealer) == reverse("home")


def test_who_was_on_the_way_somewhere_arrives_there():
    event = make_event()
    floor = make_user(role=Role.FLOOR, series=event.series)
    wanted = reverse("floor", args=[event.pk])
    assert sign_in(Client(), floor, next=wanted) == wanted


def test_a_closed_door_says_who_one_is_and_leads_to_what_is_open():
    event = make_event()
    editor = make_user("Ngaire", role=Role.EDITOR, series=event.series)
    client = Client()
    client.force_login(editor, backend="django.contrib.auth.backends.ModelBackend")
    address = reverse("floor", args=[event.pk])
    response = client.get(address, headers={"Referer": address})
    page = response.content.decode()
    assert response.status_code == 403
    assert f"signed in as {editor}" in page
    assert f'href="{reverse("staff_home")}"' in page
    assert "Back to the page" not in page


def test_who_guesses_a_password_is_stopped_and_keeps_nobody_else_out():
    floor = make_user(role=Role.FLOOR, series=make_event().series)
    there, elsewhere = "203.0.113.7", "198.51.100.4"

    def sign_in_from(address: str, password: str) -> int:
        given = {"login": floor.email, "password": password}
        return Client(REMOTE_ADDR=address).post(reverse("account_login"), given).status_code

    assert [sign_in_from(there, "a guess") for _ in range(5)] == [200] * 5
    assert sign_in_from(there, PASSWORD) == 200  # not even with the right one, for some minutes
    assert sign_in_from(elsewhere, PASSWORD) == 302


def test_who_tries_many_accounts_from_one_address_is_stopped():
    address, right = "203.0.113.9", make_user()
    client = Client(REMOTE_ADDR=address)
    for number in range(20):
        client.post(reverse("account_login"), {"login": f"nobody{number}@example.nz", "password": "a guess"})
    given = {"login": right.email, "password": PASSWORD}
    assert client.post(reverse("account_login"), given).status_code == 200
    assert Client(REMOTE_ADDR="198.51.100.9").post(reverse("account_login"), given).status_code == 302
