"""The pages of draws, breaks, chairs and tickets: who sees what, every button, what is refused, how often they ask."""

import re
import uuid
from collections import Counter
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from series.models import Day, Entry, Event
from tables.commands.breaking import break_table, draw_break_order
from tables.commands.chairs import add_table, keep_seat
from tables.commands.clock import start_clock
from tables.commands.draws import draw_seats, freeze_draw, withdraw_draw
from tables.commands.floor import bust
from tables.commands.lots import draw_buttons, draw_lot
from tables.commands.redraw import redraw
from tables.models import Draw, Move, Seat, Table
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.drawing import check, download, event_to_draw
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, signed_in, words

pytestmark = pytest.mark.django_db

STAFF = ("staff_draws", "break_tables", "chairs", "tickets")


def read(name: str, *args: Any, client: Client | None = None, query: str = "", status: int = 200) -> str:
    response = (client or Client()).get(reverse(name, args=args) + query)
    assert response.status_code == status
    return words(response)


def push(client: Client, name: str, event: Event, do: str, *, query: str = "", **sent: Any) -> HttpResponse:
    """A button of a staff page, as a plain form; follows to the page that answers."""
    seen = Event.objects.values_list("seq", flat=True).get(pk=event.pk)
    given = {"do": do, "command_id": uuid.uuid4(), "version": seen} | sent
    return client.post(reverse(name, args=[event.pk]) + query, given, follow=True)


@pytest.fixture
def hall() -> tuple[Event, Client]:
    event = make_event()
    make_hall(event, (6, 6, 4))
    return event, signed_in(make_director(event.series))


# --- for everybody ---------------------------------------------------------------------------------------------------


def test_the_promise_stands_before_anything_is_drawn():
    event = make_event()
    page = read("draws", event.pk)
    assert "Nothing is drawn yet" in page
    assert "Hash of the secret" in page
    assert event.draw_secret not in page
    assert "verify_draw.py" in page
    assert reverse("draws", args=[event.pk]) in read("event", event.pk)


def test_drafts_are_for_staff_alone():
    event = make_event(status=Event.Status.DRAFT)
    read("draws", event.pk, status=404)
    read("draws", event.pk, client=signed_in(make_director(event.series)))


def test_a_frozen_list_shows_who_is_in_it_and_what_is_promised():
    event, director = event_to_draw(3)
    freeze_draw(actor=director, on=event.pk)
    row = Draw.objects.get()
    page = read("draw", event.pk, row.pk)
    for entry in Entry.objects.select_related("player"):
        assert entry.player.public_name in page
    assert row.seed_commitment in page
    assert "Keep the list" in page
    assert "What came out" not in page
    assert "list frozen" in read("draws", event.pk)
    withdraw_draw(actor=director, on=event.pk, draw_id=row.pk, reason="Fire alarm")
    assert "Fire alarm" in read("draw", event.pk, row.pk)
    assert "taken back" in read("draws", event.pk)


def test_a_draw_shows_what_went_in_and_what_came_out():
    event, director = event_to_draw(4)
    draw_seats(actor=director, on=event.pk)
    row = Draw.objects.get()
    page = " ".join(read("draw", event.pk, row.pk).split())
    for seat in Seat.objects.filter(entry__isnull=False).select_related("entry__player"):
        name, key = seat.entry.player.public_name, seat.entry_id
        assert (
            f'{name} <small class="soft num">#{key}</small></th><td class="num">1</td><td class="num">{seat.number}'
            in page
        )
    assert row.seed in page


def test_every_kind_of_draw_is_checked_from_the_page(tmp_path):
    event, director = event_to_draw(12, seats_per_table=5)
    freeze_draw(actor=director, on=event.pk)
    kept = download(Draw.objects.get(), tmp_path, "frozen.json")
    draw_seats(actor=director, on=event.pk)
    add_players(event, 1, director)
    start_clock(actor=director, on=event.pk)
    for number in (1, 2, 3, 1):
        bust(actor=director, on=event.pk, entry_ids=[entries_at(event, number)[0].pk])
    draw_break_order(actor=director, on=event.pk)
    break_table(actor=director, on=event.pk, table=3)
    redraw(actor=director, on=event.pk)
    draw_buttons(actor=director, on=event.pk)
    draw_lot(actor=director, on=event.pk, entry_ids=[entry.pk for entry in entries_at(event, 1)], what="who moves")
    assert check(download(Draw.objects.get(kind="initial"), tmp_path), kept)[0] == 0
    checked = set()
    for row in Draw.objects.all():
        code, said = check(download(row, tmp_path))
        assert code == 0, said
        checked.add(row.kind)
    assert checked == set(Draw.Kind.values) - {Draw.Kind.BALANCE}  # see test_balance.py


