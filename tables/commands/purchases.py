"""Rebuys and add-ons (TDA 2024 rule 27). A declared rebuy is compulsory; whose chips are gone keeps the seat by
rebuying at once."""

import datetime as dt
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.doors import refuse_excluded
from series.commands.money import post_purchase
from series.domain.entries import why_no_addon, why_no_rebuy
from series.domain.money import format_chips, format_money
from series.models import Day, Entry, Event, LedgerLine, Purchase
from tables.commands.bounties import take_bounty_back
from tables.commands.chips import write_chips
from tables.commands.clock import day_of
from tables.commands.finish import finish_if_decided
from tables.commands.refunds import check_sale_undone
from tables.commands.seating import place_words, seats_of
from tables.models import Bust, ChipLine, Knockout, Seat, Table
from tables.reads.clock import stage_of
from tables.reads.penalties import disqualified

AT_ONCE = dt.timedelta(minutes=10)


def _running(tx: Tx[Event]) -> Event:
    if tx.subject.status != Event.Status.RUNNING:
        raise Refused("Rebuys and add-ons are sold while the event is running.", code="not_running")
    return tx.subject


def _entry_and_day(tx: Tx[Event], entry_id: int) -> tuple[Entry, Day]:
    entry = tx.lock_one(Entry, "There is no such player in this event.", pk=entry_id, event=tx.subject)
    tx.expect_unchanged(entry)
    refuse_excluded(tx, entry.player)
    return entry, day_of(tx, entry.day_id)


def _bought(tx: Tx[Event], entry: Entry, kind: str) -> list[Purchase]:
    """What the entry has bought of this kind, a declared rebuy among it; locked."""
    rows = tx.lock(Purchase.objects.filter(entry=entry, kind=kind))
    return [row for row in rows if row.status != Purchase.Status.TAKEN_BACK]


def _require_rebuy(tx: Tx[Event], entry: Entry, day: Day, stack_confirmed: bool) -> None:
    """Raises Refused: not now, or nobody has looked at the stack."""
    taken = len(_bought(tx, entry, Purchase.Kind.REBUY))
    if reason := why_no_rebuy(tx.subject.rules, stage_of(day, tx.at), taken):
        raise Refused(reason, code="no_rebuy")
    if not stack_confirmed:
        most = format_chips(tx.subject.starting_stack)
        words = f"Ask the floor or the dealer: the stack must be {most} chips or less."
        raise Refused(words, field="stack_confirmed", code="not_confirmed")


@command(Event, "rebuy.declare", permission=Permission.REPORT_HANDS, undo_permission=Permission.RULE)
def declare_rebuy(tx: Tx[Event], *, entry_id: int) -> dict[str, Any]:
    """A player at the table says that they rebuy, which binds them (TDA 2024 rule 27); the stack was looked at. It is
    paid by `rebuy`, even if the window has closed by then.

    Raises:
        Refused: no rebuy now, declared already, not playing.
    """
    event = _running(tx)
    entry, day = _entry_and_day(tx, entry_id)
    if entry.status != Entry.Status.PLAYING:
        raise Refused(f"{entry.player} is not playing any more.", code="not_playing")
    if _declared(entry) is not None:
        raise Refused(f"{entry.player} has declared a rebuy already.", code="declared")
    _require_rebuy(tx, entry, day, stack_confirmed=True)
    tx.add(_purchase(tx, entry, Purchase.Kind.REBUY, Purchase.Status.DECLARED))
    tx.rule = "TDA 27"
    tx.say(
        "{player} declared a rebuy of {price}", player=entry.player, price=format_money(event.rules.rebuy_price_cents)
    )
    return {"entry": entry.pk}


@command(Event, "entry.rebuy", permission=Permission.TAKE_MONEY, after_undo=check_sale_undone)
def rebuy(tx: Tx[Event], *, entry_id: int, method: str, stack_confirmed: bool = False) -> dict[str, Any]:
    """Sell a rebuy to a player whose stack is no more than the starting stack, as the floor or dealer confirms, or take
    the money for one that was declared. Whoever went out keeps the seat by rebuying at once: before the next hand, or
    within ten minutes, while the seat is free.

    Result: `entry`, `table`, `seat`, `cents`.

    Raises:
        Refused: no rebuy now, the stack not confirmed (field `stack_confirmed`), not seated, unknown way of paying.
    """
    _running(tx)
    entry, day = _entry_and_day(tx, entry_id)
    declared = _declared(entry)
    if declared is None:
        _require_rebuy(tx, entry, day, stack_confirmed or entry.status == Entry.Status.OUT)
        if entry.status == Entry.Status.OUT:
            _back_to_the_seat(tx, entry, day)
    seat = _seat_of(tx, entry)
    if declared is not None:
        bought = tx.lock(Purchase.objects.filter(pk=declared.pk))[0]
        tx.change(bought, status=Purchase.Status.PAID)
    else:
        bought = tx.add(_purchase(tx, entry, Purchase.Kind.REBUY, Purchase.Status.PAID))
    rules = tx.subject.rules
    post_purchase(tx, entry, method, LedgerLine.Item.REBUY, rules.rebuy_cents, rules.rebuy_fee_cents)
    write_chips(tx, day, ChipLine.Kind.REBUY, bought.chips, table=seat.table.number, entry=entry)
    finish_if_decided(tx)
    tx.rule = "TDA 27"
    tx.say("{player} rebought {chips}, table {table} seat {seat}", player=entry.player,
           chips=format_chips(bought.chips), **place_words(seat))  # fmt: skip
    return {"entry": entry.pk, "cents": bought.cents, **place_words(seat)}


