"""A file of players: sent, looked at, and confirmed."""

import datetime as dt
import json
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms

from series.domain.player_file import Cell, Row, TableError, read_rows
from series.forms.public import day_words
from series.models import Day
from series.reads.importing import Line
from series.spreadsheets import MOST_ROWS, read_table

LIST = "list"  # the place of those who are put on the list of the series only
ANOTHER, SKIP = "new", "skip"
HEADINGS = ("Name", "Birth date", "E-mail", "Phone")


class WhereForm(forms.Form):
    """Where the people go: the list of the series, or a day that one can enter."""

    where = forms.ChoiceField(label="Into", error_messages={"required": "Choose where they go."})

    def __init__(self, *args: Any, days: Sequence[Day], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.days = {str(day.pk): day for day in days}
        choices = [(key, f"{day.event}: {day_words(day)}") for key, day in self.days.items()]
        self.fields["where"].choices = [  # type: ignore[attr-defined]
            (LIST, "The list of the series, no event"),
            *choices,
        ]

    @property
    def day(self) -> Day | None:
        """The day that was chosen; None for the list."""
        return self.days.get(self.cleaned_data["where"])


class FileForm(WhereForm):
    """The file itself."""

    file = forms.FileField(
        label="The file",
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        help_text=f"CSV or XLSX. The first row names the columns: Name, Birth date, E-mail, Phone. {MOST_ROWS} people.",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
    )
    field_order = ("file", "where")

    def __init__(self, *args: Any, today: dt.date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.today = today

    def clean_file(self) -> list[Row]:
        try:
            return read_rows(read_table(self.cleaned_data["file"].read()), self.today)
        except TableError as error:
            raise forms.ValidationError(str(error)) from error


class ConfirmForm(WhereForm):
    """The rows as they were read, sent back with what was chosen for those who may be known: nothing is stored between.

    `batch` makes the ids of the commands, so that sending it twice registers nobody twice.
    """

    where = forms.ChoiceField(widget=forms.HiddenInput)
    batch = forms.UUIDField(widget=forms.HiddenInput)
    people = forms.CharField(widget=forms.HiddenInput, max_length=MOST_ROWS * 2000)

    def __init__(self, *args: Any, today: dt.date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.today = today

    @classmethod
    def of(cls, rows: Sequence[Row], where: str, days: Sequence[Day], today: dt.date) -> "ConfirmForm":
        table = [[row.line, row.name, _iso(row), row.email, row.phone] for row in rows if not row.problem]
        people = json.dumps(table, ensure_ascii=False)
        return cls(initial={"where": where, "batch": uuid.uuid4(), "people": people}, days=days, today=today)

    def clean_people(self) -> list[Row]:
        try:
            table = json.loads(self.cleaned_data["people"])
            lines = [int(cells[0]) for cells in table]
            bare: list[list[Cell]] = [[str(cell) for cell in cells[1:5]] for cells in table]
            _require_text(cell for cells in bare for cell in cells)
            rows = read_rows([HEADINGS, *bare[:MOST_ROWS]], self.today)
        except (ValueError, TypeError, IndexError, KeyError, RecursionError) as error:
            raise forms.ValidationError("The rows came back damaged. Send the file again.") from error
        return [Row(lines[row.line - 2], row.name, row.birth_date, row.email, row.phone, row.problem) for row in rows]

    def command_id(self, row: Row) -> uuid.UUID:
        return uuid.uuid5(self.cleaned_data["batch"], str(row.line))

    def chosen(self, line: Line) -> int | str:
        """Who a person that may be known is: a player's key, `ANOTHER` or `SKIP`. Nobody chosen means `SKIP`."""
        said = self.data.get(f"who-{line.row.line}", SKIP)
        keys = {str(known.player_id): known.player_id for known in line.alike}
        return keys.get(said, ANOTHER if said == ANOTHER else SKIP)


def _require_text(cells: Iterable[Cell]) -> None:
    """Raises ValueError for what escapes in JSON can say and no database keeps as text: NUL, and half a sign."""
    written = "".join(str(cell) for cell in cells)
    written.encode()
    if "\0" in written:
        raise ValueError


def _iso(row: Row) -> str:
    return row.birth_date.isoformat() if row.birth_date else ""
