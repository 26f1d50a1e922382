"""The board of hand-for-hand, the floor's suggestion, and what everybody sees of it."""

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
from series.models import Day, Event
from tables.commands.balance import waive_halt
from tables.commands.breaking import break_table
from tables.commands.floor import bust, close_entries
from tables.commands.hand_for_hand import announce_hand_for_hand, release_hand_now, report_hand
from tables.models import Bust, HandForHand, HandReport, Seat, Table
from tables.reads.hand_for_hand import Round, board, round_of
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.hall import make_hall, seat_players
from tests.tables.pages import floor_url, signed_in, words
from tests.tables.pages import press as press_floor

pytestmark = pytest.mark.django_db
SHARES = [2000, 2000, 1500, 1500, 1000, 1000, 1000]


@pytest.fixture
def bubble() -> tuple[Event, Day, Any]:
    """Three tables of three, eight left and seven paid; entries closed."""
    event = make_event(payout_shares=SHARES)
    day = make_hall(event, (3, 3, 3))
    director = make_director(event.series)
    close_entries(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=[at(day, 1, 1)])
    return event, day, director


def at(day: Day, table: int, seat: int) -> int:
    return Seat.objects.values_list("entry_id", flat=True).get(table__day=day, table__number=table, number=seat)


def address(event: Event) -> str:
    return reverse("hand_for_hand", args=[event.pk])


def press(client: Client, event: Event, do: str, **sent: Any) -> HttpResponse:
    seen = Event.objects.values_list("seq", flat=True).get(pk=event.pk)
    return client.post(address(event), {"do": do, "command_id": uuid.uuid4(), "version": seen} | sent)


def plain(response: HttpResponse) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", words(response)).split())


def states(client: Client, event: Event) -> dict[int, str]:
    return {table.number: table.state for table in client.get(address(event)).context["board"].tables}


# --- from the suggestion to the money --------------------------------------------------------------------------------


def test_at_the_bubble_the_floor_is_asked_and_announces(bubble: tuple[Event, Day, Any]):
    event, _, director = bubble
    client = signed_in(director)
    page = words(client.get(floor_url(event)))
    assert "Hand-for-hand?" in page
    assert "8 are left and 7 places are paid" in page
    assert press_floor(client, event, "announce", part="todo").status_code == 200
    page = words(client.get(floor_url(event)))
    assert "Hand-for-hand?" not in page
    assert "Finish the hand in progress, then wait. Waiting for tables 1, 2 and 3." in page


def test_nothing_is_suggested_before_the_bubble_while_entries_are_open_or_at_one_table():
    event = make_event(payout_shares=SHARES)
    day = make_hall(event, (3, 3, 3))
    director = make_director(event.series)
    client = signed_in(director)
    bust(actor=director, on=event.pk, entry_ids=[at(day, 1, 1)])
    assert "Hand-for-hand?" not in words(client.get(floor_url(event)))  # registration is open
    close_entries(actor=director, on=event.pk)
    assert "Hand-for-hand?" in words(client.get(floor_url(event)))
    bust(actor=director, on=event.pk, entry_ids=[at(day, 2, 1)])
    assert "Hand-for-hand?" not in words(client.get(floor_url(event)))  # in the money
    one, actor = make_running_event(3, payout_shares=[6000, 4000])
    close_entries(actor=actor, on=one.pk)
    assert "Hand-for-hand?" not in words(signed_in(actor).get(floor_url(one)))


def test_a_round_on_the_board(bubble: tuple[Event, Day, Any]):
    event, day, director = bubble
    client = signed_in(director)
    assert "8 are left, 7 places are paid" in plain(client.get(address(event)))
    assert press(client, event, "announce").status_code == 303
    assert states(client, event) == {1: "playing", 2: "playing", 3: "playing"}
    for table in (1, 2, 3):
        assert press(client, event, "finished", table=table).status_code == 303
    page = client.get(address(event))
    assert "3 of 3" in plain(page)
    assert "data-until=" in words(page)
    assert press(client, event, "not_finished", table=2).status_code == 303
    assert states(client, event) == {1: "done", 2: "playing", 3: "done"}
    assert "data-until=" not in words(client.get(address(event)))
    refused = press(client, event, "release")
    assert refused.status_code == 422
    assert "waits for table 2" in words(refused)
    press(client, event, "finished", table=2)
    assert press(client, event, "release").status_code == 303
    page = plain(client.get(address(event)))
    assert "Hand-for-hand, hand 1" in page
    assert "Off the clock 2:00 2:00 a hand" in page
    assert press(client, event, "end").status_code == 303
    assert "Not being played" in plain(client.get(address(event)))
    assert HandForHand.objects.get(day=day).ended_at is not None


