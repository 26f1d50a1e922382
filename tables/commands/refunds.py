"""Giving a paid entry back: before play by the desk, later by the director. Money is answered by contra lines. Undoing
a sale gives it back too, so it needs no less."""

from typing import Any

from django.db.models import Sum

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from series.commands.money import refund_entry_lines
from series.domain.money import format_money
from series.models import Day, Entry, Event, Purchase, Registration
from tables.commands.bounties import refuse_overpaid
from tables.commands.chips import write_chips
from tables.commands.clock import day_of
from tables.commands.finish import finish_if_decided
from tables.commands.leaving import leave_seats, require_leavable
from tables.commands.satellites import give_seat_back
from tables.commands.seating import playing
from tables.models import ChipLine, Knockout, Seat
from tables.reads.chips import in_play
from tables.reads.clock import stage_of

UNDER_WAY = (Event.Status.OPEN, Event.Status.RUNNING)


def check_sale_undone(tx: Tx[Event], sale: JournalEntry) -> None:
    """Looks at what the undo or the redo of a sale or of a refund left behind. It needs what giving the entry back does
    now, but no reason; and the pool follows.

    Raises:
        NotAllowed: play has begun, and the actor is not the director.
        Refused: the event is over, nobody would be left in it, a bounty was won with the entry that would go, or
            somebody has been paid bounties that would not be theirs.
    """
    event, before = tx.subject, tx.subject.status
    event.refresh_from_db(fields=["status"])
    if before not in UNDER_WAY:  # else it may be over by this very undo, as by the entry it takes back
        _require_under_way(event)
    entry = Entry.objects.select_related("player").get(pk=sale.result["entry"])
    if entry.status == Entry.Status.VOID:
        _require_no_bounty(entry)
        leave_seats(tx, tx.lock(Seat.objects.filter(entry=entry)))  # drawn after the sale
    if stage_of(day_of(tx, entry.day_id), tx.at).level > 0:
        _require_director(tx)
    if event.status == Event.Status.RUNNING and not event.entries.filter(status__in=Entry.STILL_IN).exists():
        raise Refused("Somebody must be left: not everybody can be out.", code="nobody_left")
    finish_if_decided(tx)
    refuse_overpaid(tx)


@command(Event, "entry.refund", permission=Permission.TAKE_MONEY, after_undo=check_sale_undone)
def refund_entry(tx: Tx[Event], *, entry_id: int, chips: int | None = None) -> dict[str, Any]:
    """Give an entry all back that it paid, in the way it was paid, and free its seat. Once cards are in the air only
    the director may, with a reason, and says how many `chips` leave play with the player (None: all that it bought).

    Result: `refunded_cents`.

    Raises:
        NotAllowed: play has begun, and the actor is not the director.
        Refused: not playing; prizes have been paid; at `reason` or `chips`.
    """
    event = tx.subject
    _require_under_way(event)
    entry = playing(tx, [entry_id])[0]
    tx.expect_unchanged(entry)
    if event.payouts.filter(taken_back=False).exists():
        raise Refused("Prizes have been paid: take them back first.", code="paid")
    _require_no_bounty(entry)
    day = day_of(tx, entry.day_id)
    begun = stage_of(day, tx.at).level > 0
    if begun:
        _require_director(tx)
        if not tx.reason:
            raise Refused("Say why: cards are in the air.", field="reason")
        require_leavable(tx, [entry])
    refunded = refund_entry_lines(tx, entry)
    give_seat_back(tx, entry)
    _take_chips(tx, day, entry, chips if begun else None, begun=begun)
    bought = tx.lock(Purchase.objects.filter(entry=entry).exclude(status=Purchase.Status.TAKEN_BACK))
    tx.change_all([(row, {"status": Purchase.Status.TAKEN_BACK}) for row in bought])
    tx.change(entry, status=Entry.Status.VOID)
    others = Entry.objects.filter(event=event, player=entry.player_id).exclude(status=Entry.Status.VOID)
    if not others.exists():
        held = Registration.objects.filter(event=event, player=entry.player_id)
        for registration in tx.lock(held.exclude(status__in=Registration.GONE)):
            tx.change(registration, status=Registration.Status.WITHDRAWN, again_on=None, again_at=None)
    finish_if_decided(tx)
    tx.say("{player} unregistered, {money} given back", player=entry.player, money=format_money(refunded))
    return {"entry": entry.pk, "player": entry.player_id, "refunded_cents": refunded}


def _require_under_way(event: Event) -> None:
    if event.status not in UNDER_WAY:
        raise Refused(f"This event is {event.get_status_display()}: entries stand.", code="status")


def _require_no_bounty(entry: Entry) -> None:
    if Knockout.objects.filter(hunter=entry, taken_back=False).exists():
        raise Refused(f"{entry.player} has won a bounty with this entry: it stands.", code="bounty")


def _require_director(tx: Tx[Event]) -> None:
    if not tx.actor.may(Permission.DIRECT, tx.subject):
        raise NotAllowed("Cards are in the air: only the director gives money back now.")


def _take_chips(tx: Tx[Event], day: Day, entry: Entry, chips: int | None, *, begun: bool) -> None:
    """The chips of the entry leave play, and its seat is free. What it lost before stays at the table."""
    bought = day.chip_lines.filter(entry=entry).aggregate(total=Sum("chips"))["total"] or 0
    leaving = bought if chips is None else chips
    most = in_play(day)
    if not 0 <= leaving <= most:
        raise Refused(f"Give the number of chips: {most:,} are in play.", field="chips")
    seats = tx.lock(Seat.objects.filter(entry=entry).select_related("table"))
    table = seats[0].table.number if seats and begun else None  # before the first hand nothing stays at the table
    if seats:
        leave_seats(tx, seats)
    if leaving:
        write_chips(tx, day, ChipLine.Kind.REFUND, -leaving, table=table, entry=entry)
