"""The money on one sheet: every total equal everywhere, signed, and stale once money moved."""

import datetime as dt

import pytest
import time_machine
from django.db import connection
from django.db.models import Sum

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.reconcile import reconcile_event, reconcile_series
from series.commands.tills import close_till, open_till
from series.models import Entry, Event, LedgerLine, Reconciliation
from series.reads.ledger import Filters, Scope, problems, problems_of_series
from series.reads.receipts import receipt, receipts_of
from series.reads.reconcile import days, sheet
from tables.commands.entries import reenter
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.commands.pool import add_to_pool, settle
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def played() -> tuple[Event, User]:
    """A finished event: four entries, one of them again by card, one taken back; sponsor's money; one prize paid."""
    event, director = make_running_event(4, max_reentries=1, staff_kind="pool", staff_amount=1_000)
    add_players(event, 1, director)
    undo(actor=director, entry_id=JournalEntry.objects.latest("pk").pk)
    add_to_pool(actor=director, on=event.pk, cents=50_000, method="transfer", source="The  brewery")
    first, second, third, _ = Entry.objects.filter(event=event, status="playing")
    bust(actor=director, on=event.pk, entry_ids=[first.pk])
    reenter(actor=director, on=event.pk, player_id=first.player_id, method="card")
    close_entries(actor=director, on=event.pk)
    again = Entry.objects.get(player=first.player_id, number=2)
    for entry in (second, third, again):
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    winner = Entry.objects.get(event=event, status="playing")
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="transfer")
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    return event, director


def test_the_sheet_of_an_event(played: tuple[Event, User]):
    event, _ = played
    found = sheet(Scope(event.series, event))
    assert [(row.words, row.cash, row.card, row.transfer) for row in found.taken] == [
        ("Buy-in, prize pool", 110_000, 0, 0),
        ("Buy-in, fee", 15_000, 0, 0),
        ("Re-entry, prize pool", 0, 22_000, 0),
        ("Re-entry, fee", 0, 3_000, 0),
    ]
    assert [(row.words, row.total) for row in found.refunded] == [
        ("Buy-in, prize pool", 22_000),
        ("Buy-in, fee", 3_000),
    ]
    assert [(row.words, row.transfer) for row in found.added] == [("Money added", 50_000)]
    assert (found.staff, found.overlay, found.total_paid.total > 0) == (16_000, 0, True)
    assert found.agrees
    assert problems(event) == problems_of_series(event.series) == []


def test_every_total_finds_its_lines(played: tuple[Event, User]):
    event, _ = played
    scope = Scope(event.series, event)
    found = sheet(scope)
    for rows, sign in ((found.taken, -1), (found.refunded, 1), (found.paid, 1), (found.added, -1)):
        assert rows
        for row in rows:
            for method, cents in row.by_method:
                lines = Filters.of(dict(vars(row.filters), method=method)).apply(scope.lines())
                assert (lines.aggregate(sum=Sum("amount_cents"))["sum"] or 0) * sign == cents


def test_the_series_adds_up_its_events_and_tills(played: tuple[Event, User]):
    event, director = played
    other = make_event(event.series)
    till = open_till(actor=director, on=event.series_id, total_cents=10_000).result["till"]
    add_players(other, 1, director)
    close_till(actor=director, on=event.series_id, till_id=till, total_cents=34_000, reason="Ten short.")
    whole = sheet(Scope(event.series))
    parts = [sheet(Scope(event.series, each)) for each in (event, other)]
    assert whole.total_taken.total == sum(part.total_taken.total for part in parts)
    assert whole.total_paid.total == sum(part.total_paid.total for part in parts)
    assert (whole.differences, whole.safe, whole.organiser, whole.in_tills) == (-1_000, 34_000, 10_000, 0)
    assert [line.difference for line in whole.tills] == [-1_000]
    assert whole.agrees
    assert not sheet(Scope(make_event().series)).lines


def test_a_day_is_a_day_at_the_venue():
    series = make_series()
    director = make_director(series)
    with time_machine.travel(dt.datetime(2026, 6, 1, 11, 30, tzinfo=dt.UTC)):  # 23:30 in Auckland
        event = make_event(series, starts_at=dt.datetime(2026, 6, 2, 11, 0, tzinfo=dt.UTC))
        add_players(event, 1, director)
    with time_machine.travel(dt.datetime(2026, 6, 1, 12, 30, tzinfo=dt.UTC)):  # 0:30 of the next day
        add_players(event, 2, director)
    assert days(Scope(event.series, event)) == days(Scope(event.series)) == [dt.date(2026, 6, 2), dt.date(2026, 6, 1)]
    by_day = [sheet(Scope(event.series, event, day)).total_taken.total for day in days(Scope(event.series, event))]
    assert by_day == [50_000, 25_000]
    assert sheet(Scope(event.series, event)).total_taken.total == 75_000


