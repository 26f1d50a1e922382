"""Postings behind every taking: they balance, have receipts without gaps, and are never altered."""

import datetime as dt
import uuid
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError, transaction
from django.db.models import Sum

from accounts.models import User
from accounts.permissions import Permission
from journal import guard
from journal.commands import Tx, command
from journal.errors import OutOfBalance, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.altering import alter_event, cancel_event
from series.commands.events import change_event
from series.commands.money import post
from series.models import Entry, Event, LedgerLine, Series
from series.reads.ledger import Scope, problems
from series.reads.money import prize_pool, prize_pool_cents, unsettled
from series.reads.receipts import receipt
from series.reads.reconcile import sheet
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.commands.prizes import lock_prizes
from tables.commands.purchases import add_on, rebuy
from tables.commands.refunds import refund_entry
from tables.tasks import carry_out_due
from tests.factories import add_players, make_director, make_event, make_running_event
from tests.tables.buying import BREAK, TERMS, go_to, running

pytestmark = pytest.mark.django_db


@command(Event, "test.take", permission=Permission.TAKE_MONEY)
def take(tx: Tx[Event], *, amounts: dict[str, int], item: str = "") -> dict[str, Any]:
    post(tx, Entry.objects.filter(event=tx.subject).first(), "card", amounts, item=item)
    return {}


@command(Series, "test.lopsided", permission=Permission.TAKE_MONEY)
def lopsided(tx: Tx[Series], *, event: Event) -> dict[str, Any]:
    tx.add(LedgerLine(event=event, posting=uuid.uuid4(), account="till", amount_cents=1, at=tx.at))
    return {}


def receipts(event: Event) -> list[int | None]:
    return list(event.ledger.filter(account="till").order_by("pk").values_list("receipt", flat=True))


def sums(event: Event) -> dict[str, int]:
    rows = event.ledger.order_by().values_list("account").annotate(total=Sum("amount_cents"))
    return {account: total for account, total in rows if total}


def last_entry() -> JournalEntry:
    return JournalEntry.objects.latest("pk")


@pytest.fixture
def event() -> Event:
    return make_event()


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def test_receipts_are_numbered_without_gaps_through_undo_and_redo(event: Event, director: User):
    add_players(event, 2, director)
    undo(actor=director, entry_id=last_entry().pk)
    undo(actor=director, entry_id=last_entry().pk)
    add_players(event, 1, director)
    other = make_event(event.series)
    add_players(other, 1, director)
    assert receipts(event) == [1, 2, 3, 4, 5]
    assert receipts(other) == [1]
    back = event.ledger.get(receipt=3)
    assert back.reverses is not None
    assert (back.amount_cents, back.reverses.receipt) == (-25_000, 2)


def test_a_refused_taking_uses_no_number(event: Event, director: User):
    add_players(event, 1, director)
    held = add_players(event, 1, director, paid=False)[0]
    with pytest.raises(Refused):
        buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="pounds", id_kind="passport")
    add_players(event, 1, director)
    assert receipts(event) == [1, 2]


def test_what_a_line_is_for_follows_from_who_pays(event: Event, director: User):
    add_players(event, 1, director)
    take(actor=director, on=event.pk, amounts={"till": 2_000, "prize_pool": -2_000}, item="rebuy")
    take(actor=director, on=event.pk, amounts={"till": -500, "payouts": 500})
    rows = event.ledger.filter(account="till").order_by("pk").values_list("item", "amount_cents", "method", "by")
    assert list(rows) == [
        ("buy_in", 25_000, "cash", director.pk),
        ("rebuy", 2_000, "card", director.pk),
        ("payout", -500, "card", director.pk),
    ]


def test_a_posting_that_does_not_add_up_is_refused_whoever_writes_it(event: Event, director: User):
    with pytest.raises(AssertionError):
        take(actor=director, on=event.pk, amounts={"till": 2_000, "prize_pool": -1_999})
    with pytest.raises(OutOfBalance):
        lopsided(actor=director, on=event.series_id, event=event)
    assert not LedgerLine.objects.exists()
    assert not JournalEntry.objects.filter(verb__startswith="test.").exists()


