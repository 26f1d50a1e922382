"""Who sits where, as anybody may see it: public names only."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from series.domain.names import fold
from series.models import Day, Entry
from tables.models import Move


@dataclass(frozen=True)
class SeatLine:
    """One player still in, with their seat if they have one; `moving`: sent there and not seen there yet."""

    name: str
    table: int | None
    seat: int | None
    moving: bool

    @property
    def surname_first(self) -> str:
        """As a list by surname has it: Williams, Aroha. The surname is the last word."""
        given, _, surname = self.name.rpartition(" ")
        return f"{surname}, {given}" if given else surname


@dataclass(frozen=True)
class TableLines:
    """A table with its players in seat order; without a number, those who wait for a seat."""

    number: int | None
    lines: Sequence[SeatLine]


def seat_lines(day: Day, query: str = "") -> list[SeatLine]:
    """The players of a day still in, by surname; with `query`, those whose name has all its words, or who sit at that
    table. Two queries."""
    moving = set(Move.objects.filter(day=day, status=Move.Status.ORDERED).values_list("entry_id", flat=True))
    rows = Entry.objects.filter(day=day, status=Entry.Status.PLAYING).values_list(
        "pk", "player__public_name", "seat__table__number", "seat__number"
    )
    lines = [SeatLine(name, table, seat, pk in moving) for pk, name, table, seat in rows]
    return sorted((line for line in lines if _matches(line, query)), key=lambda line: _by_surname(line.name))


def by_table(lines: Sequence[SeatLine]) -> list[TableLines]:
    """The same players by table and seat; those without a seat come first."""
    ordered = sorted(lines, key=lambda line: (line.table or 0, line.seat or 0))
    return [TableLines(number, tuple(group)) for number, group in groupby(ordered, key=lambda line: line.table)]


def _matches(line: SeatLine, query: str) -> bool:
    if query.isdecimal():
        return len(query) < 10 and line.table == int(query)
    name = fold(line.name)
    return all(word in name for word in fold(query).split())


def _by_surname(name: str) -> tuple[str, str]:
    folded = fold(name)
    return folded.rsplit(maxsplit=1)[-1] if folded else "", folded
