"""From one day to the next: a day ends, its players bag their chips, and a later day begins with all bags.

The house rules are silent. Who went out is placed by how many were left in their own flight (see docs/adr/0007).
"""

from collections.abc import Mapping
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from series.domain.entries import best_bags
from series.models import Day, Entry, Event
from tables.commands.chips import MOST, write_chips
from tables.commands.clock import clock_of, day_of, write_clock
from tables.commands.leaving import leave_seats
from tables.domain import clock as clock_domain
from tables.models import Bag, ChipLine, Clock, HandForHand, Seat, Table
from tables.reads.chips import in_play
from tables.reads.clock import items_of, resume_position, state_of


def _ended(day: Day) -> bool:
    return Clock.objects.filter(day=day, status=str(clock_domain.Status.ENDED)).exists()


@command(Event, "day.end", permission=Permission.RUN_FLOOR)
def end_day(tx: Tx[Event], *, day_id: int) -> dict[str, Any]:
    """The last hand of a day is over: its clock stops for good, nobody enters it any more, and the chips are bagged.

    Raises:
        Refused: the day is not being played, or no later day is set up.
    """
    event = tx.subject
    day = day_of(tx, day_id)
    row = clock_of(tx, day)
    tx.expect_unchanged(row)
    later = Day.objects.filter(event=event, kind=Day.Kind.LATER, starts_at__gt=day.starts_at)
    if not later.exists():
        raise Refused("There is no later day to play on: add one in the set-up.", code="no_later_day")
    levels = list(event.levels.all())
    if event.status != Event.Status.RUNNING or row.status == str(clock_domain.Status.NOT_STARTED):
        raise Refused("This day is not being played.", code="not_running")
    try:
        state = clock_domain.end(state_of(row), items_of(levels), tx.at)
    except clock_domain.ClockError as error:
        raise Refused(str(error), code="clock") from error
    for play in tx.lock(HandForHand.objects.filter(day=day).exclude(phase=HandForHand.Phase.NORMAL)):
        tx.change(play, phase=HandForHand.Phase.NORMAL, release_at=None, ended_at=tx.at, version=play.version + 1)
    write_clock(tx, day, row, state, levels)
    tx.say("{day} has ended: bag the chips", day=day)
    return {"day": day.pk}


@command(Event, "bags.record", permission=Permission.RUN_FLOOR)
def record_bags(tx: Tx[Event], *, day_id: int, table: int, chips: Mapping[int, int]) -> dict[str, Any]:
    """What the players of one table bagged, by entry; those not named stay as they are.

    Raises:
        Refused: the day has not ended; at `bag_<entry>` for a number that cannot be; somebody does not sit there.
    """
    day = day_of(tx, day_id)
    if not _ended(day):
        raise Refused("End the day first: then its chips are bagged.", code="not_ended")
    seats = tx.lock(Seat.objects.filter(table__day=day, table__number=table, entry__in=list(chips)))
    seated = {seat.entry_id: seat for seat in seats}
    before = {bag.entry_id: bag for bag in tx.lock(Bag.objects.filter(day=day, entry__in=seated, taken_back=False))}
    for entry_id, count in chips.items():
        if entry_id not in seated:
            raise Refused(f"This player does not sit at table {table} any more.", code="not_seated")
        if not 1 <= count <= MOST:
            raise Refused("Give the number of chips in the bag.", field=f"bag_{entry_id}")
        if entry_id in before:
            tx.change(before[entry_id], chips=count, at=tx.at, counted_by_id=tx.actor.pk)
            continue
        bag = Bag(day=day, entry_id=entry_id, table=table, seat=seated[entry_id].number, chips=count, at=tx.at)
        bag.counted_by_id = tx.actor.pk
        tx.add(bag)
    tx.say("Table {table} bagged: {players} players", table=table, players=len(chips))
    return {"table": table}


@command(Event, "bags.close", permission=Permission.RUN_FLOOR)
def close_bags(tx: Tx[Event], *, day_id: int) -> dict[str, Any]:
    """All bags of a day are in: its tables close and its players wait for the next day. If the bags are not what is in
    play, the director says why, and the ledger is corrected.

    Result: `players` and `difference`.

    Raises:
        Refused: the day has not ended, somebody has not bagged; at `reason`, if the sum is off.
        NotAllowed: the sum is off, and the actor is not the director.
    """
    day = day_of(tx, day_id)
    if not _ended(day):
        raise Refused("End the day first: then its chips are bagged.", code="not_ended")
    entries = tx.lock(Entry.objects.filter(day=day, status=Entry.Status.PLAYING))
    bags = {bag.entry_id: bag for bag in Bag.objects.filter(day=day, taken_back=False)}
    missing = [entry for entry in entries if entry.pk not in bags]
    if missing or not entries:
        words = f"{len(missing)} players have no bag yet." if missing else "Nobody of this day is left to bag."
        raise Refused(words, code="no_bag")
    difference = sum(bags[entry.pk].chips for entry in entries) - in_play(day)
    if difference:
        _correct(tx, day, difference)
    leave_seats(tx, tx.lock(Seat.objects.filter(table__day=day, entry__isnull=False)))
    open_ = tx.lock(Table.objects.filter(day=day, status=Table.Status.OPEN))
    tx.change_all([(table, {"status": Table.Status.BROKEN}) for table in open_])
    tx.change_all([(entry, {"status": Entry.Status.BAGGED}) for entry in entries])
    tx.say("{players} players of {day} have bagged", players=len(entries), day=day)
    return {"players": len(entries), "difference": difference}


