"""Whatever is done in whatever order: after every command each posting adds up and every total is equal everywhere."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Q, Sum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.permissions import Role
from journal.chain import verify
from journal.errors import Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.altering import cancel_event
from series.commands.tills import close_till, count_common_till, drop_cash, move_own_cash, open_till, top_up
from series.models import Entry, Event, Player, Registration, Till
from series.models.money import safe_cents
from series.reads.ledger import Scope, problems_of_series
from series.reads.money import prize_pool
from series.reads.receipts import Receipt, receipts_of
from series.reads.reconcile import sheet
from series.reads.tills import common_till_cents, tills
from tables.commands.bounties import pay_bounties
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in, reenter
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.commands.pool import add_to_pool, settle
from tables.commands.purchases import add_on, rebuy
from tables.commands.refunds import refund_entry
from tables.reads.field import fields_of
from tests.factories import add_players, make_director, make_event, make_user

pytestmark = pytest.mark.django_db

CASH_PAID = Q(account="till", method="cash", receipt__isnull=False)
METHODS = ("cash", "card", "transfer")
ODD_CENTS = (0, 1, 1_999, 100_000)
EXTRAS = {
    "bounty_cents": 1_001, "rebuys": 2, "rebuy_cents": 5_003, "rebuy_fee_cents": 501, "rebuy_chips": 10_000,
    "rebuy_until": 4, "addons": 1, "addon_cents": 7_001, "addon_chips": 10_000, "addon_until": 4,
}  # fmt: skip


def exact(found: Receipt) -> int:
    """What a receipt stands for, in cents, before cash was rounded."""
    return found.cents - sum(share.cents for share in found.shares if share.words == "Cash rounding")


class Evening:
    """An event with a director, a person at the desk and seven players who registered; `do` carries out one step."""

    def __init__(self, **terms: Any) -> None:
        self.event = make_event(max_reentries=1, buy_in_cents=10_001, fee_cents=999, entry_rules=EXTRAS, **terms)
        self.series = self.event.series
        self.director = make_director(self.series)
        self.desk = make_user("Ana", role=Role.DESK, series=self.series)
        held = add_players(self.event, 7, self.director, paid=False)
        self.players = list(Player.objects.filter(pk__in=[one["player"] for one in held]))

    def do(self, name: str, who: bool, pick: int) -> None:
        """One step; what is refused changes nothing."""
        actor = self.director if who else self.desk
        step: Callable[[User, int], Any] = getattr(self, name)
        try:
            step(actor, pick)
        except Refused:
            return

    # --- steps --------------------------------------------------------------------------------------------------------
    def _one(self, rows: Any, pick: int) -> Any:
        found = list(rows.order_by("pk"))
        if not found:
            raise Refused("Nothing there.")
        return found[pick % len(found)]

    def buys(self, actor: User, pick: int) -> None:
        held = self._one(Registration.objects.filter(event=self.event, status="registered"), pick)
        paid = {"method": METHODS[pick % 3], "id_kind": "passport"}
        buy_in(actor=actor, on=self.event.pk, registration_id=held.pk, **paid)

    def reenters(self, actor: User, pick: int) -> None:
        out = self._one(Entry.objects.filter(event=self.event, status="out"), pick)
        reenter(actor=actor, on=self.event.pk, player_id=out.player_id, method=METHODS[pick % 3])

    def starts(self, actor: User, pick: int) -> None:
        start_clock(actor=self.director, on=self.event.pk)

    def busts(self, actor: User, pick: int) -> None:
        playing = self._one(Entry.objects.filter(event=self.event, status="playing"), pick)
        others = Entry.objects.filter(event=self.event, status="playing").exclude(pk=playing.pk)
        by = [hunter.pk for hunter in others.order_by("pk")[: 1 + pick % 2]]
        bust(actor=self.director, on=self.event.pk, entry_ids=[playing.pk], by=by)

    def rebuys(self, actor: User, pick: int) -> None:
        entry = self._one(Entry.objects.filter(event=self.event), pick)
        rebuy(actor=actor, on=self.event.pk, entry_id=entry.pk, method=METHODS[pick % 3], stack_confirmed=True)

    def adds_on(self, actor: User, pick: int) -> None:
        entry = self._one(Entry.objects.filter(event=self.event, status="playing"), pick)
        add_on(actor=actor, on=self.event.pk, entry_id=entry.pk, method=METHODS[pick % 3])

    def refunds(self, actor: User, pick: int) -> None:
        entry = self._one(Entry.objects.filter(event=self.event, status="playing"), pick)
        refund_entry(actor=actor, on=self.event.pk, entry_id=entry.pk, reason="Fell ill.")

    def pays_bounty(self, actor: User, pick: int) -> None:
        entry = self._one(Entry.objects.filter(event=self.event), pick)
        pay_bounties(actor=actor, on=self.event.pk, player_id=entry.player_id, method=METHODS[pick % 3])

    def closes_entries(self, actor: User, pick: int) -> None:
        close_entries(actor=self.director, on=self.event.pk)

    def pays(self, actor: User, pick: int) -> None:
        """Somebody's prize, the first that can be paid."""
        for entry in Entry.objects.filter(event=self.event).order_by("pk"):
            try:
                pay_out(actor=actor, on=self.event.pk, entry_id=entry.pk, method=METHODS[pick % 3])
            except Refused:
                continue
            return

    def undoes(self, actor: User, pick: int) -> None:
        """The last entries of the event and of the series, what undid something among them."""
        streams = (self.event.stream_key, self.series.stream_key)
        last = JournalEntry.objects.filter(stream__in=streams).order_by("-pk")[:4]
        undo(actor=actor, entry_id=last[pick % len(last)].pk)

    def moves_own_cash(self, actor: User, pick: int) -> None:
        given = {"cents": ODD_CENTS[pick % 4], "out": bool(pick % 3), "note": "Bank"}
        move_own_cash(actor=actor, on=self.series.pk, **given)

    def opens_till(self, actor: User, pick: int) -> None:
        open_till(actor=actor, on=self.series.pk, total_cents=ODD_CENTS[pick % 4])

    def moves_cash(self, actor: User, pick: int) -> None:
        till = self._one(Till.objects.filter(series=self.series), pick)
        move = top_up if pick % 2 else drop_cash
        move(actor=actor, on=self.series.pk, till_id=till.pk, cents=ODD_CENTS[pick % 4])

    def closes_till(self, actor: User, pick: int) -> None:
        till = self._one(Till.objects.filter(series=self.series), pick)
        given = {"total_cents": ODD_CENTS[pick % 4], "reason": "So it was counted."}
        close_till(actor=actor, on=self.series.pk, till_id=till.pk, **given)

    def counts(self, actor: User, pick: int) -> None:
        count_common_till(actor=actor, on=self.event.pk, total_cents=ODD_CENTS[pick % 4], reason="So it was counted.")

    def adds(self, actor: User, pick: int) -> None:
        add_to_pool(
            actor=actor, on=self.event.pk, cents=ODD_CENTS[pick % 4], method=METHODS[pick % 3], source="Brewery"
        )

    def settles(self, actor: User, pick: int) -> None:
        settle(actor=actor, on=self.event.pk)

    def cancels(self, actor: User, pick: int) -> None:
        cancel_event(actor=self.director, on=self.event.pk, reason="The hall is flooded.")

    # --- promises -----------------------------------------------------------------------------------------------------
    def check(self, after: str) -> None:
        """Raises AssertionError if a posting is off, or two places disagree about an amount."""
        event = Event.objects.select_related("series").get(pk=self.event.pk)
        lines = Scope(event.series).lines()
        postings = lines.values("posting").annotate(off=Sum("amount_cents")).exclude(off=0)
        assert not postings.exists(), after
        assert problems_of_series(event.series) == [], after
        of_event, of_series = sheet(Scope(event.series, event)), sheet(Scope(event.series))
        assert of_event.agrees, after
        assert of_series.agrees, after
        for name in ("total_taken", "total_refunded", "total_paid", "total_added"):
            assert getattr(of_event, name).total == getattr(of_series, name).total, after

        papers = [found for player in self.players for found in receipts_of(event, player)]
        sign = {"taken": 1, "refund": -1, "paid": -1}
        paid = -sum(exact(found) * sign[found.kind] for found in papers if found.line.item in ("payout", "bounty"))
        taken = sum(exact(found) * sign[found.kind] for found in papers) + paid
        assert taken == of_event.total_taken.total - of_event.total_refunded.total, after
        assert paid == of_event.total_paid.total, after
        assert all(sum(share.cents for share in found.shares) == found.cents for found in papers), after

        pool, shown = prize_pool(event), fields_of(list(event.days.select_related("event")), {})
        to_pool = sum(
            row.total * sign
            for rows, sign in ((of_event.taken, 1), (of_event.refunded, -1))
            for row in rows
            if row.filters.account == "prize_pool"
        )
        assert pool.paid_in == to_pool, after
        assert pool.added == of_event.total_added.total, after
        assert {field.pool_cents for field in shown.values()} == {pool.total}, after
        for field in shown.values():
            assert not field.prizes or sum(field.prizes) == pool.total, after
        assert of_series.in_tills == sum(line.cash for line in tills(event.series)), after
        assert of_series.common == common_till_cents(event), after
        assert of_series.safe == safe_cents(event.series_id) >= 0, after
        assert all(line.amount_cents % 10 == 0 for line in lines.filter(CASH_PAID)), after