def test_busts_of_the_round_share_what_they_would_get_now(bubble: tuple[Event, Day, Any]):
    event, day, director = bubble
    client = signed_in(director)
    announce_hand_for_hand(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=[at(day, 2, 1)], stacks={at(day, 2, 1): 4200})
    page = plain(client.get(address(event)))
    assert "began the hand with 4,200" in page
    assert "8th no prize" in page
    bust(actor=director, on=event.pk, entry_ids=[at(day, 3, 1)])
    page = plain(client.get(address(event)))
    # the seventh prize is a tenth of 9 × $220, shared by two
    assert page.count("7th – 8th $99") == 2
    assert "stack decides the place" not in page


def test_at_one_table_the_stack_decides_and_can_be_told_later(bubble: tuple[Event, Day, Any]):
    event, day, director = bubble
    client = signed_in(director)
    announce_hand_for_hand(actor=director, on=event.pk)
    small, large = at(day, 2, 1), at(day, 2, 2)
    for entry in (small, large):
        bust(actor=director, on=event.pk, entry_ids=[entry])
    assert "stack decides the place" in plain(client.get(address(event)))
    assert press(client, event, "stack", entry_id=small, stack="3,000").status_code == 303
    assert press(client, event, "stack", entry_id=large, stack="9000").status_code == 303
    assert Bust.objects.get(entry=large).stack == 9000
    out = {row.placed.entry_id: (row.placed.best, row.placed.worst) for row in board(event, day).out}  # type: ignore[union-attr]
    assert out == {large: (7, 7), small: (8, 8)}
    assert press(client, event, "stack", entry_id=small, stack="0").status_code == 422
    assert press(client, event, "stack", entry_id=at(day, 3, 1), stack="5000").status_code == 422


def test_a_slow_table_and_a_broken_one(bubble: tuple[Event, Day, Any]):
    event, _, director = bubble
    client = signed_in(director)
    announce_hand_for_hand(actor=director, on=event.pk)
    with guard.writing():
        HandReport.objects.filter(table__number=2).update(nudged_at=timezone.now())
    break_table(actor=director, on=event.pk, table=3)
    assert states(client, event) == {1: "playing", 2: "slow", 3: "broken"}
    assert client.get(address(event)).context["board"].round.waiting == (1, 2)


# --- who may ---------------------------------------------------------------------------------------------------------


def test_a_dealer_sees_the_board_and_reports_and_no_more(bubble: tuple[Event, Day, Any]):
    event, _, director = bubble
    client = signed_in(make_user("Tane", role=Role.DEALER, series=event.series))
    assert 'value="announce"' not in words(client.get(address(event)))
    assert press(client, event, "announce").status_code == 403
    announce_hand_for_hand(actor=director, on=event.pk)
    page = words(client.get(address(event)))
    assert 'value="finished"' in page
    assert 'value="end"' not in page
    assert press(client, event, "finished", table=1).status_code == 303
    for do in ("release", "end"):
        assert press(client, event, do).status_code == 403
    desk = signed_in(make_user("Hana", role=Role.DESK, series=event.series))
    assert desk.get(address(event)).status_code == 403
    assert Client().get(address(event)).status_code == 302


def test_the_board_comes_alone_for_a_refresh(bubble: tuple[Event, Day, Any]):
    event, _, director = bubble
    client = signed_in(director)
    response = client.get(address(event), headers={"HX-Request": "true", "HX-Target": "board"})
    assert 'id="board"' in words(response)
    assert "<html" not in words(response)
    announce_hand_for_hand(actor=director, on=event.pk)
    response = client.post(
        address(event),
        {"do": "finished", "table": 1, "command_id": uuid.uuid4()},
        headers={"HX-Request": "true", "HX-Target": "board"},
        follow=True,
    )
    assert response.status_code == 200
    assert "<html" not in words(response)


@pytest.mark.parametrize("playing", [False, True])
def test_a_board_of_120_tables_asks_as_little_as_a_small_one(playing: bool):
    counts = {}
    for tables in (2, 3, 120):
        event = make_event(capacity=2000)
        day = make_hall(event, [8] * tables)
        director = make_director(event.series)
        if playing:
            announce_hand_for_hand(actor=director, on=event.pk)
            bust(actor=director, on=event.pk, entry_ids=[at(day, 1, 1)])
        client = signed_in(director)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(event)).status_code == 200
        counts[tables] = len(captured)
    assert len(set(counts.values())) == 1, counts
    assert counts[120] <= 22


# --- for everybody ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["clock", "display"])
def test_everybody_sees_the_hand_and_who_is_waited_for(bubble: tuple[Event, Day, Any], name: str):
    event, _, director = bubble
    address_ = reverse(name, args=[event.pk])
    assert "Hand-for-hand" not in words(Client().get(address_))
    announce_hand_for_hand(actor=director, on=event.pk)
    page = words(Client().get(address_))
    assert "Finish the hand in progress, then wait." in page
    assert "tables.handforhand" in page
    for table in (1, 2, 3):
        report_hand(actor=director, on=event.pk, table=table)
    assert "the next hand comes in a moment" in words(Client().get(address_))
    release_hand_now(actor=director, on=event.pk)
    report_hand(actor=director, on=event.pk, table=1)
    page = words(Client().get(address_))
    assert "Hand-for-hand, hand 1" in page
    assert "Waiting for tables 2 and 3." in page


