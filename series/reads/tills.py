"""What tills hold by the ledger, and who answers for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from series.models import Event, LedgerLine, Series, Till

Account, Method = LedgerLine.Account, LedgerLine.Method
_CASH = Q(account=Account.TILL, method=Method.CASH)


def till_cents(till: Till) -> int:
    """The cash that a till holds by the ledger, in cents. One query."""
    return till.ledger.filter(_CASH).aggregate(total=Sum("amount_cents"))["total"] or 0


def common_till_cents(event: Event) -> int:
    """The cash of an event that went through no person's till and is not in the safe yet, in cents. One query."""
    return event.ledger.filter(_CASH, till=None).aggregate(total=Sum("amount_cents"))["total"] or 0


def my_open_till(series_id: int, user_id: int | None) -> Till | None:
    """The open till of a person in a series. One query."""
    return Till.objects.filter(series=series_id, holder=user_id, status=Till.Status.OPEN).first()


@dataclass(frozen=True)
class TillLine:
    """A till in a list: `cash` in it by the ledger, in cents, `difference` once it was counted."""

    till: Till
    holder: str
    cash: int
    difference: int | None

    @property
    def off_cents(self) -> int:
        """How much the count was off, over or short."""
        return abs(self.difference or 0)


def tills(series: Series, *, holder_id: int | None = None) -> list[TillLine]:
    """The tills of a series, or of one person in it: open ones first, then the latest. One query."""
    rows = Till.objects.filter(series=series).exclude(status=Till.Status.VOID)
    if holder_id is not None:
        rows = rows.filter(holder=holder_id)
    rows = rows.select_related("holder", "closed_by").annotate(
        cash=Sum("ledger__amount_cents", filter=Q(ledger__account=Account.TILL, ledger__method=Method.CASH))
    )
    found = [TillLine(till, str(till.holder), till.cash or 0, _difference(till)) for till in rows.order_by("-number")]
    return sorted(found, key=lambda line: line.till.status != Till.Status.OPEN)


def _difference(till: Till) -> int | None:
    if till.counted_cents is None or till.reckoned_cents is None:
        return None
    return till.counted_cents - till.reckoned_cents


@dataclass(frozen=True)
class Moved:
    """What one kind of business came to in a till: how often it stands, and cents into it (below nothing: out)."""

    item: str
    words: str
    method_code: str
    method: str
    count: int
    cents: int


@dataclass(frozen=True)
class TillSheet:
    """One till: what went through it, by item and way of paying, and the cash in it by the ledger, in cents."""

    till: Till
    holder: str
    cash: int
    moved: Sequence[Moved]
    difference: int | None

    @property
    def off_cents(self) -> int:
        """How much the count was off, over or short."""
        return abs(self.difference or 0)


def till_sheet(till: Till) -> TillSheet:
    """The sheet of a till, its holder loaded. One query."""
    rows = (
        till.ledger.filter(account=Account.TILL)
        .order_by("item", "method")
        .values_list("item", "method")
        .annotate(
            into=Count("pk", filter=Q(amount_cents__gt=0)),
            out=Count("pk", filter=Q(amount_cents__lt=0)),
            cents=Sum("amount_cents"),
        )
    )
    items, methods = dict(LedgerLine.Item.choices), dict(Method.choices)
    moved = [
        Moved(item, str(items[item]), method, str(methods.get(method, "")), abs(into - out), cents)
        for item, method, into, out, cents in rows
    ]
    order = list(items)
    moved.sort(key=lambda row: (order.index(row.item), row.method))
    return TillSheet(till, str(till.holder), till_cents(till), moved, _difference(till))
