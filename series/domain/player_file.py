"""People in a table, as a spreadsheet holds them: which column is what, and what each row says."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from series.domain.eligibility import BirthDateError, check_birth_date, parse_birth_date
from series.domain.names import LONGEST, fold, why_too_long

# by letters and digits alone, in small letters
_COLUMNS = {
    "name": {"name", "fullname", "player", "playername", "players"},
    "first": {"firstname", "first", "givenname", "givennames", "forename"},
    "last": {"lastname", "last", "surname", "familyname"},
    "birth_date": {"birthdate", "dateofbirth", "dob", "born", "birthday", "birth"},
    "email": {"email", "emailaddress", "mail"},
    "phone": {"phone", "phonenumber", "mobile", "mobilenumber", "cell", "telephone", "tel"},
}

Cell = str | date


class TableError(ValueError):
    """What is wrong with a table as a whole, in words."""


@dataclass(frozen=True)
class Row:
    """One person as the table says them. `line` counts from 1, the headings being the first; `problem` says what cannot
    be used, empty if nothing."""

    line: int
    name: str
    birth_date: date | None
    email: str
    phone: str
    problem: str = ""


def read_rows(table: Sequence[Sequence[Cell]], today: date) -> list[Row]:
    """The people of a table whose first row names the columns: a name (or first and last name) and a birth date are
    needed, e-mail and phone may be there, other columns are ignored. Empty rows are left out.

    Raises:
        TableError: no such columns.
    """
    if not table:
        raise TableError("The file is empty.")
    columns = _columns(table[0])
    rows = []
    for line, cells in enumerate(table[1:], start=2):
        if any(str(cell).strip() for cell in cells):
            rows.append(_row(line, cells, columns, today))
    if not rows:
        raise TableError("There is nobody in the file: only headings.")
    return rows


def _columns(headings: Sequence[Cell]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, heading in enumerate(headings):
        bare = "".join(sign for sign in fold(str(heading)) if sign.isalnum())
        for column, names in _COLUMNS.items():
            if bare in names:
                found.setdefault(column, at)
    if "name" not in found and not {"first", "last"} <= found.keys():
        raise TableError("The first row must name the columns: one called Name is missing.")
    if "birth_date" not in found:
        raise TableError("The first row must name the columns: one called Birth date is missing.")
    return found


def _row(line: int, cells: Sequence[Cell], columns: dict[str, int], today: date) -> Row:
    def cell(column: str) -> Cell:
        at = columns.get(column)
        return cells[at] if at is not None and at < len(cells) else ""

    def text(column: str) -> str:
        return " ".join(str(cell(column)).split())

    name = text("name") if "name" in columns else f"{text('first')} {text('last')}".strip()
    problem = ""
    if not fold(name):
        problem = "The name is missing."
    elif problem := why_too_long(name):
        name = name[:LONGEST]
    born: date | None = None
    written = cell("birth_date")
    try:
        if isinstance(written, date):
            born = check_birth_date(written, today)
        elif written.strip():
            born = parse_birth_date(written, today)
        else:
            problem = problem or "The birth date is missing."
    except BirthDateError as error:
        problem = problem or str(error)
    return Row(line, name, born, text("email"), text("phone"), problem)
