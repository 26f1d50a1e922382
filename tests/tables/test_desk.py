"""The desk's card: register, sight ID, take the buy-in, re-enter, put right, give back, print."""

import datetime as dt

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.people import register, sight_id, withdraw
from series.domain.eligibility import ID_KINDS
from series.models import Entry, Event, IdCheck, LedgerLine, Player, Registration
from series.reads.money import prize_pool_cents
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries
from tables.models import Seat
from tables.reads.desk import card as reads_card
from tables.reads.desk import find, is_proven
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.at_the_desk import HTMX, address, card, form, pay, send

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


# --- the way of a new player ------------------------------------------------------------------------------------------


def test_a_new_player_is_added_sighted_paid_and_seated(desk: Client, event: Event) -> None:
    given = form(name="Ngāio  Tūhoe", birth_date="5/6/2000", email="", phone="021 555 0101")
    response = desk.post(reverse("desk_add", args=[event.pk]), given)
    player = Player.objects.get()
    assert (player.name, player.birth_date) == ("Ngāio Tūhoe", dt.date(2000, 6, 5))
    assert response.status_code == 303
    page = desk.get(response.url).content.decode()
    assert "Ngāio Tūhoe registered" in page
    assert "Take $250.00 and draw a seat" in page
    response = pay(desk, Registration.objects.get(), id_kind="nz_driver_licence", method="card")
    assert response.status_code == 303
    seat = Seat.objects.get(entry__player=player)
    page = desk.get(response.url).content.decode()
    assert f"Table {seat.table.number}, seat {seat.number}" in page
    assert "$250.00 card" in page
    assert "by Hana" in page
    check = IdCheck.objects.get()
    assert (check.kind, check.age, check.checked_by.name) == ("nz_driver_licence", 18, "Hana")
    till = LedgerLine.objects.get(account="till")
    assert (till.amount_cents, till.method) == (25000, "card")


def test_the_age_is_that_on_the_day_of_the_event(desk: Client) -> None:
    with time_machine.travel(dt.datetime(2026, 7, 1, 0, 0, tzinfo=dt.UTC), tick=False):
        event = make_event(starts_at=dt.datetime(2026, 7, 4, 12, 30, tzinfo=dt.UTC))  # 5 July in Auckland
        desk.force_login(make_user(role=Role.DESK, series=event.series))
        director = make_director(event.series)
        for name, born in (("On", dt.date(2000, 7, 5)), ("Before", dt.date(2000, 7, 6))):
            register(actor=director, on=event.pk, name=name, birth_date=born)
        on, before = Player.objects.order_by("pk")
        assert "26 on 5 July" in card(desk, event, on)
        assert "25 on 5 July" in card(desk, event, before)


def test_who_is_not_old_enough_yet_cannot_pay(desk: Client) -> None:
    now = dt.datetime(2026, 7, 1, 0, 0, tzinfo=dt.UTC)
    with time_machine.travel(now, tick=False):
        event = make_event(starts_at=now + dt.timedelta(days=10))
        desk.force_login(make_user(role=Role.DESK, series=event.series))
        register(actor=make_director(event.series), on=event.pk, name="Jo", birth_date=dt.date(2008, 7, 5))
        page = card(desk, event, Player.objects.get())
        assert "You need to be 18 or over" in page
        assert "Take $" not in page
        response = pay(desk, Registration.objects.get())
        assert response.status_code == 422
        assert not Entry.objects.exists()
        assert not IdCheck.objects.exists()


def test_a_minor_is_refused_at_the_desk_as_everywhere(desk: Client, event: Event) -> None:
    before = JournalEntry.objects.count()
    born = (dt.datetime.now(dt.UTC) - dt.timedelta(days=17 * 365)).date()
    given = form(name="Young One", birth_date=f"{born.day}/{born.month}/{born.year}", email="", phone="")
    response = desk.post(reverse("desk_add", args=[event.pk]), given)
    assert response.status_code == 422
    assert "We would love to see you once you are." in response.content.decode()
    assert 'value="Young One"' in response.content.decode()
    assert not Player.objects.exists()
    assert JournalEntry.objects.count() == before


def test_no_money_without_a_sighted_id(desk: Client, held: Registration) -> None:
    response = pay(desk, held, id_kind="")
    assert response.status_code == 422
    assert "Choose the kind of ID you saw." in response.content.decode()
    assert pay(desk, held, id_kind="library_card").status_code == 422
    assert not Entry.objects.exists()


def test_no_money_without_a_way_of_paying(desk: Client, held: Registration) -> None:
    response = pay(desk, held, method="")
    assert response.status_code == 422
    assert "Choose how it is paid" in response.content.decode()
    kept = next(line for line in response.content.decode().split("<input") if 'value="passport"' in line)
    assert "checked" in kept


