"""The statement of an event as a document: sections of rows, and its fingerprint. Amounts are integer cents.

A document is kept as plain values, so that what was frozen reads the same however the site changes afterwards.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["text", "number", "money"]
Cell = str | int | None


@dataclass(frozen=True)
class Column:
    """`kind` says what the cells are: words, whole numbers, or cents."""

    name: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Section:
    """A table of the document. Each row has a cell for each column; `note` stands below it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for a row that does not fit the columns."""
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"{self.title}: a row does not have a cell for each column")

    @property
    def is_facts(self) -> bool:
        """Two columns without names: a fact and its value."""
        return not any(column.name for column in self.columns)


@dataclass(frozen=True)
class Document:
    """The statement. `number` is 0 until it is frozen; then `at` says when, in words, and `by` says who froze it."""

    title: str
    currency: str
    sections: tuple[Section, ...]
    number: int = 0
    at: str = ""
    by: str = ""

    @property
    def content(self) -> dict[str, Any]:
        """As it is kept."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.content)

    def says_the_same(self, other: "Document") -> bool:
        """Whether two statements differ in nothing but number, time and name."""
        return (self.title, self.currency, self.sections) == (other.title, other.currency, other.sections)


def fingerprint(content: Any) -> str:
    """SHA-256, in hex, of the content written in one way: keys in order, no spaces, UTF-8."""
    written = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()


def read(content: dict[str, Any]) -> Document:
    """The document that was kept.

    Raises:
        ValueError, KeyError, TypeError: this is not the content of a document.
    """
    sections = [
        Section(
            title=section["title"],
            columns=tuple(Column(**column) for column in section["columns"]),
            rows=tuple(tuple(row) for row in section["rows"]),
            note=section["note"],
        )
        for section in content["sections"]
    ]
    return Document(**{**content, "sections": tuple(sections)})


def facts(title: str, rows: Sequence[tuple[str, Cell]], note: str = "", kind: Kind = "text") -> Section:
    """A section of facts with their values."""
    return Section(title, (Column(""), Column("", kind)), tuple(rows), note)
