"""Chips that come into play and leave it, and counting them (house rules 23 and 53; TDA 2024 rule 24)."""

from collections.abc import Collection, Mapping
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.chips import chip_race
from series.models import Day, Entry, Event
from tables.commands.clock import day_of
from tables.commands.seating import playing, seats_of
from tables.models import ChipCount, ChipLine, Seat, Table
from tables.reads.chips import held_at, in_play

MOST = 10_000_000_000


def write_chips(
    tx: Tx[Event],
    day: Day,
    kind: ChipLine.Kind,
    chips: int,
    *,
    table: int | None = None,
    entry: Entry | None = None,
    reason: str = "",
) -> ChipLine:
    """One line of the ledger: chips into play, or out of it if negative."""
    if abs(chips) > MOST:
        raise Refused("That is more than any event has chips.", field="chips")
    line = ChipLine(
        event=tx.subject, day=day, table=table, entry=entry, kind=kind, chips=chips, reason=reason[:200], at=tx.at
    )
    return tx.add(line)


def issue_chips(tx: Tx[Event], entry: Entry, seat: Seat | None) -> None:
    """The stack of a new entry comes into play."""
    write_chips(
        tx, entry.day, ChipLine.Kind.ISSUED, entry.stack, table=seat.table.number if seat else None, entry=entry
    )


def remove_chips(
    tx: Tx[Event], entry: Entry, seat: Seat, kind: ChipLine.Kind, chips: int, reason: str = ""
) -> ChipLine | None:
    """Chips of one player leave play; None for none at all.

    Raises:
        Refused: at `chips` for a negative number or more than are in play.
    """
    most = in_play(entry.day)
    if not 0 <= chips <= most:
        raise Refused(f"Give the number of chips: {most:,} are in play.", field="chips")
    return (
        write_chips(tx, entry.day, kind, -chips, table=seat.table.number, entry=entry, reason=reason) if chips else None
    )


def _open_table(tx: Tx[Event], day: Day, number: int) -> Table:
    return tx.lock_one(Table, f"Table {number} is not open.", day=day, number=number, status=Table.Status.OPEN)


@command(Event, "chips.forfeit", permission=Permission.RULE)
def forfeit_chips(tx: Tx[Event], *, entry_id: int, chips: int, whole_stack: bool = False) -> dict[str, Any]:
    """Chips that a player hid or took off the table leave play (house rule 23). A reason is needed.

    Result: `empties`: nothing is left of the stack, so the player is to be busted (`entry.bust`).

    Raises:
        Refused: no reason; no chips, or more than are in play; the player is not seated or not playing.
    """
    if chips < 1:
        raise Refused("Give the number of chips that are forfeited.", field="chips")
    if not tx.reason:
        raise Refused("Say why: the chips leave play for good.", field="reason", code="no_reason")
    entry = playing(tx, [entry_id])[0]
    if tx.actor.pk is not None and entry.player.user_id == tx.actor.pk:
        raise Refused("Nobody rules on their own chips: ask somebody else.", code="own_hand")
    seat = seats_of(tx, [entry])[entry.pk]
    reason, tx.reason = tx.reason, ""  # it names what somebody did: kept with the line, which not all staff see
    remove_chips(tx, entry, seat, ChipLine.Kind.FORFEIT, chips, reason)
    tx.rule = "23"
    tx.say("{chips} chips leave play at table {table}", chips=f"{chips:,}", table=seat.table.number)
    return {"entry": entry.pk, "empties": whole_stack}


@command(Event, "chips.count", permission=Permission.RUN_FLOOR)
def count_chips(tx: Tx[Event], *, table: int, chips: int, day_id: int | None = None) -> dict[str, Any]:
    """Note what one table holds, as counted at a break or at the bag.

    Result: `expected` by the ledger (None: players came or went since the last count) and `difference`.

    Raises:
        Refused: at `chips` for a number that cannot be, or no such table is open.
    """
    if not 0 <= chips <= MOST:
        raise Refused("Give the number of chips.", field="chips")
    day = day_of(tx, day_id)
    row = _open_table(tx, day, table)
    held = held_at(day, [row])[row.pk]
    clock = getattr(day, "clock", None)
    tx.add(
        ChipCount(
            day=day,
            table=row,
            position=clock.position if clock else 0,
            chips=chips,
            expected=held.chips,
            people=list(held.people),
            at=tx.at,
            counted_by_id=tx.actor.pk,
        )
    )
    difference = None if held.chips is None else chips - held.chips
    tx.say("Table {table} counted: {chips}", table=table, chips=f"{chips:,}")
    return {"table": table, "expected": held.chips, "difference": difference}


@command(Event, "chips.correct", permission=Permission.DIRECT)
def correct_chips(tx: Tx[Event], *, chips: int, table: int | None = None, day_id: int | None = None) -> dict[str, Any]:
    """Write a difference into the ledger, with a reason: the chips in play are from now on what was counted.

    Raises:
        Refused: at `chips` for nothing, or fewer than none would be in play; at `reason` without one.
    """
    if not chips:
        raise Refused("Give the difference: more chips than by the ledger, or fewer with a minus.", field="chips")
    if not tx.reason:
        raise Refused("Say why.", field="reason", code="no_reason")
    day = day_of(tx, day_id)
    if table is not None:
        _open_table(tx, day, table)
    if in_play(day) + chips < 0:
        raise Refused("There are not so many chips in play.", field="chips")
    line = write_chips(tx, day, ChipLine.Kind.CORRECTION, chips, table=table, reason=tx.reason)
    tx.say("Chips in play corrected by {chips}", chips=f"{chips:+,}")
    return {"line": line.pk}


@command(Event, "chips.colour_up", permission=Permission.RUN_FLOOR)
def colour_up(
    tx: Tx[Event],
    *,
    table: int,
    old: int,
    new: int,
    holdings: Mapping[int, int],
    only_chips: Collection[int] = (),
    additional: int | None = None,
    day_id: int | None = None,
) -> dict[str, Any]:
    """A chip was raced off at a table: what that changes of the chips in play goes into the ledger (TDA 2024 rule 24).

    holdings: number of old chips by seat. only_chips: seats that own nothing else. additional: new chips given so that
    nobody is raced out, None: the fewest there can be. Result: `change` in chips.

    Raises:
        Refused: chips that do not fit, or `additional` is not what it can be.
    """
    day = day_of(tx, day_id)
    _open_table(tx, day, table)
    try:
        race = chip_race(old, new, holdings, only_chips=only_chips)
    except ValueError as error:
        raise Refused(str(error), field="new") from error
    given = race.additional if additional is None else additional
    if not race.additional <= given <= len(race.at_risk):
        words = f"From {race.additional} to {len(race.at_risk)} players here get a chip so that nobody is raced out."
        raise Refused(words, field="additional")
    change = race.chips_in_play_change + (given - race.additional) * new
    if change:
        reason = f"{old:,} to {new:,}"
        write_chips(tx, day, ChipLine.Kind.COLOUR_UP, change, table=table, reason=reason)
    tx.rule = "TDA 24"
    tx.say(
        "Table {table} coloured up from {old} to {new}: {change}",
        table=table, old=f"{old:,}", new=f"{new:,}", change=f"{change:+,}",
    )  # fmt: skip
    return {"change": change, "exchanged": sum(race.exchanged.values()), "raced": race.raced, "additional": given}
