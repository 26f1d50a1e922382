"""The first page and the page of an event, as anybody sees them."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Role
from config import demo
from journal import guard
from series.models import Day, Event, Organiser, Player
from tables.commands.clock import start_clock
from tables.commands.floor import bust, close_entries
from tables.reads.public import DEMO_ORGANISER, DEMO_PASSWORD
from tests.factories import (
    add_players,
    make_director,
    make_event,
    make_running_event,
    make_series,
    make_user,
)

pytestmark = pytest.mark.django_db


def finish(players: int = 3, **fields: object) -> Event:
    event, director = make_running_event(players, **fields)
    close_entries(actor=director, on=event.pk)
    for entry in event.entries.order_by("pk")[: players - 1]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    return event


def read(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return response.content.decode()


# --- the first page ---------------------------------------------------------------------------------------------------


def test_an_empty_site_says_where_to_start(client: Client) -> None:
    page = read(client, "home")
    assert "No event is open just now" in page
    for role in ("I want to play", "I work the desk", "I run the floor", "I direct", "I edit the rules", "I watch a"):
        assert role in page
    assert "demo" not in page


def test_the_first_page_shows_what_runs_what_comes_and_what_is_over(client: Client) -> None:
    series = make_series()
    running, _ = make_running_event(4, series=series, name="Main")
    coming = make_event(series, name="Deep Stack", capacity=7)
    over = finish(series=series, name="Opener")
    make_event(series, name="Secret", status=Event.Status.DRAFT)
    make_event(make_series(published=False), name="Hidden")
    page = read(client, "home")
    assert page.index('id="playing"') < page.index('id="coming"') < page.index('id="finished"')
    assert "25 – 50" in page
    assert "4 of 4 left" in page
    assert reverse("clock", args=[running.pk]) in page
    assert reverse("sign_up", args=[coming.pk]) in page
    assert "7 of 7 places left" in page
    assert reverse("results", args=[over.pk]) in page
    winner = over.entries.get(status="playing").player.public_name
    assert winner in page
    assert "Secret" not in page
    assert "Hidden" not in page


def test_a_full_event_offers_no_sign_up(client: Client) -> None:
    event = make_event(capacity=2)
    add_players(event, 2, make_director(event.series), paid=False)
    page = read(client, "home")
    assert "full" in page
    assert "Sign up<" not in page


def test_demo_log_ins_are_shown_in_the_demo_alone(client: Client) -> None:
    assert (DEMO_ORGANISER, DEMO_PASSWORD) == (demo.ORGANISER, demo.PASSWORD)
    series = make_series()
    desk = make_user("Hana", role=Role.DESK, series=series)
    owner = make_user("Moana", owner=True)
    assert desk.email not in read(client, "home")
    with guard.writing():
        Organiser.objects.update_or_create(defaults={"name": DEMO_ORGANISER})
    page = read(client, "home")
    assert desk.email in page
    assert owner.email in page
    assert DEMO_PASSWORD in page


GUIDE = {
    "I work the desk": (Role.DESK,),
    "I run the floor": (Role.FLOOR,),
    "I deal": (Role.DEALER, Role.FLOOR),
    "I direct": (),
    "I edit the rules": (Role.EDITOR,),
    "I audit": (Role.AUDITOR,),
}


def test_visitors_read_the_guide_of_every_role(client: Client) -> None:
    make_event()
    page = read(client, "home")
    assert all(words in page for words in GUIDE)


@pytest.mark.parametrize("role", [Role.DIRECTOR, Role.FLOOR, Role.DESK, Role.DEALER, Role.EDITOR, Role.AUDITOR, None])
def test_who_is_signed_in_reads_what_they_can_do_and_no_link_leads_to_a_closed_door(
    client: Client, role: str | None
) -> None:
    event = make_event()
    with guard.writing():
        Organiser.objects.update_or_create(defaults={"name": DEMO_ORGANISER})
    client.force_login(make_user("Ana", role=role, series=event.series if role else None))
    page = read(client, "home")
    offered = {words for words in GUIDE if words in page}
    if role == Role.DIRECTOR:
        assert offered == set(GUIDE) - {"I audit"}
    else:
        desk = {"I work the desk"} if role == Role.FLOOR else set()  # the floor registers players too
        assert offered == {words for words, roles in GUIDE.items() if role in roles} | desk
    assert "Sign in" not in page
    assert "You are signed in as Ana" in page
    guide = page[page.index('id="start"') :]
    for address in re.findall(r'<a href="(/[^"#]*)', guide):
        assert client.get(address).status_code == 200, address


def test_the_number_of_queries_of_the_first_page_does_not_grow(client: Client) -> None:
    counts = []
    series = make_series()
    director = make_director(series)
    for more in (1, 2):
        for _ in range(more):
            make_running_event(3, director, series=series)
            add_players(make_event(series), 2, director)
            finish(series=series)
        with CaptureQueriesContext(connection) as queries:
            read(client, "home")
        counts.append(len(queries))
    assert counts == [18, 18]


# --- the page of an event ---------------------------------------------------------------------------------------------


def test_the_page_of_an_event_says_what_a_player_asks(client: Client) -> None:
    starts_at = dt.datetime(2027, 7, 4, 6, 30, tzinfo=dt.UTC)  # 18:30 on a Sunday in Auckland
    event = make_event(
        name="Main", starts_at=starts_at, late_reg_level=2, max_reentries=1, capacity=120, minimum_age=20
    )
    page = read(client, "event", event.pk)
    for words in (
        "Sun 4 Jul 2027, 18:30",
        "120 of 120 places left",
        "$220 to the prizes + $30 fee",
        "10,000 chips",
        "Until the end of level 2",
        "One re-entry",
        "Registration closes",
        "20 and over",
        "New Zealand driver licence",
        "An expired document".lower(),
        "Version 1",
        reverse("rulebook", args=[event.series.slug]),
        reverse("sign_up", args=[event.pk]),
    ):
        assert words in page
    # four levels of 20 minutes; registration closes when the third begins
    assert page.index("19:10") < page.index("19:30")
    assert page.index("Registration closes") < page.index("100 – 200")


def test_a_running_event_marks_the_level_at_hand(client: Client) -> None:
    event, _ = make_running_event(4)
    page = read(client, "event", event.pk)
    assert page.count("now</span>") == 1
    assert "Late registration is open" in page
    assert f'data-live="event:{event.pk}"' in page


def test_a_finished_event_shows_its_winner_and_no_sign_up(client: Client) -> None:
    event = finish()
    page = read(client, "event", event.pk)
    assert event.entries.get(status="playing").player.public_name in page
    assert "1st" in page
    assert reverse("sign_up", args=[event.pk]) not in page


def test_a_cancelled_event_says_so(client: Client) -> None:
    event = make_event(status=Event.Status.CANCELLED)
    page = read(client, "event", event.pk)
    assert "This event is cancelled." in page
    assert reverse("sign_up", args=[event.pk]) not in page


def test_an_event_of_several_flights_lists_them(client: Client) -> None:
    event = make_event()
    director = make_director(event.series)
    with guard.writing():
        Day.objects.create(event=event, number=2, label="Flight B", starts_at=event.starts_at + dt.timedelta(days=1))
    assert "Flight B" in read(client, "event", event.pk)
    add_players_to_first_day(event, director)
    start_clock(actor=director, on=event.pk, day_id=event.days.first().pk)
    assert "Flight B" in read(client, "event", event.pk)


def add_players_to_first_day(event: Event, director: object) -> None:
    from series.commands.people import register
    from tables.commands.entries import buy_in

    for number in range(3):
        held = register(
            actor=director,
            on=event.pk,
            day_id=event.days.first().pk,
            name=f"Player {number}",
            birth_date=dt.date(1990, 1, 1),
        ).result
        buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="cash", id_kind="passport")


def test_drafts_and_unpublished_series_are_for_their_staff_alone(client: Client) -> None:
    draft = make_event(status=Event.Status.DRAFT)
    hidden = make_event(make_series(published=False))
    for event in (draft, hidden):
        address = reverse("event", args=[event.pk])
        client.logout()
        assert client.get(address).status_code == 404
        client.force_login(make_user(role=Role.DESK, series=make_series()))
        assert client.get(address).status_code == 404
        client.force_login(make_user(role=Role.DESK, series=event.series))
        assert "Only staff see this page" in client.get(address).content.decode()


def test_public_pages_say_nothing_private(client: Client) -> None:
    event, _ = make_running_event(3)
    held = make_event(event.series)
    add_players(held, 2, make_director(event.series), paid=False)
    pages = [read(client, "home"), read(client, "event", event.pk), read(client, "event", held.pk)]
    pages += [read(client, "schedule", event.series.slug), read(client, "sign_up", held.pk)]
    for player in Player.objects.all():
        for page in pages:
            assert player.email not in page
            assert player.token not in page
            assert "1990" not in page
