"""Chips in play by the ledger, and what each table should hold when it is counted."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, Sum

from series.models import Day, Entry
from tables.models import Bust, ChipCount, ChipLine, Move, Seat, Table

BROUGHT = (ChipLine.Kind.ISSUED, ChipLine.Kind.CARRIED)  # with whom a stack comes to a table
LEAVING = (ChipLine.Kind.REFUND, ChipLine.Kind.GIVEN_UP)  # what goes with somebody who is not out
SOLD = (ChipLine.Kind.ISSUED, ChipLine.Kind.REBUY, ChipLine.Kind.ADDON)


@dataclass(frozen=True)
class Held:
    """What a table should hold now: `chips` by the ledger, None if players came or went with chips nobody had counted.
    `people`: keys of the entries that sit there."""

    chips: int | None
    people: tuple[int, ...]


def in_play(day: Day) -> int:
    """The chips of a day: issued, less removed, with colour-ups and corrections. One query."""
    return day.chip_lines.aggregate(total=Sum("chips"))["total"] or 0


def held_at(day: Day, tables: Sequence[Table]) -> dict[int, Held]:
    """What each of these tables should hold, by the table's key. Five queries.

    Pots stay at a table and a player who is out leaves their chips there, so what a table holds changes only by who
    comes with a new stack, by the ledger, and by moves; a move carries chips nobody counted, so it ends what is known
    until the next count.
    """
    counts = {count.table_id: count for count in ChipCount.objects.filter(table__in=tables)}  # the last one of each
    stacks: dict[int, int] = defaultdict(int)
    lines: dict[int, list[ChipLine]] = defaultdict(list)
    gone: dict[int, dict[int, int]] = defaultdict(dict)
    left = []
    for line in day.chip_lines.all():
        if line.kind in BROUGHT and line.entry_id:
            stacks[line.entry_id] += line.chips
        elif line.kind not in BROUGHT and line.table:
            lines[line.table].append(line)
            if line.kind in LEAVING and line.chips < 0 and line.entry_id:
                left.append((line.table, line.entry_id))
    seated: dict[int, dict[int, int]] = defaultdict(dict)
    chairs = Seat.objects.filter(table__in=tables, entry__isnull=False)
    for table_id, entry_id in chairs.values_list("table_id", "entry_id").order_by("number"):
        seated[table_id][entry_id] = stacks[entry_id]
    for table, entry_id in [*left, *Bust.objects.filter(elimination__day=day).values_list("table", "entry_id")]:
        gone[table][entry_id] = stacks[entry_id]
    moves = (
        Move.objects.filter(day=day)
        .exclude(status=Move.Status.WITHDRAWN)
        .exclude(from_table=F("to_seat__table__number"))
    )
    moved: dict[int, dt.datetime] = {}
    for here, there, at in moves.values_list("from_table", "to_seat__table__number", "ordered_at").order_by("pk"):
        moved[here] = moved[there] = at
    return {
        table.pk: _held(
            counts.get(table.pk), seated[table.pk], gone[table.number], moved.get(table.number), lines[table.number]
        )
        for table in tables
    }


def _held(
    count: ChipCount | None,
    seated: dict[int, int],
    gone: dict[int, int],
    moved: dt.datetime | None,
    lines: Sequence[ChipLine],
) -> Held:
    people = tuple(seated)
    since = count.at if count else None
    if moved and (since is None or moved > since):
        return Held(None, people)
    known = set(count.people) if count else set()
    if known - seated.keys() - gone.keys():
        return Held(None, people)  # somebody left without a trace here: their entry was taken back
    base = 0 if count is None else count.chips if count.expected is None else count.expected
    newcomers = {entry: stack for entry, stack in seated.items() if entry not in known}
    if count is None:
        newcomers |= gone
    changed = sum(line.chips for line in lines if since is None or line.at > since)
    return Held(base + sum(newcomers.values()) + changed, people)


@dataclass(frozen=True)
class TableLine:
    """A table on the page of the chips. `expected`: what it should hold; `count`: its last count; `difference`: of that
    count, less what was corrected since, None while nothing can be said."""

    number: int
    players: int
    expected: int | None
    count: ChipCount | None
    difference: int | None
    counted_now: bool


@dataclass(frozen=True)
class Hall:
    """All open tables of a day. `difference`: of the whole hall once every table is counted at this level or break."""

    tables: list[TableLine]
    in_play: int
    difference: int | None


def _since(counts: Iterable[ChipCount]) -> Q:
    """The lines of each table after its count; the counts with their tables."""
    since = Q(pk__in=[])
    for count in counts:
        since |= Q(day=count.day_id, table=count.table.number, at__gt=count.at)
    return since


def _corrections(counts: Iterable[ChipCount]) -> dict[int, int]:
    """Chips corrected at each table since its count, by the table's number."""
    lines = ChipLine.objects.filter(_since(counts), kind=ChipLine.Kind.CORRECTION).order_by()
    return dict(lines.values_list("table").annotate(total=Sum("chips")))


