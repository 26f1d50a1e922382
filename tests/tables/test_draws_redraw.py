"""The redraw: at its points, over the tables kept, everybody anew; advised, frozen, undone."""

from pathlib import Path

import pytest
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Event
from tables.commands.breaking import break_table
from tables.commands.chairs import keep_seat
from tables.commands.draws import draw_seats
from tables.commands.floor import bust, confirm_move
from tables.commands.hand_for_hand import announce_hand_for_hand
from tables.commands.redraw import freeze_redraw, redraw, set_redraw_points
from tables.models import Draw, HandReport, Move, Seat, Table
from tables.reads.advice import advice
from tables.reads.breaking import RedrawDue, redraw_due
from tables.reads.hall import hall_of
from tests.factories import add_players, make_director, make_event, make_user
from tests.tables.drawing import check, download, drawn_places, places
from tests.tables.hall import make_hall

pytestmark = pytest.mark.django_db


def playing(sizes, *, closed: bool = True, points=(3, 2, 1), **fields):
    event = make_event(redraw_at=list(points), **fields)
    make_hall(event, sizes)
    if closed:
        with guard.writing():
            Day.objects.update(entries_closed=True)
    return event, make_director(event.series)


def due(event: Event) -> RedrawDue | None:
    event.refresh_from_db()
    day = Day.objects.select_related("event__series").get()
    now = timezone.now()
    return redraw_due(day, day.event, hall_of(day, now), advice(day), now, started=True)


def last_entry() -> JournalEntry:
    return JournalEntry.objects.order_by("-pk")[0]


def test_everybody_draws_a_new_seat_over_the_tables_kept(tmp_path: Path):
    event, director = playing((6, 6, 5, 4))
    before = places(event)
    result = redraw(actor=director, on=event.pk, keep=[1, 2, 3]).result
    after = places(event)
    row = Draw.objects.get(pk=result["draw"])
    assert after == drawn_places(row)
    assert before.keys() == after.keys()
    sizes = [sum(table == number for table, _ in after.values()) for number in (1, 2, 3)]
    assert sizes == [7, 7, 7]
    assert Table.objects.get(number=4).status == "broken"
    kept = Table.objects.filter(status="open")
    assert [(table.told, table.hand, table.button_at) for table in kept] == [(None, 0, None)] * 3
    moves = {move.entry_id: move for move in Move.objects.filter(status="ordered")}
    assert moves.keys() == {key for key in after if after[key] != before[key]}
    for key, move in moves.items():
        assert (move.from_table, move.from_seat) == before[key]
        assert (move.to_seat.table.number, move.to_seat.number) == after[key]
        assert (move.kind, move.draw, move.rule) == ("redraw", row, "45")
    code, said = check(download(row, tmp_path))
    assert code == 0, said


def test_a_redraw_undone_puts_everybody_back_and_spends_the_draw():
    event, director = playing((5, 5, 3))
    before = places(event)
    redraw(actor=director, on=event.pk, keep=[1, 2])
    undo(actor=director, entry_id=last_entry().pk)
    assert places(event) == before
    assert set(Table.objects.values_list("status", "button")) == {("open", 1)}
    assert not Move.objects.filter(status="ordered").exists()
    assert Draw.objects.get().status == "withdrawn"
    redraw(actor=director, on=event.pk, keep=[1, 2])
    first, second = Draw.objects.order_by("pk")
    assert first.seed != second.seed


def test_a_frozen_redraw_is_drawn_from_its_list(tmp_path: Path):
    event, director = playing((5, 5, 4))
    freeze_redraw(actor=director, on=event.pk, keep=[1, 3])
    row = Draw.objects.get()
    kept = download(row, tmp_path, "frozen.json")
    with pytest.raises(Refused, match="Another list"):
        redraw(actor=director, on=event.pk, keep=[1, 2])
    with pytest.raises(Refused, match="A redraw is frozen"):
        draw_seats(actor=director, on=event.pk)
    with pytest.raises(Refused, match="A list is frozen"):
        break_table(actor=director, on=event.pk, table=3)
    gone = Seat.objects.filter(table__number=2, entry__isnull=False)[0].entry_id
    bust(actor=director, on=event.pk, entry_ids=[gone])
    with guard.writing():
        Day.objects.update(entries_closed=False)
    late = add_players(event, 1, director)[0]
    assert "table" not in late
    redraw(actor=director, on=event.pk)
    row.refresh_from_db()
    after = places(event)
    assert after == {k: v for k, v in drawn_places(row).items() if k != gone} | {late["entry"]: after[late["entry"]]}
    assert {table for table, _ in after.values()} == {1, 3}
    assert check(download(row, tmp_path), kept)[0] == 0


def test_the_final_table_is_drawn_over_one_table():
    event, director = playing((5, 4), points=(1,))
    result = redraw(actor=director, on=event.pk, keep=[2]).result
    assert result["tables"] == 1
    assert sorted(places(event).values()) == [(2, seat) for seat in range(1, 10)]
    assert "Final table" in Move.objects.first().why


