"""The moves that the site advises, ordered in one; and blinds that a moved player dodged."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Event
from tables.commands.balance import order_balance
from tables.commands.dodges import clear_dodge, record_dodge
from tables.commands.floor import bust, confirm_move
from tables.commands.hands import next_hand
from tables.models import BlindDodge, Clock, Draw, Move, Seat, Table
from tables.reads.advice import advice
from tables.reads.hall import hall_of
from tests.factories import make_director, make_event, make_user
from tests.tables.drawing import check, download
from tests.tables.hall import make_hall

pytestmark = pytest.mark.django_db


def advised(day: Day) -> list[tuple[int, int, int]]:
    return [(move.entry_id, move.to_table, move.to_seat) for move in advice(day).moves]


def sizes(day: Day) -> list[int]:
    return [table.players for table in hall_of(day, timezone.now()).tables]


# --- the plan in one -------------------------------------------------------------------------------------------------


@pytest.fixture
def uneven() -> tuple[Event, Day, Any]:
    event = make_event()
    return event, make_hall(event, (9, 9, 6, 6)), make_director(event.series)


def test_the_whole_plan_is_one_entry_and_one_undo(uneven: tuple[Event, Day, Any]):
    event, day, director = uneven
    plan = advice(day).moves
    assert len(plan) == 2
    order_balance(actor=director, on=event.pk, moves=advised(day))
    assert sizes(day) == [8, 8, 7, 7]
    entry = JournalEntry.objects.get()
    assert (entry.rule, len(entry.facts["players"])) == ("48", 2)
    moves = {move.entry_id: move for move in Move.objects.all()}
    assert {(moves[one.entry_id].why, moves[one.entry_id].kind) for one in plan} == {
        (one.reason[:200], "balance") for one in plan
    }
    undo(actor=director, entry_id=entry.pk)
    assert sizes(day) == [9, 9, 6, 6]
    assert set(Move.objects.values_list("status", flat=True)) == {"withdrawn"}


def test_the_lots_of_the_moves_are_draws_that_anybody_can_check(tmp_path: Path):
    event = make_event()
    day, director = make_hall(event, (9, 9, 6)), make_director(event.series)
    with guard.writing():  # so that who moves from there is drawn
        Table.objects.filter(number=1).update(button=None, small_blind=None, big_blind=None, dealt_in={})
    moves = advice(day).moves
    assert len(moves) == 2
    order_balance(actor=director, on=event.pk, moves=[(moves[0].entry_id, moves[0].to_table, moves[0].to_seat)])
    order_balance(actor=director, on=event.pk, moves=advised(day))
    draws = list(Draw.objects.order_by("pk"))
    assert {row.kind for row in draws} == {Draw.Kind.BALANCE}
    assert len({row.label for row in draws}) == len(draws)
    for row in draws:
        code, said = check(download(row, tmp_path))
        assert code == 0, said
    players = next(row for row in draws if row.people)
    moved = {str(move.entry_id) for move in Move.objects.filter(from_table=1)}
    assert players.result[0] in moved
    chairs = [
        (move.to_seat.table.number, move.to_seat.number) for move in Move.objects.select_related("to_seat__table")
    ]
    assert {row.result[0] for row in draws if not row.people} <= {f"{table}-{seat}" for table, seat in chairs}
    page = Client().get(reverse("draws", args=[event.pk]), {"kind": "balance"}).content.decode()
    assert page.count("Open seat at table 3") == sum(not row.people for row in draws)
    assert "Who moves from table 1, its button unknown" in page
    assert "Chairs" in Client().get(reverse("draw", args=[event.pk, draws[-1].pk])).content.decode()


def test_one_of_the_plan_may_be_ordered_alone(uneven: tuple[Event, Day, Any]):
    event, day, director = uneven
    first = advised(day)[0]
    order_balance(actor=director, on=event.pk, moves=[first])
    move = Move.objects.get()
    assert (move.entry_id, move.to_seat.table.number, move.to_seat.number) == first
    assert JournalEntry.objects.get().text == "{player} moves to table {table}, seat {seat}"


def test_a_plan_that_does_not_hold_any_more_moves_nobody(uneven: tuple[Event, Day, Any]):
    event, day, director = uneven
    plan = advised(day)
    gone = list(Seat.objects.filter(table__day=day, table__number=1, number__gte=7).values_list("entry_id", flat=True))
    bust(actor=director, on=event.pk, entry_ids=gone)
    for moves in (plan, []):
        with pytest.raises(Stale, match="have changed meanwhile"):
            order_balance(actor=director, on=event.pk, moves=moves)
    assert not Move.objects.exists()


def test_only_the_floor_orders_moves(uneven: tuple[Event, Day, Any]):
    event, day, _ = uneven
    with pytest.raises(NotAllowed):
        order_balance(actor=make_user("Tane", role=Role.DEALER, series=event.series), on=event.pk, moves=advised(day))


# --- dodged blinds ---------------------------------------------------------------------------------------------------


@pytest.fixture
def moved(uneven: tuple[Event, Day, Any]) -> tuple[Event, Day, Any, Move]:
    """A player moved by balance to table 3, at 50 and 100."""
    event, day, director = uneven
    with guard.writing():
        Clock.objects.update(position=1, ends_at=timezone.now() + dt.timedelta(minutes=5))
    order_balance(actor=director, on=event.pk, moves=advised(day)[:1])
    move = Move.objects.get()
    confirm_move(actor=director, on=event.pk, move_id=move.pk)
    return event, day, director, move


def dodge(event: Event, actor: Any, move: Move, **given: Any) -> dict[str, Any]:
    blinds = {"small_blind": True, "big_blind": True} | given
    return record_dodge(actor=actor, on=event.pk, move_id=move.pk, reason="Walked the long way round", **blinds).result


@pytest.mark.parametrize(
    ("given", "small", "big"),
    [
        ({}, 50, 100),
        ({"small_blind": False}, 0, 100),
        ({"big_blind": False}, 50, 0),
        ({"stack": 120}, 20, 100),
        ({"stack": 60}, 0, 60),
        ({"stack": 5000}, 50, 100),
        ({"big_blind": False, "stack": 30}, 30, 0),
    ],
)
def test_the_blinds_of_the_level_as_far_as_the_chips_reach(
    moved: tuple[Event, Day, Any, Move], given: dict[str, Any], small: int, big: int
):
    event, _, director, move = moved
    assert dodge(event, director, move, **given)["amount"] == small + big
    row = BlindDodge.objects.get()
    assert (row.small_blind, row.big_blind, row.level, row.table.number) == (small, big, 2, 3)
    entry = JournalEntry.objects.latest("id")
    assert (entry.rule, entry.reason) == ("49", "Walked the long way round")


def test_it_is_in_the_next_pot_and_not_in_the_one_after(moved: tuple[Event, Day, Any, Move]):
    event, _, director, move = moved
    dodge(event, director, move)
    assert next_hand(actor=director, on=event.pk, table=2).result["dead_money"] == 0
    assert next_hand(actor=director, on=event.pk, table=3).result["dead_money"] == 150
    undo(actor=director, entry_id=JournalEntry.objects.latest("id").pk)
    assert BlindDodge.objects.get().done_at is None
    assert next_hand(actor=director, on=event.pk, table=3).result["dead_money"] == 150
    assert next_hand(actor=director, on=event.pk, table=3).result["dead_money"] == 0


def test_a_tap_takes_it_off_the_page(moved: tuple[Event, Day, Any, Move]):
    event, _, director, move = moved
    done = dodge(event, director, move)["dodge"]
    clear_dodge(actor=make_user("Tane", role=Role.DEALER, series=event.series), on=event.pk, dodge_id=done)
    with pytest.raises(Refused, match="no dead money waiting"):
        clear_dodge(actor=director, on=event.pk, dodge_id=done)
    assert next_hand(actor=director, on=event.pk, table=3).result["dead_money"] == 0


@pytest.mark.parametrize(
    ("given", "field"),
    [({"small_blind": False, "big_blind": False}, "small_blind"), ({"stack": 0}, "stack"), ({"reason": " "}, "reason")],
)
def test_a_finding_needs_blinds_and_a_reason(moved: tuple[Event, Day, Any, Move], given: dict[str, Any], field: str):
    event, _, director, move = moved
    sent = {"small_blind": True, "big_blind": True, "reason": "Seen"} | given
    with pytest.raises(Refused) as refused:
        record_dodge(actor=director, on=event.pk, move_id=move.pk, **sent)
    assert refused.value.field == field


def test_once_for_each_move_and_only_by_who_may_rule(moved: tuple[Event, Day, Any, Move]):
    event, _, director, move = moved
    with pytest.raises(NotAllowed):
        dodge(event, make_user("Tane", role=Role.DEALER, series=event.series), move)
    dodge(event, make_user("Ana", role=Role.FLOOR, series=event.series), move)
    with pytest.raises(Refused, match="recorded already"):
        dodge(event, director, move)
