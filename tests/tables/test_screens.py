"""The public clock, the hall display, the seats: every state in words, and who may see it."""

import datetime as dt
import json
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from journal import guard
from series.commands.altering import cancel_event
from series.domain.names import fold
from series.domain.prize_plan import Planned
from series.models import Day, Entry, Event, Level
from series.reads.prizes import Prizes
from tables.commands.clock import jump_clock, pause_after_level, pause_clock, resume_clock
from tables.commands.floor import bust, close_entries, order_move
from tables.commands.hand_for_hand import announce_hand_for_hand, end_hand_for_hand
from tables.models import Clock, Seat
from tables.reads.field import Field
from tables.reads.screens import clock_faces, days_of, pick_day, prize_ladder, whole_seconds
from tests.factories import add_players, make_director, make_event, make_running_event
from tests.tables.hall import make_hall
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db
MINUTE = dt.timedelta(minutes=1)
BREAK = "big blind ante 2,000 · colour up 25s"


def page(event: Event, name: str = "clock", **query: Any) -> str:
    response = Client().get(reverse(name, args=[event.pk]), query)
    assert response.status_code == 200
    return words(response)


def with_structure(event: Event) -> None:
    """Two levels, a break in which the 25s leave, a level with an ante."""
    with guard.writing():
        event.levels.all().delete()
        rows = [
            {"number": 1, "minutes": 20, "small_blind": 100, "big_blind": 200},
            {"number": 2, "minutes": 20, "small_blind": 500, "big_blind": 1000, "ante": 100, "ante_type": "each"},
            {"kind": "break", "minutes": 15, "remove": [25]},
            {
                "number": 3,
                "minutes": 20,
                "small_blind": 1000,
                "big_blind": 2000,
                "ante": 2000,
                "ante_type": "big_blind",
            },
        ]
        for position, row in enumerate(rows):
            Level.objects.create(event=event, position=position, **{"ante_type": "big_blind"} | row)


def face(event: Event, at: dt.datetime | None = None) -> Any:
    day = days_of(Event.objects.select_related("series").get(pk=event.pk))[0]
    return clock_faces([day], at or timezone.now())[day.pk]


# --- the states ------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock() -> tuple[Event, dt.datetime]:
    """An event with the structure above whose clock runs since the instant given back."""
    event, began = make_event(), dt.datetime(2026, 12, 5, 5, 30, tzinfo=dt.UTC)
    with_structure(event)
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(status=Event.Status.RUNNING)
        Clock.objects.create(day=event.days.get(), status="running", ends_at=began + 20 * MINUTE, version=1)
    return event, began


@pytest.mark.parametrize(
    ("after", "state", "title", "seconds", "blinds", "note", "next_blinds", "break_in"),
    [
        (0 * MINUTE, "running", "Level 1", 1200, "100 – 200", "", "500 – 1,000", 40 * MINUTE),
        (7 * MINUTE, "running", "Level 1", 780, "100 – 200", "", "500 – 1,000", 33 * MINUTE),
        (20 * MINUTE, "running", "Level 2", 1200, "500 – 1,000", "ante 100", "1,000 – 2,000", 20 * MINUTE),
        (40 * MINUTE, "break", "Break, then level 3", 900, "1,000 – 2,000", BREAK, "1,000 – 2,000", None),
        (55 * MINUTE, "running", "Level 3", 1200, "1,000 – 2,000", "big blind ante 2,000", "", None),
    ],
)
def test_what_the_clock_says_as_time_goes_by(
    clock: tuple[Event, dt.datetime],
    after: dt.timedelta,
    state: str,
    title: str,
    seconds: int,
    blinds: str,
    note: str,
    next_blinds: str,
    break_in: dt.timedelta | None,
):
    event, began = clock
    shown = face(event, began + after)
    assert (shown.state, shown.title, shown.seconds) == (state, title, seconds)
    assert (shown.blinds, shown.note, shown.next_blinds, shown.break_in) == (blinds, note, next_blinds, break_in)


