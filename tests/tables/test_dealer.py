"""The dealer's page and the assistant of the table page: the coming hands in words, the button, who is on the way."""

import datetime as dt
import re
import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.models import JournalEntry
from series.models import Day, Event
from tables.commands.clock import adjust_clock
from tables.commands.floor import bust, confirm_move, order_move
from tables.commands.hand_for_hand import announce_hand_for_hand, release_hand_now, report_hand
from tables.models import HandReport, Move, Seat, Table
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall, seat_players
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db


def address(event: Event, number: int = 1, name: str = "dealer", **query: Any) -> str:
    found = reverse(name, args=[event.pk, number])
    return found + ("?" + "&".join(f"{key}={value}" for key, value in query.items()) if query else "")


def press(client: Client, event: Event, do: str, number: int = 1, name: str = "dealer", **sent: Any) -> HttpResponse:
    seen = Event.objects.values_list("seq", flat=True).get(pk=event.pk)
    given = {"do": do, "command_id": uuid.uuid4(), "version": seen, "table": number} | sent
    return client.post(address(event, number, name), given)


def plain(response: HttpResponse) -> str:
    """The words of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", words(response)).split())


def name_at(day: Day, seat: int, table: int = 1) -> str:
    chair = Seat.objects.select_related("entry__player").get(table__day=day, table__number=table, number=seat)
    assert chair.entry is not None
    return chair.entry.player.public_name


@pytest.fixture
def hall() -> tuple[Event, Day, Client]:
    """Two tables of five, the last hand's button at seat 1; a dealer's client."""
    event = make_event()
    day = make_hall(event, (5, 5))
    return event, day, signed_in(make_user("Tane", role=Role.DEALER, series=event.series))


# --- the coming hands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dealer", "table"])
def test_who_posts_what_and_why_in_the_coming_three_hands(hall: tuple[Event, Day, Client], name: str):
    event, day, client = hall
    page = plain(client.get(address(event, name=name)))
    for first, second, third in ((2, 3, 4), (3, 4, 5), (4, 5, 1)):
        button, small, big = name_at(day, first), name_at(day, second), name_at(day, third)
        blinds = f"Small blind {small} seat {second}"
        assert f"Button {button} seat {first} {blinds}" in page
        assert f"Big blind {big} seat {third}" in page
    assert "Seat 4 posts the big blind: the next player after seat 3, where it was last (rule 22)." in page


def test_a_dead_button_and_a_blind_that_nobody_posts(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    director = make_director(event.series)
    gone = [Seat.objects.get(table__day=day, table__number=1, number=seat).entry_id for seat in (2, 3)]
    bust(actor=director, on=event.pk, entry_ids=gone)
    page = plain(client.get(address(event)))
    assert "Button seat 2, empty dead" in page
    assert "Small blind nobody" in page
    assert "(rule 21)" in page


def test_amounts_are_those_of_the_level_and_in_a_break_of_the_one_after(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    with guard.writing():
        event.levels.filter(position=0).update(ante=50, ante_type="big_blind")
    page = plain(client.get(address(event)))
    assert f"{name_at(day, 3)} seat 3 25" in page
    assert f"{name_at(day, 4)} seat 4 50 + 50 ante" in page
    with guard.writing():
        event.levels.filter(position=0).update(kind="break", number=None, small_blind=0, big_blind=0, ante=0)
    assert f"{name_at(day, 4)} seat 4 100" in plain(client.get(address(event)))


def test_a_newcomer_who_sits_out_is_said(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    director = make_director(event.series)
    seat_players(day, 3, (1, 3, 4), seats=4, last=(4, 1, 3))
    who = Seat.objects.get(table__day=day, table__number=1, number=5).entry_id
    order_move(actor=director, on=event.pk, entry_id=who, table=3, seat=2, reason="Asked for it")
    page = plain(client.get(address(event, 3)))
    assert "comes to seat 2" in page
    assert "Waits there until the button has passed (rule 47)" in page
    confirm_move(actor=director, on=event.pk, move_id=Move.objects.get().pk)
    page = plain(client.get(address(event, 3)))
    assert f"Sits out {name_at(day, 2, 3)} seat 2" in page
    assert "waits for the button (rule 47)" in plain(client.get(address(event, 3, "table")))


def test_an_open_seat_says_what_it_means_for_a_newcomer():
    event = make_event()
    day = make_hall(event, ())
    seat_players(day, 1, (1, 4, 6, 7), last=(1, 4, 7))
    page = plain(signed_in(make_director(event.series)).get(address(event, name="table")))
    for said in (
        "5 empty: between button and small blind: sits out until the button has passed",
        "8 empty: big blind next hand",
        "9 empty: big blind next hand",
        "2 empty: 1 hand from the big blind",
    ):
        assert said in page


# --- buttons ---------------------------------------------------------------------------------------------------------


def test_one_tap_deals_the_next_hand_and_one_takes_it_back(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    response = press(client, event, "next_hand")
    assert response.status_code == 303
    row = Table.objects.get(day=day, number=1)
    assert (row.button, row.small_blind, row.big_blind, row.hand) == (2, 3, 4, 2)
    page = client.get(response["Location"])
    assert "Last hand (2)" in plain(page)
    undone = client.post(reverse("undo", args=[page.context["done"].id]), {"command_id": uuid.uuid4()})
    assert undone.status_code == 303
    assert Table.objects.get(day=day, number=1).button == 1


@pytest.mark.parametrize(
    ("which", "do", "seat", "expected", "dealt"),
    [("last", "button", 8, (8, 1, 2), True), ("coming", "coming_button", 4, (4, 5, 1), False)],
)
def test_one_tap_on_a_seat_sets_the_button_of_the_hand_named(
    hall: tuple[Event, Day, Client], which: str, do: str, seat: int, expected: tuple[int, int, int], dealt: bool
):
    event, day, client = hall
    page = words(client.get(address(event, set="button", hand=which)))
    assert f'name="do" value="{do}"' in page
    assert page.count('name="button" value=') == (9 if which == "last" else 5)
    assert press(client, event, do, button=seat).status_code == 303
    row = Table.objects.get(day=day, number=1)
    assert (row.button, row.small_blind, row.big_blind, bool(row.dealt_in)) == (*expected, dealt)


def test_an_unknown_button_is_asked_for_and_nothing_is_dealt():
    event = make_event()
    make_hall(event, (5,), told=False)
    client = signed_in(make_user("Tane", role=Role.DEALER, series=event.series))
    page = words(client.get(address(event)))
    assert "Nobody has told the button of this table." in page
    assert 'value="next_hand"' not in page
    response = press(client, event, "next_hand")
    assert response.status_code == 422
    assert "The button of table 1 is not known" in words(response)


def test_a_button_told_long_ago_is_doubted(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    with guard.writing():
        Table.objects.filter(day=day, number=1).update(button_at=timezone.now() - dt.timedelta(minutes=11))
    page = words(client.get(address(event)))
    assert "told long ago" in page
    assert 'data-confirm="The last hand was told long ago' in page


def test_who_is_on_the_way_is_waited_for_and_said_to_have_arrived(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    who = Seat.objects.get(table__day=day, table__number=2, number=5).entry_id
    seat_players(day, 3, (1, 2, 3), last=(1, 2, 3))
    order_move(actor=make_director(event.series), on=event.pk, entry_id=who, table=3, seat=4, reason="Asked for it")
    page = words(client.get(address(event, 3)))
    assert "The hand waits for" in page
    assert 'value="next_hand"' not in page
    assert press(client, event, "arrived", 3, move_id=Move.objects.get().pk).status_code == 303
    assert 'value="next_hand"' in words(client.get(address(event, 3)))


def test_dead_money_is_said_until_it_is_in_the_pot(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    director = make_director(event.series)
    who = Seat.objects.get(table__day=day, table__number=2, number=5).entry_id
    order_move(actor=director, on=event.pk, entry_id=who, table=1, seat=8, reason="Asked for it")
    move = Move.objects.get()
    confirm_move(actor=director, on=event.pk, move_id=move.pk)
    floor = signed_in(director)
    page = words(floor.get(address(event, 1, "table", seat=8)))
    assert "Dodged the blinds…" in page
    assert "Big blind 50" in page
    wrong = press(floor, event, "dodge", 1, "table", move_id=move.pk, big_blind="on", reason="", at=8)
    assert wrong.status_code == 422
    assert "Say what was seen" in words(wrong)
    sent = {"move_id": move.pk, "small_blind": "on", "big_blind": "on", "stack": "60", "reason": "Seen", "at": 8}
    assert press(floor, event, "dodge", 1, "table", **sent).status_code == 303
    page = words(client.get(address(event)))
    assert "Next pot: 60 dead money" in page
    assert "Penalty…" not in page
    assert f"?entry={who}" in words(floor.get(address(event, 1, "table")))
    press(client, event, "next_hand")
    assert "dead money" not in plain(client.get(address(event)))


def test_dodging_is_found_by_who_may_rule(hall: tuple[Event, Day, Client]):
    event, day, client = hall
    director = make_director(event.series)
    who = Seat.objects.get(table__day=day, table__number=2, number=5).entry_id
    order_move(actor=director, on=event.pk, entry_id=who, table=1, seat=8, reason="Asked for it")
    assert "Dodged the blinds" not in words(client.get(address(event, 1, "table", seat=8)))
    assert "Dodged the blinds" not in words(signed_in(director).get(address(event, 1, "table", seat=2)))
    sent = {"move_id": Move.objects.get().pk, "big_blind": "on", "reason": "Seen"}
    assert press(client, event, "dodge", 1, "table", **sent).status_code == 403


# --- hand-for-hand ---------------------------------------------------------------------------------------------------


def test_a_round_from_the_dealers_chair(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    director = make_director(event.series)
    announce_hand_for_hand(actor=director, on=event.pk)
    page = words(client.get(address(event)))
    assert "Finish the hand in progress" in page
    assert 'value="next_hand"' not in page
    assert "finish the hand in progress, then wait" in words(press(client, event, "next_hand"))
    assert press(client, event, "finished").status_code == 303
    page = words(client.get(address(event)))
    assert "Do not deal. Waiting for table 2." in page
    report_hand(actor=director, on=event.pk, table=2)
    assert "wait until the next hand is released" in words(press(client, event, "next_hand"))
    release_hand_now(actor=director, on=event.pk)
    page = words(client.get(address(event)))
    assert "Deal hand 1" in page
    assert press(client, event, "next_hand").status_code == 303
    assert HandReport.objects.get(hand=1, table__number=1).dealt_at is not None
    assert "Hand 1 is dealt already" in words(press(client, event, "next_hand"))
    press(client, event, "finished")
    assert press(client, event, "not_finished").status_code == 303
    assert HandReport.objects.get(hand=1, table__number=1).done_at is None


# --- who sees it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "status"),
    [(Role.DEALER, 200), (Role.FLOOR, 200), (Role.DIRECTOR, 200), (Role.DESK, 403), (Role.EDITOR, 403)],
)
def test_each_role(hall: tuple[Event, Day, Client], role: str, status: int):
    event, _, _ = hall
    client = signed_in(make_user("Ana", role=role, series=event.series))
    assert client.get(address(event)).status_code == status


def test_strangers_tables_that_are_not_and_other_series(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    assert Client().get(address(event)).status_code == 302
    assert client.get(address(event, 9)).status_code == 404
    other = make_event()
    make_hall(other, (5,))
    assert client.get(address(other)).status_code == 403


def test_the_part_that_refreshes_comes_alone(hall: tuple[Event, Day, Client]):
    event, _, client = hall
    response = client.get(address(event), headers={"HX-Request": "true", "HX-Target": "dealer"})
    assert 'id="dealer"' in words(response)
    assert "<html" not in words(response)


def test_it_hears_of_its_own_table_and_of_the_clock_and_not_of_hands_told_elsewhere(hall: tuple[Event, Day, Client]):
    event, day, dealer = hall
    page = dealer.get(address(event)).content.decode()
    part = re.search(r'id="dealer" data-live-on="([^"]+)"', page)
    assert part is not None

    def told() -> set[str]:
        return set(JournalEntry.objects.latest("pk").touches) & set(part[1].split())

    table = Table.objects.get(day=day, number=1)
    assert press(dealer, event, "next_hand", 2).status_code == 303
    assert told() == set()
    assert press(dealer, event, "next_hand", 1).status_code == 303
    assert told() == {f"tables.table:{table.pk}"}
    adjust_clock(actor=make_director(event.series), on=event.pk, seconds=60)
    assert told() == {"tables.clock"}


def test_it_asks_as_little_in_a_hall_of_120():
    counts = []
    for tables in (1, 3, 120):
        event = make_event(capacity=2000)
        make_hall(event, [8] * tables)
        client = signed_in(make_user("Ana", role=Role.DEALER, series=event.series))
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(event)).status_code == 200
        counts.append(len(captured))
    assert len(set(counts)) == 1, counts
    assert counts[0] <= 16
