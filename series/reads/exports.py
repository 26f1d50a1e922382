"""The ledger and the sheet as rows of a spreadsheet. Amounts are decimal numbers of the series' currency."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from django.utils import timezone

from series.domain.ledger import receipt_number
from series.models import LedgerLine
from series.reads.ledger import Scope
from series.reads.reconcile import Row, Sheet


def amount(cents: int) -> Decimal:
    """Cents as a number with two decimals."""
    return Decimal(cents).scaleb(-2)


def _receipt(line: LedgerLine | None) -> str:
    """The number of a line's receipt as text that no spreadsheet takes for a date."""
    if line is None or line.receipt is None or line.event is None:
        return ""
    return f"no. {receipt_number(line.event.number, line.receipt)}"


def ledger_rows(scope: Scope, lines: Iterable[LedgerLine]) -> Iterator[list[Any]]:
    """Each line with its names (see `series.reads.ledger.shown`), below a heading."""
    yield [
        "line", "time", "event", "for", "account", "debit", "credit", "paid by", "receipt", "answers receipt", "player",
        "till", "by", "note", "posting",
    ]  # fmt: skip
    for line in lines:
        answered = line.reverses
        if answered is not None:
            answered.event = line.event
        yield [
            line.pk,
            f"{timezone.localtime(line.at, scope.series.tz):%Y-%m-%d %H:%M:%S}",
            line.event.name if line.event else "",
            line.get_item_display(),
            line.get_account_display(),
            amount(max(line.amount_cents, 0)),
            amount(max(-line.amount_cents, 0)),
            line.get_method_display(),
            _receipt(line),
            _receipt(answered),
            line.entry.player.name if line.entry else "",
            line.till.number if line.till else "",
            line.by.journal_name if line.by else "",
            line.note,
            str(line.posting),
        ]


def sheet_rows(sheet: Sheet) -> Iterator[list[Any]]:
    """The sheet, section by section, below a heading."""
    yield ["section", "what", "cash", "card", "transfer", "other", "total"]

    def row(section: str, of: Row) -> list[Any]:
        return [section, of.words, *map(amount, (of.cash, of.card, of.transfer, of.other, of.total))]

    for section, rows, total in (
        ("taken", sheet.taken, sheet.total_taken),
        ("given back", sheet.refunded, sheet.total_refunded),
        ("paid out", sheet.paid, sheet.total_paid),
        ("added", sheet.added, sheet.total_added),
    ):
        for of in rows:
            yield row(section, of)
        yield row(section, total)
    yield row("left", sheet.kept)
    for words, cents in (
        ("in persons' tills", sheet.in_tills),
        ("in the common till", sheet.common),
        ("in the safe", sheet.safe),
        ("the organiser's own cash", sheet.organiser),
        ("differences of counts", sheet.differences),
        ("cash rounding", sheet.rounded),
        ("overlay of the organiser", sheet.overlay),
        ("staff share of the pool", sheet.staff),
    ):
        yield ["where it is", words, *[""] * 4, amount(cents)]
    for line in sheet.tills:
        off = "" if line.difference is None else amount(line.difference)
        yield [
            "tills", f"till {line.till.number}, {line.holder}, {line.till.get_status_display()}",
            amount(line.cash), "", "", "difference", off,
        ]  # fmt: skip
