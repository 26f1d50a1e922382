"""Hands as dealers tell them: where the button lies, that the next hand is dealt (house rules 16 to 22, 46 to 50)."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.options import options_from
from series.models import Day, Event
from tables.commands.clock import day_of
from tables.commands.dodges import play_dead_money
from tables.commands.hand_for_hand import deal_in_round
from tables.commands.penalties import count_hand
from tables.commands.seating import chairs_of, dead_button, domain_table
from tables.domain.button import first_hand
from tables.domain.dealing import Coming, after_button, coming_hand
from tables.domain.halt import halt_alarm
from tables.domain.table import Positions, SeatingError, between
from tables.models import Move, Seat, Table
from tables.reads.clock import play_since
from tables.reads.hall import dealing, is_old


def _open_table(tx: Tx[Event], day: Day, number: int) -> Table:
    missing = f"Table {number} is not open."
    return tx.lock_one(Table, missing, day=day, number=number, status=Table.Status.OPEN)


def _people(chairs: Sequence[Seat]) -> dict[int, int]:
    """Keys of entries by seat."""
    return {chair.number: chair.entry_id for chair in chairs if chair.entry_id is not None}


def _on_the_way(table: Table) -> set[int]:
    moves = Move.objects.filter(to_seat__table=table, status=Move.Status.ORDERED)
    return set(moves.values_list("to_seat__number", flat=True))


def _write(
    tx: Tx[Event], table: Table, positions: Positions, hand: int, dealt_in: dict[str, int], **values: Any
) -> None:
    tx.change(
        table,
        button=positions.button,
        small_blind=positions.small_blind,
        big_blind=positions.big_blind,
        button_at=tx.at,
        hand=hand,
        dealt_in=dealt_in,
        **values,
    )
    moves = Move.objects.filter(to_seat__table=table, entry__in=dealt_in.values(), sits_out=True)
    tx.change_all([(move, {"sits_out": False}) for move in tx.lock(moves)])


@command(Event, "table.button", permission=Permission.REPORT_HANDS)
def set_button(
    tx: Tx[Event],
    *,
    table: int,
    button: int,
    small_blind: int | None = None,
    big_blind: int | None = None,
    day_id: int | None = None,
) -> dict[str, Any]:
    """Say where button and blinds lay in a table's last hand, as seat numbers, also where nobody sits (rules 18 to 21).

    Blinds left out were with the next players after the button. Who sits between button and small blind was not dealt
    in (rule 47).

    Raises:
        Refused: at the field of a seat that the table has not.
    """
    row = _open_table(tx, day_of(tx, day_id), table)
    tx.expect_unchanged(row)
    for name, seat in (("button", button), ("small_blind", small_blind), ("big_blind", big_blind)):
        if seat is not None and not 1 <= seat <= row.seats:
            raise Refused(f"Table {table} has the seats 1 to {row.seats}.", field=name)
    people = _people(chairs_of(tx, [row])[row.pk])
    usual = after_button(row.seats, people, button)
    told = Positions(button, small_blind or usual.small_blind, big_blind or usual.big_blind)
    left_out = {*between(row.seats, told.button, told.small_blind), *_on_the_way(row)}
    dealt_in = {str(seat): entry for seat, entry in people.items() if seat not in left_out}
    _write(tx, row, told, max(row.hand, 1), dealt_in)
    tx.say("Button of the last hand at table {table}: seat {seat}", table=table, seat=button)
    return {}


@command(Event, "table.coming_button", permission=Permission.REPORT_HANDS)
def set_coming_button(tx: Tx[Event], *, table: int, button: int, day_id: int | None = None) -> dict[str, Any]:
    """Say who has the button in the hand about to be dealt: a first hand, with the blinds left of it (rules 16, 18).

    Raises:
        Refused: nobody sits there, or nobody else is at the table.
    """
    row = _open_table(tx, day_of(tx, day_id), table)
    tx.expect_unchanged(row)
    people = _people(chairs_of(tx, [row])[row.pk])
    try:
        hand = first_hand(row.seats, people, button)
    except SeatingError as error:
        raise Refused(str(error), field="button", code="no_player") from error
    _write(tx, row, hand.positions, row.hand, {})
    tx.say("Button of the coming hand at table {table}: seat {seat}", table=table, seat=button)
    return {}


@command(Event, "table.next_hand", permission=Permission.REPORT_HANDS)
def next_hand(tx: Tx[Event], *, table: int, day_id: int | None = None) -> dict[str, Any]:
    """The next hand is dealt: button and blinds go on from those of the last one (rules 16, 18 to 22).

    Result: `hand`, `button`, `small_blind` (None where nobody posts it), `big_blind`, and `dead_money` (rule 49).

    Raises:
        Refused: the event is not running; the button is unknown; who posts a blind is on the way here (rule 48); the
            table is halted (TDA 2024 rule 11D); or hand-for-hand waits for other tables (rule 50).
        Stale: somebody sat down, left, or told a hand of this table meanwhile.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING:
        raise Refused("Hands are dealt while the event is running.", code="not_running")
    day = day_of(tx, day_id)
    row = _open_table(tx, day, table)
    chairs = chairs_of(tx, [row])[row.pk]
    tx.expect_unchanged(row, *chairs)
    counted = deal_in_round(tx, day, row) or row.hand_counted
    coming = _coming(tx, row, chairs)
    _refuse_while_halted(tx, day, row, chairs)
    people, hand = _people(chairs), coming.hand
    began, were_in = row.button_at, set(row.dealt_in.values())
    dealt_in = {str(seat): people[seat] for seat in hand.dealt_in}
    _write(tx, row, hand.positions, row.hand + 1, dealt_in, hand_counted=False)
    dead_money = play_dead_money(tx, row)
    if not counted:
        count_hand(tx, row, began=began, dealt_in=were_in)
    words = "no small blind" if hand.small_blind is None else f"small blind seat {hand.small_blind}"
    tx.say(
        "Table {table}, hand {hand}: {dead}button seat {button}, {small}, big blind seat {big}{money}",
        table=table,
        hand=row.hand,
        dead="dead " if hand.button_dead else "",
        button=hand.positions.button,
        small=words,
        big=hand.big_blind,
        money=f"; {dead_money:,} dead money in the pot" if dead_money else "",
    )
    return {
        "hand": row.hand,
        "button": hand.positions.button,
        "small_blind": hand.small_blind,
        "big_blind": hand.big_blind,
        "dead_money": dead_money,
    }