def _correct(tx: Tx[Event], day: Day, difference: int) -> None:
    if not tx.actor.may(Permission.DIRECT, tx.subject):
        raise NotAllowed("The bags are not what is in play: the director decides.")
    if not tx.reason:
        raise Refused(f"The bags are {difference:+,} chips off. Count again, or say why.", field="reason", code="off")
    write_chips(tx, day, ChipLine.Kind.CORRECTION, difference, reason=tx.reason)


def _refuse_seated(tx: Tx[Event], _gathered: JournalEntry) -> None:
    """Raises Refused if those whose bags would not be brought any more have their seats by now."""
    if Seat.objects.filter(entry__event=tx.subject, entry__status=Entry.Status.BAGGED).exists():
        raise Refused("Seats have been drawn since: undo that first.", code="seated")


@command(Event, "day.gather", permission=Permission.RUN_FLOOR, after_undo=_refuse_seated)
def gather(tx: Tx[Event], *, day_id: int, position: int | None = None) -> dict[str, Any]:
    """A later day gets all who bagged, with their chips; whoever has several bags goes on with the largest, and the
    others leave play. The seats are drawn after that. `position`: the item of the structure where the clock goes on,
    by default the level after the last one that was played to its end.

    Result: `players` and `given_up`.

    Raises:
        Refused: not a later day, somebody still plays an earlier one, a flight is not over, or nobody has bagged.
    """
    event = tx.subject
    day = day_of(tx, day_id)
    if day.kind != Day.Kind.LATER:
        raise Refused("Bags are brought to a later day.", code="not_later")
    _require_all_over(event, day)
    entries = {entry.pk: entry for entry in tx.lock(Entry.objects.filter(event=event, status=Entry.Status.BAGGED))}
    if not entries:
        raise Refused("Nobody has bagged.", code="nobody")
    rows = Bag.objects.filter(entry__in=entries, taken_back=False).select_related("day").order_by("pk")
    bags = [bag for bag in rows if bag.day_id == entries[bag.entry_id].day_id]
    going = best_bags([(entries[bag.entry_id].player_id, bag.pk, bag.chips) for bag in bags])
    on = [bag for bag in bags if bag.pk in going]
    off = [bag for bag in bags if bag.pk not in going]
    _start_where_they_ended(tx, day, {bag.day_id for bag in bags}, position)
    tx.add_all([_line(tx, bag, bag.day, ChipLine.Kind.GIVEN_UP, -bag.chips) for bag in off])
    tx.add_all([_line(tx, bag, bag.day, ChipLine.Kind.CARRIED, -bag.chips) for bag in on])
    tx.add_all([_line(tx, bag, day, ChipLine.Kind.CARRIED, bag.chips) for bag in on])
    tx.change_all([(entries[bag.entry_id], {"status": Entry.Status.GIVEN_UP}) for bag in off])
    tx.change_all([(entries[bag.entry_id], {"status": Entry.Status.PLAYING, "day_id": day.pk}) for bag in on])
    tx.say("{players} players go on with {chips} in {day}", players=len(on), day=day,
           chips=f"{sum(bag.chips for bag in on):,}")  # fmt: skip
    return {"players": len(on), "given_up": len(off)}


def _require_all_over(event: Event, day: Day) -> None:
    earlier = Day.objects.filter(event=event, starts_at__lt=day.starts_at).exclude(pk=day.pk)
    for one in earlier:
        playing = Entry.objects.filter(day=one, status=Entry.Status.PLAYING).exists()
        if playing or (one.kind == Day.Kind.FLIGHT and not one.entries_closed):
            raise Refused(f"{one} is not over yet: its players have not bagged.", code="not_over")


def _line(tx: Tx[Event], bag: Bag, day: Day, kind: ChipLine.Kind, chips: int) -> ChipLine:
    return ChipLine(event=tx.subject, day=day, entry_id=bag.entry_id, kind=kind, chips=chips, at=tx.at)


def _start_where_they_ended(tx: Tx[Event], day: Day, before: set[int], position: int | None) -> None:
    """Set the clock of the later day to the level where play goes on; it does not start yet."""
    items = items_of(list(tx.subject.levels.all()))
    if position is None:
        position = max(resume_position(clock, items) for clock in Clock.objects.filter(day__in=before))
    if not 0 <= position < len(items):
        raise Refused("The structure has no such level.", field="position")
    row = clock_of(tx, day)
    if row.status != str(clock_domain.Status.NOT_STARTED):
        raise Refused(f"{day} has started already.", code="started")
    tx.change(row, position=position, version=row.version + 1)
