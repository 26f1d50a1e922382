"""Tables and chairs by hand: sizes, opening order, locks, fixed seats, seating without a draw; who may; undo."""

import json

import pytest

from accounts.permissions import Role
from journal.chain import verify
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Entry
from tables.commands.chairs import (
    add_table,
    keep_seat,
    lock_seat,
    open_table,
    release_seat,
    seat_by_hand,
    set_opening_order,
    set_table_size,
    unlock_seat,
)
from tables.commands.draws import draw_seats, freeze_draw
from tables.commands.floor import order_move
from tables.models import Draw, Seat, Table
from tables.reads.advice import advice
from tests.factories import add_players, make_director, make_event, make_user
from tests.tables.drawing import event_to_draw, places
from tests.tables.hall import make_hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    """Table 1 with five players, table 2 with four, of nine chairs."""
    event = make_event()
    make_hall(event, (5, 4))
    return event, make_director(event.series)


def last_entry() -> JournalEntry:
    return JournalEntry.objects.order_by("-pk")[0]


def take_back(actor) -> None:
    undo(actor=actor, entry_id=last_entry().pk)


# --- tables ----------------------------------------------------------------------------------------------------------


def test_tables_of_different_sizes_are_filled_evenly_and_prepared_ones_opened_in_their_order():
    event, director = event_to_draw(17, seats_per_table=9)
    add_table(actor=director, on=event.pk, seats=6, number=30)
    add_table(actor=director, on=event.pk, seats=8, number=20)
    add_table(actor=director, on=event.pk, seats=10, number=10)
    set_opening_order(actor=director, on=event.pk, order=[30, 20])
    draw_seats(actor=director, on=event.pk)
    opened = dict(Table.objects.filter(status="open").values_list("number", "seats"))
    assert opened == {30: 6, 20: 8, 10: 10}
    sizes = sorted(sum(table == number for table, _ in places(event).values()) for number in opened)
    assert sizes == [5, 6, 6]
    assert all(seat <= opened[table] for table, seat in places(event).values())


def test_prepared_tables_open_one_by_one_as_chairs_run_out_then_new_ones():
    event = make_event(seats_per_table=2)
    director = make_director(event.series)
    add_table(actor=director, on=event.pk, seats=2, number=7)
    add_table(actor=director, on=event.pk, seats=3, number=4)
    set_opening_order(actor=director, on=event.pk, order=[7, 4])
    tables = [one["table"] for one in add_players(event, 7, director)]
    assert tables[:2] == [7, 7]
    assert tables[2:5] == [4, 4, 4]
    assert tables[5:] == [8, 8]


def test_a_table_is_added_opened_and_undone(hall):
    event, director = hall
    assert add_table(actor=director, on=event.pk, opened=True).result == {"table": 3}
    assert (Table.objects.get(number=3).seats, Table.objects.get(number=3).status) == (9, "open")
    take_back(director)
    assert not Table.objects.filter(number=3).exists()
    add_table(actor=director, on=event.pk, seats=6)
    open_table(actor=director, on=event.pk, table=3)
    assert Table.objects.get(number=3).status == "open"
    with pytest.raises(Refused, match="open already"):
        open_table(actor=director, on=event.pk, table=3)
    take_back(director)
    assert Table.objects.get(number=3).status == "prepared"


@pytest.mark.parametrize(
    ("given", "field"),
    [({"seats": 1}, "seats"), ({"seats": 13}, "seats"), ({"number": 2}, "number"), ({"number": 0}, "number")],
)
def test_tables_that_cannot_be(hall, given, field):
    event, director = hall
    with pytest.raises(Refused) as refused:
        add_table(actor=director, on=event.pk, **given)
    assert refused.value.field == field


def test_the_number_of_chairs_changes_only_while_nobody_sits_there(hall):
    event, director = hall
    with pytest.raises(Refused, match="only while it is empty"):
        set_table_size(actor=director, on=event.pk, table=1, seats=8)
    add_table(actor=director, on=event.pk, opened=True)
    set_table_size(actor=director, on=event.pk, table=3, seats=6)
    assert list(Seat.objects.filter(table__number=3).values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]
    take_back(director)
    assert Seat.objects.filter(table__number=3).count() == Table.objects.get(number=3).seats == 9
    set_table_size(actor=director, on=event.pk, table=3, seats=10)
    assert Seat.objects.filter(table__number=3).count() == 10
    entry = Entry.objects.first()
    order_move(actor=director, on=event.pk, entry_id=entry.pk, table=3, seat=10, reason="trial")
    order_move(actor=director, on=event.pk, entry_id=entry.pk, table=2, seat=9, reason="trial")
    with pytest.raises(Refused, match="moved to a chair that would go"):
        set_table_size(actor=director, on=event.pk, table=3, seats=9)
    assert list(verify()) == []