def _coming(tx: Tx[Event], row: Table, chairs: Sequence[Seat]) -> Coming:
    state = dealing(row, _people(chairs), _on_the_way(row))
    if state is None:
        raise Refused(f"The button of table {row.number} is not known: set it first.", code="no_button")
    try:
        coming = coming_hand(state, dead_button(tx.subject))
    except SeatingError as error:
        raise Refused(str(error), code="no_hand") from error
    if coming.waits_for:
        seat = coming.waits_for[0]
        who = next(chair.entry for chair in chairs if chair.number == seat)
        words = f"{who} posts a blind in seat {seat} and is on the way: wait, or say that they have arrived (rule 48)."
        raise Refused(words, code="on_the_way")
    return coming


def _refuse_while_halted(tx: Tx[Event], day: Day, row: Table, chairs: Sequence[Seat]) -> None:
    minutes = options_from(tx.subject.series.options).old_button_minutes
    since = play_since(getattr(day, "clock", None), list(tx.subject.levels.all()), tx.at)
    if is_old(row.button_at, since, tx.at, minutes) or row.halt_waived == len(_people(chairs)):
        return
    alarm = halt_alarm(domain_table(row, chairs), largest_table(day))
    if alarm is not None and alarm.halted:
        raise Refused(alarm.reason, code="halted")


def largest_table(day: Day) -> int:
    """How many players the largest open table has. One query."""
    sizes = Seat.objects.filter(table__day=day, table__status=Table.Status.OPEN, entry__isnull=False).order_by()
    return max(sizes.values("table").annotate(players=Count("pk")).values_list("players", flat=True), default=0)
