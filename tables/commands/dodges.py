"""Dodged blinds: what a moved player got out of paying goes into the next pot at the new table (house rule 49)."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Event
from tables.commands.clock import clock_of
from tables.domain import clock as clock_domain
from tables.models import BlindDodge, Move, Seat, Table
from tables.reads.clock import blinds_at, items_of, state_of


@command(Event, "move.dodge", permission=Permission.RULE)
def record_dodge(
    tx: Tx[Event], *, move_id: int, small_blind: bool, big_blind: bool, stack: int | None = None
) -> dict[str, Any]:
    """Find that a player dodged blinds on purpose on the way to another table; the reason says what was seen.

    The blinds of the level at hand, as far as the chips reach, are dead money in the next pot where the player sits
    now; the price to call does not change. stack: all the player's chips, if they may be fewer.

    Result: `dodge`, `amount`, `table`.

    Raises:
        Refused: no reason, neither blind, no such move, recorded already, or the player has no seat.
    """
    if not tx.reason:
        raise Refused("Say what was seen: dodging is a finding, never automatic.", field="reason", code="no_reason")
    if not small_blind and not big_blind:
        raise Refused("Choose which blinds were dodged.", field="small_blind")
    if stack is not None and stack < 1:
        raise Refused("A player without chips is out.", field="stack")
    move = tx.lock_one(Move, "There is no such move.", pk=move_id, day__event=tx.subject)
    if BlindDodge.objects.filter(move=move).exists():
        raise Refused("The blinds dodged on this move are recorded already.", code="recorded")
    seat = Seat.objects.filter(entry=move.entry_id).select_related("table").first()
    if seat is None:
        raise Refused(f"{move.entry.player} has no seat any more.", code="unseated")
    levels = list(tx.subject.levels.all())
    state = clock_domain.advance(state_of(clock_of(tx, move.day)), items_of(levels), tx.at)
    level = blinds_at(levels, state.position)
    big = min(level.big_blind, level.big_blind if stack is None else stack) if big_blind else 0
    small = min(level.small_blind, level.small_blind if stack is None else stack - big) if small_blind else 0
    dodge = tx.add(
        BlindDodge(move=move, table=seat.table, level=level.number or 0, small_blind=small, big_blind=big, at=tx.at)
    )
    tx.rule = "49"
    tx.say(
        "{player} dodged the blinds: {amount} dead money in the next pot at table {table}",
        player=move.entry.player,
        amount=f"{dodge.amount:,}",
        table=seat.table.number,
    )
    return {"dodge": dodge.pk, "amount": dodge.amount, "table": seat.table.number}


@command(Event, "dodge.done", permission=Permission.REPORT_HANDS)
def clear_dodge(tx: Tx[Event], *, dodge_id: int) -> dict[str, Any]:
    """The dead money is in the pot.

    Raises:
        Refused: there is none waiting.
    """
    dodge = tx.lock_one(
        BlindDodge, "There is no dead money waiting.", pk=dodge_id, move__day__event=tx.subject, done_at=None
    )
    tx.change(dodge, done_at=tx.at)
    tx.rule = "49"
    tx.say("{amount} dead money is in the pot at table {table}", amount=f"{dodge.amount:,}", table=dodge.table.number)
    return {}


def play_dead_money(tx: Tx[Event], table: Table) -> int:
    """The next pot at a table is played: the dead money waiting for it is in it. Returns the chips."""
    waiting = tx.lock(BlindDodge.objects.filter(table=table, done_at=None))
    tx.change_all([(dodge, {"done_at": tx.at}) for dodge in waiting])
    return sum(dodge.amount for dodge in waiting)