# --- the database itself ----------------------------------------------------------------------------------------------
def write_lines(event: Event, *amounts: int, posting: uuid.UUID | None = None) -> uuid.UUID:
    """Lines of one posting, written past every command."""
    posting = posting or uuid.uuid4()
    with guard.writing(), transaction.atomic():
        for cents in amounts:
            LedgerLine.objects.create(
                event=event, posting=posting, account="till", amount_cents=cents, at=event.starts_at
            )
    return posting


@pytest.mark.django_db(transaction=True)
def test_the_database_refuses_a_posting_that_does_not_add_up():
    event = make_event()
    posting = write_lines(event, 2_000, -1_500, -500)
    for amounts, add_to in (((1,), None), ((2_000, -1_999), None), ((-2_000,), posting)):
        with pytest.raises(DatabaseError):
            write_lines(event, *amounts, posting=add_to)
    write_lines(event, -2_000, 2_000, posting=posting)
    assert sorted(event.ledger.values_list("amount_cents", flat=True)) == [-2_000, -1_500, -500, 2_000, 2_000]


# --- the staff's share, money added, the guarantee --------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "amount", "staff"), [("entry", 1_000, 1_000), ("buy_in", 500, 1_100), ("pool", 500, 0), ("none", 0, 0)]
)
def test_each_buy_in_gives_the_staff_their_share(kind: str, amount: int, staff: int):
    event = make_event(staff_kind=kind, staff_amount=amount)
    add_players(event, 1, make_director(event.series))
    expected = {"till": 25_000, "prize_pool": staff - 22_000, "fee": -3_000, "staff": -staff}
    assert sums(event) == {account: cents for account, cents in expected.items() if cents}


def test_share_of_the_pool_and_overlay_are_posted_once_when_entries_close():
    event, director = make_running_event(3, staff_kind="pool", staff_amount=1_000, guarantee_cents=100_000)
    before = prize_pool(event)
    assert (before.deducted, before.overlay, before.total) == (6_600, 40_600, 100_000)
    assert "overlay" not in sums(event)
    close_entries(actor=director, on=event.pk)
    assert (sums(event)["staff"], sums(event)["overlay"], sums(event)["prize_pool"]) == (-6_600, 40_600, -100_000)
    assert prize_pool(event) == before
    for entry in Entry.objects.filter(event=event)[:2]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    winner = Entry.objects.get(event=event, status="playing")
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="transfer")
    assert event.ledger.filter(account="overlay").count() == 1
    assert event.ledger.filter(account="staff").count() == 1


def test_the_overlay_is_posted_by_the_clock_when_late_registration_ends():
    event, _ = make_running_event(3, guarantee_cents=100_000)
    day = event.days.get()
    assert day.entries_close_at is not None
    with time_machine.travel(day.entries_close_at - dt.timedelta(seconds=1)):
        carry_out_due()
    assert "overlay" not in sums(event)
    with time_machine.travel(day.entries_close_at + dt.timedelta(seconds=1)):
        carry_out_due()
    assert sums(event)["overlay"] == 34_000


def test_the_overlay_posted_by_locking_stays_whatever_becomes_of_the_lock():
    event, director = make_running_event(3, guarantee_cents=100_000)
    close = event.days.get().entries_close_at
    assert close is not None
    with time_machine.travel(close + dt.timedelta(seconds=1)):
        lock_prizes(actor=director, on=event.pk)
        for _ in range(3):
            assert sums(event)["overlay"] == 34_000
            undo(actor=director, entry_id=last_entry().pk)
    assert not unsettled(event)


def test_what_is_sold_or_undone_after_registration_changes_the_overlay_at_once():
    event, director, _ = running(3, TERMS, guarantee_cents=100_000)
    close_entries(actor=director, on=event.pk)
    buyer = Entry.objects.filter(event=event)[0]
    for sell, overlay in (
        (lambda: rebuy(actor=director, on=event.pk, entry_id=buyer.pk, method="card", stack_confirmed=True), 30_000),
        (lambda: undo(actor=director, entry_id=last_entry().pk), 34_000),
        (lambda: undo(actor=director, entry_id=last_entry().pk), 30_000),
    ):
        sell()
        assert sums(event)["overlay"] == overlay
        assert not unsettled(event)
    go_to(event, director, BREAK)
    add_on(actor=director, on=event.pk, entry_id=buyer.pk, method="card")
    assert sums(event)["overlay"] == 25_000