def test_after_the_last_level_its_blinds_stay(clock: tuple[Event, dt.datetime]):
    event, began = clock
    shown = face(event, began + 76 * MINUTE)
    assert (shown.state, shown.words, shown.seconds) == ("overtime", "Last level", None)
    assert (shown.title, shown.blinds, shown.state_words) == ("Level 3", "1,000 – 2,000", "blinds stay")


def test_the_begun_second_counts():
    assert whole_seconds(dt.timedelta(minutes=20)) == 1200
    assert whole_seconds(dt.timedelta(seconds=11, milliseconds=1)) == 12
    assert whole_seconds(dt.timedelta(seconds=-3)) == 0


@pytest.mark.parametrize(
    ("until", "title", "said"),
    [
        (dt.timedelta(days=3), "Starts Sat 5 Dec", "18:30"),
        (dt.timedelta(hours=2, minutes=3), "Starts at 18:30", 7380),
        (dt.timedelta(minutes=-4), "About to start", 1200),
    ],
)
def test_before_the_start_it_counts_to_the_stated_time(until: dt.timedelta, title: str, said: int | str):
    starts = dt.datetime(2026, 12, 5, 5, 30, tzinfo=dt.UTC)  # 18:30 in Auckland
    event = make_event(starts_at=starts)
    shown = face(event, starts - until)
    assert (shown.state, shown.title) == ("not_started", title)
    assert said == (shown.words or shown.seconds)
    assert (shown.next_blinds, shown.break_in) == ("", None)


def test_the_browser_gets_the_words_of_every_level(clock: tuple[Event, dt.datetime]):
    event, began = clock
    with time_machine.travel(began + 5 * MINUTE, tick=False):
        shown = face(event)
        assert shown.data in words(Client().get(reverse("clock", args=[event.pk]))).replace("&quot;", '"')
    sent = json.loads(shown.data)
    assert sent["now"] == round((began + 5 * MINUTE).timestamp() * 1000)
    assert sent["ends_at"] - sent["now"] == 15 * 60_000
    assert [item["title"] for item in sent["items"]] == ["Level 1", "Level 2", "Break, then level 3", "Level 3"]
    assert [item["ms"] for item in sent["items"]] == [1_200_000, 1_200_000, 900_000, 1_200_000]


def test_a_paused_clock_says_so_and_names_no_time_of_day():
    event, director = make_running_event(9)
    pause_clock(actor=director, on=event.pk)
    for name in ("clock", "display"):
        found = page(event, name)
        assert 'data-state="paused"' in found
        assert ">paused<" in found
    shown = face(event)
    assert (shown.next_at, shown.break_at) == (None, None)


def test_hand_for_hand_is_no_pause():
    event, director = make_running_event(6, seats_per_table=3)
    announce_hand_for_hand(actor=director, on=event.pk)
    shown = face(event)
    assert (shown.state_words, shown.next_at) == ("hand-for-hand", None)
    assert json.loads(shown.data)["status"] == "hand_for_hand"
    for found in (page(event), words(Client().get(reverse("clock", args=[event.pk]), {"part": "line"}))):
        assert ">hand-for-hand<" in found
        assert ">paused<" not in found
        assert "The clock stands: each hand takes 2 min off it" in found
    assert "Go on" in words(signed_in(director).get(reverse("floor", args=[event.pk])))
    resume_clock(actor=director, on=event.pk)
    assert face(event).state == "running"
    end_hand_for_hand(actor=director, on=event.pk)
    pause_clock(actor=director, on=event.pk)
    assert face(event).state == "paused"


def test_a_pause_after_the_level_reaches_the_browser():
    event, director = make_running_event(9)
    pause_after_level(actor=director, on=event.pk, wanted=True)
    assert json.loads(face(event).data)["pause_after"] is True


def test_a_finished_event_shows_its_winner():
    event, director = make_running_event(9)
    close_entries(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=list(event.entries.values_list("pk", flat=True))[:-1])
    winner = Entry.objects.get(event=event, status=Entry.Status.PLAYING).player.public_name
    for name in ("clock", "display"):
        found = page(event, name)
        assert "Winner" in found
        assert winner in found
        assert "data-clock-part" not in found or 'data-state="ended"' in found