def test_a_player_at_a_table_sees_it_too():
    event = make_event(payout_shares=[6000, 4000], seats_per_table=2)
    director = make_director(event.series)
    people = add_players(event, 4, director)
    day = event.days.get()
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(status=Event.Status.RUNNING)
    announce_hand_for_hand(actor=director, on=event.pk)
    seat = Seat.objects.select_related("entry__player").get(entry=people[0]["entry"])
    assert seat.entry is not None
    me = reverse("my_page", args=[seat.entry.player.token])
    assert "Hand-for-hand" in words(Client().get(me))
    bust(actor=director, on=event.pk, entry_ids=[seat.entry.pk])
    assert "Hand-for-hand" not in words(Client().get(me))
    assert round_of(day) is not None


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        ((), "All tables have finished"),
        ((4,), "Waiting for table 4."),
        ((4, 9), "Waiting for tables 4 and 9."),
        ((1, 2, 3, 4, 5, 6), "Waiting for tables 1, 2, 3, 4, 5 and 6."),
        (tuple(range(1, 8)), "Waiting for 7 of 1,124 tables."),
    ],
)
def test_how_the_waiting_is_said(waiting: tuple[int, ...], said: str):
    found = Round(3, "dealing", timezone.now(), None, 1124, waiting, frozenset())
    assert found.words.startswith(said)
    assert found.title == "Hand-for-hand, hand 3"


def test_only_the_last_tables_make_every_phone_look():
    event = make_event(capacity=200)
    make_hall(event, [3] * 6)
    director = make_director(event.series)
    announce_hand_for_hand(actor=director, on=event.pk)
    versions = []
    for table in range(1, 7):
        report_hand(actor=director, on=event.pk, table=table)
        versions.append(HandForHand.objects.get().version)
    assert versions == [0, 0, 1, 2, 3, 4]


# --- other things for the floor to do --------------------------------------------------------------------------------


def test_all_moves_are_ordered_in_one_tap():
    event = make_event()
    day = make_hall(event, (9, 9, 6, 6))
    client = signed_in(make_director(event.series))
    page = words(client.get(floor_url(event)))
    assert "Order all two moves" in page
    moves = re.findall(r'name="move" value="([^"]+)"', page[page.index("Order all") - 800 :])[-2:]
    assert press_floor(client, event, "balance", part="todo", move=moves).status_code == 200
    sizes = [Seat.objects.filter(table__day=day, table__number=n, entry__isnull=False).count() for n in (1, 2, 3, 4)]
    assert sizes == [8, 8, 7, 7]


def test_a_halt_is_waived_by_the_director_alone():
    event = make_event()
    day = make_hall(event, (9, 9))
    seat_players(day, 3, range(1, 7), last=(4, 5, 6))
    director = make_director(event.series)
    floor = signed_in(make_user("Ana", role=Role.FLOOR, series=event.series))
    page = words(floor.get(floor_url(event)))
    assert "Table 3 must not deal" in page
    assert "Let it play on" not in page
    assert press_floor(floor, event, "waive_halt", table=3).status_code == 403
    client = signed_in(director)
    assert "Let it play on" in words(client.get(floor_url(event)))
    assert press_floor(client, event, "waive_halt", part="todo", table=3).status_code == 200
    assert "must not deal" not in words(client.get(floor_url(event)))


def test_tables_without_a_known_button_are_asked():
    event = make_event(capacity=200)
    day = make_hall(event, [5] * 12)
    with guard.writing():
        Table.objects.filter(day=day, number__gt=3).update(button=None)
        Table.objects.filter(day=day, number=2).update(button_at=timezone.now() - dt.timedelta(minutes=11))
    page = plain(signed_in(make_director(event.series)).get(floor_url(event)))
    assert "Nine tables have not told it. One table told it long ago." in page
    assert "Table 2 Table 4 Table 5 Table 6 Table 7 Table 8 Table 9 Table 10 and 2 more" in page


def test_hands_and_reports_do_not_crowd_out_what_the_floor_did(bubble: tuple[Event, Day, Any]):
    event, _, director = bubble
    announce_hand_for_hand(actor=director, on=event.pk)
    for table in (1, 2, 3):
        report_hand(actor=director, on=event.pk, table=table)
    part = signed_in(director).get(floor_url(event), headers={"HX-Request": "true", "HX-Target": "recent"})
    assert "Hand-for-hand announced" in words(part)
    assert "has finished the hand" not in words(part)


def test_waiving_needs_an_open_table():
    event = make_event()
    make_hall(event, (9, 6))
    with pytest.raises(Exception, match="is not open"):
        waive_halt(actor=make_director(event.series), on=event.pk, table=7)
