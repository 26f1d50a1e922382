"""Handing over the seats of a satellite. The value goes from its pool into an account of seats, from which the entry in
the target is paid: over both events that account comes to nothing."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.money import Account, Item, post, post_payout, require_unpaid, write_posting
from series.domain.money import format_money
from series.models import Entry, Event, LedgerLine, Payout, SeatWon
from series.reads.satellites import has_seat
from tables.commands.payouts import payable

SEAT = "seat"  # how such a prize is paid, and how such an entry is


@command(Event, "seat.award", permission=Permission.PAY_OUT)
def award_seat(tx: Tx[Event], *, entry_id: int) -> dict[str, Any]:
    """Hand a winner of the satellite their seat in the target. Who has one already gets cash by `payout.pay` instead,
    or keeps this one as a credit, as the satellite says. A guarantee for more seats than there were entries leaves
    everybody more than a seat: the rest is paid in cash.

    Result: `target`, `player`.

    Raises:
        Refused: as `payout.pay`; the prize is less than a seat; the player has a seat and is paid in cash.
    """
    event = tx.subject
    entry, placed = payable(tx, entry_id)
    rules, target = event.rules, event.seats_in
    if target is None or not rules.seat_cents or placed.prize_cents < rules.seat_cents:
        raise Refused("This prize is money.", code="no_seat")
    if rules.second_seat == "cash" and has_seat(entry.player_id, target):
        raise Refused(f"{entry.player} has a seat in {target} already: pay this one in cash.", code="second_seat")
    cents, rest = rules.seat_cents, placed.prize_cents - rules.seat_cents
    amounts = {str(Account.SEATS): -cents, str(Account.PAYOUTS): cents}
    write_posting(tx, amounts, item=Item.TICKET, event=event, entry=entry, note=str(target)[:200])
    if rest:
        post_payout(tx, entry, LedgerLine.Method.CASH, rest)
    tx.add(SeatWon(target=target, entry=entry, cents=cents, at=tx.at))
    tx.add(
        Payout(
            event=event,
            entry=entry,
            best_place=placed.best,
            worst_place=placed.worst,
            amount_cents=placed.prize_cents,
            method=SEAT,
            at=tx.at,
            paid_by_id=tx.actor.pk,
        )
    )
    more = f", and {format_money(rest)}" if rest else ""
    tx.say("{player} has a seat in {target}" + more, player=entry.player, target=target)
    return {"target": target.pk, "player": entry.player_id}


@command(Event, "seat.cash", permission=Permission.DIRECT)
def cash_seat(tx: Tx[Event], *, entry_id: int, method: str) -> dict[str, Any]:
    """Pay a seat that was not used in money after all.

    Raises:
        Refused: it was used, or there is none; at `method`.
    """
    seat = tx.lock_one(
        SeatWon, "There is no unused seat here.", entry=entry_id, entry__event=tx.subject, status=SeatWon.Status.WON
    )
    tx.change(seat, status=SeatWon.Status.CASHED)
    post(tx, seat.entry, method, {Account.TILL: -seat.cents, Account.SEATS: seat.cents}, item=Item.TICKET)
    tx.say("{player} paid {money} instead of the seat", player=seat.entry.player, money=format_money(seat.cents))
    return {"cents": seat.cents}


def use_seat(tx: Tx[Event], entry: Entry) -> None:
    """Pay a new entry with the seat its player has won.

    Raises:
        Refused: at `method`: there is none, or it is not worth the price.
    """
    event = tx.subject
    require_unpaid(event)
    found = SeatWon.objects.filter(target=event, entry__player=entry.player_id, status=SeatWon.Status.WON)
    seat = next(iter(tx.lock(found)), None)
    if seat is None:
        raise Refused(f"{entry.player} has no seat won for this event.", field="method", code="no_seat")
    if seat.cents != event.price_cents:
        worth, price = format_money(seat.cents), format_money(event.price_cents)
        raise Refused(f"The seat is worth {worth}, the entry costs {price}.", field="method", code="other_price")
    tx.change(seat, status=SeatWon.Status.USED, used_by=entry)
    shares = {account: -cents for account, cents in event.price_shares.items()}
    item = Item.REENTRY if entry.number > 1 else Item.BUY_IN
    write_posting(tx, {str(Account.SEATS): seat.cents} | shares, item=item, event=event, entry=entry, note="seat won")


def give_seat_back(tx: Tx[Event], entry: Entry) -> None:
    """An entry that was paid with a seat is given back: the seat can be used again."""
    for seat in tx.lock(SeatWon.objects.filter(used_by=entry, status=SeatWon.Status.USED)):
        tx.change(seat, status=SeatWon.Status.WON, used_by=None)