def test_an_id_can_be_recorded_before_the_money(desk: Client, held: Registration) -> None:
    assert send(desk, "desk_sight_id", held.event, held.player, registration=held.pk).status_code == 422
    response = send(desk, "desk_sight_id", held.event, held.player, registration=held.pk, id_kind="kiwi_access")
    assert response.status_code == 303
    page = card(desk, held.event, held.player)
    assert "Kiwi Access Card, seen by Hana" in page
    assert 'name="id_kind"' not in page
    assert pay(desk, held, id_kind="").status_code == 303
    assert IdCheck.objects.count() == 1


def test_an_id_seen_for_18_does_not_do_for_20(desk: Client, held: Registration) -> None:
    pay(desk, held)
    strict = make_event(held.event.series, minimum_age=20)
    register(actor=make_director(strict.series), on=strict.pk, player_id=held.player_id)
    page = card(desk, strict, held.player)
    assert 'name="id_kind"' in page
    again = make_event(held.event.series)
    register(actor=make_director(again.series), on=again.pk, player_id=held.player_id)
    assert 'name="id_kind"' not in card(desk, again, held.player)


def test_the_button_says_what_it_will_do(desk: Client) -> None:
    for fields, words in (
        ({}, "Take $250.00 and draw a seat</button>"),
        ({"seat_at_buy_in": False}, "Take $250.00</button>"),
        ({"buy_in_cents": 0, "fee_cents": 0}, "Enter and draw a seat</button>"),
    ):
        event = make_event(**fields)
        desk.force_login(make_user(role=Role.DESK, series=event.series))
        add_players(event, 1, make_director(event.series), paid=False)
        held = Registration.objects.get(event=event)
        assert words in card(desk, event, held.player)
        assert pay(desk, held).status_code == 303
        assert (prize_pool_cents(event), Entry.objects.filter(event=event).count()) == (event.buy_in_cents, 1)


# --- several desks, and the same form twice ---------------------------------------------------------------------------


def test_the_same_form_twice_takes_the_money_once(desk: Client, held: Registration) -> None:
    given = form(registration=held.pk, method="cash", id_kind="passport")
    url = reverse("desk_buy_in", args=[held.event_id, held.player_id])
    first, second = desk.post(url, given), desk.post(url, given)
    assert first.status_code == second.status_code == 303
    assert first.url == second.url
    assert Entry.objects.count() == 1
    assert LedgerLine.objects.filter(account="till").count() == 1


@pytest.mark.parametrize("htmx", [True, False])
def test_another_desk_was_quicker(desk: Client, held: Registration, htmx: bool) -> None:
    held.event.refresh_from_db()
    seen = held.event.seq
    other = make_user("Moana", role=Role.DESK, series=held.event.series)
    buy_in(actor=other, on=held.event_id, registration_id=held.pk, method="card", id_kind="passport")
    response = pay(desk, held, version=seen, htmx=htmx)
    page = response.content.decode()
    assert response.status_code == 409
    assert "This changed while you looked" in page
    assert "by Moana" in page
    assert "$250.00 card" in page
    assert ("<html" in page) is not htmx
    assert Entry.objects.count() == 1


def test_a_place_given_back_elsewhere_is_not_sold(desk: Client, held: Registration) -> None:
    held.event.refresh_from_db()
    seen = held.event.seq
    withdraw(actor=make_director(held.event.series), on=held.event_id, registration_id=held.pk)
    response = pay(desk, held, version=seen)
    assert response.status_code == 409
    assert "gave the place back" in response.content.decode()
    assert "Register for Main" in response.content.decode()
    assert not Entry.objects.exists()


def test_undo_of_a_buy_in_gives_the_place_and_answers_the_money(desk: Client, held: Registration) -> None:
    pay(desk, held)
    page = card(desk, held.event, held.player)
    bought = JournalEntry.objects.get(verb="entry.buy_in")
    assert reverse("undo", args=[bought.pk]) in page
    back = f"{address(held.event)}?player={held.player_id}"
    response = desk.post(reverse("undo", args=[bought.pk]), form(next=back))
    assert response.url == back
    page = desk.get(back).content.decode()
    assert "Undone:" in page
    assert "Take $250.00 and draw a seat" in page
    assert prize_pool_cents(held.event) == 0
    assert pay(desk, held, id_kind="passport").status_code == 303
    assert prize_pool_cents(held.event) == 22000


def test_what_was_redone_can_be_undone_again(desk: Client, held: Registration) -> None:
    pay(desk, held)
    for _ in range(2):
        last = JournalEntry.objects.latest("pk")
        desk.post(reverse("undo", args=[last.pk]), form())
    redone = JournalEntry.objects.latest("pk")
    assert redone.verb == "redo"
    assert reverse("undo", args=[redone.pk]) in card(desk, held.event, held.player)