@pytest.mark.parametrize(("keep", "words"), [([], "Choose tables"), ([7], "Choose tables"), ([2], "do not fit")])
def test_what_cannot_be_redrawn(keep, words):
    event, director = playing((8, 6))
    with pytest.raises(Refused, match=words) as refused:
        redraw(actor=director, on=event.pk, keep=keep)
    assert refused.value.field == "keep"


def test_who_keeps_a_seat_is_left_out():
    event, director = playing((5, 4))
    keeper = Seat.objects.get(table__number=1, number=2).entry_id
    keep_seat(actor=director, on=event.pk, entry_id=keeper, why="wheelchair")
    with pytest.raises(Refused, match="keeps a seat at table 1") as refused:
        redraw(actor=director, on=event.pk, keep=[2])
    assert refused.value.field == "keep"
    redraw(actor=director, on=event.pk, keep=[1])
    assert places(event)[keeper] == (1, 2)
    row = Draw.objects.get()
    assert str(keeper) not in row.given["names"]
    assert row.given["tables"][0]["players"] == 1
    assert len(places(event)) == 9


def test_hand_for_hand_goes_on_over_a_redraw():
    event, director = playing((4, 4, 3))
    announce_hand_for_hand(actor=director, on=event.pk)
    redraw(actor=director, on=event.pk, keep=[1, 2])
    assert HandReport.objects.get(table__number=3).dropped
    assert HandReport.objects.filter(dropped=False).count() == 2


@pytest.mark.parametrize("role", [Role.DESK, Role.DEALER, Role.AUDITOR])
def test_only_the_floor_redraws(role: str):
    event, _ = playing((4, 3))
    other = make_user("Ana", role=role, series=event.series)
    for do in (redraw, freeze_redraw):
        with pytest.raises(NotAllowed):
            do(actor=other, on=event.pk)
    with pytest.raises(NotAllowed):
        set_redraw_points(actor=other, on=event.pk, points=[1])


# --- when ------------------------------------------------------------------------------------------------------------


def test_points_are_set_sorted_and_undone():
    event = make_event()
    director = make_director(event.series)
    assert set_redraw_points(actor=director, on=event.pk, points=[1, 3, 3, 2]).result == {"points": [3, 2, 1]}
    with pytest.raises(Refused, match="between 1 and 20") as refused:
        set_redraw_points(actor=director, on=event.pk, points=[0])
    assert refused.value.field == "points"
    undo(actor=director, entry_id=last_entry().pk)
    event.refresh_from_db()
    assert event.redraw_at == []


def test_it_is_advised_when_a_table_can_break_into_a_point():
    event, director = playing((7, 7, 7, 5))
    found = due(event)
    assert (found.title, found.keep, found.close, found.players) == (
        "Redraw: three tables left",
        (1, 2, 3),
        (4,),
        26,
    )
    redraw(actor=director, on=event.pk, keep=found.keep)
    assert due(event) is None
    for move in Move.objects.filter(status="ordered"):
        confirm_move(actor=director, on=event.pk, move_id=move.pk)


def test_it_is_advised_once_a_point_was_reached_by_breaking():
    event, director = playing((7, 7, 7, 5))
    break_table(actor=director, on=event.pk, table=4)
    found = due(event)
    assert (found.keep, found.close) == ((1, 2, 3), ())
    redraw(actor=director, on=event.pk)
    assert due(event) is None
    undo(actor=director, entry_id=last_entry().pk)
    assert due(event) is not None


def test_the_final_table_waits_until_it_is_as_small_as_it_begins():
    event, director = playing((5, 5), seats_per_table=9)
    assert due(event) is None
    bust(actor=director, on=event.pk, entry_ids=[Seat.objects.filter(table__number=1)[0].entry_id])
    found = due(event)
    assert (found.title, found.keep, found.is_final) == ("Redraw: final table", (1,), True)


def test_ten_handed_tables_play_on_at_two_with_ten_left():
    event, director = playing((5, 5), seats_per_table=10)
    assert due(event) is None
    assert "begins with 9" in advice(Day.objects.select_related("event__series").get()).notes[0]
    bust(actor=director, on=event.pk, entry_ids=[Seat.objects.filter(table__number=1)[0].entry_id])
    assert due(event).is_final


@pytest.mark.parametrize(
    ("sizes", "fields"),
    [
        ((7, 7, 6), {"points": ()}),  # nobody asked for it
        ((7, 7, 6), {}),  # it began with three tables
        ((7, 7, 7, 5), {"closed": False}),  # somebody can still enter
        ((9, 9, 9, 9), {}),  # no table can break yet
    ],
)
def test_it_is_not_advised(sizes, fields):
    event, _ = playing(sizes, **fields)
    assert due(event) is None


def test_asking_costs_nothing_without_points_and_two_queries_with(django_assert_num_queries):
    event, director = playing((7, 7, 7, 5))
    break_table(actor=director, on=event.pk, table=4)
    day = Day.objects.select_related("event__series").get()
    now = timezone.now()
    hall, found = hall_of(day, now), advice(day)
    with django_assert_num_queries(2):
        assert redraw_due(day, day.event, hall, found, now, started=True)
    day.event.redraw_at = []
    with django_assert_num_queries(0):
        assert redraw_due(day, day.event, hall, found, now, started=True) is None
