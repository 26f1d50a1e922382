"""How money is written: postings of ledger lines that add up to zero. Used inside commands, never by itself."""

import uuid

from journal.commands import Tx
from journal.errors import Refused
from series.models import Entry, Event, LedgerLine

Account = LedgerLine.Account


def post(tx: Tx[Event], entry: Entry, method: str, amounts: dict[str, int]) -> None:
    """Write one posting: cents by account, positive into it, negative out of it; zero amounts are left out.

    Raises:
        Refused: at field `method` for an unknown way of paying.
    """
    if method not in LedgerLine.Method.values:
        raise Refused("Choose how it is paid: cash, card or transfer.", field="method")
    assert sum(amounts.values()) == 0, amounts
    posting = uuid.uuid4()
    tx.add_all(
        [
            LedgerLine(
                event=tx.subject,
                entry=entry,
                posting=posting,
                account=account,
                amount_cents=cents,
                method=method,
                at=tx.at,
            )
            for account, cents in amounts.items()
            if cents
        ]
    )


def post_buy_in(tx: Tx[Event], entry: Entry, method: str) -> None:
    """The buy-in and the fee of one entry, taken into the till."""
    event = tx.subject
    post(
        tx,
        entry,
        method,
        {Account.TILL: event.price_cents, Account.PRIZE_POOL: -event.buy_in_cents, Account.FEE: -event.fee_cents},
    )


def refund_all(tx: Tx[Event]) -> int:
    """Answer every buy-in that stands by its contra lines, in the way it was paid; the cents given back."""
    lines = tx.lock(LedgerLine.objects.filter(event=tx.subject, entry__isnull=False))
    nets: dict[tuple[uuid.UUID, str], int] = {}
    answered = {line.reverses_id for line in lines}
    for line in lines:
        key = (line.posting, line.account)
        nets[key] = nets.get(key, 0) + line.amount_cents
    standing = [line for line in lines if line.pk not in answered and nets[line.posting, line.account]]
    tx.add_all([line.contra(tx.at) for line in standing])
    return sum(line.amount_cents for line in standing if line.account == Account.TILL)


def post_payout(tx: Tx[Event], entry: Entry, method: str, cents: int) -> None:
    """A prize, paid out of the till."""
    post(tx, entry, method, {Account.TILL: -cents, Account.PAYOUTS: cents})
