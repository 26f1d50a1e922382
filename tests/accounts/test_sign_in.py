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