def test_late_entries_are_listed_apart():
    event, director = event_to_draw(3)
    draw_seats(actor=director, on=event.pk)
    add_players(event, 2, director)
    page = read("draws", event.pk)
    assert "Late entries 2" in page
    assert "Late entry" not in page
    late = read("draws", event.pk, query="?kind=late")
    name = Entry.objects.order_by("-pk")[0].player.public_name
    assert late.count("<b>Late entry</b>") == 2
    assert f"{name}: table 1, seat" in late


def test_an_erased_name_leaves_the_draw_whole(tmp_path):
    event, director = event_to_draw(2)
    draw_seats(actor=director, on=event.pk)
    row = Draw.objects.get()
    with guard.writing():
        Draw.objects.update(people={})
    assert "(name removed)" in read("draw", event.pk, row.pk)
    assert check(download(row, tmp_path))[0] == 0


def test_a_draw_belongs_to_its_event():
    event, director = event_to_draw(2)
    draw_seats(actor=director, on=event.pk)
    other = make_event()
    read("draw", other.pk, Draw.objects.get().pk, status=404)
    read("draw_document", other.pk, Draw.objects.get().pk, status=404)


def test_the_list_asks_as_often_for_one_draw_as_for_many(django_assert_num_queries):
    event, director = event_to_draw(2)
    draw_seats(actor=director, on=event.pk)
    add_players(event, 1, director)
    with django_assert_num_queries(6):
        read("draws", event.pk, query="?kind=late")
    add_players(event, 6, director)
    with django_assert_num_queries(6):
        read("draws", event.pk, query="?kind=late")
    for row in Draw.objects.all():
        with django_assert_num_queries(5):
            read("draw", event.pk, row.pk)


# --- who may --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STAFF)
@pytest.mark.parametrize(
    ("role", "status"),
    [(Role.DIRECTOR, 200), (Role.FLOOR, 200), (Role.DESK, 403), (Role.DEALER, 403), (Role.AUDITOR, 200)],
)
def test_the_floors_pages_are_for_the_floor(hall, name: str, role: str, status: int):
    event, _ = hall
    read(name, event.pk, client=signed_in(make_user("Ana", role=role, series=event.series)), status=status)
    read(name, event.pk, status=302)


@pytest.mark.parametrize("name", STAFF)
def test_the_floors_pages_stand_without_a_table(name: str):
    event = make_event()
    read(name, event.pk, client=signed_in(make_director(event.series)))


@pytest.mark.parametrize(("name", "count"), [("staff_draws", 16), ("break_tables", 12), ("chairs", 9), ("tickets", 7)])
def test_the_floors_pages_ask_as_often_for_many_players_as_for_few(django_assert_num_queries, name: str, count: int):
    few, many = make_event(), make_event()
    make_hall(few, (3, 3), told=False)
    make_hall(many, (7, 7, 7, 5), told=False)
    for event in (few, many):
        director = make_director(event.series)
        entry = entries_at(event, 1)[0]
        keep_seat(actor=director, on=event.pk, entry_id=entry.pk, why="ramp")
        break_table(actor=director, on=event.pk, table=Table.objects.filter(day__event=event).last().number)
        client = signed_in(director)
        with django_assert_num_queries(count):
            read(name, event.pk, client=client)


# --- the floor's buttons --------------------------------------------------------------------------------------------


def test_freeze_take_back_freeze_and_draw():
    event, director = event_to_draw(5)
    client = signed_in(director)
    assert "5 without a seat" in read("staff_draws", event.pk, client=client)
    page = words(push(client, "staff_draws", event, "freeze", tables="2"))
    assert "List frozen for the seat draw: 5 players, 2 tables" in page
    row = Draw.objects.get()
    refused = push(client, "staff_draws", event, "withdraw", draw_id=row.pk, reason="")
    assert refused.status_code == 422
    assert "Say why the list is taken back" in words(refused)
    assert '<details class="more" id="withdraw" open>' in words(refused)
    push(client, "staff_draws", event, "withdraw", draw_id=row.pk, reason="One more came")
    push(client, "staff_draws", event, "freeze")
    page = words(push(client, "staff_draws", event, "draw"))
    assert "Seats drawn for 5 players, 1 tables open" in page
    assert "Undo" in page
    assert Seat.objects.filter(entry__isnull=False).count() == 5


