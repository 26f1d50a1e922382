"""How money is written: postings of ledger lines that add up to zero. Used inside commands, never by itself."""

import uuid
from typing import Any

from django.db.models import QuerySet

from journal.commands import Tx
from journal.errors import Refused
from series.domain.ledger import in_cash
from series.domain.options import options_from
from series.models import Entry, Event, LedgerLine, Series, Till
from series.models.money import add_lines, open_till, till_for_contra
from series.reads.money import posted_cents, prize_pool

Account, Item, Method = LedgerLine.Account, LedgerLine.Item, LedgerLine.Method


def write_posting(
    tx: Tx[Any],
    amounts: dict[str, int],
    *,
    item: str,
    series: Series | None = None,
    event: Event | None = None,
    entry: Entry | None = None,
    till: Till | None = None,
    method: str = "",
    note: str = "",
) -> None:
    """Write one posting: cents by account, positive into it, negative out of it; zero amounts are left out. `till` is
    named by the lines of the till, and by every line if there is no event; `series` where there is neither."""
    assert sum(amounts.values()) == 0, amounts
    posting = uuid.uuid4()
    lines = [
        LedgerLine(
            series=series,
            event=event,
            entry=entry,
            till=till if account == Account.TILL or event is None else None,
            posting=posting,
            account=account,
            item=item,
            amount_cents=cents,
            method=method,
            note=note,
            at=tx.at,
            by_id=tx.actor.pk,
        )
        for account, cents in amounts.items()
        if cents
    ]
    add_lines(tx, lines)


def till_in_hand(tx: Tx[Event], method: str) -> Till | None:
    """The till that money goes through: the open one of whoever acts; None is the event's common till.

    Raises:
        Refused: cash, no till of their own, and the series wants one.
    """
    series = tx.subject.series
    till = open_till(tx, series.pk)
    if till is None and method == Method.CASH and options_from(series.options).till_required:
        raise Refused("Open your till first: in this series cash goes through a person’s own till.", code="no_till")
    return till


def require_method(method: str) -> None:
    """Raises Refused, at field `method`, for an unknown way of paying."""
    if method not in Method.values:
        raise Refused("Choose how it is paid: cash, card or transfer.", field="method")


def post(
    tx: Tx[Event], entry: Entry | None, method: str, amounts: dict[str, int], *, item: str = "", note: str = ""
) -> None:
    """Take money from a player or give some to one: `amounts` in cents by account, positive into it, negative out of
    it. What goes through the till gets a receipt, and goes through the till of whoever acts. Cash is rounded to the
    smallest coin, and what that makes stands in an account of its own.

    `item` says what it is for; left out it is the buy-in or the re-entry of `entry`, or a prize if the till gives.

    Raises:
        Refused: at field `method` for an unknown way of paying; no till open where the series wants one.
    """
    require_method(method)
    if not item and amounts.get(Account.TILL, 0) < 0:
        item = Item.PAYOUT
    item = item or (Item.REENTRY if entry and entry.number > 1 else Item.BUY_IN)
    till = till_in_hand(tx, method) if amounts.get(Account.TILL) else None
    if method == Method.CASH and (exact := amounts.get(Account.TILL, 0)):
        cash = in_cash(exact, tx.subject.series.currency)
        amounts = amounts | {Account.TILL: cash, Account.ROUNDING: exact - cash}
    write_posting(tx, amounts, item=item, event=tx.subject, entry=entry, till=till, method=method, note=note)


def require_unpaid(event: Event) -> None:
    """Raises Refused once prizes were paid out of the pool, which cannot grow any more then."""
    if event.payouts.filter(taken_back=False).exists():
        raise Refused("Prizes have been paid: the pool cannot grow any more. Take them back first.", code="paid")


def post_buy_in(tx: Tx[Event], entry: Entry, method: str) -> None:
    """The buy-in, the fee and the bounty of one entry, taken into the till."""
    event = tx.subject
    require_unpaid(event)
    shares = {account: -cents for account, cents in event.price_shares.items()}
    post(tx, entry, method, {Account.TILL: event.price_cents} | shares)


def post_purchase(tx: Tx[Event], entry: Entry, method: str, item: str, pool_cents: int, fee_cents: int) -> None:
    """A rebuy or an add-on, taken into the till. Nothing of it goes to the staff but a share of the pool."""
    require_unpaid(tx.subject)
    amounts: dict[str, int] = {
        Account.TILL: pool_cents + fee_cents,
        Account.PRIZE_POOL: -pool_cents,
        Account.FEE: -fee_cents,
    }
    post(tx, entry, method, amounts, item=item)


def refund_all(tx: Tx[Event]) -> int:
    """Answer everything that stands in the event by its contra lines, in the way it was paid; the cents that players
    are given back. Cash that is in the safe already stays there."""
    return _answer(tx, LedgerLine.objects.filter(event=tx.subject))


def refund_entry_lines(tx: Tx[Event], entry: Entry) -> int:
    """Answer everything that one entry paid, in the way it was paid; the cents given back. What its player was paid of
    bounties they won with another entry stays paid."""
    return _answer(tx, LedgerLine.objects.filter(event=tx.subject, entry=entry).exclude(item=Item.BOUNTY))


def _answer(tx: Tx[Event], found: QuerySet[LedgerLine]) -> int:
    lines = tx.lock(found.exclude(item__in=LedgerLine.WITHOUT_RECEIPT))
    nets: dict[tuple[uuid.UUID, str], int] = {}
    answered = {line.reverses_id for line in lines}
    for line in lines:
        key = (line.posting, line.account)
        nets[key] = nets.get(key, 0) + line.amount_cents
    standing = [line for line in lines if line.pk not in answered and nets[line.posting, line.account]]
    tills = {line.till_id: till_for_contra(tx, line) for line in {line.till_id: line for line in standing}.values()}
    add_lines(tx, [line.contra(tx, tills[line.till_id]) for line in standing])
    return sum(line.amount_cents for line in standing if line.account == Account.TILL and line.entry_id)


def post_payout(tx: Tx[Event], entry: Entry, method: str, cents: int) -> None:
    """A prize, paid out of the till."""
    post(tx, entry, method, {Account.TILL: -cents, Account.PAYOUTS: cents}, item=Item.PAYOUT)


def settle_pool(tx: Tx[Event]) -> int:
    """Post what is still missing of the staff's share of the pool and of the overlay, or too much of them; once nothing
    is, nothing is written. To be called when nobody can enter any more. The overlay in cents."""
    event = tx.subject
    if not event.guarantee_cents and event.staff_kind != Event.StaffKind.POOL:
        return 0
    pool, posted = prize_pool(event), posted_cents(event)
    share = pool.deducted + posted.get((Account.STAFF, Item.STAFF), 0)
    write_posting(tx, {Account.PRIZE_POOL: share, Account.STAFF: -share}, item=Item.STAFF, event=event)
    overlay = pool.overlay - posted.get((Account.OVERLAY, Item.OVERLAY), 0)
    write_posting(tx, {Account.OVERLAY: overlay, Account.PRIZE_POOL: -overlay}, item=Item.OVERLAY, event=event)
    return pool.overlay
