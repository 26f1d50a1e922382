"""Structures as CSV files, as people make them in a spreadsheet."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from series.domain.money import AmountError, parse_chips
from series.domain.structure import AnteType, Break, Item, Level

HEADINGS = ("Level", "Minutes", "Small blind", "Big blind", "Ante", "Ante type", "Remove")
LONGEST_QUOTE = 30

# By letters and digits alone, in small letters.
_COLUMNS = {
    "row": {"level", "levelbreak", "levelorbreak", "break", "kind", "type", "round", "no", "number"},
    "minutes": {"minutes", "mins", "min", "duration", "time", "length", "durationminutes", "durationmin"},
    "small_blind": {"smallblind", "small", "sb"},
    "big_blind": {"bigblind", "big", "bb"},
    "ante": {"ante", "antes"},
    "ante_type": {"antetype", "antekind", "whopaystheante"},
    "remove": {"remove", "removed", "removechips", "chipsremoved", "colourup", "colorup", "chiprace"},
}
_NEEDED = {"minutes": "Minutes", "small_blind": "Small blind", "big_blind": "Big blind"}
_ANTE_TYPES = {
    AnteType.NONE: {"", "none", "no"},
    AnteType.EACH: {"each", "eachplayer", "everybody", "all", "perplayer"},
    AnteType.BIG_BLIND: {"bigblind", "bigblindante", "bb", "bbante", "bba"},
}


@dataclass(frozen=True)
class LineError:
    """What is wrong in a line of the file (the first line is 1), in plain words."""

    line: int
    text: str


@dataclass(frozen=True)
class Imported:
    """The rows that could be read, and the errors of those that could not. Use it only without errors."""

    items: tuple[Item, ...]
    errors: tuple[LineError, ...]


class _RowError(ValueError):
    pass


def parse_csv(text: str) -> Imported:
    """Levels and breaks from a CSV text separated by commas, semicolons or tabs.

    The first line names the columns: minutes, small blind and big blind are needed; level (a number or the
    word break), ante, ante type and remove may be there; others are ignored. Without a level column, a row
    without blinds is a break. Whether the structure makes sense is for `structure.check`. Never raises.
    """
    lines = text.lstrip("\ufeff")
    first = next((line for line in lines.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter)
    columns: dict[str, int] | None = None
    width = 0
    items: list[Item] = []
    errors: list[LineError] = []
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            try:
                if columns is None:
                    columns, width = _columns(cells), len(cells)
                elif len(cells) > width:
                    raise _RowError("There are more cells than columns; a number like 1,000 may need quotes.")
                else:
                    items.append(_item(cells, columns))
            except _RowError as error:
                errors.append(LineError(reader.line_num, str(error)))
                if columns is None:
                    break
    except csv.Error:
        errors.append(LineError(reader.line_num, "This line is not CSV."))
    if not items and not errors:
        errors.append(LineError(1, "The file holds no level."))
    return Imported(tuple(items), tuple(errors))


def write_csv(items: Sequence[Item]) -> str:
    """The structure as CSV with HEADINGS. `parse_csv` reads it back to the same items."""
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(HEADINGS)
    number = 0
    for item in items:
        remove = " ".join(str(chip) for chip in item.remove)
        if isinstance(item, Level):
            number += 1
            blinds = (item.small_blind, item.big_blind, item.ante, item.ante_type)
            writer.writerow((number, item.minutes, *blinds, remove))
        else:
            writer.writerow(("break", item.minutes, "", "", "", "", remove))
    return target.getvalue()


def _columns(cells: Sequence[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for index, cell in enumerate(cells):
        column = next((name for name, written in _COLUMNS.items() if _plain(cell) in written), None)
        if column in columns:
            raise _RowError(f"Two columns mean the same: {cells[columns[column]]} and {cell}.")
        if column:
            columns[column] = index
    missing = [heading for column, heading in _NEEDED.items() if column not in columns]
    if missing:
        raise _RowError(f"The first line must name the columns. Missing: {', '.join(missing)}.")
    return columns


def _item(cells: Sequence[str], columns: Mapping[str, int]) -> Item:
    row = {name: cells[index] if index < len(cells) else "" for name, index in columns.items()}
    minutes = _number("minutes", re.sub(r"\s*(minutes|mins?|m|')$", "", row["minutes"], flags=re.IGNORECASE))
    remove = tuple(_number("remove", chip) for chip in re.split(r"[\s,;/+|]+", row.get("remove", "")) if chip)
    blinds = row["small_blind"] or row["big_blind"]
    is_break = "break" in _plain(row["row"]) if row.get("row") else not blinds
    if is_break:
        if blinds:
            raise _RowError("A break has no blinds.")
        return Break(minutes, remove)
    ante = _number("ante", row.get("ante", "") or "0")
    ante_type = _ante_type(row.get("ante_type", ""))
    if ante and ante_type is AnteType.NONE:
        raise _RowError("Say in the column Ante type who pays the ante: each, or big blind.")
    small_blind, big_blind = (_number(name, row[name]) for name in ("small_blind", "big_blind"))
    return Level(minutes, small_blind, big_blind, ante, ante_type, remove)


def _number(column: str, text: str) -> int:
    try:
        return parse_chips(text)
    except AmountError as error:
        heading = column.replace("_", " ").capitalize()
        raise _RowError(f"{heading}: {_quoted(text)}. {error}") from None


def _ante_type(text: str) -> AnteType:
    for ante_type, written in _ANTE_TYPES.items():
        if _plain(text) in written:
            return ante_type
    raise _RowError(f"Ante type: {_quoted(text)}. Write none, each or big blind.")


def _quoted(text: str) -> str:
    if not text:
        return "empty"
    return f"“{text}”" if len(text) <= LONGEST_QUOTE else f"“{text[:LONGEST_QUOTE]}…”"


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