def test_what_is_refused_stands_at_its_field():
    event, director = event_to_draw(12)
    client = signed_in(director)
    refused = push(client, "staff_draws", event, "draw", tables="1")
    assert refused.status_code == 422
    assert "12 players do not fit at 1 tables" in words(refused)
    assert 'value="1"' in words(refused)
    refused = push(client, "staff_draws", event, "points", points="3, two")
    assert "Write numbers, for example 3, 2, 1." in words(refused)
    refused = push(client, "staff_draws", event, "lot", places="1-1; 1-2", what="who moves")
    assert refused.context["lot_form"].errors == {"places": ["Nobody sits at table 1, seat 1."]}
    assert client.post(reverse("staff_draws", args=[event.pk]), {"do": "nonsense"}).status_code == 404


def test_points_redraw_buttons_high_card_and_lot(hall):
    event, client = hall
    with guard.writing():
        Day.objects.update(entries_closed=True)
    push(client, "staff_draws", event, "points", points="2, 1")
    page = read("staff_draws", event.pk, client=client)
    assert "Redraw: two tables left." in page
    assert "table 3 closes" in page
    assert "Redraw: two tables left" in read("floor", event.pk, client=client)
    push(client, "staff_draws", event, "freeze_redraw", keep=["1", "2"])
    assert "A list is frozen for a draw" in read("floor", event.pk, client=client)
    page = words(push(client, "staff_draws", event, "redraw_frozen"))
    assert "Redraw at 2 tables" in page
    assert Table.objects.filter(status="open").count() == 2
    assert "2 not told" in page
    seat = Seat.objects.filter(table__number=1, entry__isnull=False)[0]
    page = words(push(client, "staff_draws", event, "high_card", place=f"1-{seat.number}"))
    assert "has the first button at table 1 by high card" in page
    push(client, "staff_draws", event, "buttons")
    assert not Table.objects.filter(status="open", button__isnull=True).exists()
    seats = [f"{seat.table.number}-{seat.number}" for seat in Seat.objects.filter(entry__isnull=False)[:2]]
    assert "Lot drawn: who moves" in words(
        push(client, "staff_draws", event, "lot", places=", ".join(seats), what="who moves")
    )
    refused = push(client, "staff_draws", event, "redraw")
    assert "Choose at least one table" in words(refused)


def test_the_dealer_enters_the_high_card_at_the_table():
    event, _ = make_running_event(4)
    client = signed_in(make_user("Tane", role=Role.DEALER, series=event.series))
    seat = Seat.objects.filter(entry__isnull=False)[0]
    address = reverse("table", args=[event.pk, 1])
    assert "First button, by high card" in words(client.get(f"{address}?seat={seat.number}"))
    client.post(
        address, {"do": "high_card", "at": seat.number, "place": f"1-{seat.number}", "command_id": uuid.uuid4()}
    )
    assert Table.objects.get().button == seat.number
    assert "First button, by high card" not in words(client.get(f"{address}?seat={seat.number}"))


def test_a_table_is_looked_at_broken_and_its_players_seen_to_arrive(hall):
    event, client = hall
    page = read("break_tables", event.pk, client=client)
    assert "Break table 3 and draw" in page
    for who in entries_at(event, 3):
        assert who.player.public_name in page
    assert "Break table 2 and draw" in read("break_tables", event.pk, client=client, query="?table=2")
    page = words(push(client, "break_tables", event, "break", table="3"))
    row = Draw.objects.get()
    assert "Table 3 breaks" in page
    assert "4 not arrived" in page
    move = Move.objects.first()
    page = words(push(client, "break_tables", event, "arrived", query=f"?draw={row.pk}", move_id=move.pk))
    assert "3 not arrived" in page
    assert page.count("there</span>") == 1
    refused = push(client, "break_tables", event, "break", table="3")
    assert refused.status_code == 422
    assert "Table 3 is not open." in words(refused)


def test_the_order_of_breaking_is_set_and_drawn(hall):
    event, client = hall
    push(client, "break_tables", event, "order", order="2 1")
    assert Day.objects.get().break_order == [2, 1]
    assert "Break table 2 and draw" in read("break_tables", event.pk, client=client)
    refused = push(client, "break_tables", event, "order", order="9")
    assert "Table 9 is not open." in words(refused)
    push(client, "break_tables", event, "draw_order")
    assert sorted(Day.objects.get().break_order) == [1, 2, 3]


