"""Hands by commands: the button told, the next hand dealt, who waits, what is refused, undo."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.chain import verify
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Event, Series
from tables.commands.balance import waive_halt
from tables.commands.floor import bust, confirm_move, order_move
from tables.commands.hands import next_hand, set_button, set_coming_button
from tables.commands.lots import set_first_button
from tables.models import Clock, Move, Seat, Table
from tables.reads.hall import hall_of
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall, seat_players

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return make_event()


def at(day: Day, seat: int, table: int = 1) -> int:
    return Seat.objects.values_list("entry_id", flat=True).get(table__day=day, table__number=table, number=seat)


def row(day: Day, table: int = 1) -> Table:
    return Table.objects.get(day=day, number=table)


def positions(day: Day, table: int = 1) -> tuple[int | None, int | None, int | None]:
    found = row(day, table)
    return found.button, found.small_blind, found.big_blind


def deal(event: Event, actor: Any, table: int = 1, **kwargs: Any) -> dict[str, Any]:
    return next_hand(actor=actor, on=event.pk, table=table, **kwargs).result


def test_two_hands_told_by_mistake_are_both_taken_back(event: Event):
    day = make_hall(event, (6,))
    dealer = make_user("Tane", role=Role.DEALER, series=event.series)
    before = positions(day)
    told = []
    for _ in range(2):
        deal(event, dealer)
        told.append(JournalEntry.objects.latest("id").pk)
    with pytest.raises(Refused, match="came after"):
        undo(actor=dealer, entry_id=told[0])
    undo(actor=dealer, entry_id=told[1])
    undo(actor=dealer, entry_id=told[0])
    assert (positions(day), row(day).hand) == (before, 1)
    assert deal(event, dealer)["hand"] == 2


# --- dealing ---------------------------------------------------------------------------------------------------------


def test_hands_go_on_from_the_last_one_and_a_dead_button_is_kept(event: Event):
    day = make_hall(event, (6,))
    director = make_director(event.series)
    dealer = make_user("Tane", role=Role.DEALER, series=event.series)
    assert deal(event, dealer) == {"hand": 2, "button": 2, "small_blind": 3, "big_blind": 4, "dead_money": 0}
    bust(actor=director, on=event.pk, entry_ids=[at(day, 4)])
    assert deal(event, dealer) == {"hand": 3, "button": 3, "small_blind": None, "big_blind": 5, "dead_money": 0}
    assert positions(day) == (3, 4, 5)
    assert deal(event, dealer)["button"] == 4
    words = JournalEntry.objects.latest("id")
    assert (words.actor_name, words.facts["dead"], row(day).hand) == (dealer.name, "dead ", 4)
    assert list(verify()) == []


def test_the_first_hand_is_dealt_where_the_button_was_told(event: Event):
    day = make_hall(event, (4,), told=False)
    dealer = make_user("Tane", role=Role.DEALER, series=event.series)
    with pytest.raises(Refused, match="button of table 1 is not known"):
        deal(event, dealer)
    set_first_button(actor=dealer, on=event.pk, table=1, seat=2)
    assert (positions(day), row(day).hand) == ((2, 3, 4), 0)
    assert deal(event, dealer) == {"hand": 1, "button": 2, "small_blind": 3, "big_blind": 4, "dead_money": 0}
    assert deal(event, dealer)["big_blind"] == 1


def test_who_had_the_first_button_and_went_is_asked_for_again(event: Event):
    day = make_hall(event, (4, 4), told=False)
    director = make_director(event.series)
    set_coming_button(actor=director, on=event.pk, table=1, button=2)
    bust(actor=director, on=event.pk, entry_ids=[at(day, 2)])
    with pytest.raises(Refused, match="Nobody sits in seat 2"):
        deal(event, director)


def test_the_button_of_the_last_hand_and_of_the_coming_one_are_two_things(event: Event):
    day = make_hall(event, (5,), told=False)
    director = make_director(event.series)
    set_button(actor=director, on=event.pk, table=1, button=1)
    assert (positions(day), row(day).hand) == ((1, 2, 3), 1)
    assert deal(event, director)["button"] == 2
    set_coming_button(actor=director, on=event.pk, table=1, button=1)
    assert (positions(day), row(day).hand, row(day).dealt_in) == ((1, 2, 3), 2, {})
    assert deal(event, director)["button"] == 1
    with pytest.raises(Refused, match="Nobody sits in seat 7"):
        set_coming_button(actor=director, on=event.pk, table=1, button=7)
    with pytest.raises(Refused, match="seats 1 to 9") as refused:
        set_button(actor=director, on=event.pk, table=1, button=4, big_blind=10)
    assert refused.value.field == "big_blind"


def test_the_series_chooses_how_far_a_dead_button_goes(event: Event):
    make_hall(event, ())
    day = event.days.get()
    day.event = event
    seat_players(day, 1, (4, 5, 6), last=(9, 1, 4))
    with guard.writing():
        Series.objects.filter(pk=event.series_id).update(options={"dead_button": "forward_2026"})
    assert deal(event, make_director(event.series))["button"] == 3


# --- newcomers -------------------------------------------------------------------------------------------------------


def seat_between(event: Event, day: Day) -> tuple[int, Any]:
    """A player sent to seat 2 of table 1, where button and small blind of the coming hand lie in 1 and 3."""
    director = make_director(event.series)
    who = at(day, 1, table=2)
    order_move(actor=director, on=event.pk, entry_id=who, table=1, seat=2, reason="Asked for it")
    return who, director


def test_a_newcomer_between_button_and_small_blind_sits_out_until_the_button_has_passed(event: Event):
    make_hall(event, ())
    day = event.days.get()
    day.event = event
    seat_players(day, 1, (1, 3, 4), seats=4, last=(4, 1, 3))
    seat_players(day, 2, (1, 4, 5))
    who, director = seat_between(event, day)
    move = Move.objects.get()
    assert move.sits_out
    confirm_move(actor=director, on=event.pk, move_id=move.pk)
    assert [sitter.waits for sitter in hall_of(day, timezone.now()).tables[0].in_seat_order] == [
        False,
        True,
        False,
        False,
    ]
    deal(event, director)
    assert row(day).dealt_in == {str(seat): at(day, seat) for seat in (1, 3, 4)}
    assert Move.objects.get().sits_out
    deal(event, director)
    assert str(2) in row(day).dealt_in
    assert row(day).dealt_in["2"] == who
    assert not Move.objects.get().sits_out
    undo(actor=director, entry_id=JournalEntry.objects.latest("id").pk)
    assert Move.objects.get().sits_out
    assert positions(day) == (1, 3, 4)


def test_a_seat_between_is_refused_while_another_one_is_open(event: Event):
    make_hall(event, ())
    day = event.days.get()
    day.event = event
    seat_players(day, 1, (1, 3, 4), last=(4, 1, 3))
    seat_players(day, 2, (1, 4, 5))
    with pytest.raises(Refused, match="between the button and the small blind") as refused:
        seat_between(event, day)
    assert refused.value.field == "seat"
    assert not Move.objects.exists()


def test_a_hand_waits_for_who_posts_and_not_for_others_on_the_way(event: Event):
    make_hall(event, ())
    day = event.days.get()
    day.event = event
    seat_players(day, 1, (1, 2, 3), last=(1, 2, 3))
    seat_players(day, 2, (1, 4, 5))
    director, dealer = make_director(event.series), make_user("Tane", role=Role.DEALER, series=event.series)
    first, second = at(day, 1, table=2), at(day, 4, table=2)
    order_move(actor=director, on=event.pk, entry_id=first, table=1, seat=4, reason="Asked for it")
    with pytest.raises(Refused, match=r"seat 4 and is on the way.*rule 48"):
        deal(event, dealer)
    confirm_move(actor=dealer, on=event.pk, move_id=Move.objects.get().pk)
    order_move(actor=director, on=event.pk, entry_id=second, table=1, seat=8, reason="Asked for it")
    deal(event, dealer)
    assert set(row(day).dealt_in) == {"1", "2", "3", "4"}
    with pytest.raises(Refused, match="seat 8 and is on the way"):
        deal(event, dealer)


def test_told_positions_leave_out_who_sits_between_or_is_on_the_way(event: Event):
    day = make_hall(event, (5,))
    set_button(actor=make_director(event.series), on=event.pk, table=1, button=1, small_blind=3, big_blind=4)
    assert set(row(day).dealt_in) == {"1", "3", "4", "5"}


# --- what is refused -------------------------------------------------------------------------------------------------


def test_two_who_tell_the_same_hand_deal_it_once(event: Event):
    day = make_hall(event, (5,))
    director = make_director(event.series)
    event.refresh_from_db()
    seen = event.seq
    deal(event, director, expected_version=seen)
    with pytest.raises(Stale):
        deal(event, director, expected_version=seen)
    assert row(day).hand == 2


def test_a_bust_that_the_dealer_has_not_seen_is_shown_first(event: Event):
    day = make_hall(event, (5, 5))
    director = make_director(event.series)
    event.refresh_from_db()
    seen = event.seq
    bust(actor=director, on=event.pk, entry_ids=[at(day, 4)])
    with pytest.raises(Stale, match="is out"):
        deal(event, director, expected_version=seen)


def test_hands_are_told_by_dealers_and_floor_while_the_event_runs(event: Event):
    make_hall(event, (5,), running=False)
    director, desk = make_director(event.series), make_user("Hana", role=Role.DESK, series=event.series)
    with pytest.raises(Refused, match="while the event is running"):
        deal(event, director)
    for command, given in ((next_hand, {}), (set_button, {"button": 1}), (set_coming_button, {"button": 1})):
        with pytest.raises(NotAllowed):
            command(actor=desk, on=event.pk, table=1, **given)


# --- a table three short ---------------------------------------------------------------------------------------------


@pytest.fixture
def short(event: Event) -> tuple[Day, Any]:
    """Table 3 is three short and its big blind comes to an open seat."""
    day = make_hall(event, (9, 9))
    seat_players(day, 3, range(1, 7), last=(4, 5, 6))
    return day, make_director(event.series)


def test_a_halted_table_deals_once_somebody_comes_or_the_director_lets_it(event: Event, short: tuple[Day, Any]):
    day, director = short
    with pytest.raises(Refused, match="T24-11D"):
        deal(event, director, table=3)
    with pytest.raises(NotAllowed):
        waive_halt(actor=make_user("Ana", role=Role.FLOOR, series=event.series), on=event.pk, table=3)
    waive_halt(actor=director, on=event.pk, table=3)
    assert deal(event, director, table=3)["big_blind"] == 1
    set_button(actor=director, on=event.pk, table=3, button=4, small_blind=5, big_blind=6)
    assert deal(event, director, table=3)["hand"] == 3
    bust(actor=director, on=event.pk, entry_ids=[at(day, 1, table=3)])
    set_button(actor=director, on=event.pk, table=3, button=4, small_blind=5, big_blind=6)
    with pytest.raises(Refused, match="T24-11D"):  # its size has changed, so the waiver is over
        deal(event, director, table=3)


def test_a_big_blind_told_long_ago_halts_nobody(event: Event, short: tuple[Day, Any]):
    day, director = short
    with guard.writing():
        Table.objects.filter(day=day).update(button_at=timezone.now() - dt.timedelta(minutes=30))
    assert deal(event, director, table=3)["hand"] == 2


def test_a_table_that_is_not_short_has_nothing_to_waive(event: Event):
    make_hall(event, (9, 7))
    with pytest.raises(Refused, match="not three players short"):
        waive_halt(actor=make_director(event.series), on=event.pk, table=2)


# --- a button told long ago ------------------------------------------------------------------------------------------


def old(day: Day, minutes: int | None = 10) -> list[int]:
    now = timezone.now()
    return hall_of(Day.objects.get(pk=day.pk), now).old_buttons(now, minutes)


def test_a_button_ages_while_cards_are_in_the_air(event: Event):
    day = make_hall(event, (5, 5))
    with guard.writing():
        Table.objects.filter(day=day, number=1).update(button_at=timezone.now() - dt.timedelta(minutes=11))
    assert (old(day), old(day, 12), old(day, None)) == ([1], [], [])
    with guard.writing():
        Clock.objects.filter(day=day).update(status="paused", ends_at=None, remaining=dt.timedelta(minutes=5))
    assert old(day) == []


def test_a_break_makes_no_button_older(event: Event):
    day = make_hall(event, (5,))
    with guard.writing():
        event.levels.filter(position=1).update(kind="break", number=None, small_blind=0, big_blind=0, minutes=15)
        Table.objects.filter(day=day).update(button_at=timezone.now() - dt.timedelta(minutes=17))
        in_break = {"position": 1, "ends_at": timezone.now() + dt.timedelta(minutes=2)}
        Clock.objects.filter(day=day).update(**in_break)
    assert old(day) == []
    with guard.writing():  # the break ended four minutes ago
        Clock.objects.filter(day=day).update(position=2, ends_at=timezone.now() + dt.timedelta(minutes=16))
    assert old(day) == []
    with guard.writing():
        Clock.objects.filter(day=day).update(ends_at=timezone.now() + dt.timedelta(minutes=8))
    assert old(day) == [1]
