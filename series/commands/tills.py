"""Tills: opened with a float, emptied into the safe, counted and closed; the count of an event's common till; and the
organiser's own cash, brought to the safe or taken out of it."""

from collections.abc import Mapping
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from series.commands.money import write_posting
from series.domain.ledger import count_total, till_difference
from series.domain.money import format_money
from series.models import Event, LedgerLine, Series, Till
from series.models.money import require_in_safe, safe_cents
from series.reads.tills import common_till_cents, till_cents

MOST_CENTS = 1_000_000_000
MOST_REASON = 200
Account, Item, Method = LedgerLine.Account, LedgerLine.Item, LedgerLine.Method


def _amount(cents: int, field: str, least: int = 0) -> int:
    if not least <= cents <= MOST_CENTS:
        raise Refused(f"An amount between {format_money(least)} and {format_money(MOST_CENTS)}.", field=field)
    return cents


def _counted(total_cents: int, pieces: Mapping[int, int] | None) -> int:
    """What was counted, in cents; the pieces, where they are given, must come to it."""
    if pieces and count_total(pieces) != total_cents:
        raise Refused("The notes and coins do not come to this total.", field="total_cents")
    return _amount(total_cents, "total_cents")


def _explained(difference: int, reckoned: int, reason: str) -> str:
    """The reason for a difference, tidied. Raises Refused at field `reason` if there is none, or it is too long."""
    reason = " ".join(reason.split())
    if len(reason) > MOST_REASON:
        raise Refused(f"Say it in {MOST_REASON} letters at most.", field="reason")
    if difference and not reason:
        words = f"{format_money(abs(difference))} {'more' if difference > 0 else 'less'} than the ledger says"
        raise Refused(f"{words} ({format_money(reckoned)}). Count again, or say why.", field="reason", code="differs")
    return reason if difference else ""


def till_of(tx: Tx[Series], till_id: int) -> Till:
    """An open till of the series, locked: the actor's own, or anybody's for the director."""
    till = tx.lock_one(Till, "There is no such till.", pk=till_id, series=tx.subject)
    till.require_own(tx)
    if till.status != Till.Status.OPEN:
        raise Refused("This till is closed.", code="closed")
    return till


@command(Series, "till.open", permission=Permission.TAKE_MONEY)
def open_till(tx: Tx[Series], *, total_cents: int, pieces: Mapping[int, int] | None = None) -> dict[str, Any]:
    """Open a till of one's own with the float in it, in cents; `pieces` by their value where they were counted. The
    float comes out of the safe; what the safe does not hold of it, the organiser has brought. Result: `till`.

    Raises:
        Refused: at `total_cents`; a till of theirs is open already.
    """
    float_cents = _counted(total_cents, pieces)
    series, tills = tx.subject, Till.objects.filter(series=tx.subject)
    if tx.actor.pk is None:
        raise NotAllowed
    if tills.filter(holder=tx.actor.pk, status=Till.Status.OPEN).exists():
        raise Refused("You have a till open already. Close it first.", code="open")
    last = tills.order_by("-number").values_list("number", flat=True).first() or 0
    till = tx.add(
        Till(
            series=series,
            number=last + 1,
            holder_id=tx.actor.pk,
            opened_at=tx.at,
            opening_count={str(value): number for value, number in (pieces or {}).items()},
        )
    )
    from_safe = min(float_cents, max(0, safe_cents(series.pk)))
    amounts = {
        str(Account.TILL): float_cents,
        str(Account.BANK): -from_safe,
        str(Account.ORGANISER): from_safe - float_cents,
    }
    write_posting(tx, amounts, item=Item.FLOAT, till=till, method=Method.CASH)
    tx.say("Till {number} opened with {float}", number=till.number, float=format_money(float_cents))
    return {"till": till.pk}


def _move(tx: Tx[Series], till: Till, cents: int, item: str) -> None:
    """Cash from the till into the safe."""
    amounts = {str(Account.TILL): -cents, str(Account.BANK): cents}
    write_posting(tx, amounts, item=item, till=till, method=Method.CASH)


@command(Series, "till.drop", permission=Permission.TAKE_MONEY)
def drop_cash(tx: Tx[Series], *, till_id: int, cents: int) -> dict[str, Any]:
    """Put cash from an open till into the safe.

    Raises:
        Refused: at `cents`, for more than the till holds; the till is closed.
        NotAllowed: somebody else's till, and not the director.
    """
    till = till_of(tx, till_id)
    _amount(cents, "cents", least=1)
    if cents > (holds := till_cents(till)):
        raise Refused(f"By the ledger this till holds {format_money(holds)}.", field="cents")
    _move(tx, till, cents, Item.DROP)
    tx.say("{amount} from till {number} into the safe", amount=format_money(cents), number=till.number)
    return {}


