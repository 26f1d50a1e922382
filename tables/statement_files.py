"""The statement of an event as PDF and as CSV."""

import csv as plain_csv
import datetime as dt
import io
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import defusedcsv.csv as csv
from fpdf import FPDF, FontFace
from fpdf.enums import TableBordersLayout

from series.domain.money import format_money
from series.pdf_fonts import cut_fonts
from tables.domain.statement import Cell, Column, Document, Section

_INK, _SOFT, _LINE = (27, 31, 26), (87, 94, 85), (205, 205, 198)
_MARGIN, _FOOT, _FACT = 18.0, 16.0, 0.28  # millimetres; the share of the width for the name of a fact
_ALWAYS = " -–•·0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:()/$#"
NOT_FROZEN = "Draft: not frozen"


def written(cell: Cell, kind: str) -> str:
    """A cell as people read it."""
    if cell is None:
        return ""
    if kind == "money":
        return format_money(int(cell), always_cents=True)
    return f"{cell:,}" if isinstance(cell, int) else cell


def state_of(document: Document) -> str:
    """Which statement it is, in words."""
    if not document.number:
        return NOT_FROZEN
    return f"Statement {document.number}, frozen {document.at} by {document.by}"


def to_csv(document: Document) -> str:
    """Every section below the other, each with its title and columns. Amounts are plain numbers for a spreadsheet, and
    no cell is read as a formula; begins with the mark by which Excel knows UTF-8."""
    out = io.StringIO()
    out.write("\ufeff")
    writer = csv.writer(out)
    numbers = plain_csv.writer(out)  # only what this function made itself
    writer.writerow([document.title])
    writer.writerow([state_of(document)])
    if document.number:
        numbers.writerow(["SHA-256", document.fingerprint])
    for section in document.sections:
        numbers.writerow([])
        writer.writerow([section.title])
        if not section.is_facts:
            writer.writerow([column.name for column in section.columns])
        for row in section.rows:
            writer.writerow([_plain(cell, column) for cell, column in zip(row, section.columns, strict=True)])
        if section.note:
            writer.writerow([section.note])
    return out.getvalue()


def _plain(cell: Cell, column: Column) -> Cell | Decimal:
    """A number stays one, so that a negative amount is not taken for a formula."""
    if column.kind == "money" and isinstance(cell, int):
        return Decimal(cell).scaleb(-2)
    return cell


def to_pdf(document: Document, made_at: dt.datetime) -> bytes:
    """The statement on A4, its number and fingerprint on every page. The same statement gives the same bytes."""
    words = [document.title, state_of(document), _ALWAYS, document.fingerprint]
    for section in document.sections:
        words += [section.title, section.note, *(column.name for column in section.columns)]
        words += [str(cell) for row in section.rows for cell in row if cell is not None]
    with TemporaryDirectory() as folder:
        page = _Page(document)
        for style, path in cut_fonts(Path(folder), " ".join(words), ("", "B")).items():
            page.add_font("Inter", style, path)
        page.set_creation_date(made_at)
        page.add_page()
        page.heading()
        for section in document.sections:
            page.section(section)
        return bytes(page.output())


class _Page(FPDF):
    def __init__(self, document: Document) -> None:
        super().__init__(format="A4")
        self.document = document
        self.set_title(f"{document.title}, {state_of(document)}")
        self.set_lang("en-NZ")
        self.set_margins(_MARGIN, _MARGIN)
        self.set_auto_page_break(True, margin=_FOOT + 8)

    def footer(self) -> None:
        self.set_y(-_FOOT)
        self.set_font("Inter", size=7.5)
        self.set_text_color(*_SOFT)
        self.cell(self.epw - 20, 4, state_of(self.document))
        self.cell(20, 4, f"{self.page_no()} / {{nb}}", align="R", new_x="LMARGIN", new_y="NEXT")
        if self.document.number:
            self.cell(0, 4, f"SHA-256 {self.document.fingerprint}")

    def heading(self) -> None:
        self.set_font("Inter", "B", 18)
        self.set_text_color(*_INK)
        self.multi_cell(0, 8, self.document.title, new_x="LMARGIN", new_y="NEXT", align="L")
        self.set_font("Inter", size=10)
        self.set_text_color(*_SOFT)
        self.multi_cell(0, 6, state_of(self.document), new_x="LMARGIN", new_y="NEXT", align="L")

    def section(self, section: Section) -> None:
        if self.will_page_break(30):
            self.add_page()
        self.ln(5)
        self.set_font("Inter", "B", 12)
        self.set_text_color(*_INK)
        self.multi_cell(0, 7, section.title, new_x="LMARGIN", new_y="NEXT", align="L")
        self.set_font("Inter", size=9)
        self.set_draw_color(*_LINE)
        if section.rows:
            self._table(section)
        if section.note:
            self.ln(1)
            self.set_text_color(*_SOFT)
            self.multi_cell(0, 4.5, section.note, new_x="LMARGIN", new_y="NEXT", align="L")

    def _table(self, section: Section) -> None:
        with self.table(
            col_widths=_widths(section),
            text_align=tuple("LEFT" if column.kind == "text" else "RIGHT" for column in section.columns),
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            line_height=5,
            padding=(0.2, 1.2),
            first_row_as_headings=not section.is_facts,
            headings_style=FontFace(emphasis="BOLD", color=_SOFT),
        ) as table:
            if not section.is_facts:
                table.row([column.name for column in section.columns])
            for row in section.rows:
                table.row([written(cell, column.kind) for cell, column in zip(row, section.columns, strict=True)])


def _widths(section: Section) -> Sequence[float]:
    """Shares of the page's width: by the longest cell of a column, numbers no wider than they are."""
    if section.is_facts:
        return (_FACT, 1 - _FACT)
    widths = []
    for at, column in enumerate(section.columns):
        longest = max((len(written(row[at], column.kind)) for row in section.rows), default=0)
        longest = max(longest, len(column.name), 8)
        widths.append(float(min(longest, 46 if column.kind == "text" else 16)))
    return widths
