"""The structure editor: rows of levels and breaks as people type them, with what is wrong beside each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms
from django.http import QueryDict

from series.commands.opening import MOST_MINUTES, MOST_ROWS
from series.domain.eligibility import local_date
from series.domain.money import AmountError, format_chips, parse_chips
from series.domain.structure import AnteType, Break, Item, Level, check
from series.domain.structure_csv import parse_csv
from series.domain.structure_templates import TEMPLATES, build
from series.domain.windows import misplaced, windows
from series.forms.fields import WholeNumberField, parse_chip_list, write_chip_list
from series.models import Event

# "removed", not "remove": a form with a field of that name would lose its own method of that name in the browser
CELLS = ("kind", "minutes", "small_blind", "big_blind", "ante", "ante_type", "removed")
LEVEL, BREAK = "level", "break"


@dataclass(frozen=True)
class Row:
    """One row as it was typed. `errors`: by cell, or "" for the row as a whole; `number`: of a level, to be shown;
    `marks`: which terms of the event turn here."""

    kind: str = LEVEL
    minutes: str = ""
    small_blind: str = ""
    big_blind: str = ""
    ante: str = ""
    ante_type: str = AnteType.NONE.value
    removed: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    number: int | None = None
    marks: tuple[str, ...] = ()

    @property
    def is_break(self) -> bool:
        return self.kind == BREAK

    @property
    def is_empty(self) -> bool:
        return not (self.minutes or self.small_blind or self.big_blind or self.ante or self.removed)


class StructureForm:
    """All rows of the event's structure. `rows` are as typed; after `is_valid` they carry errors and warnings."""

    def __init__(self, rows: Sequence[Row], event: Event) -> None:
        self.rows = list(rows)
        self.event = event
        self.items: tuple[Item, ...] = ()
        self.errors: list[str] = []
        self.warnings: list[str] = []

    @classmethod
    def typed(cls, data: QueryDict, event: Event) -> "StructureForm":
        """The rows of a posted form, all cells of a row at the same place of their list."""
        columns = [data.getlist(name) for name in CELLS]
        rows = [Row(*(cell.strip() for cell in cells)) for cells in zip(*columns, strict=False)]
        return cls(rows, event)

    @classmethod
    def of(cls, items: Sequence[Item], event: Event) -> "StructureForm":
        """The rows of a structure that is there."""
        return cls([_row(item) for item in items], event)

    def insert(self, at: int, kind: str) -> None:
        """A new row before the row `at`; who pays the ante, and how long breaks are, is taken from the rows above."""
        above = self.rows[:at]
        if kind == BREAK:
            breaks = [row.minutes for row in above if row.is_break and row.minutes]
            self.rows.insert(at, Row(kind=BREAK, minutes=breaks[-1] if breaks else "10"))
        else:
            types = [row.ante_type for row in above if not row.is_break]
            self.rows.insert(at, Row(ante_type=types[-1] if types else AnteType.NONE.value))

    def remove(self, at: int) -> None:
        if 0 <= at < len(self.rows):
            del self.rows[at]

    def numbered(self) -> list[Row]:
        """The rows as the page shows them: levels numbered from 1, breaks not; and which terms turn there."""
        shown, number = [], 0
        turns = [(window.level, window.in_break, window.mark) for window in windows(self.event.rules)]
        if self.event.late_reg_level:
            turns.append((self.event.late_reg_level, False, "late registration ends"))
        for row in self.rows:
            number += not row.is_break
            marks = tuple(mark for level, in_break, mark in turns if (level, in_break) == (number, row.is_break))
            shown.append(replace(row, number=None if row.is_break else number, marks=marks))
        return shown

    def unchecked(self) -> "StructureForm":
        """The same rows without a word about what is wrong, as while somebody is still typing."""
        quiet = StructureForm(self.rows, self.event)
        self.is_valid()
        quiet.items = self.items
        return quiet

    def is_valid(self) -> bool:
        """Read the rows, all but the empty ones. Errors and warnings are then beside their rows."""
        if len(self.rows) > MOST_ROWS:
            self.errors = [f"A structure has {MOST_ROWS} levels and breaks at most."]
            return False
        self.rows = _with_minutes(self.rows)
        filled = [index for index, row in enumerate(self.rows) if not row.is_empty]
        items = []
        for index in filled:
            self.rows[index], item = _read(self.rows[index])
            items.append(item)
        self.items = tuple(item for item in items if item is not None)
        if len(self.items) < len(filled):
            self.items = ()
            self.errors = ["Some rows cannot be read. What is wrong stands beside them."]
            return False
        found = check(self.items, self.event.chips, self.event.late_reg_level)
        for finding in found.errors:
            if finding.position is None:
                self.errors.append(finding.explanation)
            else:
                at = filled[finding.position - 1]
                said = " ".join(filter(None, [self.rows[at].errors.get("", ""), finding.explanation]))
                self.rows[at] = replace(self.rows[at], errors={"": said})
        for finding in found.warnings:
            if finding.position is None:
                self.warnings.append(finding.explanation)
            else:
                at = filled[finding.position - 1]
                said_before = self.rows[at].warnings
                self.rows[at] = replace(self.rows[at], warnings=(*said_before, finding.explanation))
        unfit = [wrong for _, wrong in misplaced(self.event.rules, self.items)]
        if self.event.status == Event.Status.DRAFT:  # the terms may still follow
            self.warnings += [f"{wrong} Change the rows or the event’s terms before it opens." for wrong in unfit]
            unfit = []
        if found.errors and not self.errors:
            self.errors = ["The structure cannot be used yet. What is wrong stands beside its rows."]
        self.errors += unfit
        return not found.errors and not unfit