# --- signing ----------------------------------------------------------------------------------------------------------
def test_a_signature_goes_stale_when_money_moves_and_can_be_taken_back(played: tuple[Event, User]):
    event, director = played
    scope = Scope(event.series, event)
    cashier = make_user(role=Role.DESK, series=event.series)
    with pytest.raises(Refused, match="moved since"):
        reconcile_event(actor=cashier, on=event.pk, lines=sheet(scope).lines - 1)
    reconcile_event(actor=cashier, on=event.pk, lines=sheet(scope).lines, note="Counted twice.")
    found = sheet(scope)
    assert found.signed is not None
    assert (found.signed.by, found.signed.note, found.stale) == (cashier, "Counted twice.", False)
    with pytest.raises(Refused, match="signed already"):
        reconcile_event(actor=director, on=event.pk)
    undo(actor=director, entry_id=JournalEntry.objects.filter(verb="payout.pay").latest("pk").pk)
    assert sheet(scope).stale
    reconcile_event(actor=director, on=event.pk)
    assert not sheet(scope).stale
    undo(actor=director, entry_id=JournalEntry.objects.latest("pk").pk)
    now = sheet(scope)
    assert now.signed is not None
    assert (now.signed.by, now.stale) == (cashier, True)


def test_who_may_sign_and_what_can_be_signed():
    event = make_event()
    director = make_director(event.series)
    with pytest.raises(Refused, match="no money"):
        reconcile_event(actor=director, on=event.pk)
    open_till(actor=director, on=event.series_id, total_cents=5_000)
    add_players(event, 1, director)
    for role in (Role.FLOOR, Role.DEALER, Role.EDITOR, Role.AUDITOR):
        with pytest.raises(NotAllowed):
            reconcile_event(actor=make_user(role=role, series=event.series), on=event.pk)
    with pytest.raises(Refused, match="till 1 of Mere"):
        reconcile_series(actor=director, on=event.series_id)
    close_till(actor=director, on=event.series_id, till_id=event.series.tills.get().pk, total_cents=30_000)
    reconcile_series(actor=make_user(role=Role.DESK, series=event.series), on=event.series_id)
    assert Reconciliation.objects.count() == 1


def test_a_lopsided_ledger_is_found_and_not_signed():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director)
    connection.check_constraints()
    with connection.cursor() as cursor:  # as if somebody had got past the database too
        of_table = " ON series_ledgerline" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER series_ledgerline_balanced{of_table}")
    with guard.writing():
        LedgerLine.objects.create(
            event=event,
            posting="00000000-0000-4000-8000-000000000000",
            account="till",
            method="cash",
            amount_cents=5,
            receipt=9,
            at=event.starts_at,
        )
    with pytest.raises(Refused, match="does not add up"):
        reconcile_event(actor=director, on=event.pk)
    found = " ".join(problems(event))
    assert "5 cents off" in found
    assert "2 receipts, but the last has number 9" in found


# --- receipts ---------------------------------------------------------------------------------------------------------
def test_a_refund_names_the_receipt_it_gives_back():
    event = make_event(staff_kind="entry", staff_amount=1_000)
    director = make_director(event.series)
    held = add_players(event, 1, director)[0]
    undo(actor=director, entry_id=JournalEntry.objects.latest("pk").pk)
    taken, back = receipt(event, 1), receipt(event, 2)
    assert taken is not None
    assert back is not None
    assert (taken.kind, taken.cents, taken.answered_by) == ("taken", 25_000, 2)
    assert {share.words: share.cents for share in taken.shares} == {
        "Prize pool": 21_000,
        "Fee": 3_000,
        "Staff share": 1_000,
    }
    assert (back.kind, back.cents, back.answers) == ("refund", 25_000, 1)
    assert sum(share.cents for share in back.shares) == 25_000
    player = Entry.objects.get(pk=held["entry"]).player
    assert [found.number for found in receipts_of(event, player)] == [1, 2]
    add_players(event, 1, director)
    assert receipt(event, 3, player) is None
    assert receipt(event, 99) is None


# --- the pool ---------------------------------------------------------------------------------------------------------
def test_money_is_added_until_prizes_are_paid(played: tuple[Event, User]):
    event, director = played
    with pytest.raises(Refused):
        add_to_pool(actor=director, on=event.pk, cents=1, method="cash", source="Late")
    other = make_event(event.series)
    for values, field in (
        ({"cents": 0, "method": "cash", "source": "x"}, "cents"),
        ({"cents": 10**12, "method": "cash", "source": "x"}, "cents"),
        ({"cents": 1, "method": "cash", "source": "  "}, "source"),
        ({"cents": 1, "method": "shells", "source": "x"}, "method"),
    ):
        with pytest.raises(Refused) as refused:
            add_to_pool(actor=director, on=other.pk, **values)
        assert refused.value.field == field
    desk = make_user(role=Role.DESK, series=event.series)
    with pytest.raises(NotAllowed):
        add_to_pool(actor=desk, on=other.pk, cents=1, method="cash", source="x")


def test_the_pool_is_settled_only_when_nobody_can_enter():
    event, director = make_running_event(3, guarantee_cents=100_000)
    with pytest.raises(Refused, match="can still grow"):
        settle(actor=director, on=event.pk)
    close_entries(actor=director, on=event.pk)
    assert settle(actor=director, on=event.pk).seq is None  # posted already
    add_to_pool(actor=director, on=event.pk, cents=4_000, method="cash", source="The brewery")
    overlay = event.ledger.filter(account="overlay").aggregate(sum=Sum("amount_cents"))["sum"]
    assert overlay == 100_000 - 66_000 - 4_000
    assert problems(event) == []
