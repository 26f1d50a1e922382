"""Tills: opened, emptied, counted and closed; whose cash goes where; what is explained and what may be undone."""

from typing import Any

import pytest
from django.db.models import Sum

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.options import change_options
from series.commands.tills import close_till, count_common_till, drop_cash, move_own_cash, open_till, top_up
from series.domain.options import Options
from series.models import Event, LedgerLine, Till
from series.reads.ledger import problems, problems_of_series
from series.reads.tills import common_till_cents, till_cents, till_sheet, tills
from tests.factories import add_players, make_director, make_event, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return make_event()


@pytest.fixture
def ana(event: Event) -> User:
    return make_user("Ana", role=Role.DESK, series=event.series)


@pytest.fixture
def bea(event: Event) -> User:
    return make_user("Bea", role=Role.DESK, series=event.series)


def opened(actor: User, event: Event, cents: int = 10_000, **pieces: Any) -> Till:
    done = open_till(actor=actor, on=event.series_id, total_cents=cents, **pieces)
    return Till.objects.get(pk=done.result["till"])


def close(actor: User, till: Till, cents: int, reason: str = "", **pieces: Any) -> int:
    done = close_till(actor=actor, on=till.series_id, till_id=till.pk, total_cents=cents, reason=reason, **pieces)
    till.refresh_from_db()
    return done.result["difference"]


def last_entry() -> JournalEntry:
    return JournalEntry.objects.latest("pk")


def accounts() -> dict[str, int]:
    sums = LedgerLine.objects.order_by().values_list("account").annotate(total=Sum("amount_cents"))
    return {account: total for account, total in sums if total}


def safe() -> int:
    return sum(LedgerLine.objects.filter(account="bank").values_list("amount_cents", flat=True))


def test_what_a_person_takes_goes_into_their_own_till(event: Event, ana: User, bea: User):
    mine, other = opened(ana, event), opened(bea, event, 0)
    add_players(event, 2, ana)
    add_players(event, 1, bea)
    add_players(event, 1, make_director(event.series))  # has none: the common till
    assert [till_cents(till) for till in (mine, other)] == [60_000, 25_000]
    assert common_till_cents(event) == 25_000
    assert [(row.item, row.count, row.cents) for row in till_sheet(mine).moved] == [
        ("buy_in", 2, 50_000),
        ("float", 1, 10_000),
    ]
    assert [(line.till.number, line.cash, line.difference) for line in tills(event.series)] == [
        (2, 25_000, None),
        (1, 60_000, None),
    ]


def test_a_till_in_order_closes_without_a_word_and_all_cash_is_in_the_safe(event: Event, ana: User):
    till = opened(ana, event, 10_000, pieces={5_000: 1, 1_000: 5})
    add_players(event, 2, ana)
    drop_cash(actor=ana, on=event.series_id, till_id=till.pk, cents=40_000)
    top_up(actor=ana, on=event.series_id, till_id=till.pk, cents=5_000)
    assert close(ana, till, 25_000, pieces={10_000: 2, 5_000: 1}) == 0
    assert (till.status, till.reckoned_cents, till.counted_cents) == ("closed", 25_000, 25_000)
    assert till.closing_count == {"10000": 2, "5000": 1}
    assert (till_cents(till), safe()) == (0, 60_000)
    assert problems_of_series(event.series) == []


def test_a_difference_is_explained_and_posted(event: Event, ana: User):
    till = opened(ana, event)
    add_players(event, 1, ana)
    with pytest.raises(Refused, match=r"\$20 less than the ledger says \(\$350\)") as refused:
        close(ana, till, 33_000)
    assert refused.value.field == "reason"
    assert close(ana, till, 33_000, "A note of twenty was given out twice.") == -2_000
    line = LedgerLine.objects.get(account="difference")
    assert (line.amount_cents, line.note) == (2_000, "A note of twenty was given out twice.")
    assert safe() == 33_000
    assert problems_of_series(event.series) == []


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"total_cents": -1}, "total_cents"),
        ({"total_cents": 10**12}, "total_cents"),
        ({"total_cents": 10_000, "pieces": {5_000: 1}}, "total_cents"),
        ({"total_cents": 1, "reason": "x" * 201}, "reason"),
    ],
)
def test_a_count_that_cannot_be(event: Event, ana: User, values: dict[str, Any], field: str):
    till = opened(ana, event)
    with pytest.raises(Refused) as refused:
        close_till(actor=ana, on=event.series_id, till_id=till.pk, **values)
    assert refused.value.field == field