STEPS = {
    "buys": 6, "undoes": 4, "busts": 3, "reenters": 2, "starts": 2, "opens_till": 2, "closes_till": 2, "moves_cash": 2,
    "closes_entries": 1, "pays": 2, "counts": 1, "adds": 1, "settles": 1, "cancels": 1, "rebuys": 2, "adds_on": 1,
    "refunds": 1, "pays_bounty": 2, "moves_own_cash": 1,
}  # fmt: skip
step = st.tuples(
    st.sampled_from([name for name, weight in STEPS.items() for _ in range(weight)]), st.booleans(), st.integers(0, 11)
)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(step, min_size=8, max_size=16),
    guarantee=st.sampled_from([0, 30_000, 90_001]),
    staff=st.sampled_from([("none", 0), ("entry", 501), ("buy_in", 333), ("pool", 333)]),
)
def test_the_ledger_balances_after_every_command(
    steps: list[tuple[str, bool, int]], guarantee: int, staff: tuple[str, int]
):
    evening = Evening(guarantee_cents=guarantee, staff_kind=staff[0], staff_amount=staff[1])
    for name, who, pick in steps:
        evening.do(name, who, pick)
        evening.check(name)


def test_a_whole_evening_with_everything_in_it_balances():
    """The order of a real evening, so that each step is carried out at least once."""
    evening = Evening(guarantee_cents=90_001, staff_kind="pool", staff_amount=333)
    order = [
        "opens_till", *["buys"] * 6, "undoes", "undoes", "refunds", "starts", "moves_cash", *["rebuys"] * 3, "adds_on",
        "busts", "reenters", "adds", "busts", *["pays_bounty"] * 4, "undoes", "closes_entries", "adds_on",
        *["busts"] * 6, "pays", "pays", *["pays_bounty"] * 5, "undoes", "pays", "counts", "closes_till", "opens_till",
        "undoes", "undoes", "closes_till",
    ]  # fmt: skip
    for number, name in enumerate(order):
        evening.do(name, True, number)
        evening.check(f"{number} {name}")
    evening.do("moves_own_cash", True, 3)
    evening.check("moves_own_cash")
    done = set(JournalEntry.objects.values_list("verb", flat=True))
    sold = {"entry.buy_in", "entry.reenter", "entry.rebuy", "entry.addon", "entry.refund", "pool.add"}
    sold |= {"payout.pay", "bounty.pay", "safe.move"}
    assert {"till.open", "till.close", "undo", "redo"} | sold <= done
    assert list(verify()) == []


def test_a_cancelled_evening_holds_nothing_of_the_players():
    evening = Evening(guarantee_cents=30_000, staff_kind="entry", staff_amount=501)
    for number, name in enumerate(["opens_till", "buys", "buys", "buys", "undoes", "closes_till", "opens_till"]):
        evening.do(name, True, number)
    evening.do("cancels", True, 0)
    evening.check("cancels")
    found = sheet(Scope(evening.series, evening.event))
    assert found.total_taken.total == found.total_refunded.total > 0
    assert found.kept.total == 0
