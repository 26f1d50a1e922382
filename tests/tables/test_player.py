"""The player's own page, from the held place to the prize."""

import datetime as dt
import uuid

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from accounts.models import User
from journal import guard
from journal.models import JournalEntry
from series.commands.altering import cancel_event
from series.commands.people import register, sign_up
from series.models import Event, Player, Registration
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries, order_move
from tables.commands.payouts import pay_out
from tables.models import Move, Seat
from tests.factories import add_players, make_director, make_event, make_running_event, make_series

pytestmark = pytest.mark.django_db


def read(client: Client, player: Player, **query: object) -> str:
    response = client.get(reverse("my_page", args=[player.token]), query)
    assert response.status_code == 200
    return response.content.decode()


def send(client: Client, name: str, player: Player, event: Event) -> object:
    return client.post(reverse(name, args=[player.token, event.pk]), {"command_id": str(uuid.uuid4())})


def players(event: Event) -> list[Player]:
    return [entry.player for entry in event.entries.select_related("player").order_by("pk")]


@pytest.fixture
def held() -> Registration:
    event = make_event(name="Deep Stack")
    add_players(event, 1, make_director(event.series), paid=False)
    return Registration.objects.get()


def test_a_held_place_says_what_to_pay_and_shows_the_code(client: Client, held: Registration) -> None:
    page = read(client, held.player)
    assert "Your place is held" in page
    assert "Pay $250 at the desk." in page
    assert '<svg role="img" viewBox=' in page
    assert "I cannot come" in page


def test_the_page_is_kept_secret(client: Client, held: Registration) -> None:
    response = client.get(reverse("my_page", args=[held.player.token]))
    assert "no-store" in response["Cache-Control"]
    assert "noindex" in response["X-Robots-Tag"]
    assert response["Referrer-Policy"] == "strict-origin"
    page = response.content.decode()
    assert 'name="robots" content="noindex' in page
    assert "1990" not in page
    assert held.player.email not in page
    assert "style=" not in page


def test_nobody_else_has_a_page(client: Client, held: Registration) -> None:
    assert client.get(reverse("my_page", args=["x" * 22])).status_code == 404
    assert client.get(reverse("my_page", args=[held.player.token]), {"event": "99999"}).status_code == 404
    other = make_event()
    assert send(client, "my_give_back", held.player, other).status_code == 404
    assert client.get(reverse("my_give_back", args=[held.player.token, held.event_id])).status_code == 405


def test_a_place_is_given_back_once(client: Client, held: Registration) -> None:
    response = send(client, "my_give_back", held.player, held.event)
    assert response.status_code == 303
    held.refresh_from_db()
    assert held.status == Registration.Status.WITHDRAWN
    page = read(client, held.player)
    assert "You gave your place back" in page
    assert reverse("sign_up", args=[held.event_id]) in page
    again = send(client, "my_give_back", held.player, held.event)
    assert again.status_code == 422
    assert "There is no place held here." in again.content.decode()


def test_a_paid_entry_cannot_be_given_back(client: Client) -> None:
    event, _ = make_running_event(3)
    player = players(event)[0]
    assert send(client, "my_give_back", player, event).status_code == 422
    assert event.entries.filter(player=player, status="playing").exists()


def test_who_is_too_young_today_reads_what_to_wait_for(client: Client) -> None:
    now = dt.datetime(2026, 7, 1, 0, 0, tzinfo=dt.UTC)
    with time_machine.travel(now, tick=False):
        event = make_event(starts_at=now + dt.timedelta(days=10))
        director = make_director(event.series)
        register(actor=director, on=event.pk, name="Jo", birth_date=dt.date(2008, 7, 5))
        page = read(client, Player.objects.get())
    assert "Your place is reserved. You can pay and be seated once you are 18." in page
    assert "2008" not in page


def test_the_seat_comes_first_then_the_table(client: Client) -> None:
    event, _ = make_running_event(5)
    player = players(event)[0]
    seat = Seat.objects.get(entry__player=player)
    page = read(client, player)
    assert f"Table {seat.table.number}, seat {seat.number}" in page
    assert f"Seat {seat.number}: {player.public_name}, you" in page
    assert page.index("Your seat") < page.index("<svg viewBox") < page.index("clock-line")
    assert f'data-live="event:{event.pk}"' in page


def test_a_cancelled_event_sends_nobody_to_a_seat(client: Client) -> None:
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    cancel_event(actor=director, on=event.pk, reason="The venue lost its power.")
    page = read(client, Player.objects.get())
    assert "This event is cancelled" in page
    assert "The venue lost its power." in page
    assert "ask the desk for yours" in page
    assert "Your seat" not in page


def test_before_the_draw_the_seat_is_to_come(client: Client) -> None:
    event = make_event(seat_at_buy_in=False)
    add_players(event, 1, make_director(event.series))
    assert "Seat to come" in read(client, Player.objects.get())


