"""The lines of the ledger: those of a series, an event or a day, what a reader asks for, and whether they hold."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, F, Max, Q, QuerySet, Sum

from series.models import Entry, Event, LedgerLine, Series, Till
from series.models.money import of_series
from series.reads.money import posted_cents, unsettled

Account, Item, Method = LedgerLine.Account, LedgerLine.Item, LedgerLine.Method


@dataclass(frozen=True)
class Scope:
    """Whose money it is: a series with all its events and tills, or one event; on one local day or on all of them."""

    series: Series
    event: Event | None = None
    day: dt.date | None = None

    def lines(self) -> QuerySet[LedgerLine]:
        """The lines within, unordered."""
        if self.event is not None:
            lines = LedgerLine.objects.filter(event=self.event)
        else:
            lines = LedgerLine.objects.filter(of_series(self.series.pk))
        if self.day is not None:
            start = dt.datetime.combine(self.day, dt.time(), self.series.tz)
            end = dt.datetime.combine(self.day + dt.timedelta(days=1), dt.time(), self.series.tz)
            lines = lines.filter(at__gte=start, at__lt=end)
        return lines.order_by()


@dataclass(frozen=True)
class Filters:
    """What of the ledger somebody looks at; empty: all of it. `side`: `debit` are the lines into an account, such as
    cash into the till; `credit` those out of it, such as what players paid for the prize pool."""

    account: str = ""
    item: str = ""
    method: str = ""
    side: str = ""
    till: str = ""
    by: str = ""
    receipt: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Filters":
        """The filters that an address names; what is no filter is left out."""
        choices = {"account": Account.values, "item": Item.values, "method": Method.values, "side": ["debit", "credit"]}
        known = {name: str(given.get(name, "")) for name in asdict(cls())}
        for name, value in known.items():
            fits = value in choices[name] if name in choices else value.isdecimal() and len(value) <= 9
            if not fits and not (name == "till" and value == "common"):
                known[name] = ""
        return cls(**known)

    def apply(self, lines: QuerySet[LedgerLine]) -> QuerySet[LedgerLine]:
        """The lines that fit."""
        same = {"account": self.account, "item": self.item, "method": self.method, "by": self.by}
        lines = lines.filter(**{name: value for name, value in same.items() if value})
        if self.receipt:
            lines = lines.filter(receipt=self.receipt)
        if self.till == "common":
            lines = lines.filter(till=None, account=Account.TILL)
        elif self.till:
            lines = lines.filter(till__number=self.till)
        if self.side:
            lines = lines.filter(amount_cents__gt=0) if self.side == "debit" else lines.filter(amount_cents__lt=0)
        return lines

    @property
    def query(self) -> str:
        """As an address names them."""
        return urlencode({name: value for name, value in asdict(self).items() if value})

    def but(self, **changed: str) -> "Filters":
        return replace(self, **changed)


def shown(lines: QuerySet[LedgerLine]) -> QuerySet[LedgerLine]:
    """The lines with all that a list of them names, newest first."""
    return lines.select_related("event", "entry__player", "till", "by", "reverses").order_by("-pk")


def sides(lines: QuerySet[LedgerLine]) -> tuple[int, int]:
    """What the lines come to, in cents: debit and credit. One query."""
    sums = lines.aggregate(
        debit=Sum("amount_cents", filter=Q(amount_cents__gt=0)),
        credit=Sum("amount_cents", filter=Q(amount_cents__lt=0)),
    )
    return sums["debit"] or 0, -(sums["credit"] or 0)


def problems(event: Event) -> list[str]:
    """What is wrong with the money of an event, in words; nothing is as it should be. Nine queries."""
    lines = event.ledger.order_by()
    found = [
        f"posting {posting} is {off} cents off"
        for posting, off in lines.values_list("posting").annotate(off=Sum("amount_cents")).exclude(off=0)
    ]
    numbered = lines.aggregate(count=Count("receipt"), last=Max("receipt"))
    if numbered["count"] != (numbered["last"] or 0):
        found.append(f"{numbered['count']} receipts, but the last has number {numbered['last']}")
    taking = lines.filter(account=Account.TILL).exclude(item__in=LedgerLine.WITHOUT_RECEIPT)
    if missing := taking.filter(receipt=None).count():
        found.append(f"{missing} takings without a receipt")
    answers = lines.filter(reverses__isnull=False)
    wrong = answers.exclude(amount_cents=-F("reverses__amount_cents")) | answers.exclude(account=F("reverses__account"))
    found += [f"line {pk} does not answer what it says it answers" for pk in wrong.values_list("pk", flat=True)]
    found += [
        f"entry {entry} was taken back, but {cents} cents of it were not"
        for entry, cents in taking.filter(entry__status=Entry.Status.VOID)
        .exclude(item=Item.BOUNTY)  # of another entry of the same player
        .values_list("entry")
        .annotate(total=Sum("amount_cents"))
        .exclude(total=0)
    ]
    paid = event.payouts.filter(taken_back=False).aggregate(total=Sum("amount_cents"))["total"] or 0
    if paid != sum(cents for (account, _), cents in posted_cents(event).items() if account == Account.PAYOUTS):
        found.append(f"prizes of {paid} cents were handed over, but the ledger says otherwise")
    if event.status == Event.Status.FINISHED and unsettled(event):
        found.append("the overlay or the staff share is not posted as it is reckoned")
    return found


def problems_of_series(series: Series) -> list[str]:
    """The same for the tills of a series and each of its events. Ten queries, and nine for each event."""
    lines = LedgerLine.objects.filter(of_series(series.pk), event=None).order_by()
    found = [
        f"posting {posting} is {off} cents off"
        for posting, off in lines.values_list("posting").annotate(off=Sum("amount_cents")).exclude(off=0)
    ]
    closed = Till.objects.filter(series=series).exclude(status=Till.Status.OPEN)
    cash = Sum("ledger__amount_cents", filter=Q(ledger__account=Account.TILL, ledger__method=Method.CASH))
    found += [f"{till} is closed, but {till.cash} cents are in it" for till in closed.annotate(cash=cash) if till.cash]
    for event in series.events.all():
        found += [f"{event}: {problem}" for problem in problems(event)]
    return found
