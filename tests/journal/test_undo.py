"""Undo and redo: exact, refused where something came after, and never of money."""

import pytest
from django.db.models import Sum

from accounts.permissions import Role
from journal.actors import PUBLIC, Visitor
from journal.chain import verify
from journal.commands import VERBS, command
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Entry, Event, LedgerLine, Payout, Registration
from tables.commands.clock import jump_clock, pause_clock, resume_clock
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries, confirm_own_move, order_move
from tables.commands.payouts import pay_out
from tables.models import Bust, Clock, Draw, Move, Seat
from tables.reads.standings import standings
from tests.factories import add_players, make_director, make_event, make_running_event, make_user

pytestmark = pytest.mark.django_db


def last_entry() -> JournalEntry:
    return JournalEntry.objects.latest("id")


def live(event):
    return list(event.entries.filter(status=Entry.Status.PLAYING).order_by("pk"))


def test_undoing_a_bust_brings_the_player_back_to_the_seat_and_redo_takes_them_out_again():
    event, director = make_running_event(5)
    entry = live(event)[0]
    seat = entry.seat
    bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    out = last_entry()
    undo(actor=director, entry_id=out.pk)
    entry.refresh_from_db()
    assert (entry.status, entry.seat) == (Entry.Status.PLAYING, seat)
    assert not Bust.objects.exists()
    taken_back = last_entry()
    assert (taken_back.verb, taken_back.undoes) == ("undo", out)
    undo(actor=director, entry_id=taken_back.pk)
    entry.refresh_from_db()
    assert entry.status == Entry.Status.OUT
    assert Bust.objects.get().entry == entry
    assert last_entry().verb == "redo"
    assert list(verify()) == []


def test_an_undone_bust_puts_every_later_place_right():
    event, director = make_running_event(6)
    close_entries(actor=director, on=event.pk)
    first, second = live(event)[:2]
    bust(actor=director, on=event.pk, entry_ids=[first.pk])
    mistake = last_entry()
    bust(actor=director, on=event.pk, entry_ids=[second.pk])
    assert [(p.entry_id, p.best) for p in standings(event)] == [(second.pk, 5), (first.pk, 6)]
    undo(actor=director, entry_id=mistake.pk)
    assert [(p.entry_id, p.best) for p in standings(event)] == [(second.pk, 6)]


def test_undo_is_refused_when_the_seat_was_given_away_and_names_what_came_after():
    event, director = make_running_event(5)
    gone, other = live(event)[:2]
    seat = gone.seat
    bust(actor=director, on=event.pk, entry_ids=[gone.pk])
    mistake = last_entry()
    order_move(actor=director, on=event.pk, entry_id=other.pk, table=seat.table.number, seat=seat.number, reason="view")
    with pytest.raises(Refused, match=rf"{other.player} moves to table {seat.table.number}, seat {seat.number}.*Mere"):
        undo(actor=director, entry_id=mistake.pk)
    assert Seat.objects.get(pk=seat.pk).entry == other
    undo(actor=director, entry_id=last_entry().pk)
    undo(actor=director, entry_id=mistake.pk)
    assert Seat.objects.get(pk=seat.pk).entry == gone


def test_the_last_steps_are_undone_one_by_one_and_redone_in_their_order():
    event, director = make_running_event(4)
    clock = Clock.objects.get(day__event=event)
    levels = [clock.position]
    done, undone = [], []
    for position in (1, 2, 3):
        jump_clock(actor=director, on=event.pk, position=position)
        done.append(last_entry())
        clock.refresh_from_db()
        levels.append(clock.position)
    assert len(set(levels)) == 4
    with pytest.raises(Refused, match="came after"):
        undo(actor=director, entry_id=done[1].pk)
    for entry, level in zip(reversed(done), levels[2::-1], strict=True):
        undo(actor=director, entry_id=entry.pk)
        undone.append(last_entry())
        clock.refresh_from_db()
        assert clock.position == level
    with pytest.raises(Refused, match="came after"):  # the third step begins where the second one ended
        undo(actor=director, entry_id=undone[0].pk)
    for entry, level in zip(reversed(undone), levels[1:], strict=True):
        undo(actor=director, entry_id=entry.pk)
        clock.refresh_from_db()
        assert clock.position == level
    undo(actor=director, entry_id=last_entry().pk)
    clock.refresh_from_db()
    assert clock.position == levels[2]
    assert list(verify()) == []