def test_the_card_is_fetched_again_only_if_it_changed(desk: Client, held: Registration) -> None:
    page = card(desk, held.event, held.player)
    key = page.split("&amp;seen=")[1].split('"')[0]
    query = {"player": held.player_id, "seen": key}
    add_players(held.event, 1, make_director(held.event.series))
    assert desk.get(address(held.event), query, headers=HTMX).status_code == 204
    pay(desk, held)
    response = desk.get(address(held.event), query, headers=HTMX)
    assert response.status_code == 200
    assert "Entered" in response.content.decode()


# --- coming back ------------------------------------------------------------------------------------------------------


def test_a_player_who_is_out_may_re_enter_while_it_is_open(client: Client) -> None:
    event, director = make_running_event(4, max_reentries=1)
    client.force_login(make_user(role=Role.DESK, series=event.series))
    entry = event.entries.order_by("pk").first()
    bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    assert "Take $250.00 and draw a seat" in card(client, event, entry.player)
    response = send(client, "desk_reenter", event, entry.player, method="transfer")
    assert response.status_code == 303
    assert "Entry 2" in client.get(response.url).content.decode()
    second = event.entries.get(player=entry.player, number=2)
    bust(actor=director, on=event.pk, entry_ids=[second.pk])
    page = card(client, event, entry.player)
    assert "This event allows one re-entry." in page
    assert "Take $" not in page
    refused = send(client, "desk_reenter", event, entry.player, method="cash")
    assert refused.status_code == 422
    assert "This event allows one re-entry." in refused.content.decode()


def test_nobody_re_enters_once_registration_is_closed(client: Client) -> None:
    event, director = make_running_event(4, max_reentries=2)
    client.force_login(make_user(role=Role.DESK, series=event.series))
    entry = event.entries.order_by("pk").first()
    bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    close_entries(actor=director, on=event.pk)
    page = card(client, event, entry.player)
    assert "Registration for this event is closed." in page
    assert "Take $" not in page
    assert send(client, "desk_reenter", event, entry.player, method="cash").status_code == 422


# --- details and places -----------------------------------------------------------------------------------------------


def test_details_are_put_right(desk: Client, held: Registration) -> None:
    given = {"name": "Zoë Smith", "birth_date": "29/2/1996", "email": "", "phone": "", "public_name": "Zoë S."}
    assert send(desk, "desk_details", held.event, held.player, **given).status_code == 303
    player = Player.objects.get()
    assert (player.name, player.public_name, player.birth_date) == ("Zoë Smith", "Zoë S.", dt.date(1996, 2, 29))
    response = send(desk, "desk_details", held.event, held.player, **given | {"birth_date": "30/2/1996"})
    assert response.status_code == 422
    assert "There is no such day in the calendar." in response.content.decode()
    assert 'value="30/2/1996"' in response.content.decode()


def test_a_place_is_given_back_and_taken_again(desk: Client, held: Registration) -> None:
    response = send(desk, "desk_withdraw", held.event, held.player, registration=held.pk)
    assert response.status_code == 303
    page = desk.get(response.url).content.decode()
    assert "gave the place back" in page
    assert "Register for Main" in page
    assert send(desk, "desk_register", held.event, held.player).status_code == 303
    assert "Take $250.00" in card(desk, held.event, held.player)


# --- papers -----------------------------------------------------------------------------------------------------------


def test_seat_card_and_receipt(desk: Client, held: Registration) -> None:
    pay(desk, held)
    entry = Entry.objects.get()
    url = reverse("seat_card", args=[held.event_id, entry.pk])
    page = desk.get(url).content.decode()
    assert f"Receipt {held.event.number}-0001" in page
    assert f"Seat {entry.seat.number}" in page
    assert "Paid, cash" in page
    assert "$250.00" in page
    assert '<svg role="img"' in page
    desk.force_login(make_user(role=Role.FLOOR, series=held.event.series))
    page = desk.get(url).content.decode()
    assert f"Seat {entry.seat.number}" in page
    assert "$250.00" not in page
    other = make_event(held.event.series)
    assert desk.get(reverse("seat_card", args=[other.pk, entry.pk])).status_code == 404


def test_an_entry_taken_back_has_no_papers(desk: Client, held: Registration) -> None:
    pay(desk, held)
    desk.post(reverse("undo", args=[JournalEntry.objects.latest("pk").pk]), form())
    assert desk.get(reverse("seat_card", args=[held.event_id, Entry.objects.get().pk])).status_code == 404


def test_a_sighting_taken_back_proves_nothing_at_the_desk(desk: Client, held: Registration) -> None:
    event, player = held.event, held.player
    director = make_director(event.series)
    sight_id(actor=director, on=event.pk, player_id=player.pk, kind=ID_KINDS[0].code)
    assert is_proven(event, player)
    undo(actor=director, entry_id=JournalEntry.objects.latest("pk").pk)
    assert not is_proven(event, player)
    assert [hit.tag for hit in find(event, player.name).hits] == ["ID not yet seen"]
    assert reads_card(event, player, timezone.now()).sighted is None
