"""What the floor does while cards are in the air: busts, moves of its own choice, closing registration."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.actors import PUBLIC
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Event
from tables.commands.bounties import give_bounty
from tables.commands.clock import clock_of, day_of
from tables.commands.drawing import refuse_while_frozen
from tables.commands.finish import finish_if_decided
from tables.commands.hand_for_hand import elimination_for
from tables.commands.leaving import require_leavable, take_out
from tables.commands.payouts import check_field_undone
from tables.commands.purchases import refuse_if_declared
from tables.commands.seating import (
    Order,
    chairs_of,
    dead_button,
    domain_table,
    open_table_numbered,
    order_moves,
    place_words,
    playing,
    seats_of,
)
from tables.domain.clock import Status
from tables.domain.placement import waiting_seats
from tables.models import Bust, Move


@command(Event, "entry.bust", permission=Permission.RUN_FLOOR, after_undo=check_field_undone)
def bust(
    tx: Tx[Event],
    *,
    entry_ids: Sequence[int],
    stacks: dict[int, int] | None = None,
    by: Sequence[int] = (),
    hand: int | None = None,
) -> dict[str, Any]:
    """Players are out, all in the same hand. `stacks`: what each began the hand with, which ranks several at one table.
    `by`: entries that busted them, where the event has bounties; several split each of them. `hand`: the hand of
    hand-for-hand, if it is not the usual one (`tables.reads.hand_for_hand.bust_hands`).

    Places are not written: they follow from the order of eliminations (`series.domain.finish`). The event closes by
    itself when one player is left and nobody can enter.

    Raises:
        Refused: the event is not running, somebody is not playing or not seated, nobody would be left, or `hand` is
            over for too long.
    """
    entries = playing(tx, entry_ids)
    tx.expect_unchanged(*entries)
    require_leavable(tx, entries)
    refuse_if_declared(entries)
    seats = seats_of(tx, entries)
    days = {entry.day_id for entry in entries}
    if len(days) > 1:
        raise Refused("Players of different days cannot go out in the same hand.", field="entry")
    elimination = elimination_for(tx, days.pop(), {seat.table.number for seat in seats.values()}, hand)
    if by and tx.subject.rules.bounty_cents:
        for entry in entries:
            give_bounty(tx, entry, by)
    finished = take_out(tx, entries, seats, elimination, stacks or {})
    first = seats[entries[0].pk]
    if len(entries) == 1:
        tx.say("{player} is out, table {table} seat {seat}", player=entries[0].player, **place_words(first))
    else:
        tx.say("{players} are out in one hand", players=[entry.player for entry in entries])
    return {"elimination": elimination.pk, "finished": finished}


@command(Event, "move.order", permission=Permission.RUN_FLOOR)
def order_move(tx: Tx[Event], *, entry_id: int, table: int, seat: int) -> dict[str, Any]:
    """Send a player to another seat by the floor's own choice, with a reason. The seat is theirs from now on; floor,
    dealer or player confirm the arrival.

    Raises:
        Refused: no reason; the seat is taken, locked or unknown, or lies between the button and the small blind while
            another one is open there (rule 47); the player is not playing; or a list is frozen for a draw.
    """
    entry = playing(tx, [entry_id])[0]
    if not tx.reason:
        raise Refused("Say why this player is moved.", field="reason", code="no_reason")
    day = day_of(tx, entry.day_id)
    refuse_while_frozen(day)
    target_table = open_table_numbered(tx, day, table)
    chairs = chairs_of(tx, [target_table])[target_table.pk]
    target = next((chair for chair in chairs if chair.number == seat), None)
    if target is None:
        raise Refused(f"Table {table} has no seat {seat}.", code="missing")
    origin = seats_of(tx, [entry])[entry.pk]
    tx.expect_unchanged(origin, target)
    if target.locked:
        raise Refused(f"Seat {seat} at table {table} is locked.", field="seat", code="locked")
    if target.entry_id is not None:
        raise Refused(f"Seat {seat} at table {table} is taken.", field="seat", code="taken")
    place = domain_table(target_table, chairs)
    waiting = waiting_seats(place, place.last, dead_button(tx.subject)) if place.last else ()
    if seat in waiting and not set(place.open) <= set(waiting):
        words = f"Seat {seat} at table {table} lies between the button and the small blind: choose another (rule 47)."
        raise Refused(words, field="seat", code="between")
    order = Order(entry, origin, target, tx.reason, sits_out=seat in waiting)
    move = order_moves(tx, [order], Move.Kind.MANUAL)[0]
    tx.say("{player} moves to table {table}, seat {seat}", player=entry.player, table=table, seat=seat)
    return {"move": move.pk, "table": table, "seat": seat}


@command(Event, "move.arrived", permission=Permission.REPORT_HANDS)
def confirm_move(tx: Tx[Event], *, move_id: int) -> dict[str, Any]:
    """The floor or a dealer saw the player sit down."""
    return _arrive(tx, {"pk": move_id})


@command(Event, "move.arrived_own", permission=PUBLIC, undo_permission=Permission.REPORT_HANDS)
def confirm_own_move(tx: Tx[Event], *, token: str) -> dict[str, Any]:
    """The player says so, from the page that only their link opens."""
    return _arrive(tx, {"entry__player__token": token})


def _arrive(tx: Tx[Event], where: dict[str, Any]) -> dict[str, Any]:
    move = tx.lock_one(Move, "There is no move to confirm.", day__event=tx.subject, status=Move.Status.ORDERED, **where)
    tx.change(move, status=Move.Status.ARRIVED, arrived_at=tx.at)
    tx.say("{player} sits at {seat}", player=move.entry.player, seat=move.to_seat)
    return {"move": move.pk}


@command(Event, "bust.stack", permission=Permission.RUN_FLOOR)
def set_bust_stack(tx: Tx[Event], *, entry_id: int, stack: int) -> dict[str, Any]:
    """Say what somebody who is out began the hand with: it ranks several of one hand.

    Raises:
        Refused: at `stack` below 1; or the player is not out.
    """
    if stack < 1:
        raise Refused("Give the chips at the start of the hand.", field="stack")
    bust = tx.lock_one(Bust, "This player is not out.", entry=entry_id, entry__event=tx.subject)
    tx.expect_unchanged(bust)
    tx.change(bust, stack=stack)
    tx.say("{player} began the hand with {stack}", player=bust.entry.player, stack=f"{stack:,}")
    return {}


@command(Event, "entries.close", permission=Permission.RUN_FLOOR, after_undo=check_field_undone)
def close_entries(tx: Tx[Event], *, day_id: int | None = None) -> dict[str, Any]:
    """Close registration of a day before the clock does. The event may be decided by it.

    Raises:
        Refused: closed already, or the day has not started.
    """
    day = day_of(tx, day_id)
    if day.entries_closed:
        raise Refused("Registration is closed already.", code="closed")
    clock = clock_of(tx, day)
    if clock.status == Status.NOT_STARTED:
        raise Refused("The day has not started yet.", code="not_started")
    tx.change(day, entries_closed=True, entries_close_at=None)
    finish_if_decided(tx)
    tx.say("Registration for {day} closed", day=day)
    return {}
