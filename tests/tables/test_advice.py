"""What the floor is advised to do, from rows."""

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from journal import guard
from series.models import Day, Event, Series
from tables.commands.balance import order_balance
from tables.commands.breaking import break_table
from tables.domain.button import DeadButton
from tables.models import Move, Seat, Table
from tables.reads.advice import Advice, advice, breaking
from tables.reads.floor import BETWEEN, seat_words
from tables.reads.hall import hall_of
from tests.factories import make_director, make_event
from tests.tables.hall import make_hall, seat_players

pytestmark = pytest.mark.django_db


def hall(*sizes: int, **options: Any) -> Day:
    return make_hall(make_event(), sizes, **options)


def sizes(day: Day) -> list[int]:
    return sorted((table.players for table in hall_of(day, timezone.now()).tables), reverse=True)


def spots(day: Day) -> list[tuple[int, int, int, int]]:
    return [(move.from_table, move.sitter.seat, move.to_table, move.to_seat) for move in advice(day).moves]


def test_two_long_and_two_short_tables_get_two_moves_of_those_next_due_the_big_blind():
    # the last big blind was seat 3 everywhere, so seat 4 is due next
    assert {move[:3] for move in spots(hall(9, 9, 7, 7))} == {(1, 4, 3), (2, 4, 4)}


def test_before_a_first_hand_no_seat_lies_between_and_a_button_that_left_is_asked_for():
    day = hall(3, 3)
    first = Table.objects.get(day=day, number=1)
    with guard.writing():
        Table.objects.filter(pk=first.pk).update(button=3, small_blind=5, big_blind=6, dealt_in={})
        for old, new in ((2, 6), (1, 5)):
            gone = Seat.objects.get(table=first, number=old)
            entry, gone.entry = gone.entry_id, None
            gone.save()
            Seat.objects.filter(table=first, number=new).update(entry=entry)
    table = hall_of(day, timezone.now()).table(1)
    assert table is not None
    words = seat_words(table, DeadButton.HOUSE)
    assert words[4] == "small blind next hand"
    assert not [said for said in words.values() if said.startswith(BETWEEN)]
    with guard.writing():
        Seat.objects.filter(table=first, number=3).update(entry=None)
    assert advice(day).untold == [1]
    table = hall_of(day, timezone.now()).table(1)
    assert table is not None
    assert not any(seat_words(table, DeadButton.HOUSE).values())


def test_eight_eight_six_six_is_even_after_the_advised_moves():
    day = hall(8, 8, 6, 6)
    actor = make_director(day.event.series)
    found = advice(day)
    assert (found.breaking, len(found.moves)) == (None, 2)
    moves = [(move.entry_id, move.to_table, move.to_seat) for move in found.moves]
    order_balance(actor=actor, on=day.event_id, moves=moves)
    assert sizes(day) == [7, 7, 7, 7]
    assert advice(day).moves == []
    assert set(Move.objects.values_list("rule", flat=True)) == {"48"}


def test_the_table_that_fits_elsewhere_breaks_first():
    day = hall(6, 6, 4)
    found = advice(day)
    assert found.breaking is not None
    assert (found.breaking.table, found.breaking.sizes_after) == (3, (8, 8))
    assert [sitter.seat for sitter in found.breaking.players] == [1, 2, 3, 4]
    assert (found.breaking.others, found.breaking.open_elsewhere, found.breaking.open_after) == (2, 6, 2)
    break_table(actor=make_director(day.event.series), on=day.event_id, table=3)
    assert sizes(day) == [8, 8]
    assert advice(day).breaking is None


def test_the_mover_is_the_next_big_blind():
    event = make_event()
    day = make_hall(event, ())
    seat_players(day, 1, range(1, 9), last=(2, 3, 4))
    seat_players(day, 2, (1, 3, 4, 6, 8, 9), last=(3, 4, 6))
    moves = advice(day).moves
    assert [(move.from_table, move.sitter.seat) for move in moves] == [(1, 5)]
    assert moves[0].sitter.name in Seat.objects.get(table__day=day, table__number=1, number=5).entry.player.public_name
    assert "due the big blind next" in moves[0].reason
    assert "rule 48" in moves[0].reason


