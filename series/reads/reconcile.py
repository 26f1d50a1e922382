"""The money of an event or a series on one sheet: what came, what went back, what was paid, and where it is now."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, IntegerField, Q, Sum, Value, When

from series.models import LedgerLine, Reconciliation, Till
from series.reads.ledger import Filters, Scope
from series.reads.tills import TillLine, tills

Account, Item, Method = LedgerLine.Account, LedgerLine.Item, LedgerLine.Method
EVERYTHING = Filters()
_SHARES = {
    Account.PRIZE_POOL: "prize pool",
    Account.FEE: "fee",
    Account.BOUNTY: "bounty",
    Account.STAFF: "staff",
    Account.PAYOUTS: "",
}
_KNOWN = {
    *_SHARES, Account.TILL, Account.OVERLAY, Account.BANK, Account.DIFFERENCE, Account.ROUNDING, Account.ORGANISER,
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line of the sheet, in cents by way of paying; `other` is what moved without money, such as a ticket.
    `filters` find the ledger's lines that it adds up."""

    words: str
    cash: int = 0
    card: int = 0
    transfer: int = 0
    other: int = 0
    filters: Filters = EVERYTHING

    @property
    def total(self) -> int:
        return self.cash + self.card + self.transfer + self.other

    @property
    def by_method(self) -> list[tuple[str, int]]:
        """Cents by way of paying, in the order of the columns."""
        return [(Method.CASH, self.cash), (Method.CARD, self.card), (Method.TRANSFER, self.transfer)]


def _row(words: str, cents: Mapping[str, int], filters: Filters = EVERYTHING) -> Row:
    """A row from cents by method."""
    return Row(
        words,
        cents.get(Method.CASH, 0),
        cents.get(Method.CARD, 0),
        cents.get(Method.TRANSFER, 0),
        cents.get("", 0),
        filters,
    )


def _sum(words: str, plus: Iterable[Row], minus: Iterable[Row] = ()) -> Row:
    cents: dict[str, int] = defaultdict(int)
    for rows, sign in ((plus, 1), (minus, -1)):
        for row in rows:
            for method, amount in (*row.by_method, ("", row.other)):
                cents[method] += sign * amount
    return _row(words, cents)


@dataclass(frozen=True)
class Sheet:
    """The sheet. `taken` and `refunded` are what players paid and were given back, `paid` prizes and bounties handed
    over, `added` what sponsors put in. `till` is the tills' side of all that, `elsewhere` what was paid without a till,
    such as by ticket. `rounded` is what was taken more, or given less, because cash has no smaller coin; `organiser` is
    the organiser's own cash in tills and safe. `tills` are those that were open or closed in the scope. In cents."""

    scope: Scope
    taken: Sequence[Row]
    refunded: Sequence[Row]
    paid: Sequence[Row]
    added: Sequence[Row]
    overlay: int
    staff: int
    differences: int
    rounded: int
    organiser: int
    safe: int
    common: int
    in_tills: int
    till: Row
    elsewhere: Row
    tills: Sequence[TillLine]
    lines: int
    balanced: bool
    signed: Reconciliation | None

    @property
    def stale(self) -> bool:
        """Whether money has moved since somebody signed."""
        return self.signed is not None and self.signed.lines != self.lines

    @property
    def moved_since(self) -> int:
        """How many lines the ledger has more than when somebody signed."""
        return self.lines - self.signed.lines if self.signed else self.lines

    @property
    def total_taken(self) -> Row:
        return _sum("Taken", self.taken)

    @property
    def total_refunded(self) -> Row:
        return _sum("Given back", self.refunded)

    @property
    def total_paid(self) -> Row:
        return _sum("Paid out", self.paid)

    @property
    def total_added(self) -> Row:
        return _sum("Added", self.added)

    @property
    def kept(self) -> Row:
        """What is left of it all by way of paying: taken and added, less what was given back and paid."""
        return _sum("Left", [*self.taken, *self.added], [*self.refunded, *self.paid])

    @property
    def moved_cash(self) -> int:
        """Cash the tills and the safe hold because of it, with what counts found too much or too little, but without
        the organiser's own."""
        return self.in_tills + self.common + self.safe - self.organiser

    @property
    def agrees(self) -> bool:
        """Whether the sums of the sheet are those of the tills and the safe, by every way of paying."""
        cash = self.kept.cash + self.rounded + self.differences == self.moved_cash + self.elsewhere.cash
        off = _sum("", [self.kept, Row("", cash=self.rounded)], [self.till, self.elsewhere])
        return self.balanced and cash and not any((off.cash, off.card, off.transfer, off.other))