def test_the_same_entry_is_not_undone_twice():
    event, director = make_running_event(4)
    bust(actor=director, on=event.pk, entry_ids=[live(event)[0].pk])
    mistake = last_entry()
    undo(actor=director, entry_id=mistake.pk)
    with pytest.raises(Refused, match="undone already"):
        undo(actor=director, entry_id=mistake.pk)


def test_undo_needs_the_permission_of_what_is_undone():
    event, director = make_running_event(4)
    bust(actor=director, on=event.pk, entry_ids=[live(event)[0].pk])
    mistake = last_entry()
    for role in (Role.DESK, Role.DEALER, Role.AUDITOR):
        with pytest.raises(NotAllowed):
            undo(actor=make_user("Ana", role=role, series=event.series), entry_id=mistake.pk)


def test_what_a_player_said_on_their_page_is_undone_by_staff_alone():
    event, director = make_running_event(5)
    entry = live(event)[0]
    seat = next(seat for seat in Seat.objects.filter(table=entry.seat.table, entry=None))
    order_move(
        actor=director, on=event.pk, entry_id=entry.pk, table=seat.table.number, seat=seat.number, reason="a wheelchair"
    )
    confirm_own_move(actor=Visitor(), on=event.pk, token=entry.player.token)
    arrived = last_entry()
    strangers = [Visitor(), make_user("Rua"), make_director(make_event().series)]
    for stranger in [*strangers, make_user("Desk", role=Role.DESK, series=event.series)]:
        with pytest.raises(NotAllowed):
            undo(actor=stranger, entry_id=arrived.pk)
    undo(actor=make_user("Ana", role=Role.DEALER, series=event.series), entry_id=arrived.pk)
    assert Move.objects.get().status == Move.Status.ORDERED


def test_a_verb_that_anybody_may_say_has_to_name_who_undoes_it():
    with pytest.raises(ValueError, match="anybody could undo"):
        command(Event, "test.shout", permission=PUBLIC)(lambda tx: None)
    assert "test.shout" not in VERBS


def test_undoing_a_buy_in_voids_the_entry_frees_the_seat_and_answers_the_money():
    event = make_event()
    director = make_director(event.series)
    held = add_players(event, 1, director, paid=False)[0]
    buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="cash", id_kind="passport")
    undo(actor=director, entry_id=last_entry().pk)
    assert Entry.objects.get().status == Entry.Status.VOID
    assert Registration.objects.get().status == Registration.Status.REGISTERED
    assert not Seat.objects.filter(entry__isnull=False).exists()
    lines = LedgerLine.objects.all()
    assert lines.count() == 6
    assert {line["account"]: line["sum"] for line in lines.values("account").annotate(sum=Sum("amount_cents"))} == {
        "till": 0, "prize_pool": 0, "fee": 0,
    }  # fmt: skip
    assert all(line.reverses for line in lines.order_by("-pk")[:3])
    with pytest.raises(Refused, match="ID first"):
        buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="card")
    again = buy_in(
        actor=director, on=event.pk, registration_id=held["registration"], method="card", id_kind="kiwi_access"
    )
    assert [draw.status for draw in Draw.objects.order_by("pk")] == ["withdrawn", "drawn"]
    assert Entry.objects.get(pk=again.result["entry"]).status == Entry.Status.PLAYING


