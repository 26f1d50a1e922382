"""What the floor does while cards are in the air: busts, moves, table breaks and the button."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.actors import PUBLIC
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Day, Entry, Event
from tables.commands.clock import clock_of, day_of
from tables.commands.finish import finish_if_decided
from tables.commands.hand_for_hand import drop_broken_table, elimination_for
from tables.commands.seating import chairs_of, draw_into, open_tables, place_words, sit_down
from tables.domain.clock import Status
from tables.models import Bust, Draw, Move, Seat, Table


def _playing(tx: Tx[Event], entry_ids: Sequence[int]) -> list[Entry]:
    entries = tx.lock(Entry.objects.filter(event=tx.subject, pk__in=entry_ids))
    if len(entries) != len(set(entry_ids)) or not entries:
        raise Refused("There is no such player in this event.", field="entry", code="missing")
    for entry in entries:
        if entry.status != Entry.Status.PLAYING:
            raise Refused(f"{entry.player} is not playing any more.", field="entry", code="not_playing")
    return entries


def _seats_of(tx: Tx[Event], entries: Sequence[Entry]) -> dict[int, Seat]:
    """The chair of each entry, locked, by the entry's key.

    Raises:
        Refused: one of them has none.
    """
    seats = tx.lock(Seat.objects.filter(entry__in=[entry.pk for entry in entries]).select_related("table"))
    found = {seat.entry_id: seat for seat in seats if seat.entry_id is not None}
    for entry in entries:
        if entry.pk not in found:
            raise Refused(f"{entry.player} has no seat yet.", field="entry", code="unseated")
    return found


def _table(tx: Tx[Event], day: Day, number: int) -> Table:
    table = next((table for table in open_tables(tx, day) if table.number == number), None)
    if table is None:
        raise Refused(f"Table {number} is not open.", field="table", code="no_table")
    return table


@command(Event, "entry.bust", permission=Permission.RUN_FLOOR)
def bust(tx: Tx[Event], *, entry_ids: Sequence[int], stacks: dict[int, int] | None = None) -> dict[str, Any]:
    """Players are out, all in the same hand. `stacks`: what each began the hand with, which ranks several at one table.

    Places are not written: they follow from the order of eliminations (`series.domain.finish`). The event closes by
    itself when one player is left and nobody can enter.

    Raises:
        Refused: the event is not running, somebody is not playing or not seated, or nobody would be left.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Players can only go out while the event is running.", code="not_running")
    entries = _playing(tx, entry_ids)
    tx.expect_unchanged(*entries)
    seats = _seats_of(tx, entries)
    if Entry.objects.filter(event=event, status=Entry.Status.PLAYING).count() <= len(entries):
        raise Refused("Somebody must be left: not everybody can be out.", code="nobody_left")
    stacks = stacks or {}
    days = {entry.day_id for entry in entries}
    if len(days) > 1:
        raise Refused("Players of different days cannot go out in the same hand.", field="entry")
    elimination = elimination_for(tx, days.pop())
    tx.add_all(
        [
            Bust(
                elimination=elimination,
                entry=entry,
                table=seats[entry.pk].table.number,
                seat=seats[entry.pk].number,
                stack=stacks.get(entry.pk),
            )
            for entry in entries
        ]
    )
    for move in tx.lock(Move.objects.filter(entry__in=entries, status=Move.Status.ORDERED)):
        tx.change(move, status=Move.Status.WITHDRAWN)
    tx.change_all([(seats[entry.pk], {"entry_id": None}) for entry in entries])
    tx.change_all([(entry, {"status": Entry.Status.OUT}) for entry in entries])
    finished = finish_if_decided(tx)
    first = seats[entries[0].pk]
    if len(entries) == 1:
        tx.say("{player} is out, table {table} seat {seat}", player=entries[0].player, **place_words(first))
    else:
        tx.say("{players} are out in one hand", players=[entry.player for entry in entries])
    return {"elimination": elimination.pk, "finished": finished}


def _move(
    tx: Tx[Event], entry: Entry, origin: Seat, target: Seat, kind: str, why: str, rule: str, *, sits_out: bool = False
) -> Move:
    for earlier in tx.lock(Move.objects.filter(entry=entry, status=Move.Status.ORDERED)):
        tx.change(earlier, status=Move.Status.WITHDRAWN)
    return tx.add(
        Move(
            day_id=entry.day_id,
            entry=entry,
            kind=kind,
            from_table=origin.table.number,
            from_seat=origin.number,
            to_seat=target,
            why=why[:200],
            rule=rule,
            sits_out=sits_out,
            ordered_at=tx.at,
        )
    )