def moved(event: Event, director: User) -> Move:
    seat = Seat.objects.filter(table__day__event=event, entry__isnull=False).first()
    free = Seat.objects.filter(table__day__event=event, entry__isnull=True).exclude(table=seat.table).first()
    order_move(
        actor=director,
        on=event.pk,
        entry_id=seat.entry_id,
        table=free.table.number,
        seat=free.number,
        reason="To fill the table.",
    )
    return Move.objects.get()


def test_a_move_stands_before_anything_else_until_the_player_sits(client: Client) -> None:
    event, director = make_running_event(12)
    move = moved(event, director)
    player = move.entry.player
    page = read(client, player)
    assert "You are moved. Go now with your chips." in page
    assert f"Table {move.to_seat.table.number}, seat {move.to_seat.number}" in page
    assert f"From table {move.from_table}, seat {move.from_seat}. To fill the table." in page
    assert page.index("You are moved") < page.index('<svg viewBox="0 0 360')
    for tab in ("clock", "payouts"):
        assert "You are moved" in read(client, player, show=tab)
    assert send(client, "my_seated", player, event).status_code == 303
    move.refresh_from_db()
    assert move.status == Move.Status.ARRIVED
    assert JournalEntry.objects.latest("pk").actor_name == "visitor"
    page = read(client, player)
    assert "You are moved" not in page
    assert "Your seat" in page
    again = send(client, "my_seated", player, event)
    assert again.status_code == 422
    assert "There is no move to confirm." in again.content.decode()


def test_a_part_of_the_page_is_fetched_alone(client: Client) -> None:
    event, _ = make_running_event(3)
    address = reverse("my_page", args=[players(event)[0].token])
    part = client.get(address, headers={"HX-Request": "true", "HX-Target": "mine"}).content.decode()
    assert part.lstrip().startswith('<div class="stack" id="mine"')
    assert "<html" not in part


def test_out_with_a_prize_and_the_winner(client: Client) -> None:
    event, director = make_running_event(3)
    close_entries(actor=director, on=event.pk)
    first, second, winner = event.entries.order_by("pk")
    bust(actor=director, on=event.pk, entry_ids=[first.pk])
    page = read(client, first.player)
    assert "You are out" in page
    assert "3rd" in page
    bust(actor=director, on=event.pk, entry_ids=[second.pk])
    page = read(client, winner.player)
    assert "You won" in page
    assert "collect it at the desk" in page
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="cash")
    page = read(client, winner.player)
    assert ", paid" in page
    assert "collect it" not in page


def test_re_entry_is_offered_while_it_is_open(client: Client) -> None:
    event, director = make_running_event(4, max_reentries=1)
    entry = event.entries.order_by("pk").first()
    bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    assert "Re-entry is open: ask the desk." in read(client, entry.player)
    close_entries(actor=director, on=event.pk)
    assert "Re-entry is open" not in read(client, entry.player)


def test_what_matters_most_now_is_shown_and_the_rest_is_a_tap_away(client: Client) -> None:
    series = make_series()
    later, sooner = (make_event(series, name=name) for name in ("Later", "Sooner"))
    with guard.writing():
        sooner.days.update(starts_at=later.starts_at - dt.timedelta(minutes=30))
    director = make_director(series)
    held = register(actor=director, on=later.pk, name="Mia", birth_date=dt.date(1990, 1, 1)).result
    player = Player.objects.get()
    register(actor=director, on=sooner.pk, player_id=player.pk)
    assert "My seat · Sooner" in read(client, player)
    assert f"?event={later.pk}" in read(client, player)
    add_players(later, 2, director)
    buy_in(actor=director, on=later.pk, registration_id=held["registration"], method="cash", id_kind="passport")
    start_clock(actor=director, on=later.pk)
    assert "My seat · Later" in read(client, player)
    assert "My seat · Sooner" in read(client, player, event=sooner.pk)


def test_prizes_and_clock_have_their_own_tabs(client: Client) -> None:
    event, _ = make_running_event(10)
    player = players(event)[0]
    assert "$2,200" in read(client, player, show="payouts")
    assert "clock-line" in read(client, player, show="clock")
    assert 'aria-current="page"' in read(client, player, show="nonsense")


def test_a_player_with_a_log_in_signs_up_and_sees_the_same_page(client: Client) -> None:
    event = make_event()
    user = User.objects.create_user("aroha@example.nz", "x", name="Aroha")
    sign_up(
        actor=user,
        on=event.pk,
        day_id=None,
        name="Aroha Ngata",
        birth_date=dt.date(1990, 1, 1),
        email="aroha@example.nz",
        phone="",
        rulebook_version_id=event.series.rulebook_versions.get().pk,
    )
    client.force_login(user)
    player = Player.objects.get()
    assert "Aroha Ngata" in read(client, player)
    assert send(client, "my_give_back", player, event).status_code == 303
