"""Spreadsheets in and out: CSV and XLSX as people have them, within limits; written so that nothing in them runs."""

import csv
import datetime as dt
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import defusedcsv.csv as safe_csv
from django.http import HttpResponse
from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from series.domain.player_file import Cell, TableError

MOST_BYTES = 1_000_000
MOST_UNPACKED = 20_000_000  # bytes of an XLSX once unzipped
MOST_ROWS = 500
MOST_COLUMNS = 40
MOST_CELL = 500  # characters
KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def read_table(content: bytes) -> list[list[Cell]]:
    """The first sheet of a spreadsheet, or the rows of a text separated by commas, semicolons or tabs.

    Raises:
        TableError: it is too large, or none of these.
    """
    if len(content) > MOST_BYTES:
        raise TableError(f"This file is too large: {MOST_BYTES // 1_000_000} MB at most.")
    table = list(islice(_xlsx(content) if content.startswith(b"PK\x03\x04") else _csv(content), MOST_ROWS + 2))
    while table and not any(str(cell).strip() for cell in table[-1]):
        table.pop()
    if len(table) > MOST_ROWS + 1:
        raise TableError(f"These are too many rows: {MOST_ROWS} at most. Divide the file.")
    return table


def _csv(content: bytes) -> Iterator[list[Cell]]:
    text = _decoded(content)
    if "\0" in text:
        raise TableError("This is neither a CSV text nor an XLSX spreadsheet.")
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            yield [cell[:MOST_CELL] for cell in cells[:MOST_COLUMNS]]
    except csv.Error as error:
        raise TableError("This CSV text is damaged.") from error


def _decoded(content: bytes) -> str:
    """Text as spreadsheets save it: UTF-8, UTF-16 with its mark, else that of old Windows."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace").lstrip("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _xlsx(content: bytes) -> Iterator[list[Cell]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_UNPACKED:
                raise TableError("This spreadsheet is too large.")
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        for cells in sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True):
            yield [_cell(value) for value in cells]
    except TableError:
        raise
    except Exception as error:  # the library raises whatever a damaged file makes it stumble over
        raise TableError("This spreadsheet cannot be read. Save it again as XLSX or CSV.") from error


def _cell(value: object) -> Cell:
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)[:MOST_CELL]


def file_of(kind: str, name: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """A table as a file to save, of `kind` csv or xlsx. No spreadsheet takes anything in it for a formula."""
    response = HttpResponse(content_type=KINDS[kind])
    response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    response["X-Content-Type-Options"] = "nosniff"
    if kind == "xlsx":
        book = Workbook(write_only=True)
        sheet = book.create_sheet("Sheet1")
        for row in [headings, *rows]:
            sheet.append([_written(sheet, value) for value in row])
        book.save(response)
        return response
    response.write("\ufeff")  # spreadsheets take it for UTF-8 then
    out = safe_csv.writer(response)
    out.writerow(headings)
    out.writerows(["" if value is None else value for value in row] for row in rows)
    return response


def _written(sheet: Any, value: Any) -> Any:
    if not isinstance(value, str):
        return WriteOnlyCell(sheet, value)
    cell = WriteOnlyCell(sheet, "")
    cell.value = ILLEGAL_CHARACTERS_RE.sub("", value)
    cell.data_type = "s"  # "=1+1" is text
    cell.quotePrefix = True  # and stays so in whatever it is saved as
    return cell