def test_the_order_of_opening_names_prepared_tables_once(hall):
    event, director = hall
    add_table(actor=director, on=event.pk)
    for order, words in (([1], "not prepared"), ([3, 3], "named twice")):
        with pytest.raises(Refused, match=words):
            set_opening_order(actor=director, on=event.pk, order=order)
    set_opening_order(actor=director, on=event.pk, order=[3])
    assert Table.objects.get(number=3).opens == 1
    take_back(director)
    assert Table.objects.get(number=3).opens is None


# --- chairs ----------------------------------------------------------------------------------------------------------


def test_a_locked_chair_is_left_out_of_draws_and_advice():
    event, director = event_to_draw(3, seats_per_table=4)
    draw_seats(actor=director, on=event.pk)
    free = Seat.objects.get(entry__isnull=True)
    with pytest.raises(Refused, match="Say why") as refused:
        lock_seat(actor=director, on=event.pk, table=1, seat=free.number)
    assert refused.value.field == "reason"
    lock_seat(actor=director, on=event.pk, table=1, seat=free.number, reason="Broken")
    free.refresh_from_db()
    assert (free.locked, free.locked_why) == (True, "Broken")
    assert add_players(event, 1, director)[0]["table"] == 2
    unlock_seat(actor=director, on=event.pk, table=1, seat=free.number)
    free.refresh_from_db()
    assert (free.locked, free.locked_why) == (False, "")
    take_back(director)
    free.refresh_from_db()
    assert (free.locked, free.locked_why) == (True, "Broken")


def test_chairs_that_cannot_be_locked(hall):
    event, director = hall
    with pytest.raises(Refused, match="move them first"):
        lock_seat(actor=director, on=event.pk, table=1, seat=1, reason="x")
    with pytest.raises(Refused, match="no seat 12"):
        lock_seat(actor=director, on=event.pk, table=1, seat=12, reason="x")
    with pytest.raises(Refused, match="no table 8"):
        lock_seat(actor=director, on=event.pk, table=8, seat=1, reason="x")
    lock_seat(actor=director, on=event.pk, table=1, seat=9, reason="x")
    with pytest.raises(Refused, match="locked already"):
        lock_seat(actor=director, on=event.pk, table=1, seat=9, reason="x")
    with pytest.raises(Refused, match="is not locked"):
        unlock_seat(actor=director, on=event.pk, table=1, seat=8)
    take_back(director)
    assert not Seat.objects.filter(locked=True).exists()


# --- players ---------------------------------------------------------------------------------------------------------


def test_seating_by_hand_needs_a_reason_and_a_free_chair():
    event, director = event_to_draw(4)
    first, second, *_ = Entry.objects.order_by("pk")
    add_table(actor=director, on=event.pk, opened=True)
    with pytest.raises(Refused, match="Say why") as refused:
        seat_by_hand(actor=director, on=event.pk, entry_id=first.pk, table=1, seat=3)
    assert refused.value.field == "reason"
    seat_by_hand(actor=director, on=event.pk, entry_id=first.pk, table=1, seat=3, reason="Came with a carer")
    assert last_entry().reason == "Came with a carer"
    with pytest.raises(Refused, match="is taken"):
        seat_by_hand(actor=director, on=event.pk, entry_id=second.pk, table=1, seat=3, reason="x")
    with pytest.raises(Refused, match="has a seat"):
        seat_by_hand(actor=director, on=event.pk, entry_id=first.pk, table=1, seat=4, reason="x")
    draw_seats(actor=director, on=event.pk)
    assert places(event)[first.pk] == (1, 3)
    assert str(first.pk) not in Draw.objects.get().given["names"]
    take_back(director)
    take_back_of(director, "entry.seat")
    assert places(event) == {}


def take_back_of(actor, verb: str) -> None:
    undo(actor=actor, entry_id=JournalEntry.objects.get(verb=verb).pk)


