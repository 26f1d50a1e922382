"""The players of a series for its staff."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.models import JournalEntry
from series.commands.merging import merge_players
from series.commands.people import register
from series.commands.players import claim_player
from series.domain.money import format_money
from series.models import Event, Payout, Player, Series
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tests.factories import add_players, make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db
BORN = dt.date(2000, 6, 5)


@pytest.fixture
def event() -> Event:
    return make_event(name="Main")


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def add(event: Event, director: User, name: str, born: dt.date = BORN, **given: Any) -> Player:
    held = register(actor=director, on=event.pk, name=name, birth_date=born, **given).result
    return Player.objects.get(pk=held["player"])


def read(client: Client, address: str, *args: Any, **query: Any) -> str:
    response = client.get(reverse(address, args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def listed(client: Client, event: Event, words: str) -> set[str]:
    page = read(client, "series_players", event.series.slug, q=words)
    return {name for name in ("Hēmi Parata", "Mia Paraone", "Łukasz Nowak") if name in page}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hemi", {"Hēmi Parata"}),
        ("par", {"Hēmi Parata", "Mia Paraone"}),
        ("lukasz", {"Łukasz Nowak"}),
        ("5/6/2000", {"Hēmi Parata"}),
        ("2001-01-02", {"Mia Paraone"}),
        ("0215550101", {"Mia Paraone"}),
        ("+64 21 555 0101", {"Mia Paraone"}),
        ("0101", {"Mia Paraone"}),
        ("HEMI@example", {"Hēmi Parata"}),
        ("nobody", set()),
        ("%", set()),
        ("9" * 100, set()),
        ("@" * 120, set()),
        ("", {"Hēmi Parata", "Mia Paraone", "Łukasz Nowak"}),
    ],
)
def test_players_are_found(client: Client, event: Event, director: User, words: str, found: set[str]) -> None:
    client.force_login(director)
    add(event, director, "Hēmi Parata", email="hemi@example.nz")
    add(event, director, "Mia Paraone", dt.date(2001, 1, 2), phone="021 555-0101")
    add(event, director, "Łukasz Nowak", dt.date(2002, 1, 2))
    assert listed(client, event, words) == found


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
def test_who_may_see_players(client: Client, event: Event, director: User, role: str, status: int) -> None:
    player = add(event, director, "Zoë Smith")
    slug = event.series.slug
    pages = [
        reverse("series_players", args=[slug]),
        reverse("player_duplicates", args=[slug]),
        reverse("series_player", args=[slug, player.pk]),
        reverse("player_merge", args=[slug, player.pk]),
    ]
    for page in pages:
        assert client.get(page).status_code == 302
    client.force_login(make_user(role=role, series=event.series))
    for page in pages:
        assert client.get(page).status_code == status
    client.force_login(make_user(role=role, series=make_series()))
    for page in pages:
        assert client.get(page).status_code == 403


def test_players_of_other_series_are_not_here(client: Client, event: Event, director: User) -> None:
    elsewhere = make_event()
    stranger = add(elsewhere, make_director(elsewhere.series), "Hēmi Parata")
    mine = add(event, director, "Mia Paraone")
    client.force_login(director)
    slug = event.series.slug
    assert listed(client, event, "") == {"Mia Paraone"}
    assert client.get(reverse("series_player", args=[slug, stranger.pk])).status_code == 404
    assert client.get(reverse("player_merge", args=[slug, mine.pk]), {"with": stranger.pk}).status_code == 404
    assert client.get(reverse("player_merge", args=[slug, mine.pk]), {"with": "9" * 40}).status_code == 200


def test_a_long_list_has_pages(client: Client, event: Event, director: User) -> None:
    add_players(event, 51, director, paid=False)
    client.force_login(director)
    assert "Page 1 of 2" in read(client, "series_players", event.series.slug)
    assert "Page 2 of 2" in read(client, "series_players", event.series.slug, page=2)
    assert "Page 2 of 2" in read(client, "series_players", event.series.slug, page=999)


def queries(client: Client, page: str, *args: Any) -> int:
    with CaptureQueriesContext(connection) as counted:
        read(client, page, *args)
    return len(counted)


def test_the_number_of_queries_does_not_grow(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    counts: list[list[int]] = []
    player = add(event, director, "Zoë Smith")
    for more in (1, 3):
        for number in range(more):
            other = make_event(event.series if number % 2 else None)
            owner = make_user(owner=True)
            held = register(actor=owner, on=other.pk, player_id=player.pk).result
            buy_in(actor=owner, on=other.pk, registration_id=held["registration"], method="cash", id_kind="passport")
            add(event, director, f"Zoe Smith {more} {number}")
        counts.append(
            [
                queries(client, "series_players", event.series.slug),
                queries(client, "player_duplicates", event.series.slug),
                queries(client, "series_player", event.series.slug, player.pk),
            ]
        )
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 26


def test_seasons_show_places_prizes_and_what_is_still_played(client: Client, event: Event, director: User) -> None:
    add_players(event, 3, director)
    start_clock(actor=director, on=event.pk)
    close_entries(actor=director, on=event.pk)
    entries = list(event.entries.order_by("pk"))
    for entry in entries[:2]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    pay_out(actor=director, on=event.pk, entry_id=entries[2].pk, method="cash")
    other = make_event(make_series(name="Spring Festival"), name="Turbo")
    register(actor=make_user(owner=True), on=other.pk, player_id=entries[2].player_id)
    client.force_login(director)
    page = read(client, "series_player", event.series.slug, entries[2].player_id)
    assert "<b>1st</b>" in page
    assert format_money(Payout.objects.get().amount_cents) in page
    assert "3 entries" in page
    assert " points</a>" not in page
    assert "Spring Festival" in page
    assert "place held" in page
    assert "<b>3rd</b>" in read(client, "series_player", event.series.slug, entries[0].player_id)
    with guard.writing():
        Series.objects.filter(pk=event.series_id).update(points_formula="10 * (entries - place + 1)")
    assert "1st, 30 points" in read(client, "series_player", event.series.slug, entries[2].player_id)


def post(client: Client, page: str, *args: Any, query: str = "", **given: Any) -> Any:
    return client.post(reverse(page, args=args) + query, {"command_id": str(uuid.uuid4())} | given)


def test_details_are_put_right_without_an_event(client: Client, event: Event, director: User) -> None:
    player = add(event, director, "Zoë Smith")
    client.force_login(director)
    slug = event.series.slug
    given = {
        "name": "Zoë Anne Smith",
        "birth_date": "6/6/2000",
        "email": "z@example.nz",
        "phone": "",
        "public_name": "ZAS",
    }
    assert post(client, "series_player", slug, player.pk, **given).status_code == 303
    player.refresh_from_db()
    assert (player.name, player.public_name, player.birth_date) == ("Zoë Anne Smith", "ZAS", dt.date(2000, 6, 6))
    wrong = post(client, "series_player", slug, player.pk, **given | {"birth_date": "31/2/2000"})
    assert wrong.status_code == 422
    assert "There is no such day in the calendar." in wrong.content.decode()
    for field in ("name", "public_name"):
        long = post(client, "series_player", slug, player.pk, **given | {field: "æ" * 41})
        assert long.status_code == 422
        assert "This name is too long" in long.context["details_form"].errors[field][0]
    client.force_login(make_user(role=Role.AUDITOR, series=event.series))
    assert post(client, "series_player", slug, player.pk, **given).status_code == 403
    assert "Put details right" not in read(client, "series_player", slug, player.pk)


def test_duplicates_are_compared_merged_and_made_two_again(client: Client, event: Event, director: User) -> None:
    kept = add(event, director, "Zoë Smith")
    gone = add(make_event(event.series), director, " zoe  smith")
    client.force_login(director)
    slug = event.series.slug
    assert "Possible duplicates" in read(client, "series_players", slug)
    assert "same name and birth date" in read(client, "player_duplicates", slug)
    assert "This may be one person with" in read(client, "series_player", slug, kept.pk)
    compare = reverse("player_merge", args=[slug, kept.pk]) + f"?with={gone.pk}"
    assert compare in read(client, "series_player", slug, kept.pk)
    assert "They are one person" in client.get(compare).content.decode()
    unsaid = client.post(compare, {"command_id": str(uuid.uuid4())})
    assert unsaid.status_code == 422
    assert "Choose the record to keep." in unsaid.content.decode()
    assert client.post(compare, {"command_id": str(uuid.uuid4()), "kept": kept.pk}).status_code == 303
    moved = client.get(reverse("series_player", args=[slug, gone.pk]))
    assert moved.url == reverse("series_player", args=[slug, kept.pk])
    assert client.get(reverse("my_page", args=[gone.token])).url == reverse("my_page", args=[kept.token])
    assert "Possible duplicates" not in read(client, "series_players", slug)
    page = read(client, "series_player", slug, kept.pk)
    entry = JournalEntry.objects.get(verb="player.merge")
    assert reverse("undo", args=[entry.pk]) in page
    assert post(client, "undo", entry.pk).status_code in (302, 303)
    assert client.get(reverse("my_page", args=[gone.token])).status_code == 200


def test_a_refused_merge_says_why(client: Client, event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(event, director, "Zoe Anne Smith")
    client.force_login(director)
    response = post(client, "player_merge", event.series.slug, kept.pk, query=f"?with={gone.pk}", kept=kept.pk)
    assert response.status_code == 422
    assert "both hold a place in Main" in response.content.decode()


def test_the_other_record_is_searched_for(client: Client, event: Event, director: User) -> None:
    kept, gone = add(event, director, "Zoë Smith"), add(event, director, "Susan Miller", dt.date(1980, 1, 1))
    client.force_login(director)
    page = read(client, "player_merge", event.series.slug, kept.pk, q="sus")
    assert f"?with={gone.pk}" in page
    assert "Nobody found" in read(client, "player_merge", event.series.slug, kept.pk, q="zoe")


def test_a_wrong_account_is_released_and_the_link_is_new(client: Client, event: Event, director: User) -> None:
    player = add(event, director, "Zoë Smith")
    user = make_user("Wrong")
    claim_player(actor=user, on=event.series_id, token=player.token)
    client.force_login(director)
    assert user.email in read(client, "series_player", event.series.slug, player.pk)
    assert post(client, "player_release", event.series.slug, player.pk).status_code == 303
    old = player.token
    player.refresh_from_db()
    assert player.user is None
    assert player.token != old
    assert client.get(reverse("my_page", args=[old])).status_code == 404
    again = client.post(reverse("player_release", args=[event.series.slug, player.pk]), follow=True)
    assert "No account has this player." in again.content.decode()
    client.force_login(make_user(role=Role.AUDITOR, series=event.series))
    assert post(client, "player_release", event.series.slug, player.pk).status_code == 403


def test_a_merged_record_is_not_found_at_the_desk(client: Client, event: Event, director: User) -> None:
    kept = add(event, director, "Zoë Smith")
    gone = add(make_event(event.series), director, "Susan Miller")
    merge_players(actor=director, on=event.series_id, kept_id=kept.pk, gone_id=gone.pk)
    client.force_login(director)
    assert "Nobody of this name" in read(client, "desk", event.pk, q="susan")
    assert client.get(reverse("desk", args=[event.pk]), {"player": gone.pk}).status_code == 404
