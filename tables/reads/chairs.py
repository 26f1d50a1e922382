"""Tables and chairs for the floor: sizes, locked chairs, prepared tables, and players who keep their seat."""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Count, F, Q

from series.domain.names import fold
from series.models import Day, Entry
from tables.models import Seat, Table

MOST_HITS = 8


@dataclass(frozen=True)
class TableLine:
    """A table, open or prepared. `opens`: its place in the order of opening. `locked`: chairs with the reason."""

    number: int
    seats: int
    is_open: bool
    opens: int | None
    players: int
    locked: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Person:
    """A player of the day, with their chair if they have one. `keeps`: why they keep it, else empty."""

    entry_id: int
    name: str
    table: int | None
    seat: int | None
    keeps: str


def table_lines(day: Day) -> list[TableLine]:
    """The tables not broken: open ones by number, then prepared ones in their order of opening. Two queries."""
    locked: dict[int, list[tuple[int, str]]] = defaultdict(list)
    chairs = Seat.objects.filter(table__day=day, locked=True).order_by("number")
    for table_id, number, why in chairs.values_list("table_id", "number", "locked_why"):
        locked[table_id].append((number, why))
    rows = Table.objects.filter(day=day).exclude(status=Table.Status.BROKEN).annotate(players=Count("chairs__entry"))
    lines = [
        TableLine(row.number, row.seats, row.status == Table.Status.OPEN, row.opens, row.players, locked[row.pk])
        for row in rows
    ]
    return sorted(lines, key=lambda line: (not line.is_open, line.opens is None, line.opens or 0, line.number))


def keepers(day: Day) -> list[Person]:
    """The players who keep a fixed seat. One query."""
    return _people(Q(day=day) & ~Q(keeps_seat=""))


def person(day: Day, entry_id: int) -> Person | None:
    """One player still in. One query."""
    return next(iter(_people(Q(day=day, pk=entry_id))), None)


def find_people(day: Day, words: str) -> list[Person]:
    """Players of the day found by name, or by table and seat ("7 4"), with a seat or without. One query."""
    numbers = [int(word) for word in words.replace("-", " ").split() if word.isdecimal() and len(word) < 10]
    if len(numbers) == 2:
        return _people(Q(day=day, seat__table__number=numbers[0], seat__number=numbers[1]))
    wanted = fold(words).split()
    if not wanted:
        return []
    found = _people(Q(day=day))
    return [one for one in found if all(word in fold(one.name) for word in wanted)][:MOST_HITS]


def _people(where: Q) -> list[Person]:
    rows = Entry.objects.filter(where, status=Entry.Status.PLAYING).annotate(
        name=F("player__public_name"), table=F("seat__table__number"), chair=F("seat__number")
    )
    rows = rows.order_by("name", "pk")
    return [Person(*row) for row in rows.values_list("pk", "name", "table", "chair", "keeps_seat")]
