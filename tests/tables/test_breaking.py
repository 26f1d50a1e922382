"""Breaking tables by commands: order, preview, draw, moves and arrivals; fixed seats; hand-for-hand; undo."""

from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Entry
from tables.commands.breaking import break_table, draw_break_order, set_break_order
from tables.commands.chairs import keep_seat
from tables.commands.floor import confirm_move
from tables.commands.hand_for_hand import announce_hand_for_hand, report_hand
from tables.domain.breaking import shares
from tables.domain.button import DeadButton
from tables.domain.draw import DrawTable, draw_seats
from tables.domain.table import SeatingError
from tables.models import Draw, HandForHand, HandReport, Move, Table
from tables.reads.advice import advice, breaking
from tables.reads.breaking import not_arrived, preview, tickets
from tables.reads.hall import hall_of
from tests.factories import make_director, make_event, make_user
from tests.tables.drawing import check, download, drawn_places, places
from tests.tables.hall import make_hall, seat_players

pytestmark = pytest.mark.django_db


def playing(sizes, **fields):
    event = make_event(**fields)
    day = make_hall(event, sizes)
    return event, day, make_director(event.series)


def last_entry() -> JournalEntry:
    return JournalEntry.objects.order_by("-pk")[0]


def fresh(day: Day) -> Day:
    return Day.objects.select_related("event__series").get(pk=day.pk)


def test_players_of_a_broken_table_draw_seats_and_are_sent_there(tmp_path: Path):
    event, day, director = playing((6, 6, 4))
    before = places(event)
    result = break_table(actor=director, on=event.pk, table=3).result
    row = Draw.objects.get(pk=result["draw"])
    assert result["moved"] == 4
    assert drawn_places(row).items() <= places(event).items()
    moves = Move.objects.filter(draw=row)
    assert {(move.entry_id, (move.from_table, move.from_seat)) for move in moves} <= set(before.items())
    assert {move.rule for move in moves} == {"46"}
    assert all(move.why.startswith("Table 3 breaks; table ") for move in moves)
    assert check(download(row, tmp_path))[0] == 0
    slips = tickets(day, row.pk)
    assert not_arrived(slips) == 4
    assert sorted((slip.from_table, slip.from_seat) for slip in slips) == [(3, seat) for seat in (1, 2, 3, 4)]
    assert [arrival.move_id for arrival in hall_of(day, timezone.now()).arrivals]
    confirm_move(actor=director, on=event.pk, move_id=slips[0].move_id)
    assert not_arrived(tickets(day, row.pk)) == 3
    assert len(tickets(day)) == 3


def test_a_break_undone_puts_everybody_back_and_the_next_draw_is_another():
    event, _, director = playing((6, 6, 4))
    before = places(event)
    break_table(actor=director, on=event.pk, table=3)
    undo(actor=director, entry_id=last_entry().pk)
    assert places(event) == before
    assert Table.objects.get(number=3).status == "open"
    break_table(actor=director, on=event.pk, table=3)
    first, second = Draw.objects.order_by("pk")
    assert (first.label, first.status) == ("break table 3", "withdrawn")
    assert (second.label, second.status) == ("break table 3 (2)", "drawn")
    assert first.seed != second.seed


def test_a_seat_between_button_and_small_blind_makes_the_player_wait():
    event, day, director = playing(())
    seat_players(day, 1, (1, 2, 4, 5, 6, 7, 8, 9), last=(1, 2, 5))  # next button at 2, next small blind at 5
    seat_players(day, 2, (6,))
    pool = preview(hall_of(day, timezone.now()), 2, DeadButton.HOUSE).pool
    assert (pool[0].chairs, pool[0].last_resort) == ((), (3,))
    break_table(actor=director, on=event.pk, table=2)
    move = Move.objects.get()
    assert (move.to_seat.number, move.sits_out) == (3, True)
    assert "wait until the button has passed (rule 47)" in move.why


def test_an_empty_table_closes_without_a_draw():
    event, _, director = playing((5, 0))
    assert break_table(actor=director, on=event.pk, table=2).result == {"moved": 0, "draw": None}
    assert Table.objects.get(number=2).status == "broken"
    assert not Draw.objects.exists()


@pytest.mark.parametrize(
    ("sizes", "table", "words"),
    [((5,), 1, "last table"), ((9, 9), 2, "open seats"), ((5, 4), 7, "not open")],
)
def test_what_cannot_break(sizes, table, words):
    event, _, director = playing(sizes)
    with pytest.raises(Refused, match=words) as refused:
        break_table(actor=director, on=event.pk, table=table)
    assert refused.value.field == "table"


