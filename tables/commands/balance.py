"""Keeping tables even (house rule 48): the moves that the site advises, and letting a short table play on."""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused, Stale
from series.models import Day, Entry, Event
from tables.commands.clock import day_of
from tables.commands.drawing import draw_order, refuse_while_frozen
from tables.commands.seating import Order, chairs_of, order_moves
from tables.domain.balance import Tie
from tables.domain.halt import halt_alarm
from tables.models import Draw, Move, Seat, Table
from tables.reads.advice import advice
from tables.reads.hall import hall_of


@command(Event, "move.balance", permission=Permission.RUN_FLOOR)
def order_balance(tx: Tx[Event], *, moves: Sequence[tuple[int, int, int]], day_id: int | None = None) -> dict[str, Any]:
    """Order moves that the site advises now, one or the whole plan: for each the entry, and its new table and seat.

    Each player gets the reason of the plan; the lots that decided between equal ranks are written down as draws.
    Result: `moves`, the keys of the moves.

    Raises:
        Refused: a list is frozen for a draw.
        Stale: one of them is not advised any more.
    """
    day = day_of(tx, day_id)
    refuse_while_frozen(day)
    day.event = tx.subject
    plan = {(move.entry_id, move.to_table, move.to_seat): move for move in advice(day).moves}
    if not moves or any((entry, table, seat) not in plan for entry, table, seat in moves):
        raise Stale("The tables have changed meanwhile. This is advised now.")
    entries = {entry.pk: entry for entry in tx.lock(Entry.objects.filter(pk__in=[entry for entry, _, _ in moves]))}
    named = [plan[entry, table, seat] for entry, table, seat in moves]
    numbers = {move.from_table for move in named} | {move.to_table for move in named}
    tables = tx.lock(Table.objects.filter(day=day, status=Table.Status.OPEN, number__in=numbers))
    chairs = {(seat.table.number, seat.number): seat for seats in chairs_of(tx, tables).values() for seat in seats}
    orders = [
        Order(
            entries[move.entry_id],
            chairs[move.from_table, move.sitter.seat],
            chairs[move.to_table, move.to_seat],
            move.reason,
            move.sits_out,
        )
        for move in named
    ]
    for tie in {tie.label: tie for move in named for tie in move.ties}.values():
        _write_tie(tx, day, tie, chairs)
    rows = order_moves(tx, orders, Move.Kind.BALANCE, rule="48")
    tx.rule = "48"
    if len(orders) == 1:
        move = orders[0]
        tx.say(
            "{player} moves to table {table}, seat {seat}",
            player=move.entry.player,
            table=move.target.table.number,
            seat=move.target.number,
        )
    else:
        tx.say("Tables balanced: {players} move", players=[order.entry.player for order in orders])
    return {"moves": [row.pk for row in rows]}


def _write_tie(tx: Tx[Event], day: Day, tie: Tie, chairs: Mapping[tuple[int, int], Seat]) -> None:
    """The draw of a tie: between players by the keys of their entries, between open chairs by table and seat."""
    people: dict[str, str] = {}
    if tie.players:
        entries = [chairs[tie.table, seat].entry for seat in tie.seats]
        people = {str(entry.pk): entry.player.public_name for entry in entries if entry is not None}
        names, what = list(people), f"who moves from table {tie.table}, its button unknown"
    else:
        names, what = [f"{tie.table}-{seat}" for seat in tie.seats], f"open seat at table {tie.table}"
    draw_order(tx, day, Draw.Kind.BALANCE, tie.label.removeprefix(f"{day.pk} "), names, people, what)


@command(Event, "table.waive_halt", permission=Permission.DIRECT)
def waive_halt(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """Let a table that should halt play on as it is, until its number of players changes (TDA 2024 rule 11D).

    Raises:
        Refused: the table is not three players short of the largest one.
    """
    day = day_of(tx, day_id)
    row = tx.lock_one(Table, f"Table {table} is not open.", day=day, number=table, status=Table.Status.OPEN)
    hall = hall_of(day, tx.at)
    at_table = hall.table(table)
    assert at_table is not None, "an open table is in the hall"
    if halt_alarm(at_table.domain, max(other.players for other in hall.tables)) is None:
        raise Refused(f"Table {table} is not three players short of the largest table.", code="not_short")
    tx.change(row, halt_waived=at_table.players)
    tx.say("Table {table} plays on short, with {players} players", table=table, players=at_table.players)
    return {}