def test_a_slip_for_each_player_who_moves(hall):
    event, client = hall
    assert "Nobody is on the way" in read("tickets", event.pk, client=client)
    break_table(actor=make_director(event.series), on=event.pk, table=3)
    page = read("tickets", event.pk, client=client)
    assert page.count('<article class="ticket">') == 4
    assert page.count('class="qr"') == 4
    for move in Move.objects.select_related("entry__player", "to_seat__table"):
        assert move.entry.player.public_name in page
        assert f"Table {move.to_seat.table.number}, seat {move.to_seat.number}" in page
        assert f"from table 3, seat {move.from_seat}" in page
    assert page.count('<article class="ticket">') == 4
    assert "Tickets" in read("draw", event.pk, Draw.objects.get().pk, client=client)
    assert "Tickets" not in read("draw", event.pk, Draw.objects.get().pk)


def test_chairs_are_locked_tables_added_and_players_keep_seats(hall):
    event, client = hall
    page = words(push(client, "chairs", event, "lock", place="1 9", reason="Broken leg"))
    assert "Seat 9 locked: Broken leg" in page
    refused = push(client, "chairs", event, "lock", place="1-1", reason="x")
    assert "Somebody sits in seat 1 at table 1" in words(refused)
    assert list(refused.context["lock_form"].errors) == ["place"]  # which asks for table and seat
    push(client, "chairs", event, "unlock", place="1-9")
    assert not Seat.objects.filter(locked=True).exists()
    push(client, "chairs", event, "add", seats="6", number="12")
    push(client, "chairs", event, "add", seats="8", number="11")
    assert "prepared, opens 1st" in words(push(client, "chairs", event, "order", order="12"))
    push(client, "chairs", event, "size", table="11", seats="7")
    assert Table.objects.get(number=11).seats == 7
    assert "only while it is empty" in words(push(client, "chairs", event, "size", table="1", seats="7"))
    push(client, "chairs", event, "open", table="12")
    assert Table.objects.get(number=12).status == "open"
    entry = entries_at(event, 1)[1]
    assert entry.player.public_name in read("chairs", event.pk, client=client, query="?find=1 2")
    assert entry.player.public_name in read(
        "chairs", event.pk, client=client, query=f"?find={entry.player.public_name.split()[-1]}"
    )
    refused = push(client, "chairs", event, "keep", entry_id=entry.pk, why="")
    assert "Say why this player keeps a seat." in words(refused)
    page = words(push(client, "chairs", event, "keep", entry_id=entry.pk, why="wheelchair"))
    assert f"{entry.player} keeps table 1, seat 2" in page
    assert "wheelchair" in page
    push(client, "chairs", event, "release", entry_id=entry.pk)
    assert Entry.objects.get(pk=entry.pk).keeps_seat == ""


def test_a_player_without_a_seat_is_seated_by_hand_or_keeps_one():
    event, director = event_to_draw(3)
    client = signed_in(director)
    add_table(actor=director, on=event.pk, opened=True)
    first, second, _ = Entry.objects.order_by("pk")
    page = read("chairs", event.pk, client=client, query=f"?who={first.pk}")
    assert "Seat without a draw" in page
    refused = push(client, "chairs", event, "seat", entry_id=first.pk, place="1-4", reason="")
    assert "Say why this seat is not drawn." in words(refused)
    push(client, "chairs", event, "seat", entry_id=first.pk, place="1-4", reason="Carer beside")
    push(client, "chairs", event, "keep", entry_id=second.pk, place="1-5", why="ramp")
    assert set(Seat.objects.filter(entry__isnull=False).values_list("entry", "number")) == {
        (first.pk, 4),
        (second.pk, 5),
    }


@pytest.mark.parametrize("name", ["staff_draws", "break_tables", "chairs"])
def test_fields_beside_each_other_have_ids_of_their_own(hall, name: str):
    event, client = hall
    with guard.writing():
        Table.objects.update(button=None)
    add_table(actor=make_director(event.series), on=event.pk)
    ids = Counter(re.findall(r'\sid="([^"]+)"', read(name, event.pk, client=client)))
    assert {one: count for one, count in ids.items() if count > 1} == {}


def test_the_table_shows_who_keeps_a_seat_and_why_it_does_not_break(hall):
    event, client = hall
    entry = entries_at(event, 3)[1]
    page = read("table", event.pk, 3, client=client, query="?seat=2")
    assert f"{reverse('chairs', args=[event.pk])}?day={entry.day_id}&amp;who={entry.pk}#player" in page
    assert "Break table 3</button>" in page
    keep_seat(actor=make_director(event.series), on=event.pk, entry_id=entry.pk, why="ramp")
    page = read("table", event.pk, 3, client=client)
    assert "keeps the seat" in page
    assert f"{entry.player} keeps a fixed seat here: break another table." in page
    assert "Break table 3</button>" not in page