def test_a_table_with_a_fixed_seat_does_not_break_and_the_advice_says_so():
    event, day, director = playing((5, 5, 4))
    keeper = Entry.objects.get(seat__table__number=3, seat__number=2)
    keep_seat(actor=director, on=event.pk, entry_id=keeper.pk, why="needs the ramp")
    with pytest.raises(Refused, match="keeps a fixed seat at table 3: break another table"):
        break_table(actor=director, on=event.pk, table=3)
    found = advice(fresh(day))
    assert found.breaking is None
    assert "keeps a fixed seat" in found.notes[0]
    hall = hall_of(fresh(day), timezone.now())
    assert breaking(hall, 3) is None
    assert f"{keeper.player} keeps a fixed seat here" in preview(hall, 3, DeadButton.HOUSE).problem
    set_break_order(actor=director, on=event.pk, order=[2])
    assert advice(fresh(day)).breaking.table == 2


def test_hand_for_hand_survives_a_break_in_the_middle():
    event, _, director = playing((4, 4, 3))
    announce_hand_for_hand(actor=director, on=event.pk)
    for table in (1, 2):
        report_hand(actor=director, on=event.pk, table=table)
    break_table(actor=director, on=event.pk, table=3)
    assert HandReport.objects.get(table__number=3).dropped
    assert HandForHand.objects.get().phase == "all_idle"
    undo(actor=director, entry_id=last_entry().pk)
    assert not HandReport.objects.get(table__number=3).dropped
    assert HandForHand.objects.get().phase == "announced"


@pytest.mark.parametrize("role", [Role.DESK, Role.DEALER, Role.AUDITOR])
def test_only_the_floor_breaks_tables(role: str):
    event, _, _ = playing((4, 3))
    other = make_user("Ana", role=role, series=event.series)
    for do in (
        lambda: break_table(actor=other, on=event.pk, table=2),
        lambda: set_break_order(actor=other, on=event.pk, order=[1]),
        lambda: draw_break_order(actor=other, on=event.pk),
    ):
        with pytest.raises(NotAllowed):
            do()


# --- the order -------------------------------------------------------------------------------------------------------


def test_the_order_is_chosen_or_drawn_and_followed(tmp_path: Path):
    event, day, director = playing((5, 5, 5, 4))
    assert advice(fresh(day)).breaking.table == 4
    set_break_order(actor=director, on=event.pk, order=[2, 1])
    assert advice(fresh(day)).breaking.table == 2
    undo(actor=director, entry_id=last_entry().pk)
    assert fresh(day).break_order == []
    order = draw_break_order(actor=director, on=event.pk).result["order"]
    assert sorted(order) == [1, 2, 3, 4]
    assert fresh(day).break_order == order
    assert advice(fresh(day)).breaking.table == order[0]
    assert check(download(Draw.objects.get(), tmp_path))[0] == 0
    undo(actor=director, entry_id=last_entry().pk)
    assert (fresh(day).break_order, Draw.objects.get().status) == ([], "withdrawn")


@pytest.mark.parametrize(("order", "words"), [([9], "is not open"), ([1, 1], "named twice")])
def test_an_order_names_open_tables_once(order, words):
    event, _, director = playing((5, 4))
    with pytest.raises(Refused, match=words) as refused:
        set_break_order(actor=director, on=event.pk, order=order)
    assert refused.value.field == "order"


def test_an_order_needs_two_tables():
    event, _, director = playing((5,))
    with pytest.raises(Refused, match="no two tables"):
        draw_break_order(actor=director, on=event.pk)


# --- what is certain before ------------------------------------------------------------------------------------------


def test_the_preview_says_how_many_each_table_gets_and_not_who():
    _, day, _ = playing((7, 6, 6, 5, 4))
    found = preview(hall_of(day, timezone.now()), 5, DeadButton.HOUSE)
    assert [(line.table, line.share) for line in found.pool] == [
        (1, "0"),
        (2, "1"),
        (3, "1"),
        (4, "2"),
    ]
    assert len(found.players) == 4
    assert found.problem == ""
    assert preview(hall_of(day, timezone.now()), 9, DeadButton.HOUSE) is None


def test_who_does_not_fit_is_said_before():
    _, day, _ = playing((9, 9, 8))
    found = preview(hall_of(day, timezone.now()), 3, DeadButton.HOUSE)
    assert found.problem == "Its 8 players do not fit: the other tables have no open seats."


@given(
    players=st.integers(0, 12),
    tables=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=6),
    seeds=st.lists(st.binary(min_size=32, max_size=32), min_size=4, max_size=4),
)
def test_whatever_is_drawn_each_table_gets_its_share(players, tables, seeds):
    pool = [
        DrawTable(number, tuple(range(1, chairs + 1)), tuple(range(chairs + 1, chairs + last + 1)), players=seated)
        for number, (seated, chairs, last) in enumerate(tables, 1)
    ]
    names = [str(number) for number in range(players)]
    if sum(len(table.chairs) + len(table.last_resort) for table in pool) < players:
        with pytest.raises(SeatingError):
            shares(players, pool)
        return
    each = shares(players, pool)
    assert sum(least for least, _ in each.values()) <= players <= sum(most for _, most in each.values())
    for seed in seeds:
        result = draw_seats(seed, names, pool)
        got = {number: sum(seating.table == number for seating in result) for number in each}
        assert all(least <= got[number] <= most for number, (least, most) in each.items())