@command(Series, "till.top_up", permission=Permission.TAKE_MONEY)
def top_up(tx: Tx[Series], *, till_id: int, cents: int) -> dict[str, Any]:
    """Put cash from the safe into an open till, for change or for a prize.

    Raises:
        Refused: at `cents`, for more than the safe holds; the till is closed.
        NotAllowed: somebody else's till, and not the director.
    """
    till = till_of(tx, till_id)
    require_in_safe(tx.subject.pk, _amount(cents, "cents", least=1), field="cents")
    _move(tx, till, -cents, Item.TOP_UP)
    tx.say("{amount} from the safe into till {number}", amount=format_money(cents), number=till.number)
    return {}


@command(Series, "safe.move", permission=Permission.DIRECT)
def move_own_cash(tx: Tx[Series], *, cents: int, out: bool, note: str) -> dict[str, Any]:
    """Write down cash that the organiser brings to the safe, such as the float of the first day, or takes out of it
    (`out`), such as to the bank. `note` says where from or where to.

    Raises:
        Refused: at `cents`, also for more than the safe holds; at `note`.
    """
    _amount(cents, "cents", least=1)
    note = " ".join(note.split())
    if not 1 <= len(note) <= MOST_REASON:
        words = "where it goes" if out else "where it is from"
        raise Refused(f"Say {words}, in {MOST_REASON} letters at most.", field="note")
    if out:
        require_in_safe(tx.subject.pk, cents, field="cents")
    into = -cents if out else cents
    amounts = {str(Account.BANK): into, str(Account.ORGANISER): -into}
    write_posting(tx, amounts, item=Item.STOCK, series=tx.subject, method=Method.CASH, note=note)
    tx.say("{amount} " + ("taken out of the safe" if out else "brought to the safe"), amount=format_money(cents))
    return {}


@command(Series, "till.close", permission=Permission.TAKE_MONEY, undo_permission=Permission.DIRECT)
def close_till(
    tx: Tx[Series], *, till_id: int, total_cents: int, pieces: Mapping[int, int] | None = None
) -> dict[str, Any]:
    """Count an open till and close it. What differs from the ledger is explained (the reason given) and posted as a
    difference; what was counted goes into the safe. Result: `difference` in cents, below nothing if money is missing.

    Raises:
        Refused: at `total_cents`, at `reason` for a difference without one; closed already.
        NotAllowed: somebody else's till, and not the director.
    """
    counted = _counted(total_cents, pieces)
    till = till_of(tx, till_id)
    reckoned = till_cents(till)
    difference = till_difference(reckoned, counted)
    reason = _explained(difference, reckoned, tx.reason)
    amounts = {str(Account.TILL): difference, str(Account.DIFFERENCE): -difference}
    write_posting(tx, amounts, item=Item.COUNT, till=till, method=Method.CASH, note=reason)
    _move(tx, till, counted, Item.DROP)
    tx.change(  # last, so that undoing it opens the till before its lines are answered
        till,
        status=Till.Status.CLOSED,
        closed_at=tx.at,
        closed_by_id=tx.actor.pk,
        closing_count={str(value): number for value, number in (pieces or {}).items()},
        reckoned_cents=reckoned,
        counted_cents=counted,
        reason=reason,
    )
    off = f", {format_money(difference)} against the ledger" if difference else ""
    tx.say("Till {number} closed with {counted}" + off, number=till.number, counted=format_money(counted))
    return {"difference": difference}


@command(Event, "till.count_common", permission=Permission.TAKE_MONEY, undo_permission=Permission.DIRECT)
def count_common_till(tx: Tx[Event], *, total_cents: int) -> dict[str, Any]:
    """Count the event's common till and put what is in it into the safe. Result: `difference` in cents.

    Raises:
        Refused: at `total_cents`, at `reason` for a difference without one; there is nothing to count.
    """
    event, reckoned = tx.subject, common_till_cents(tx.subject)
    counted = _amount(total_cents, "total_cents")
    difference = till_difference(reckoned, counted)
    reason = _explained(difference, reckoned, tx.reason)
    if not counted and not difference:
        raise Refused("The common till is empty.", code="empty")
    amounts = {str(Account.TILL): difference, str(Account.DIFFERENCE): -difference}
    write_posting(tx, amounts, item=Item.COUNT, event=event, method=Method.CASH, note=reason)
    amounts = {str(Account.TILL): -counted, str(Account.BANK): counted}
    write_posting(tx, amounts, item=Item.DROP, event=event, method=Method.CASH)
    off = f", {format_money(difference)} against the ledger" if difference else ""
    tx.say("Common till counted: {counted}" + off, counted=format_money(counted))
    return {"difference": difference}