def test_nobody_has_two_open_tills_nor_drops_more_than_there_is(event: Event, ana: User):
    till = opened(ana, event)
    with pytest.raises(Refused, match="open already"):
        opened(ana, event)
    for cents in (10_001, 0):
        with pytest.raises(Refused) as refused:
            drop_cash(actor=ana, on=event.series_id, till_id=till.pk, cents=cents)
        assert refused.value.field == "cents"
    close(ana, till, 10_000)
    with pytest.raises(Refused, match="closed"):
        close(ana, till, 0)
    assert opened(ana, event).number == 2


def test_whose_till_it_is(event: Event, ana: User, bea: User):
    till, director = opened(ana, event), make_director(event.series)
    for command, values in ((drop_cash, {"cents": 1}), (top_up, {"cents": 1}), (close_till, {"total_cents": 10_000})):
        with pytest.raises(NotAllowed):
            command(actor=bea, on=event.series_id, till_id=till.pk, **values)
    for role in (Role.FLOOR, Role.DEALER, Role.AUDITOR):
        with pytest.raises(NotAllowed):
            opened(make_user(role=role, series=event.series), event)
    elsewhere = make_event()
    with pytest.raises(Refused, match="no such till"):
        close_till(actor=make_director(elsewhere.series), on=elsewhere.series_id, till_id=till.pk, total_cents=10_000)
    assert close(director, till, 10_000) == 0
    assert till.closed_by == director


def test_the_series_may_want_cash_in_a_persons_own_till(event: Event, ana: User):
    change_options(actor=make_director(event.series), on=event.series_id, options=Options(till_required=True))
    with pytest.raises(Refused, match="Open your till first"):
        add_players(event, 1, ana)
    till = opened(ana, event)
    add_players(event, 1, ana)
    assert till_cents(till) == 35_000


# --- the safe ---------------------------------------------------------------------------------------------------------
def test_a_float_comes_out_of_the_safe_and_the_rest_from_the_organiser(event: Event, ana: User, bea: User):
    opened(ana, event, 10_000)
    assert accounts() == {"till": 10_000, "organiser": -10_000}
    drop_cash(actor=ana, on=event.series_id, till_id=event.series.tills.get().pk, cents=4_000)
    opened(bea, event, 7_000)
    assert accounts() == {"till": 13_000, "organiser": -13_000}
    assert problems_of_series(event.series) == []


def test_no_more_leaves_the_safe_than_is_in_it(event: Event, ana: User):
    till, director = opened(ana, event, 0), make_director(event.series)
    with pytest.raises(Refused, match=r"the safe holds \$0") as refused:
        top_up(actor=ana, on=event.series_id, till_id=till.pk, cents=1)
    assert refused.value.field == "cents"
    move_own_cash(actor=director, on=event.series_id, cents=50_000, out=False, note="From the bank")
    brought = last_entry()
    top_up(actor=ana, on=event.series_id, till_id=till.pk, cents=20_000)
    for step in (
        lambda: top_up(actor=ana, on=event.series_id, till_id=till.pk, cents=30_001),
        lambda: move_own_cash(actor=director, on=event.series_id, cents=30_001, out=True, note="To the bank"),
        lambda: undo(actor=director, entry_id=brought.pk),
    ):
        with pytest.raises(Refused, match=r"the safe holds \$300"):
            step()
    move_own_cash(actor=director, on=event.series_id, cents=30_000, out=True, note="To the bank")
    assert accounts() == {"till": 20_000, "organiser": -20_000}
    undo(actor=director, entry_id=last_entry().pk)
    assert safe() == 30_000
    assert problems_of_series(event.series) == []


def test_a_drop_is_not_undone_once_the_safe_has_given_the_cash_out(event: Event, ana: User):
    till, director = opened(ana, event, 10_000), make_director(event.series)
    drop_cash(actor=ana, on=event.series_id, till_id=till.pk, cents=4_000)
    dropped = last_entry()
    move_own_cash(actor=director, on=event.series_id, cents=1, out=True, note="Stamps")
    with pytest.raises(Refused, match="Not undone: by the ledger the safe holds"):
        undo(actor=ana, entry_id=dropped.pk)