def test_whoever_was_moved_lately_is_spared():
    day = hall(8, 8, 6)
    due = Seat.objects.get(table__day=day, table__number=1, number=4)
    with guard.writing():
        Move.objects.create(
            day=day, entry=due.entry, kind="balance", from_table=2, from_seat=1, to_seat=due, status="arrived",
            ordered_at=timezone.now() - dt.timedelta(minutes=20),
        )  # fmt: skip
    assert spots(day)[0][:2] == (2, 4)


def test_an_unknown_button_is_asked_for_and_the_lot_stays():
    day = hall(8, 6, told=False)
    first = advice(day).moves
    assert [move.ask for move in first] == [(1, 2)]
    assert advice(day).unknown_buttons == {1, 2}
    assert "was drawn" in first[0].reason
    assert advice(day).moves == first


def test_a_button_told_long_ago_is_to_be_looked_at():
    day = hall(8, 6)
    with guard.writing():
        Table.objects.filter(day=day, number=2).update(button_at=timezone.now() - dt.timedelta(minutes=11))
    assert [move.check for move in advice(day).moves] == [(2,)]


def test_before_the_start_no_table_breaks_and_only_uneven_tables_are_a_matter():
    even = hall(5, 5, 4, running=False)
    found = advice(even)
    assert (found.breaking, found.moves, found.halts, found.notes) == (None, [], [], ())
    assert len(advice(hall(6, 4, running=False)).moves) == 1


@pytest.mark.parametrize(("options", "moves"), [({}, 1), ({"max_gap": 2}, 0)])
def test_the_series_decides_how_far_tables_may_be_apart(options: dict[str, Any], moves: int):
    day = hall(8, 7, 6)
    with guard.writing():
        Series.objects.filter(pk=day.event.series_id).update(options=options)
    fresh = Day.objects.select_related("event__series").get(pk=day.pk)
    assert len(advice(fresh).moves) == moves


def test_the_final_table_waits_until_nine_are_left():
    def tables_of_ten(*sizes: int) -> Advice:
        return advice(make_hall(make_event(seats_per_table=10), sizes))

    assert tables_of_ten(5, 5).breaking is None
    assert tables_of_ten(5, 5).notes == ("The final table begins with 9 players left (T24 RP-9).",)
    found = tables_of_ten(5, 4).breaking
    assert found is not None
    assert found.sizes_after == (9,)


def test_a_table_three_short_halts_when_its_big_blind_reaches_an_open_seat():
    day = make_hall(make_event(), (9, 9))
    seat_players(day, 3, range(1, 7), last=(4, 5, 6))
    assert [halt.table for halt in advice(day).halts] == [3]
    with guard.writing():
        Table.objects.filter(day=day, number=3).update(button_at=timezone.now() - dt.timedelta(hours=1))
    assert advice(day).halts == []


def test_nothing_is_advised_for_one_table_or_an_empty_hall():
    assert advice(hall(5)).moves == []
    assert advice(hall()).breaking is None


def test_what_breaking_any_table_would_do():
    day = hall(6, 6, 4)
    found = breaking(hall_of(day, timezone.now()), 1)
    assert found is not None
    assert (found.table, len(found.players), found.sizes_after) == (1, 6, (8, 8))
    full = hall(9, 9, 8)
    assert breaking(hall_of(full, timezone.now()), 3) is None
    assert breaking(hall_of(hall(5), timezone.now()), 1) is None


def queries(day: Day) -> int:
    fresh = Day.objects.select_related("event__series").get(pk=day.pk)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        advice(fresh)
    return len(captured)


def test_the_number_of_queries_does_not_grow_with_the_hall():
    assert queries(hall(8, 6)) == queries(hall(9, 8, 7, 6, 9, 9, 9, 3)) == 6


def test_a_table_of_another_day_gives_no_advice():
    day = hall(8)
    other = Event.objects.get(pk=day.event_id)
    with guard.writing():
        later = Day.objects.create(event=other, number=2, label="Day 1B", starts_at=timezone.now())
    later.event = other
    seat_players(later, 1, range(1, 5), last=(1, 2, 3))
    assert advice(day).moves == []
