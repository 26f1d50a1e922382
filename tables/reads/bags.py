"""Bags: what each table of a day that has ended is to bag, what has been bagged, and who goes on with how much."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Sum

from series.models import Day, Entry, Event
from tables.models import Bag, Clock, Seat, Table
from tables.reads.chips import in_play
from tables.reads.clock import items_of, resume_position


@dataclass(frozen=True)
class BagSeat:
    """A player with their bag, None while it has not been entered. `typed`: what a form said that was refused, with
    what is wrong with it."""

    entry_id: int
    seat: int
    name: str
    chips: int | None
    typed: str | None = None
    error: str = ""


@dataclass(frozen=True)
class BagTable:
    """One table of the day."""

    number: int
    seats: list[BagSeat]

    @property
    def open(self) -> int:
        """How many have no bag yet."""
        return sum(seat.chips is None for seat in self.seats)

    @property
    def chips(self) -> int:
        return sum(seat.chips or 0 for seat in self.seats)


@dataclass(frozen=True)
class BagsPage:
    """The bags of a day. `ended`: its clock has stopped for good; `closed`: its players wait for the next day or have
    gone on. `in_play` and `bagged` in chips."""

    ended: bool
    closed: bool
    tables: list[BagTable]
    players: int
    in_play: int
    bagged: int

    @property
    def missing(self) -> int:
        return sum(table.open for table in self.tables)

    @property
    def difference(self) -> int:
        return self.bagged - self.in_play


def bags_page(day: Day, typed: Mapping[int, tuple[str, str]] | None = None) -> BagsPage:
    """The bags of one day by table and seat; `typed` in a form that was refused, with what is wrong, by entry. Four
    queries."""
    bags = {bag.entry_id: bag for bag in Bag.objects.filter(day=day, taken_back=False)}
    tables: dict[int, list[BagSeat]] = defaultdict(list)
    seats = Seat.objects.filter(table__day=day, table__status=Table.Status.OPEN, entry__isnull=False)
    for table, seat, entry_id, name in seats.order_by("table__number", "number").values_list(
        "table__number", "number", "entry", "entry__player__name"
    ):
        bag = bags.get(entry_id)
        shown = (typed or {}).get(entry_id, (None, ""))
        tables[table].append(BagSeat(entry_id, seat, name, bag.chips if bag else None, *shown))
    ended = Clock.objects.filter(day=day, status="ended").exists()
    closed = ended and not tables and bool(bags)
    return BagsPage(
        ended=ended,
        closed=closed,
        tables=[BagTable(number, found) for number, found in tables.items()],
        players=len(bags) if closed else sum(map(len, tables.values())),
        in_play=in_play(day),
        bagged=sum(bag.chips for bag in bags.values()),
    )


@dataclass(frozen=True)
class BagLine:
    """A bagged stack as everybody may see it. `on`: it goes on, or waits to; not so once a larger bag of the player
    put it aside."""

    name: str
    chips: int
    day: str
    on: bool


@dataclass(frozen=True)
class Bagged:
    """All bags of an event, the largest first. `chips` and `players` of those that go on."""

    lines: list[BagLine]
    players: int
    chips: int


def bagged(event: Event) -> Bagged:
    """The bags of all days whose bagging is over. One query."""
    here = Seat.objects.filter(entry=OuterRef("entry_id"), table__day=OuterRef("day_id"))
    rows = (
        Bag.objects.filter(day__event=event, taken_back=False)
        .exclude(Exists(here))
        .exclude(entry__status=Entry.Status.VOID)
        .select_related("day", "entry__player")
        .order_by("-chips", "pk")
    )
    lines = [
        BagLine(row.entry.player.public_name, row.chips, str(row.day), row.entry.status != Entry.Status.GIVEN_UP)
        for row in rows
    ]
    on = [line for line in lines if line.on]
    return Bagged(lines, len(on), sum(line.chips for line in on))


@dataclass(frozen=True)
class Waiting:
    """Who waits for a later day: `players` with `chips`; `position` is where its clock goes on unless told
    otherwise."""

    players: int
    chips: int
    position: int


def waiting_for(event: Event) -> Waiting | None:
    """Those who have bagged and wait, None for nobody. Three queries."""
    bags = Bag.objects.filter(entry__event=event, entry__status=Entry.Status.BAGGED, taken_back=False)
    found = bags.aggregate(chips=Sum("chips"))
    players = bags.values("entry__player").distinct().count()
    if not players:
        return None
    items = items_of(list(event.levels.all()))
    clocks = Clock.objects.filter(day__in=bags.values("day"))
    return Waiting(players, found["chips"] or 0, max(resume_position(clock, items) for clock in clocks))