def test_a_cancelled_event_says_so():
    event = make_event(status=Event.Status.CANCELLED)
    assert face(event).words == "Cancelled"
    assert "Cancelled" in page(event, "display")


def test_why_an_event_is_cancelled_stands_on_every_screen():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 3, director)
    cancel_event(actor=director, on=event.pk, reason="The venue lost its power.")
    assert "The venue lost its power." in page(event)
    hall = page(event, "display")
    assert "The venue lost its power." in hall
    assert "Average" not in hall


def test_the_hall_is_told_of_the_bubble_and_of_the_money():
    event, director = make_running_event(5, payout_shares=[6000, 4000])
    close_entries(actor=director, on=event.pk)
    everybody = list(event.entries.order_by("pk").values_list("pk", flat=True))
    bust(actor=director, on=event.pk, entry_ids=[everybody[0]])
    assert "2 places paid" in page(event, "display")
    assert "Bubble" not in page(event, "display")
    bust(actor=director, on=event.pk, entry_ids=[everybody[1]])
    assert "Bubble" in page(event, "display")
    bust(actor=director, on=event.pk, entry_ids=[everybody[2]])
    assert "Bubble" not in page(event, "display")
    assert "in the money" in page(event, "display")


def test_an_event_without_a_structure_has_no_clock_yet():
    event = make_event(levels=0)
    assert "No levels yet" in page(event)
    assert "not set yet" in page(event, "display")


def test_late_registration_is_said_with_its_time():
    event, director = make_running_event(9)
    day = event.days.get()
    closes = timezone.localtime(day.entries_close_at, event.series.tz)
    found = page(event, "display")
    assert "Registration until the end of level 2" in found
    assert f"{closes:%H:%M}" in found
    jump_clock(actor=director, on=event.pk, position=3)
    assert "Registration closed" in page(event, "display")


def test_players_on_the_way_are_called():
    event = make_event()
    make_hall(event, (6, 5))
    who = Seat.objects.get(table__day__event=event, table__number=1, number=2).entry
    director = make_director(event.series)
    order_move(actor=director, on=event.pk, entry_id=who.pk, table=2, seat=9, reason="Asked for room")
    assert f"{who.player.public_name} → table 2, seat 9" in page(event, "display")
    assert "table 2, seat 9" in page(event)


# --- who and how -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["clock", "display", "seats"])
def test_drafts_are_for_the_staff_alone(name: str):
    event = make_event(status=Event.Status.DRAFT)
    address = reverse(name, args=[event.pk])
    assert Client().get(address).status_code == 404
    assert signed_in(make_director(event.series)).get(address).status_code == 200
    assert Client().get(reverse(name, args=[0])).status_code == 404


@pytest.mark.parametrize("name", ["clock", "display"])
def test_without_javascript_the_page_loads_itself_anew(name: str):
    event, _ = make_running_event(9)
    found = page(event, name)
    assert '<noscript><meta http-equiv="refresh" content="30"></noscript>' in found
    assert " style=" not in found
    assert "<script>" not in found
    assert "no-store" in Client().get(reverse(name, args=[event.pk]))["Cache-Control"]


@pytest.mark.parametrize("name", ["clock", "display"])
def test_the_part_that_refreshes_comes_alone(name: str):
    event, _ = make_running_event(9)
    response = Client().get(reverse(name, args=[event.pk]), headers={"HX-Request": "true", "HX-Target": "screen"})
    assert 'id="screen"' in words(response)
    assert "<html" not in words(response)


def test_the_card_of_other_pages_fetches_itself():
    event, _ = make_running_event(9)
    day = event.days.get()
    found = page(event, part="line", day=day.pk)
    assert f'id="clock-{day.pk}"' in found
    assert "9 of 9 left" in found
    assert "<html" not in found
    assert Client().get(reverse("clock", args=[make_event(levels=0).pk]), {"part": "line"}).status_code == 404


