"""Undo of what play has built on: nobody is lost at a closed table, no place changes that was paid for."""

import pytest

from accounts.models import User
from journal.errors import Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.events import add_day
from series.models import Day, Entry, Event, Registration
from tables.commands.breaking import break_table
from tables.commands.chairs import add_table, open_table
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.commands.refunds import refund_entry
from tables.models import Seat, Table
from tests.factories import add_players, make_director, make_event, make_running_event
from tests.tables.buying import undo_last
from tests.tables.pages import entries_at

pytestmark = pytest.mark.django_db


def take_back(director: User, verb: str, nth: int = 0) -> None:
    """Undo the nth entry of this verb."""
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb=verb).order_by("pk")[nth].pk)


def out(event: Event, director: User, *entries: int) -> None:
    for entry in entries:
        bust(actor=director, on=event.pk, entry_ids=[entry])
    event.refresh_from_db()


def in_the_money(left: int) -> tuple[Event, User, list[int]]:
    """Nine players, three prizes, nobody can enter; the first are out. Everybody, in the order of their entries."""
    event, director = make_running_event(9, payout_shares=[5000, 3000, 2000])
    close_entries(actor=director, on=event.pk)
    entries = list(event.entries.order_by("pk").values_list("pk", flat=True))
    out(event, director, *entries[: 9 - left])
    return event, director, entries


# --- prizes that were paid --------------------------------------------------------------------------------------------
def test_registration_is_not_opened_again_once_a_prize_was_paid():
    event, director, entries = in_the_money(2)
    pay_out(actor=director, on=event.pk, entry_id=entries[6], method="cash")
    with pytest.raises(Refused, match="Prizes have been paid"):
        take_back(director, "entries.close")
    with pytest.raises(Refused, match="Prizes have been paid"):
        add_day(actor=director, on=event.pk, label="Day 1B", starts_at=event.starts_at, kind=Day.Kind.FLIGHT)
    undo_last(director, event)
    take_back(director, "entries.close")
    assert add_players(event, 1, director)


def test_who_was_paid_for_a_place_keeps_it():
    event, director, entries = in_the_money(2)
    pay_out(actor=director, on=event.pk, entry_id=entries[6], method="cash")
    for nth in (6, 5):  # the one paid, who would play again; the one before, who would then be third
        with pytest.raises(Refused, match="was paid for a place"):
            take_back(director, "entry.bust", nth)
    out(event, director, entries[7])
    take_back(director, "entry.bust", 7)  # went out after the one who was paid
    event.refresh_from_db()
    assert event.status == Event.Status.RUNNING


# --- an event that is over --------------------------------------------------------------------------------------------
def test_an_earlier_bust_is_not_undone_under_the_one_that_ended_the_event():
    event, director, entries = in_the_money(2)
    out(event, director, entries[7])
    assert event.status == Event.Status.FINISHED
    with pytest.raises(Refused, match="The event is over"):
        take_back(director, "entry.bust", 6)
    take_back(director, "entry.bust", 7)
    take_back(director, "entry.bust", 6)
    assert event.entries.filter(status=Entry.Status.PLAYING).count() == 3


def test_a_bust_redone_decides_the_event_and_takes_out_nobody_who_won():
    event, director, entries = in_the_money(3)
    out(event, director, entries[6])
    undo_last(director, event)
    redo = JournalEntry.objects.latest("pk").pk
    out(event, director, entries[7])
    undo(actor=director, entry_id=redo)
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    again, director, entries = in_the_money(3)
    out(again, director, entries[6])
    undo_last(director, again)
    redo = JournalEntry.objects.latest("pk").pk
    out(again, director, entries[7], entries[8])
    with pytest.raises(Refused, match="Somebody must be left"):
        undo(actor=director, entry_id=redo)


# --- seats and tables -------------------------------------------------------------------------------------------------
def test_nobody_comes_back_to_a_table_that_was_broken_since():
    event, director = make_running_event(10)
    gone = entries_at(event, 2)[0]
    out(event, director, gone.pk)
    add = break_table(actor=director, on=event.pk, table=2)
    with pytest.raises(Refused, match="table 2 has been closed since"):
        take_back(director, "entry.bust")
    undo(actor=director, entry_id=JournalEntry.objects.get(stream=event.stream_key, seq=add.seq).pk)
    take_back(director, "entry.bust")
    assert Seat.objects.get(entry=gone).table.number == 2


def test_a_sale_taken_back_after_the_draw_frees_the_chair():
    event = make_event(seat_at_buy_in=False)
    director = make_director(event.series)
    first, *_ = add_players(event, 3, director)
    draw_seats(actor=director, on=event.pk)
    assert Seat.objects.filter(entry=first["entry"]).exists()
    take_back(director, "entry.buy_in")
    assert Entry.objects.get(pk=first["entry"]).status == Entry.Status.VOID
    assert not Seat.objects.filter(entry=first["entry"]).exists()


def test_a_table_where_others_sit_stays_open_with_all_its_chairs():
    event = make_event()
    director = make_director(event.series)
    first, second = add_players(event, 2, director)
    take_back(director, "entry.buy_in")
    table = Table.objects.get()
    assert (table.status, table.chairs.count()) == (Table.Status.OPEN, 9)
    assert list(table.chairs.exclude(entry=None).values_list("entry", flat=True)) == [second["entry"]]
    assert "table" in add_players(event, 1, director)[0]
    assert Entry.objects.get(pk=first["entry"]).status == Entry.Status.VOID


def test_a_table_that_others_use_is_not_closed_by_undo_and_it_says_so():
    event = make_event(seats_per_table=2)
    director = make_director(event.series)
    add_players(event, 2, director)
    add_table(actor=director, on=event.pk, seats=2)
    opened = open_table(actor=director, on=event.pk, table=2)
    add_players(event, 1, director)
    entry = JournalEntry.objects.get(stream=event.stream_key, seq=opened.seq)
    with pytest.raises(Refused, match="others use it by now"):
        undo(actor=director, entry_id=entry.pk)
    undo_last(director, event)
    undo(actor=director, entry_id=entry.pk)
    assert Table.objects.filter(status=Table.Status.OPEN).count() == 1


# --- places -----------------------------------------------------------------------------------------------------------
def test_a_refund_is_not_undone_into_a_place_that_was_given_away():
    event = make_event(capacity=2, seats_per_table=9)
    director = make_director(event.series)
    first, _second = add_players(event, 2, director)
    refund_entry(actor=director, on=event.pk, entry_id=first["entry"])
    third = add_players(event, 1, director, paid=False)[0]
    with pytest.raises(Refused, match="this event is full"):
        take_back(director, "entry.refund")
    buy_in(actor=director, on=event.pk, registration_id=third["registration"], method="cash", id_kind="passport")
    with pytest.raises(Refused):
        take_back(director, "entry.refund")
    assert Registration.objects.get(pk=first["registration"]).status == Registration.Status.WITHDRAWN
