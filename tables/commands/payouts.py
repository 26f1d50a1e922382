"""Paying prizes. The amount is never typed: it follows from the places, the prizes and a deal."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from journal.models import JournalEntry
from series.commands.money import post_payout, settle_pool
from series.domain.money import format_money
from series.models import Entry, Event, Payout, PrizeHold
from series.reads.satellites import has_seat
from tables.commands.bounties import refuse_overpaid
from tables.commands.finish import finish_if_decided, is_decided, why_prizes_wait
from tables.reads.penalties import disqualified
from tables.reads.standings import Placed, standings_of


def payable(tx: Tx[Event], entry_id: int) -> tuple[Entry, Placed]:
    """An entry whose prize can be handed over now, locked, and its place.

    Raises:
        Refused: as `pay_out`.
    """
    event = tx.subject
    if why := why_prizes_wait(event, tx):
        raise Refused(why, code="open")
    entry = tx.lock_one(Entry, "There is no such player in this event.", pk=entry_id, event=event)
    tx.expect_unchanged(entry)
    now = standings_of([event])[event.pk]
    placed = now.by_entry.get(entry.pk)
    if placed is None:
        raise Refused(f"{entry.player} is still playing.", code="playing")
    if now.prizes.lock is None and now.prizes.planned.broken:
        raise Refused(now.prizes.planned.problem, code="broken")
    if now.deal_broken and (placed.by_deal or placed.best <= len(now.prizes.shares)):
        raise Refused("The deal no longer fits the places: undo it, or the bust that changed them.", code="deal")
    if not placed.prize_cents:
        raise Refused(f"{entry.player} has no prize to be paid.", code="no_prize")
    if entry.pk in disqualified(event) and not tx.actor.may(Permission.DIRECT, event):
        raise Refused("This prize is held for the director.", code="held")
    if PrizeHold.objects.filter(entry=entry, standing=True).exists():
        raise Refused("This prize is held in dispute until the director releases it.", code="held")
    if Payout.objects.filter(entry=entry, taken_back=False).exists():
        raise Refused(f"{entry.player} has been paid already.", code="paid")
    return entry, placed


def check_field_undone(tx: Tx[Event], _undone: JournalEntry) -> None:
    """Looks at what the undo or the redo of somebody's going out, or of the end of registration, left behind: an event
    that is over stays decided, one that is decided now is over, and everybody keeps the place they were paid for.

    Raises:
        Refused: the event is over by another bust, nobody would be left, or prizes or bounties were paid that would not
            be theirs.
    """
    refuse_overpaid(tx)
    event = tx.subject
    finish_if_decided(tx)
    left = event.entries.filter(status__in=Entry.STILL_IN).count()
    if event.status in (Event.Status.RUNNING, Event.Status.FINISHED) and not left:
        raise Refused("Somebody must be left: not everybody can be out.", code="nobody_left")
    if event.status == Event.Status.FINISHED and not is_decided(event, left):
        raise Refused("The event is over: undo first what ended it.", code="over")
    paid = event.payouts.filter(taken_back=False).select_related("entry__player")
    if not paid:
        return
    if why_prizes_wait(event, tx):
        raise Refused("Prizes have been paid: take them back first.", code="paid")
    places = standings_of([event])[event.pk].by_entry
    for payout in paid:
        placed = places.get(payout.entry_id)
        if placed is None or (placed.best, placed.worst) != (payout.best_place, payout.worst_place):
            words = f"{payout.entry.player} was paid for a place that would not be theirs: take that back first."
            raise Refused(words, code="paid")


@command(Event, "payout.pay", permission=Permission.PAY_OUT)
def pay_out(tx: Tx[Event], *, entry_id: int, method: str, paid_to: str = "", signed: bool = False) -> dict[str, Any]:
    """Hand over the prize for a player's place: to the player, or to whom they sent (`paid_to`). `signed`: the receipt
    was signed for.

    Raises:
        Refused: entries can still grow the pool, still playing, no prize, paid already, held in dispute, or the player
            was disqualified and the actor is not the director; or a deal no longer fits those who are left.
    """
    event = tx.subject
    entry, placed = payable(tx, entry_id)
    if event.seats_in and placed.prize_cents >= event.rules.seat_cents:
        second = event.rules.second_seat == "cash" and has_seat(entry.player_id, event.seats_in)
        if not second and not tx.actor.may(Permission.DIRECT, event):
            raise Refused(f"This prize is a seat in {event.seats_in}: hand that over.", code="seat")
    settle_pool(tx)
    post_payout(tx, entry, method, placed.prize_cents)
    payout = tx.add(
        Payout(
            event=event,
            entry=entry,
            best_place=placed.best,
            worst_place=placed.worst,
            amount_cents=placed.prize_cents,
            method=method,
            at=tx.at,
            paid_by_id=tx.actor.pk,
            paid_to=" ".join(paid_to.split())[:120],
            signed=signed,
        )
    )
    tx.say("{player} paid {prize}", player=entry.player, prize=format_money(placed.prize_cents))
    return {"payout": payout.pk, "cents": placed.prize_cents}


@command(Event, "payout.signed", permission=Permission.PAY_OUT)
def sign_payout(tx: Tx[Event], *, entry_id: int) -> dict[str, Any]:
    """The receipt of a prize that was paid is signed.

    Raises:
        Refused: nothing was paid, or it is signed for already.
    """
    payout = tx.lock_one(Payout, "No prize was paid here.", entry=entry_id, event=tx.subject, taken_back=False)
    tx.expect_unchanged(payout)
    if payout.signed:
        raise Refused("This is signed for already.", code="signed")
    tx.change(payout, signed=True)
    tx.say("{player} signed for {prize}", player=payout.entry.player, prize=format_money(payout.amount_cents))
    return {}


@command(Event, "prize.hold", permission=Permission.PAY_OUT, undo_permission=Permission.DIRECT)
def hold_prize(tx: Tx[Event], *, entry_id: int, why: str) -> dict[str, Any]:
    """Keep a prize from being paid: it is in dispute, or an ID is missing. `why` is read by staff alone.

    Raises:
        Refused: at `why` without one; paid or held already, or no such player.
    """
    why = " ".join(why.split())
    if not why:
        raise Refused("Say why it is held: the director reads it.", field="why")
    if len(why) > 300:
        raise Refused("Say it in 300 characters.", field="why")
    entry = tx.lock_one(Entry, "There is no such player in this event.", pk=entry_id, event=tx.subject)
    if entry.status == Entry.Status.VOID:
        raise Refused("There is no such player in this event.", code="missing")
    if Payout.objects.filter(entry=entry, taken_back=False).exists():
        raise Refused(f"{entry.player} has been paid already.", code="paid")
    if PrizeHold.objects.filter(entry=entry, standing=True).exists():
        raise Refused("This prize is held already.", code="held")
    tx.add(PrizeHold(event=tx.subject, entry=entry, reason=why, at=tx.at, held_by_id=tx.actor.pk))
    tx.say("The prize of {player} is held", player=entry.player)
    return {}


@command(Event, "prize.release", permission=Permission.DIRECT)
def release_prize(tx: Tx[Event], *, entry_id: int) -> dict[str, Any]:
    """The dispute is settled: the prize can be paid.

    Raises:
        Refused: it is not held.
    """
    hold = tx.lock_one(PrizeHold, "This prize is not held.", entry=entry_id, event=tx.subject, standing=True)
    tx.expect_unchanged(hold)
    tx.change(hold, standing=False)
    tx.say("The prize of {player} is released", player=hold.entry.player)
    return {}