def _row(item: Item) -> Row:
    removed = write_chip_list(item.remove)
    if isinstance(item, Break):
        return Row(kind=BREAK, minutes=str(item.minutes), removed=removed)
    return Row(
        minutes=str(item.minutes),
        small_blind=format_chips(item.small_blind),
        big_blind=format_chips(item.big_blind),
        ante=format_chips(item.ante) if item.ante else "",
        ante_type=item.ante_type.value,
        removed=removed,
    )


def _with_minutes(rows: Sequence[Row]) -> list[Row]:
    """A level without minutes is as long as the level before it."""
    filled: list[Row] = []
    last = ""
    for row in rows:
        if not row.is_break and not row.is_empty:
            last = row.minutes or last
            row = replace(row, minutes=last)
        filled.append(row)
    return filled


def _read(row: Row) -> tuple[Row, Item | None]:
    errors: dict[str, str] = {}

    def number(cell: str, empty: int | None = None) -> int:
        text = getattr(row, cell)
        if not text and empty is not None:
            return empty
        try:
            return parse_chips(text)
        except AmountError as error:
            errors[cell] = str(error)
            return 0

    try:
        remove = parse_chip_list(row.removed)
    except AmountError as error:
        errors["removed"] = str(error)
        remove = ()
    minutes = number("minutes")
    if minutes > MOST_MINUTES:
        errors["minutes"] = "A level or break lasts a day at most."
    if row.is_break:
        item: Item = Break(minutes, remove)
    else:
        ante = number("ante", empty=0)
        known = ante and row.ante_type in [kind.value for kind in AnteType]
        ante_type = AnteType(row.ante_type) if known else AnteType.NONE
        item = Level(minutes, number("small_blind"), number("big_blind"), ante, ante_type, remove)
    return replace(row, errors=errors, warnings=()), None if errors else item


class BuildForm(forms.Form):
    """A ready-made structure, built to the event's stack and chips."""

    template = forms.ChoiceField(
        label="Kind",
        choices=[(shape.code, f"{shape.label}: {shape.description}") for shape in TEMPLATES.values()],
        initial="regular",
        widget=forms.RadioSelect,
    )
    hours = WholeNumberField(label="Hours", initial=4, least=1, most=48, help_text="Breaks included.")
    entries = WholeNumberField(label="Entries expected", least=2, most=100_000)

    def __init__(self, *args: Any, event: Event, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.event = event
        self.fields["entries"].initial = event.capacity
        self.items: tuple[Item, ...] = ()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors:
            try:
                self.items = build(
                    given["template"],
                    self.event.starting_stack,
                    given["hours"],
                    self.event.chips,
                    entries=given["entries"],
                )
            except ValueError as error:
                self.add_error("hours", str(error))
        return given


class SourceField(forms.ModelChoiceField):
    """An event, told apart from others of its name by series and date."""

    def label_from_instance(self, obj: Any) -> str:
        day = local_date(obj.starts_at, obj.series.tz)
        return f"{obj} · {obj.series}, {day.day} {day:%B %Y}"


class CopyForm(forms.Form):
    """The structure of another event."""

    event = SourceField(label="Event", queryset=Event.objects.none())

    def __init__(self, *args: Any, sources: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["event"].queryset = sources  # type: ignore[attr-defined]


class ImportForm(forms.Form):
    """A structure from a CSV file, or pasted from a spreadsheet. `items` are what it holds."""

    MOST_BYTES = 100_000

    file = forms.FileField(label="CSV file", required=False)
    text = forms.CharField(
        label="Or paste the rows",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
        help_text="The first line names the columns: level, minutes, small blind, big blind, ante, ante type, remove.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.items: tuple[Item, ...] = ()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        upload = given.get("file")
        field = "file" if upload else "text"
        if upload and upload.size > self.MOST_BYTES:
            self.add_error("file", "This file is too large to be a structure.")
            return given
        try:
            text = upload.read().decode("utf-8-sig") if upload else given.get("text", "")
        except UnicodeDecodeError:
            self.add_error("file", "This is not a text file. Save the sheet as CSV (UTF-8) and choose that file.")
            return given
        if not text.strip():
            self.add_error("file", "Choose a file, or paste the rows below.")
            return given
        imported = parse_csv(text)
        for error in imported.errors:
            self.add_error(field, f"Line {error.line}: {error.text}")
        self.items = imported.items
        return given
