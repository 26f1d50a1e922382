"""Paying prizes. The amount is never typed: it follows from the places and the pool."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.money import post_payout, settle_pool
from series.domain.money import format_money
from series.models import Entry, Event, Payout
from tables.commands.finish import everybody_in
from tables.reads.penalties import disqualified
from tables.reads.standings import standings


@command(Event, "payout.pay", permission=Permission.PAY_OUT)
def pay_out(tx: Tx[Event], *, entry_id: int, method: str) -> dict[str, Any]:
    """Hand a player the prize for their place.

    Raises:
        Refused: entries can still grow the pool, still playing, no prize, paid already, or the player was disqualified
            and the actor is not the director.
    """
    event = tx.subject
    if not everybody_in(event, tx):
        raise Refused("Prizes are paid once registration has closed: the pool can still grow.", code="open")
    entry = tx.lock_one(Entry, "There is no such player in this event.", pk=entry_id, event=event)
    tx.expect_unchanged(entry)
    placed = next((placed for placed in standings(event) if placed.entry_id == entry.pk), None)
    if placed is None:
        raise Refused(f"{entry.player} is still playing.", code="playing")
    if not placed.prize_cents:
        raise Refused(f"{entry.player} has no prize to be paid.", code="no_prize")
    if entry.pk in disqualified(event) and not tx.actor.may(Permission.DIRECT, event):
        raise Refused("This prize is held for the director.", code="held")
    if Payout.objects.filter(entry=entry, taken_back=False).exists():
        raise Refused(f"{entry.player} has been paid already.", code="paid")
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
        )
    )
    tx.say("{player} paid {prize}", player=entry.player, prize=format_money(placed.prize_cents))
    return {"payout": payout.pk, "cents": placed.prize_cents}
