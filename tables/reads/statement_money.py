"""The money of an event's statement: what was taken, paid and spent, and what is left for the purpose.

All sums come from the sheet of the ledger and the table of payouts, so that the statement agrees with both.
"""

import datetime as dt
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from django.utils import timezone

from series.models import Cost, Entry, Event, GoodsPrize, LedgerLine
from series.reads.ledger import Scope
from series.reads.money import posted_cents, prize_pool
from series.reads.reconcile import Row, sheet
from tables.domain.statement import Cell, Column, Section
from tables.models import BountyPayment
from tables.reads.payouts import PayoutLine, payout_table

MONEY = Column("Amount", "money")
BY_METHOD = (
    Column("What"), Column("Cash", "money"), Column("Card", "money"), Column("Transfer", "money"),
    Column("Ticket", "money"), Column("Total", "money"),
)  # fmt: skip


def instant(at: dt.datetime | None, tz: ZoneInfo) -> str:
    """An instant as the statement writes it, in the series' zone."""
    return f"{timezone.localtime(at, tz):%-d %B %Y, %H:%M}" if at else ""


def _rows(rows: Sequence[Row], total: Row) -> tuple[tuple[Cell, ...], ...]:
    return tuple((row.words, row.cash, row.card, row.transfer, row.other, row.total) for row in (*rows, total))


def money_sections(event: Event, names: dict[int, str]) -> list[Section]:
    """`names`: the real name of each entry's player."""
    book = sheet(Scope(event.series, event))
    table, pool = payout_table(event), prize_pool(event)
    costs = list(event.costs.filter(withdrawn=False).order_by("pk"))
    goods = list(event.goods.filter(withdrawn=False).order_by("pk"))
    bounties = list(BountyPayment.objects.filter(event=event, taken_back=False).select_related("entry").order_by("pk"))
    staff = -sum(c for (account, _), c in posted_cents(event).items() if account == LedgerLine.Account.STAFF)
    prizes = table.total_cents
    taken, refunded = book.total_taken.total, book.total_refunded.total
    held_bounties = -sum(c for (a, _), c in posted_cents(event).items() if a == LedgerLine.Account.BOUNTY)
    paid_bounties = sum(payment.cents for payment in bounties)
    added, overlay, spent = pool.added, pool.overlay, sum(cost.amount_cents for cost in costs)
    from_players = prizes + paid_bounties + held_bounties - added - overlay
    net = taken - refunded - from_players - staff - spent + book.rounded
    return [
        Section("Taken from players", BY_METHOD, _rows(book.taken, book.total_taken)),
        *([Section("Given back", BY_METHOD, _rows(book.refunded, book.total_refunded))] if book.refunded else []),
        Section(
            "Prize pool",
            (Column("What"), MONEY),
            (
                ("Paid in by players", pool.paid_in),
                ("Added", added),
                ("Staff share of the pool", -pool.deducted),
                ("Made up to the guarantee", overlay),
                ("Prize pool", pool.total),
                ("Sum of the prizes", prizes),
            ),
        ),
        _prizes(event, table.lines, names),
        *([_bounties(event, bounties, names)] if bounties else []),
        *([_goods(goods)] if goods else []),
        _withheld(event, table.lines, names),
        _costs(costs),
        Section(
            "Net to the purpose",
            (Column("What"), MONEY),
            (
                ("Taken from players", taken),
                ("Given back", -refunded),
                ("Prizes and bounties, without money added or made up", -from_players),
                ("Staff share", -staff),
                ("Costs with receipts", -spent),
                *([("Cash rounding", book.rounded)] if book.rounded else []),
                ("Net", net),
            ),
            "" if book.agrees else "The ledger does not agree with the tills: see Reconciliation.",
        ),
    ]


def _place(line: PayoutLine) -> str:
    return f"{line.best}" if line.best == line.worst else f"{line.best} to {line.worst}"


def _name(line: PayoutLine, names: dict[int, str]) -> str:
    return names.get(line.placed.entry_id, line.placed.name) if line.placed else line.name or "still playing"


def _prizes(event: Event, lines: list[PayoutLine], names: dict[int, str]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        payout = line.payout
        if payout:
            how = f"{payout.get_method_display().lower()}, {instant(payout.at, event.series.tz)}"
            how += f", by {payout.paid_by}" if payout.paid_by else ""
            how += f", to {payout.paid_to}" if payout.paid_to else ""
        else:
            how = "withheld" if line.held else "not paid"
        rows.append((_place(line), _name(line, names), line.total_cents, payout.amount_cents if payout else 0, how))
    columns = (Column("Place"), Column("Recipient"), Column("Prize", "money"), Column("Paid", "money"), Column("How"))
    return Section("Prizes by recipient", columns, tuple(rows), "" if rows else "No prizes.")


def _bounties(event: Event, paid: list[BountyPayment], names: dict[int, str]) -> Section:
    rows = tuple((names.get(row.entry_id, ""), row.cents, instant(row.at, event.series.tz)) for row in paid)
    return Section("Bounties paid", (Column("Recipient"), MONEY, Column("When")), rows)


def _goods(goods: list[GoodsPrize]) -> Section:
    rows = tuple((prize.what, prize.given_for, prize.retail_cents) for prize in goods)
    return Section("Prizes that are goods", (Column("Prize"), Column("For"), Column("Retail value", "money")), rows)


def _withheld(event: Event, lines: list[PayoutLine], names: dict[int, str]) -> Section:
    rows = []
    for line in lines:
        if line.held:
            why = [line.hold.reason] if line.hold else []
            why += ["disqualified"] if line.disqualified else []
            rows.append((_place(line), _name(line, names), line.cents, ", ".join(why)))
    columns = (Column("Place"), Column("Recipient"), MONEY, Column("Why"))
    return Section("Withheld prizes", columns, tuple(rows), "" if rows else "None is withheld.")


def _costs(costs: list[Cost]) -> Section:
    rows: list[tuple[Cell, ...]] = [(cost.what, cost.receipt, cost.amount_cents) for cost in costs]
    if rows:
        rows.append(("Sum", "", sum(cost.amount_cents for cost in costs)))
    columns = (Column("What for"), Column("Receipt"), MONEY)
    return Section("Costs", columns, tuple(rows), "" if rows else "No cost is recorded.")


def real_names(event: Event) -> dict[int, str]:
    """The real name of the player of each entry, by its key. One query."""
    return {row.pk: row.player.name or row.player.public_name for row in _entries(event)}


def _entries(event: Event) -> list[Entry]:
    return list(event.entries.select_related("player"))
