"""The Django admin shows every table to the organiser and changes nothing."""

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.factories import add_players, make_director, make_event, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    event = make_event()
    add_players(event, 1, make_director(event.series))
    client.force_login(make_user("Moana", owner=True))
    return client


def addresses(kind: str) -> list[str]:
    reverse("admin:index")  # the models are registered when the addresses are first read
    return [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}")
        for model in list(admin.site._registry)
    ]


def test_every_table_is_shown_to_the_organiser_and_nothing_can_be_added(owner):
    shown = addresses("changelist")
    assert len(shown) > 20
    for address in shown:
        assert owner.get(address).status_code == 200, address
    for address in addresses("add"):
        assert owner.get(address).status_code == 403, address
        assert owner.post(address, {}).status_code == 403, address


def test_rows_are_read_and_not_changed_or_deleted(owner):
    for model in list(admin.site._registry):
        row = model._default_manager.first()
        if row is None:
            continue
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        change, delete = reverse(f"{name}_change", args=[row.pk]), reverse(f"{name}_delete", args=[row.pk])
        assert owner.get(change).status_code == 200, change
        assert owner.post(change, {"name": "x"}).status_code == 403, change
        assert owner.post(delete, {"post": "yes"}).status_code == 403, delete


def test_secrets_are_not_shown(owner):
    from series.models import Event, Player

    event, player = Event.objects.get(), Player.objects.get()
    assert event.draw_secret not in owner.get(reverse("admin:series_event_change", args=[event.pk])).text
    assert player.token not in owner.get(reverse("admin:series_player_change", args=[player.pk])).text


@pytest.mark.parametrize("who", ["anonymous", "director"])
def test_nobody_else_gets_in(client, who):
    if who == "director":
        client.force_login(make_director(make_event().series))
    assert client.get(reverse("admin:index")).status_code == 302
    assert client.get(reverse("admin:series_player_changelist")).status_code == 302