@command(Event, "move.order", permission=Permission.RUN_FLOOR)
def order_move(
    tx: Tx[Event],
    *,
    entry_id: int,
    table: int,
    seat: int,
    kind: str = Move.Kind.MANUAL,
    why: str = "",
    sits_out: bool = False,
) -> dict[str, Any]:
    """Send a player to another seat. The seat is theirs from now on; the floor or the player confirms the arrival.

    A move by the floor's own choice needs a reason; one to balance tables follows rule 48 and says why in `why`.

    Raises:
        Refused: no reason, seat taken, locked or unknown, or the player is not playing.
    """
    entry = _playing(tx, [entry_id])[0]
    if kind == Move.Kind.MANUAL and not tx.reason:
        raise Refused("Say why this player is moved.", field="reason", code="no_reason")
    day = day_of(tx, entry.day_id)
    target_table = _table(tx, day, table)
    target = tx.lock_one(Seat, f"Table {table} has no seat {seat}.", table=target_table, number=seat)
    origin = _seats_of(tx, [entry])[entry.pk]
    tx.expect_unchanged(origin, target)
    if target.locked:
        raise Refused(f"Seat {seat} at table {table} is locked.", field="seat", code="locked")
    if target.entry_id is not None:
        raise Refused(f"Seat {seat} at table {table} is taken.", field="seat", code="taken")
    rule = "48" if kind == Move.Kind.BALANCE else ""
    move = _move(tx, entry, origin, target, kind, why or tx.reason, rule, sits_out=sits_out)
    tx.change(origin, entry_id=None)
    tx.change(target, entry_id=entry.pk)
    tx.rule = rule
    tx.say("{player} moves to table {table}, seat {seat}", player=entry.player, table=table, seat=seat)
    return {"move": move.pk, "table": table, "seat": seat}


@command(Event, "move.arrived", permission=Permission.RUN_FLOOR)
def confirm_move(tx: Tx[Event], *, move_id: int) -> dict[str, Any]:
    """The floor or a dealer saw the player sit down."""
    return _arrive(tx, {"pk": move_id})


@command(Event, "move.arrived_own", permission=PUBLIC)
def confirm_own_move(tx: Tx[Event], *, token: str) -> dict[str, Any]:
    """The player says so, from the page that only their link opens."""
    return _arrive(tx, {"entry__player__token": token})


def _arrive(tx: Tx[Event], where: dict[str, Any]) -> dict[str, Any]:
    move = tx.lock_one(Move, "There is no move to confirm.", day__event=tx.subject, status=Move.Status.ORDERED, **where)
    tx.change(move, status=Move.Status.ARRIVED, arrived_at=tx.at)
    tx.say("{player} sits at {seat}", player=move.entry.player, seat=move.to_seat)
    return {"move": move.pk}


@command(Event, "table.break", permission=Permission.RUN_FLOOR)
def break_table(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """Close a table and draw new seats for its players at the other tables (rules 46 and 47).

    Raises:
        Refused: not open, the last table, or the others have too few open seats.
    """
    day = day_of(tx, day_id)
    tables = open_tables(tx, day)
    closing = _table(tx, day, table)
    others = [other for other in tables if other.pk != closing.pk]
    if not others:
        raise Refused("The last table cannot be broken.", field="table", code="last_table")
    tx.expect_unchanged(closing)
    chairs = chairs_of(tx, [closing])[closing.pk]
    origin = {seat.entry_id: seat for seat in chairs if seat.entry_id is not None}
    entries = tx.lock(Entry.objects.filter(pk__in=list(origin)))
    seats: dict[int, Seat] = {}
    if entries:
        label = f"break table {table}"
        again = Draw.objects.filter(day=day, kind=Draw.Kind.BREAK, label__startswith=label).count()
        seats, waiting = draw_into(
            tx, day, Draw.Kind.BREAK, label + (f" ({again + 1})" if again else ""), entries, others
        )
        for entry in entries:
            seat = seats[entry.pk]
            _move(
                tx,
                entry,
                origin[entry.pk],
                seat,
                Move.Kind.BREAK,
                f"Table {table} is broken; seat by draw.",
                "46",
                sits_out=entry.pk in waiting,
            )
        tx.change_all([(seat, {"entry_id": None}) for seat in origin.values()])
        sit_down(tx, seats)
    tx.change(closing, status=Table.Status.BROKEN)
    drop_broken_table(tx, day, closing)
    tx.rule = "46"
    tx.say("Table {table} is broken, {players} players moved", table=table, players=len(entries))
    return {"moved": len(entries)}


@command(Event, "table.button", permission=Permission.REPORT_HANDS)
def set_button(
    tx: Tx[Event], *, table: int, button: int, small_blind: int, big_blind: int, day_id: int | None = None
) -> dict[str, Any]:
    """Say where button and blinds lay in a table's last hand, as seat numbers, also where nobody sits (rules 18–21).

    Raises:
        Refused: no such seat.
    """
    day = day_of(tx, day_id)
    row = _table(tx, day, table)
    tx.expect_unchanged(row)
    for name, seat in (("button", button), ("small_blind", small_blind), ("big_blind", big_blind)):
        if not 1 <= seat <= row.seats:
            raise Refused(f"Table {table} has the seats 1 to {row.seats}.", field=name)
    tx.change(row, button=button, small_blind=small_blind, big_blind=big_blind, button_at=tx.at)
    tx.say("Button at table {table}: seat {seat}", table=table, seat=button)
    return {}


@command(Event, "entries.close", permission=Permission.RUN_FLOOR)
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