def test_cash_is_rounded_in_an_account_of_its_own_and_card_is_exact():
    event = make_event(buy_in_cents=22_004, fee_cents=3_001)
    director = make_director(event.series)
    cash = add_players(event, 1, director)[0]["entry"]
    assert sums(event) == {"till": 25_000, "prize_pool": -22_004, "fee": -3_001, "rounding": 5}
    assert sheet(Scope(event.series, event)).agrees
    refund_entry(actor=director, on=event.pk, entry_id=cash)
    assert sums(event) == {}
    held = add_players(event, 1, director, paid=False)[0]
    buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="card", id_kind="passport")
    assert sums(event) == {"till": 25_005, "prize_pool": -22_004, "fee": -3_001}
    assert problems(event) == []


def test_a_prize_in_cash_is_rounded_for_the_player_and_stays_what_it_is():
    event, director = make_running_event(
        3, buy_in_cents=10_002, fee_cents=0, payout_shares=[10_000], payout_step_cents=1
    )
    close_entries(actor=director, on=event.pk)
    for entry in Entry.objects.filter(event=event)[:2]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    winner = Entry.objects.get(event=event, status="playing")
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="cash")
    paid = event.payouts.get()
    assert paid.amount_cents == 30_006
    assert sums(event) == {"prize_pool": -30_006, "payouts": 30_006, "rounding": 3 * 2 + 4, "till": -10}
    whole = sheet(Scope(event.series, event))
    assert (whole.agrees, whole.rounded, whole.common) == (True, -10, -10)
    slip = receipt(event, 4)
    assert slip is not None
    assert (slip.cents, {share.words: share.cents for share in slip.shares}) == (
        30_010,
        {"Payouts": 30_006, "Cash rounding": 4},
    )


def test_an_overlay_undone_is_answered_and_posted_again():
    event, director = make_running_event(3, guarantee_cents=100_000)
    close_entries(actor=director, on=event.pk)
    undo(actor=director, entry_id=last_entry().pk)
    assert "overlay" not in sums(event)
    assert prize_pool_cents(event) == 100_000
    close_entries(actor=director, on=event.pk)
    assert sums(event)["overlay"] == 34_000


def test_a_cancelled_event_guarantees_nothing_and_holds_nothing():
    event, director = make_running_event(3, guarantee_cents=100_000, staff_kind="pool", staff_amount=500)
    close_entries(actor=director, on=event.pk)
    done = cancel_event(actor=director, on=event.pk, reason="The hall is flooded.")
    event.refresh_from_db()
    assert done.result["refunded_cents"] == 75_000
    assert sums(event) == {}
    assert prize_pool_cents(event) == 0


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"staff_kind": "buy_in", "staff_amount": 0}, "staff_amount"),
        ({"staff_kind": "pool", "staff_amount": 10_001}, "staff_amount"),
        ({"staff_kind": "entry", "staff_amount": 22_001}, "staff_amount"),
        ({"staff_kind": "tips"}, "staff_kind"),
        ({"guarantee_cents": 1_000_000_001}, "guarantee_cents"),
        ({"guarantee_cents": -1}, "guarantee_cents"),
    ],
)
def test_terms_of_money_that_cannot_be(event: Event, director: User, values: dict[str, Any], field: str):
    with pytest.raises(Refused) as refused:
        change_event(actor=director, on=event.pk, **values)
    assert refused.value.field == field


def test_after_a_buy_in_the_staff_share_stands_and_a_guarantee_only_rises(event: Event, director: User):
    terms = {"guarantee_cents": 50_000, "staff_kind": "entry", "staff_amount": 500}
    alter_event(actor=director, on=event.pk, reason="The staff asked.", **terms)
    add_players(event, 1, director)
    for values in ({"staff_amount": 600}, {"staff_kind": "none"}, {"guarantee_cents": 49_999}):
        with pytest.raises(Refused, match="bought in"):
            change_event(actor=director, on=event.pk, **values)
    alter_event(actor=director, on=event.pk, reason="A sponsor came.", guarantee_cents=60_000)
    assert prize_pool_cents(Event.objects.get(pk=event.pk)) == 60_000
