"""Finding a player at the desk, adding one, and being told of somebody alike."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import StaffRole, User
from accounts.permissions import Role
from journal import guard
from series.commands.people import register
from series.models import Event, Player, Registration
from series.reads.places import places_left
from tables.commands.entries import buy_in
from tables.reads.desk import MOST_HITS, find, twins
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user
from tests.tables import at_the_desk
from tests.tables.at_the_desk import address, card

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return make_event(name="Main")


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def add(event: Event, director: User, name: str, born: dt.date = dt.date(1990, 1, 1)) -> Player:
    held = register(actor=director, on=event.pk, name=name, birth_date=born).result
    return Player.objects.get(pk=held["player"])


def names(event: Event, words: str) -> list[str]:
    return [hit.name for hit in find(event, words).hits]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hemi", True),
        ("HĒMI par", True),
        ("par hem", True),
        ("  parata ", True),
        ("émi", False),
        ("rata", False),
        ("hemi smith", False),
        ("%", False),
        ("_emi", False),
    ],
)
def test_names_are_found_by_their_beginnings(event: Event, director: User, words: str, found: bool) -> None:
    add(event, director, "Hēmi Parata")
    assert names(event, words) == (["Hēmi Parata"] if found else [])


def test_letters_of_other_tongues_are_found_as_they_are_typed(event: Event, director: User) -> None:
    for name in ("Łukasz Nowak", "Fa'afoi O’Connor", "Anne-Marie Ngāti", "=1+1"):
        add(event, director, name)
    assert names(event, "lukasz") == ["Łukasz Nowak"]
    assert names(event, "faafoi") == names(event, "oconnor") == ["Fa'afoi O’Connor"]
    assert names(event, "marie ngati") == ["Anne-Marie Ngāti"]
    assert names(event, "=1+1") == ["=1+1"]


def test_a_players_own_link_finds_them(event: Event, director: User) -> None:
    add(event, director, "Jack Wirihana")
    player = add(event, director, "Mia Paraone")
    for words in (player.token, f"http://10.0.0.5:8000/me/{player.token}/", f" https://x.nz/me/{player.token}?event=3"):
        found = find(event, words)
        assert [hit.player_id for hit in found.hits] == [player.pk]
        assert found.by_link


def test_a_link_of_another_series_finds_nobody(event: Event) -> None:
    other = make_event()
    player = add(other, make_director(other.series), "Mia Paraone")
    assert find(event, player.token).hits == []


def test_the_words_and_tags_of_every_standing() -> None:
    event, director = make_running_event(3, max_reentries=1, name="Main")
    other = make_event(event.series)
    seated = event.entries.order_by("pk").first()
    add(event, director, "Held One")
    add(other, director, "Other One")
    proven = add(other, director, "Proven One")
    buy_in(
        actor=director,
        on=other.pk,
        registration_id=Registration.objects.get(player=proven).pk,
        method="cash",
        id_kind="passport",
    )
    register(actor=director, on=event.pk, player_id=proven.pk)
    tags = {hit.name: hit.tag for hit in find(event, "one").hits}
    assert tags == {"Held One": "ID not yet seen", "Other One": "not here", "Proven One": "to pay"}
    hit = next(hit for hit in find(event, seated.player.name).hits if hit.player_id == seated.player_id)
    assert hit.tag == "entered"
    assert hit.words == f"table {seated.seat.table.number}, seat {seated.seat.number}"


def test_without_words_those_who_wait_to_pay_are_listed(event: Event, director: User) -> None:
    for name in ("First", "Second"):
        add(event, director, name)
    assert names(event, "") == names(event, "   ") == ["First", "Second"]


def test_players_of_the_event_come_first_and_a_long_list_says_so(event: Event, director: User) -> None:
    other = make_event(event.series)
    add(other, director, "Aaron Same")
    for number in range(MOST_HITS - 1):
        add(event, director, f"Zed Same {number}")
    found = find(event, "same")
    assert len(found.hits) == MOST_HITS
    assert not found.more
    assert found.hits[-1].name == "Aaron Same"
    add(event, director, "Zed Same too")
    assert find(event, "same").more


def test_the_number_of_queries_does_not_grow(event: Event, director: User, client: Client) -> None:
    client.force_login(make_user(role=Role.DESK, series=event.series))
    counts = []
    for more in (1, 2):
        for number in range(more):
            add(event, director, f"Same Held {more} {number}")
            seated = add(event, director, f"Ana Seated {more} {number}").registrations.get()
            buy_in(actor=director, on=event.pk, registration_id=seated.pk, method="cash", id_kind="passport")
        for words in ("same", "ana", ""):
            with CaptureQueriesContext(connection) as queries:
                page = client.get(
                    reverse("desk", args=[event.pk]), {"q": words}, headers={"HX-Request": "true", "HX-Target": "hits"}
                )
            assert page.status_code == 200
            counts.append(len(queries))
    assert counts[:3] == counts[3:]
    assert max(counts) <= 13


# --- the page ---------------------------------------------------------------------------------------------------------


def read(client: Client, event: Event, *, target: str = "", **query: str) -> str:
    headers = {"HX-Request": "true", "HX-Target": target} if target else {}
    response = client.get(reverse("desk", args=[event.pk]), query, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_one_hit_is_opened_when_enter_is_pressed(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    player = add(event, director, "Mia Paraone")
    add(event, director, "Mia Smith")
    assert 'id="who"' in read(client, event, q="mia par")
    assert 'id="who"' in read(client, event, q=f"http://host/me/{player.token}/")
    assert 'id="who"' not in read(client, event, q="mia")


def test_parts_are_fetched_alone(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    player = add(event, director, "Mia Paraone")
    for target in ("hits", "places", "card"):
        part = read(client, event, target=target, q="mia", player=str(player.pk) if target == "card" else "")
        assert f'id="{target}"' in part
        assert "<html" not in part


def test_the_counter_is_the_figure_that_refuses(client: Client) -> None:
    event = make_event(capacity=3)
    director = make_director(event.series)
    client.force_login(director)
    add_players(event, 1, director)
    add_players(event, 1, director, paid=False)
    assert places_left(event, timezone.now()) == 1
    assert "1 place left" in read(client, event, target="places")
    assert "1 to pay" in read(client, event, target="places")
    add_players(event, 1, director, paid=False)
    assert "0 places left" in read(client, event, target="places")
    given = {"command_id": str(uuid.uuid4()), "name": "Jo", "birth_date": "1/1/1990", "email": "", "phone": ""}
    response = client.post(reverse("desk_add", args=[event.pk]), given)
    assert response.status_code == 422
    assert "This event is full." in response.content.decode()


# --- somebody alike ---------------------------------------------------------------------------------------------------


def send(client: Client, event: Event, **given: Any) -> Any:
    filled = {
        "command_id": str(uuid.uuid4()),
        "name": " zoe  smith",
        "birth_date": "5/6/2000",
        "email": "",
        "phone": "",
    }
    return client.post(reverse("desk_add", args=[event.pk]), filled | given)


def test_the_same_name_and_birth_date_is_pointed_out(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    known = make_event(event.series)
    zoe = add(known, director, "Zoë Smith", dt.date(2000, 6, 5))
    response = send(client, event)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Is it one of these?" in page
    assert "same birth date" in page
    assert Player.objects.count() == 1
    given = {"name": " zoe  smith", "birth_date": "5/6/2000", "email": "", "phone": ""}
    used = client.post(reverse("desk_register", args=[event.pk, zoe.pk]), given | {"command_id": str(uuid.uuid4())})
    assert used.status_code == 303
    assert Registration.objects.filter(player=zoe).count() == 2
    assert Player.objects.count() == 1


def test_another_birth_date_is_another_person(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    add(event, director, "Zoë Smith", dt.date(1999, 1, 1))
    response = send(client, event)
    page = response.content.decode()
    assert "Is it one of these?" in page
    assert "same birth date" not in page
    assert send(client, event, another_person="on").status_code == 303
    assert Player.objects.count() == 2


def test_a_person_of_another_series_shows_only_to_who_knows_name_and_birth_date(event: Event, client: Client) -> None:
    other = make_event(make_series())
    zoe = add(other, make_director(other.series), "Zoë Smith", dt.date(2000, 6, 5))
    assert [twin.player_id for twin in twins(event, "Zoe Smith", dt.date(2000, 6, 5))] == [zoe.pk]
    assert twins(event, "Zoe Smith", dt.date(2000, 6, 6)) == []
    client.force_login(make_user(role=Role.DESK, series=event.series))
    given = {"name": "Zoe Smith", "birth_date": "5/6/2000", "email": "", "phone": ""}
    used = client.post(reverse("desk_register", args=[event.pk, zoe.pk]), given | {"command_id": str(uuid.uuid4())})
    assert used.status_code == 303
    assert Registration.objects.get(event=event).player == zoe


def test_who_is_registered_here_already_is_named(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    add(event, director, "Zoë Smith", dt.date(2000, 6, 5))
    response = send(client, event, another_person="on")
    assert response.status_code == 422
    assert "registered here already" in response.content.decode()
    assert "Is it one of these?" in response.content.decode()
    assert Player.objects.count() == 1


def test_a_name_close_to_one_born_on_the_same_day_is_pointed_out(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    known = make_event(event.series)
    add(known, director, "Zoë Anne Smith", dt.date(2000, 6, 5))
    add(known, director, "Mia Parata", dt.date(2000, 6, 5))
    add(make_event(make_series()), make_user(owner=True), "Zoë Annie Smith", dt.date(2000, 6, 5))
    assert [twin.name for twin in twins(event, "Zoe Smith", dt.date(2000, 6, 5))] == ["Zoë Anne Smith"]
    assert "same birth date" in send(client, event).content.decode()


def test_who_sees_players_of_other_series_finds_and_registers_them_there(event: Event, client: Client) -> None:
    other = make_event(make_series())
    zoe = add(other, make_director(other.series), "Zoë Smith", dt.date(2000, 6, 5))
    both = make_user(role=Role.DESK, series=event.series)
    with guard.writing():
        StaffRole.objects.create(user=both, series=other.series, role=Role.DESK)
    client.force_login(both)
    here = {"q": "zoe"}
    assert "Look in other series" in client.get(address(event), here).content.decode()
    found = client.get(address(event), here | {"others": "1"}).content.decode()
    assert "In other series" in found
    assert f"player={zoe.pk}" in found
    assert "known in another series" in card(client, event, zoe, q="zoe")
    assert at_the_desk.send(client, "desk_register", event, zoe).status_code == 303
    assert Registration.objects.get(event=event).player == zoe
    assert "known in another series" not in card(client, event, zoe)


def test_other_series_are_closed_to_who_works_here_alone(event: Event, client: Client) -> None:
    other = make_event(make_series())
    zoe = add(other, make_director(other.series), "Zoë Smith", dt.date(2000, 6, 5))
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert "Look in other series" not in client.get(address(event), {"q": "zoe"}).content.decode()
    assert "Zoë" not in client.get(address(event), {"q": "zoe", "others": "1"}).content.decode()
    assert client.get(address(event), {"player": zoe.pk}).status_code == 404
    assert at_the_desk.send(client, "desk_register", event, zoe).status_code == 404