def test_a_player_keeps_a_fixed_seat_over_draws_balancing_and_redoing(hall):
    event, director = hall
    day = Day.objects.select_related("event__series").get()
    make_long(event, director)
    due = advice(day).moves[0].sitter
    with pytest.raises(Refused, match="Say why") as refused:
        keep_seat(actor=director, on=event.pk, entry_id=due.entry_id, why="  ")
    assert refused.value.field == "why"
    keep_seat(actor=director, on=event.pk, entry_id=due.entry_id, why="sits near the door for her chair")
    assert advice(day).moves[0].sitter.entry_id != due.entry_id
    assert "being kept for its player" in advice(day).moves[0].reason
    kept = json.dumps([change.after for change in last_entry().changes.all()]) + json.dumps(last_entry().facts)
    assert "door" not in kept + last_entry().reason + last_entry().text
    take_back(director)
    assert Entry.objects.get(pk=due.entry_id).keeps_seat == ""
    take_back(director)
    assert Entry.objects.get(pk=due.entry_id).keeps_seat == "sits near the door for her chair"
    release_seat(actor=director, on=event.pk, entry_id=due.entry_id)
    assert advice(day).moves[0].sitter.entry_id == due.entry_id
    with pytest.raises(Refused, match="keeps no fixed seat"):
        release_seat(actor=director, on=event.pk, entry_id=due.entry_id)


def make_long(event, director) -> None:
    """Two more players at table 1, so that one of it is due to move."""
    for entry in Entry.objects.filter(seat__table__number=2)[:2]:
        free = Seat.objects.filter(table__number=1, entry__isnull=True).order_by("number")[0]
        order_move(actor=director, on=event.pk, entry_id=entry.pk, table=1, seat=free.number, reason="to make it long")


def test_a_player_without_a_seat_is_given_the_one_they_keep():
    event, director = event_to_draw(4)
    entry = Entry.objects.first()
    add_table(actor=director, on=event.pk, opened=True)
    with pytest.raises(Refused, match="name the table and the seat") as refused:
        keep_seat(actor=director, on=event.pk, entry_id=entry.pk, why="wheelchair")
    assert refused.value.field == "seat"
    keep_seat(actor=director, on=event.pk, entry_id=entry.pk, why="wheelchair", table=1, seat=9)
    with pytest.raises(Refused, match="sits elsewhere"):
        keep_seat(actor=director, on=event.pk, entry_id=entry.pk, why="wheelchair", table=1, seat=8)
    draw_seats(actor=director, on=event.pk)
    assert places(event)[entry.pk] == (1, 9)


def test_nothing_of_this_while_a_list_is_frozen():
    event, director = event_to_draw(4)
    add_table(actor=director, on=event.pk, opened=True)
    freeze_draw(actor=director, on=event.pk)
    entry = Entry.objects.first()
    for do in (
        lambda: lock_seat(actor=director, on=event.pk, table=1, seat=9, reason="x"),
        lambda: unlock_seat(actor=director, on=event.pk, table=1, seat=9),
        lambda: set_table_size(actor=director, on=event.pk, table=1, seats=6),
        lambda: seat_by_hand(actor=director, on=event.pk, entry_id=entry.pk, table=1, seat=9, reason="x"),
        lambda: keep_seat(actor=director, on=event.pk, entry_id=entry.pk, why="x", table=1, seat=9),
        lambda: release_seat(actor=director, on=event.pk, entry_id=entry.pk),
    ):
        with pytest.raises(Refused, match="A list is frozen"):
            do()


@pytest.mark.parametrize("role", [Role.DESK, Role.DEALER, Role.AUDITOR])
def test_only_the_floor_arranges_chairs(hall, role: str):
    event, _ = hall
    other = make_user("Ana", role=role, series=event.series)
    entry = Entry.objects.first()
    for command, given in (
        (add_table, {}),
        (open_table, {"table": 1}),
        (set_table_size, {"table": 1, "seats": 6}),
        (set_opening_order, {"order": []}),
        (lock_seat, {"table": 1, "seat": 9, "reason": "x"}),
        (unlock_seat, {"table": 1, "seat": 9}),
        (seat_by_hand, {"entry_id": entry.pk, "table": 1, "seat": 9, "reason": "x"}),
        (keep_seat, {"entry_id": entry.pk, "why": "x"}),
        (release_seat, {"entry_id": entry.pk}),
    ):
        with pytest.raises(NotAllowed):
            command(actor=other, on=event.pk, **given)