def _difference(count: ChipCount, corrected: int) -> int | None:
    return None if count.expected is None else count.chips - count.expected - corrected


def hall_chips(day: Day, position: int) -> Hall:
    """The chips of every open table. `position`: the level or break at hand. Ten queries."""
    tables = list(Table.objects.filter(day=day, status=Table.Status.OPEN))
    held = held_at(day, tables)
    last = ChipCount.objects.filter(table__in=tables).select_related("table")
    counts = {count.table_id: count for count in last}
    corrected = _corrections(counts.values())
    rows = []
    for table in tables:
        count, here = counts.get(table.pk), held[table.pk]
        difference = _difference(count, corrected.get(table.number, 0)) if count else None
        now = count is not None and count.position == position
        rows.append(TableLine(table.number, len(here.people), here.chips, count, difference, now))
    total = in_play(day)
    waiting = Q(entry__day=day, entry__status=Entry.Status.PLAYING, entry__seat__isnull=True)
    unseated = day.chip_lines.filter(waiting, kind__in=BROUGHT).aggregate(total=Sum("chips"))["total"] or 0
    at_tables = total - unseated
    difference = None
    if rows and all(row.counted_now for row in rows if row.players):
        later = ChipLine.objects.filter(_since(counts.values())).aggregate(total=Sum("chips"))["total"] or 0
        difference = sum(row.count.chips for row in rows if row.count and row.players) + later - at_tables
    return Hall(rows, total, difference)


@dataclass(frozen=True)
class ChipAlarm:
    """A table whose last count is not what it should hold."""

    table: int
    difference: int

    @property
    def words(self) -> str:
        return f"{abs(self.difference):,} chips too {'many' if self.difference > 0 else 'few'}"


def chip_alarms(day: Day) -> list[ChipAlarm]:
    """Tables that were counted and are off, by number. One query, two if a table is off."""
    rows = ChipCount.objects.filter(day=day, table__status=Table.Status.OPEN).select_related("table")
    last = {count.table_id: count for count in rows}
    off = [count for count in last.values() if count.expected is not None and count.chips != count.expected]
    if not off:
        return []
    corrected = _corrections(off)
    alarms = [
        ChipAlarm(count.table.number, _difference(count, corrected.get(count.table.number, 0)) or 0) for count in off
    ]
    return sorted((alarm for alarm in alarms if alarm.difference), key=lambda alarm: alarm.table)


def ledger_lines(day: Day) -> list[ChipLine]:
    """The ledger of a day, newest first, but for what was sold, which is one sum. One query."""
    lines = day.chip_lines.exclude(kind__in=SOLD).select_related("entry__player")
    return list(lines.order_by("-pk"))


def issued(day: Day) -> int:
    """Chips sold with entries, rebuys and add-ons. One query."""
    return day.chip_lines.filter(kind__in=SOLD).aggregate(total=Sum("chips"))["total"] or 0
