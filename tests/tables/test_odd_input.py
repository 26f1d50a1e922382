"""Addresses and forms that no page of ours would send: they are answered, and never with an error of the server."""

import uuid
from typing import Any

import pytest
from django.db import DataError
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal.models import JournalEntry
from series.models import Event
from tables.commands.floor import close_entries
from tests.factories import make_running_event, make_user
from tests.tables.pages import floor_url, press, signed_in

pytestmark = pytest.mark.django_db

ENDLESS = "9" * 5000  # more digits than Python reads
BEYOND_64_BITS = 2**63


@pytest.fixture
def running() -> tuple[Event, Client]:
    event, director = make_running_event(6)
    return event, signed_in(director)


@pytest.mark.parametrize("number", [ENDLESS, str(BEYOND_64_BITS)])
@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("floor", "done"),
        ("floor", "out"),
        ("floor", "add"),
        ("floor", "find"),
        ("staff_draws", "done"),
        ("desk", "done"),
        ("desk", "player"),
        ("chairs", "who"),
        ("chairs", "find"),
        ("break_tables", "draw"),
        ("tickets", "draw"),
        ("event_journal", "before"),
        ("seats", "q"),
    ],
)
def test_a_number_beyond_all_keys_is_nothing(running: tuple[Event, Client], page: str, name: str, number: str):
    event, client = running
    assert client.get(reverse(page, args=[event.pk]), {name: number}).status_code == 200


def test_endless_numbers_in_other_places(running: tuple[Event, Client]):
    event, client = running
    player = event.entries.first().player
    assert client.get(reverse("table", args=[event.pk, 1]), {"seat": ENDLESS}).status_code == 200
    assert client.get(reverse("my_page", args=[player.token]), {"event": ENDLESS}).status_code == 200
    assert press(client, event, "bust", out=ENDLESS).status_code == 422
    form = {"command_id": str(uuid.uuid4()), "version": ENDLESS, "do": "pause"}
    assert client.post(floor_url(event), form).status_code == 303
    for do in (f"remove:{ENDLESS}", f"insert:{ENDLESS}:level"):
        assert client.post(reverse("structure", args=[event.pk]), {"do": do}).status_code == 200
    later = {"do": f"remove:{ENDLESS}", "after": ENDLESS}
    assert client.post(reverse("future_levels", args=[event.pk]), later).status_code < 500


def test_an_event_that_no_key_can_name_is_not_found(running: tuple[Event, Client]):
    event, client = running
    token = event.entries.first().player.token
    assert client.post(reverse("my_seated", args=[token, BEYOND_64_BITS])).status_code == 404


@pytest.mark.parametrize("address", ["/me/%00/", "/me/%00/details/", "/me/%00/erasure/"])
def test_a_sign_that_no_text_holds_is_not_found(running: tuple[Event, Client], address: str):
    _, client = running
    send = client.post if "erasure" in address else client.get
    assert send(address).status_code == 404


def test_a_search_for_a_sign_that_no_text_holds_is_answered(running: tuple[Event, Client]):
    event, client = running
    for words in ("a\0b", "a@\0", "021\0555"):
        found = client.get(reverse("series_players", args=[event.series.slug]), {"q": words})
        assert found.status_code in (200, 404)


def test_a_value_that_no_column_holds_is_refused_and_written_down(
    running: tuple[Event, Client], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """A form that forgot to measure: SQLite has no lengths, so the refusal of PostgreSQL is played."""
    event, client = running

    def refuse(*_: Any, **__: Any) -> None:
        raise DataError("value too long for type character varying(80)")

    monkeypatch.setattr("tables.views.my.submit", refuse)
    details = reverse("my_details", args=[event.entries.first().player.token])
    response = client.post(details, {"command_id": str(uuid.uuid4()), "do": "name", "kind": "real"})
    assert response.status_code == 422
    assert "too long or too large" in response.content.decode()
    assert "The database refused" in caplog.text
    monkeypatch.setattr("tables.views.my.PublicNameForm", refuse)
    with pytest.raises(DataError):  # nothing was typed here that could be put right
        client.get(details)


@pytest.mark.parametrize("page", ["staff_draws", "chairs", "chips", "break_tables"])
def test_a_part_that_the_page_does_not_have_is_answered_by_all_of_it(running: tuple[Event, Client], page: str):
    event, client = running
    response = client.get(reverse(page, args=[event.pk]), headers={"HX-Request": "true", "HX-Target": "nothing"})
    assert response.status_code == 200
    assert b"<main" in response.content


def test_undo_leads_to_no_address_that_is_none(running: tuple[Event, Client]):
    event, client = running
    press(client, event, "pause")
    undo = reverse("undo", args=[JournalEntry.objects.latest("pk").pk])
    response = client.post(undo, {"command_id": str(uuid.uuid4()), "next": "nowhere"})
    assert (response.status_code, response.url) == (303, reverse("event_journal", args=[event.pk]))


@pytest.mark.parametrize("page", ["floor", "table"])
def test_done_shows_what_one_did_oneself_not_the_journal(page: str):
    event, director = make_running_event(6)
    close_entries(actor=director, on=event.pk)
    closed = JournalEntry.objects.latest("pk")
    address = reverse(page, args=[event.pk, 1] if page == "table" else [event.pk]) + f"?done={closed.seq}"
    dealer = make_user("Ana", role=Role.DEALER, series=event.series)
    assert _shown(signed_in(dealer), address) == ""
    assert "closed" in _shown(signed_in(director), address)


def _shown(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    done = response.context.get("done")
    return done.text if done else ""