def test_the_day_that_is_played_comes_first():
    event, _ = make_running_event(9)
    with guard.writing():
        other = Day.objects.create(event=event, number=2, label="Day 1B", starts_at=timezone.now())
    days = days_of(event)
    assert pick_day(days, "") == days[0]
    assert pick_day(days, str(other.pk)) == other
    assert pick_day([], "") is None
    assert "Day 1B" in page(event, "display", day=other.pk)


@pytest.mark.parametrize(("name", "most"), [("clock", 14), ("display", 14), ("seats", 9)])
def test_the_number_of_queries_does_not_grow(name: str, most: int):
    counts = []
    for tables in (1, 3, 30):
        event = make_event(capacity=2000)
        make_hall(event, [8] * tables)
        with CaptureQueriesContext(connection) as captured:
            page(event, name)
        counts.append(len(captured))
    assert len(set(counts)) == 1, counts
    assert counts[0] <= most


# --- the prize ladder ------------------------------------------------------------------------------------------------


def field(alive: int, prizes: tuple[int, ...]) -> Field:
    divided = Prizes(100, sum(prizes), Planned(prizes), lock=None, deal=None)
    return Field(alive, 100, 0, alive, 100, 100, sum(prizes), divided)


def test_equal_prizes_are_one_line_and_the_bubble_is_told():
    prizes = (500, 300, 100, 100, 100)
    rows = prize_ladder(field(16, prizes), 9)
    assert [(row.best, row.worst, row.cents) for row in rows] == [(1, 1, 500), (2, 2, 300), (3, 5, 100)]
    assert [(row.is_next, row.to_go) for row in rows] == [(False, 0), (False, 0), (True, 11)]
    assert field(6, prizes).is_bubble
    assert field(5, prizes).in_the_money
    assert not field(7, prizes).is_bubble


def test_a_long_ladder_keeps_its_top_its_end_and_the_next_prize():
    prizes = tuple(range(4000, 0, -100))
    rows = prize_ladder(field(20, prizes), 8)
    places = [row.best for row in rows]
    assert len(rows) == 8
    assert {1, 2, 3, 19, 20, 21, 40} <= set(places)
    assert places == sorted(places)
    assert [row.best for row in rows if row.is_next] == [20]
    assert [row.best for row in rows if row.after_gap] == [19, 40]
    assert prize_ladder(field(20, ()), 8) == []


# --- seats -----------------------------------------------------------------------------------------------------------


def test_seats_by_surname_by_table_and_by_search():
    event = make_event(seats_per_table=6)
    director = make_director(event.series)
    add_players(event, 7, director)
    names = sorted(entry.player.public_name for entry in event.entries.select_related("player"))
    found = page(event, "seats")
    surname_first = [", ".join(reversed(name.rsplit(" ", 1))) for name in names]
    places = [found.index(name) for name in sorted(surname_first, key=fold)]
    assert places == sorted(places)
    assert "7 players" in found
    by_table = page(event, "seats", by="table")
    assert all(name in by_table for name in names)
    assert by_table.index("Table 1") < by_table.index("Table 2")
    macron = next(name for name in names if "ā" in name or "ē" in name)
    plain = macron.replace("ā", "a").replace("ē", "e").replace("ū", "u").upper()
    assert macron in page(event, "seats", q=plain, by="table")
    assert "1 player<" in page(event, "seats", q=plain)
    assert "Nobody found" in page(event, "seats", q="zzz")


def test_the_table_number_finds_everybody_there():
    event = make_event()
    make_hall(event, (6, 4))
    assert "4 players" in page(event, "seats", q="2")


def test_seats_before_the_draw():
    event = make_event(seat_at_buy_in=False)
    assert "Nobody is seated yet" in page(event, "seats")
    add_players(event, 2, make_director(event.series))
    assert page(event, "seats").count("no seat yet") == 2
    assert "No seat yet" in page(event, "seats", by="table")


def test_a_large_field_comes_in_pages():
    event = make_event(capacity=2000)
    make_hall(event, [9] * 50)
    assert "Page 1 of 2" in page(event, "seats")
    assert "page=1" in page(event, "seats", page="99")
    assert "450 players" in page(event, "seats", page="2")