def test_the_first_buy_in_is_undone_though_others_sit_at_the_tables_it_opened():
    event = make_event()
    director = make_director(event.series)
    first = add_players(event, 1, director)[0]
    opened = last_entry()
    second = add_players(event, 1, director)[0]
    undo(actor=director, entry_id=opened.pk)
    assert Entry.objects.get(pk=first["entry"]).status == Entry.Status.VOID
    assert Seat.objects.get(entry__isnull=False).entry_id == second["entry"]
    assert list(verify()) == []


def test_undoing_a_first_buy_in_alone_takes_its_tables_away_too():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    undo(actor=director, entry_id=last_entry().pk)
    assert not Seat.objects.exists()
    undo(actor=director, entry_id=last_entry().pk)
    assert Seat.objects.filter(entry__isnull=False).count() == 1


def test_redoing_a_buy_in_takes_the_money_again():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    undo(actor=director, entry_id=last_entry().pk)
    undo(actor=director, entry_id=last_entry().pk)
    assert Entry.objects.get().status == Entry.Status.PLAYING
    assert LedgerLine.objects.filter(account="till").aggregate(sum=Sum("amount_cents"))["sum"] == 25000
    assert list(verify()) == []


def test_undoing_a_registration_withdraws_it_and_redo_gives_the_place_back():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director, paid=False)
    undo(actor=director, entry_id=last_entry().pk)
    assert Registration.objects.get().status == Registration.Status.WITHDRAWN
    undo(actor=director, entry_id=last_entry().pk)
    assert Registration.objects.get().status == Registration.Status.REGISTERED
    assert list(verify()) == []


def test_a_buy_in_is_not_undone_once_the_player_went_out():
    event, director = make_running_event(3, one_by_one=True)
    entry = live(event)[0]
    bought = JournalEntry.objects.get(verb="entry.buy_in", result__entry=entry.pk)
    bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    with pytest.raises(Refused, match="is out"):
        undo(actor=director, entry_id=bought.pk)


def test_undoing_the_last_bust_opens_a_finished_event_again():
    event, director = make_running_event(2)
    close_entries(actor=director, on=event.pk)
    loser = live(event)[0]
    ends_at = Clock.objects.get().ends_at
    assert bust(actor=director, on=event.pk, entry_ids=[loser.pk]).result["finished"]
    undo(actor=director, entry_id=last_entry().pk)
    event.refresh_from_db()
    assert event.status == event.Status.RUNNING
    assert Clock.objects.get().ends_at == ends_at


def test_a_payout_is_answered_by_a_contra_line_and_can_be_paid_again():
    event, director = make_running_event(3)
    close_entries(actor=director, on=event.pk)
    for entry in live(event)[:2]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    winner = live(event)[0]
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="cash")
    with pytest.raises(Refused, match="paid already"):
        pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="cash")
    undo(actor=director, entry_id=last_entry().pk)
    assert Payout.objects.get().taken_back
    assert LedgerLine.objects.filter(account="payouts").aggregate(sum=Sum("amount_cents"))["sum"] == 0
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="transfer")
    assert Payout.objects.filter(taken_back=False).count() == 1


def test_a_clock_undo_restores_the_very_instant():
    event, director = make_running_event(3)
    before = Clock.objects.get()
    jump_clock(actor=director, on=event.pk, position=3)
    event.days.get().refresh_from_db()
    assert event.days.get().entries_closed
    undo(actor=director, entry_id=last_entry().pk)
    after = Clock.objects.get()
    assert (after.position, after.ends_at) == (before.position, before.ends_at)
    assert not event.days.get().entries_closed


def test_an_older_clock_change_is_not_undone_under_a_newer_one():
    event, director = make_running_event(3)
    pause_clock(actor=director, on=event.pk)
    paused = last_entry()
    resume_clock(actor=director, on=event.pk)
    with pytest.raises(Refused, match="running again"):
        undo(actor=director, entry_id=paused.pk)