@command(Event, "entry.addon", permission=Permission.TAKE_MONEY, after_undo=check_sale_undone)
def add_on(tx: Tx[Event], *, entry_id: int, method: str) -> dict[str, Any]:
    """Sell the add-on to a player who is in. Result: `entry`, `table`, `seat`, `cents`.

    Raises:
        Refused: none here, not now, had already, not seated, unknown way of paying.
    """
    rules = _running(tx).rules
    entry, day = _entry_and_day(tx, entry_id)
    if entry.status != Entry.Status.PLAYING:
        raise Refused(f"{entry.player} is not playing any more.", code="not_playing")
    if reason := why_no_addon(rules, stage_of(day, tx.at), len(_bought(tx, entry, Purchase.Kind.ADDON))):
        raise Refused(reason, code="no_addon")
    seat = _seat_of(tx, entry)
    bought = tx.add(_purchase(tx, entry, Purchase.Kind.ADDON, Purchase.Status.PAID))
    post_purchase(tx, entry, method, LedgerLine.Item.ADD_ON, rules.addon_cents, rules.addon_fee_cents)
    write_chips(tx, day, ChipLine.Kind.ADDON, bought.chips, table=seat.table.number, entry=entry)
    finish_if_decided(tx)
    tx.say("{player} took the add-on, {chips}: table {table} seat {seat}", player=entry.player,
           chips=format_chips(bought.chips), **place_words(seat))  # fmt: skip
    return {"entry": entry.pk, "cents": bought.cents, **place_words(seat)}


def _declared(entry: Entry) -> Purchase | None:
    return Purchase.objects.filter(entry=entry, status=Purchase.Status.DECLARED).first()


def _seat_of(tx: Tx[Event], entry: Entry) -> Seat:
    if entry.status != Entry.Status.PLAYING:
        raise Refused(f"{entry.player} is not playing any more.", code="not_playing")
    return seats_of(tx, [entry])[entry.pk]


def _purchase(tx: Tx[Event], entry: Entry, kind: Purchase.Kind, status: Purchase.Status) -> Purchase:
    rules = tx.subject.rules
    rebuys = kind == Purchase.Kind.REBUY
    return Purchase(
        event=tx.subject,
        entry=entry,
        kind=kind,
        status=status,
        chips=rules.rebuy_chips if rebuys else rules.addon_chips,
        cents=rules.rebuy_price_cents if rebuys else rules.addon_price_cents,
        at=tx.at,
    )


def _back_to_the_seat(tx: Tx[Event], entry: Entry, day: Day) -> None:
    """Take the bust of somebody back who rebuys at once.

    Raises:
        Refused: the next hand was dealt, too late, the seat is taken, another entry of the player is in, or their
            bounty has been paid.
    """
    bust = tx.lock_one(Bust, f"{entry.player} is not playing any more.", entry=entry)
    if entry.pk in disqualified(tx.subject):
        raise Refused(f"{entry.player} was disqualified.", code="disqualified")
    seat = tx.lock_one(
        Seat, "Their table is closed: only a re-entry is left.", table__day=day, table__number=bust.table,
        table__status=Table.Status.OPEN, number=bust.seat,
    )  # fmt: skip
    dealt_since = seat.table.button_at is not None and seat.table.button_at > bust.elimination.at
    if dealt_since or tx.at - bust.elimination.at > AT_ONCE:
        raise Refused("Too late for a rebuy: the next hand has been dealt.", code="too_late")
    if seat.entry_id is not None or seat.locked:
        raise Refused("Somebody else has their seat: only a re-entry is left.", code="taken")
    if Entry.objects.filter(event=tx.subject, player=entry.player_id, status=Entry.Status.PLAYING).exists():
        raise Refused(f"{entry.player} is playing another entry.", code="playing")
    for knockout in Knockout.objects.filter(victim=entry, taken_back=False).select_related("hunter__player"):
        knockout.require_unpaid()
    take_bounty_back(tx, entry)
    tx.remove(bust)
    entry.end_wait(tx)
    tx.change(entry, status=Entry.Status.PLAYING)
    tx.change(seat, entry_id=entry.pk)


def refuse_if_declared(entries: list[Entry]) -> None:
    """Nobody goes out who has declared a rebuy (TDA 2024 rule 27)."""
    owed = Purchase.objects.filter(entry__in=entries, status=Purchase.Status.DECLARED).select_related("entry__player")
    if first := owed.first():
        words = f"{first.entry.player} has declared a rebuy: it is to be taken first (TDA 2024 rule 27)."
        raise Refused(words, field="entry", code="declared")