def sheet(scope: Scope) -> Sheet:
    """The sheet of a scope. Five queries."""
    debit = Case(When(amount_cents__gt=0, then=Value(1)), default=Value(0), output_field=IntegerField())
    lines = scope.lines()
    grouped = (
        lines.annotate(debit=debit)
        .values_list("item", "account", "method", "debit")
        .annotate(cents=Sum("amount_cents"), count=Count("pk"))
    )
    sums: dict[tuple[str, str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    accounts: dict[str, int] = defaultdict(int)
    till: dict[str, int] = defaultdict(int)
    elsewhere: dict[str, int] = defaultdict(int)
    count = 0
    for item, account, method, is_debit, cents, number in grouped:
        count += number
        accounts[account] += cents
        if account == Account.TILL and item not in LedgerLine.WITHOUT_RECEIPT:
            till[method] += cents
        if account not in _KNOWN:
            elsewhere[method] += cents
        sums[_kind(item, account, is_debit), item, account][method] += cents
    where = lines.filter(account=Account.TILL, method=Method.CASH).aggregate(
        common=Sum("amount_cents", filter=Q(till=None)), tills=Sum("amount_cents", filter=Q(till__isnull=False))
    )
    unbalanced = lines.values("posting").annotate(off=Sum("amount_cents")).exclude(off=0)
    return Sheet(
        scope=scope,
        taken=_rows(sums, "taken", -1, "credit"),
        refunded=_rows(sums, "refunded", 1, "debit"),
        paid=_rows(sums, "paid", 1, ""),
        added=_rows(sums, "added", -1, ""),
        overlay=accounts[Account.OVERLAY],
        staff=-sum(sums["other", Item.STAFF, Account.STAFF].values()),
        differences=-accounts[Account.DIFFERENCE],
        rounded=-accounts[Account.ROUNDING],
        organiser=-accounts[Account.ORGANISER],
        safe=accounts[Account.BANK],
        common=where["common"] or 0,
        in_tills=where["tills"] or 0,
        till=_row("Through the tills", till, Filters(account=Account.TILL)),
        elsewhere=_row("Without a till", elsewhere),
        tills=_tills(scope),
        lines=count,
        balanced=not unbalanced.exists(),
        signed=signed(scope),
    )


def _kind(item: str, account: str, is_debit: int) -> str:
    """Where a group of lines stands on the sheet; `other` for what is shown elsewhere or is the till's own side."""
    if account not in _SHARES or item in (Item.STAFF, Item.OVERLAY):
        return "other"
    if item == Item.ADDITION:
        return "added"
    if account == Account.PAYOUTS or (account == Account.BOUNTY and item in (Item.BOUNTY, Item.PAYOUT)):
        return "paid"
    return "refunded" if is_debit else "taken"


def _rows(sums: dict[tuple[str, str, str], dict[str, int]], kind: str, sign: int, side: str) -> list[Row]:
    items, order, shares = dict(Item.choices), list(Item), list(_SHARES)

    def place(found: tuple[tuple[str, str, str], dict[str, int]]) -> tuple[int, int]:
        (_, item, account), _ = found
        return order.index(Item(item)), shares.index(Account(account))

    rows = []
    for (_, item, account), by_method in sorted((f for f in sums.items() if f[0][0] == kind), key=place):
        if any(by_method.values()):
            share = _SHARES[Account(account)] if kind != "added" else ""
            said = str(items[item])
            words = f"{said}, {share}" if share and share != said.lower() else said
            cents = {method: sign * amount for method, amount in by_method.items()}
            rows.append(_row(words, cents, Filters(item=item, account=account, side=side)))
    return rows


def _tills(scope: Scope) -> list[TillLine]:
    """The tills that money of the scope went through, or that were open on its day."""
    used = set(scope.lines().filter(till__isnull=False).values_list("till", flat=True).distinct())
    return [line for line in tills(scope.series) if line.till.pk in used]


def signed(scope: Scope) -> Reconciliation | None:
    """The last statement that stands for exactly this scope. One query."""
    rows = Reconciliation.objects.filter(series=scope.series, event=scope.event, day=scope.day, taken_back=False)
    return rows.select_related("by").order_by("-pk").first()


def days(scope: Scope) -> list[dt.date]:
    """The local days on which money of a series or an event moved, newest first. One query."""
    whole = Scope(scope.series, scope.event)
    return [at.date() for at in whole.lines().datetimes("at", "day", order="DESC", tzinfo=scope.series.tz)]


def open_tills(scope: Scope) -> list[Till]:
    """Tills of the series that nobody has counted yet. One query."""
    return list(Till.objects.filter(series=scope.series, status=Till.Status.OPEN).select_related("holder"))