@pytest.mark.parametrize(
    ("values", "field"),
    [({"cents": 0}, "cents"), ({"cents": 10**12}, "cents"), ({"note": " "}, "note"), ({"note": "x" * 201}, "note")],
)
def test_own_cash_that_cannot_be_written_down(event: Event, values: dict[str, Any], field: str):
    given = {"cents": 100, "out": False, "note": "From the bank"} | values
    with pytest.raises(Refused) as refused:
        move_own_cash(actor=make_director(event.series), on=event.series_id, **given)
    assert refused.value.field == field


def test_the_director_alone_moves_the_organisers_cash(event: Event, ana: User):
    with pytest.raises(NotAllowed):
        move_own_cash(actor=ana, on=event.series_id, cents=100, out=False, note="From the bank")


# --- undo -------------------------------------------------------------------------------------------------------------
def test_an_opening_is_undone_until_money_went_through(event: Event, ana: User, bea: User):
    till = opened(ana, event)
    with pytest.raises(NotAllowed):
        undo(actor=bea, entry_id=last_entry().pk)
    undo(actor=ana, entry_id=last_entry().pk)
    till.refresh_from_db()
    assert (till.status, till_cents(till), safe()) == ("void", 0, 0)
    undo(actor=ana, entry_id=last_entry().pk)  # and redone
    till.refresh_from_db()
    assert (till.status, till_cents(till)) == ("open", 10_000)
    opening = last_entry()
    add_players(event, 1, ana)
    with pytest.raises(Refused, match="money went through"):
        undo(actor=ana, entry_id=opening.pk)


def test_a_closing_is_undone_by_the_director_and_the_till_holds_what_it_held(event: Event, ana: User):
    till, director = opened(ana, event), make_director(event.series)
    add_players(event, 1, ana)
    close(ana, till, 34_000, "Ten dollars on the floor, not found.")
    closing = last_entry()
    with pytest.raises(NotAllowed):
        undo(actor=ana, entry_id=closing.pk)
    undo(actor=director, entry_id=closing.pk)
    till.refresh_from_db()
    assert (till.status, till_cents(till), till.reason) == ("open", 35_000, "")
    assert close(ana, till, 35_000) == 0
    assert problems_of_series(event.series) == []


def test_a_closing_is_not_undone_once_its_holder_has_another_till(event: Event, ana: User):
    till = opened(ana, event)
    close(ana, till, 10_000)
    closing = last_entry()
    opened(ana, event)
    with pytest.raises(Refused, match="another till"):
        undo(actor=make_director(event.series), entry_id=closing.pk)


def test_a_buy_in_undone_leaves_the_till_it_went_into_or_who_gives_it_back(event: Event, ana: User, bea: User):
    till = opened(ana, event)
    add_players(event, 1, ana)
    undo(actor=bea, entry_id=last_entry().pk)
    assert till_cents(till) == 10_000
    add_players(event, 1, ana)
    bought = last_entry()
    close(ana, till, 35_000)
    other = opened(bea, event, 30_000)
    undo(actor=bea, entry_id=bought.pk)
    assert (till_cents(till), till_cents(other)) == (0, 5_000)
    assert problems(event) == problems_of_series(event.series) == []


def test_a_drop_of_a_closed_till_stays(event: Event, ana: User):
    till = opened(ana, event)
    drop_cash(actor=ana, on=event.series_id, till_id=till.pk, cents=4_000)
    dropped = last_entry()
    close(ana, till, 6_000)
    with pytest.raises(Refused, match="till 1 is closed"):
        undo(actor=ana, entry_id=dropped.pk)


# --- the common till --------------------------------------------------------------------------------------------------
def test_the_common_till_is_counted_into_the_safe(event: Event, ana: User):
    with pytest.raises(Refused, match="empty"):
        count_common_till(actor=ana, on=event.pk, total_cents=0)
    add_players(event, 2, ana)
    with pytest.raises(Refused) as refused:
        count_common_till(actor=ana, on=event.pk, total_cents=49_000)
    assert refused.value.field == "reason"
    count_common_till(actor=ana, on=event.pk, total_cents=49_000, reason="Ten short.")
    assert (common_till_cents(event), safe()) == (0, 49_000)
    undo(actor=make_director(event.series), entry_id=last_entry().pk)
    assert (common_till_cents(event), safe()) == (50_000, 0)
    assert problems(event) == []
