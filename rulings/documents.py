"""What an organiser uploads, as plain text: text files in any usual encoding, Markdown, and Word documents."""

from collections.abc import Iterator
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import PackageNotFoundError
from docx.text.paragraph import Paragraph

MOST_BYTES = 2_000_000
MOST_UNPACKED = 40_000_000  # a small file can unpack into one that fills the memory
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class BadDocument(ValueError):
    """The file cannot be read; the message says why in plain words."""


def read_document(content: bytes) -> str:
    """Return the text of a file.

    Raises:
        BadDocument: too large, a broken Word document, or no text at all.
    """
    if len(content) > MOST_BYTES:
        raise BadDocument("This file is too large: 2 MB at most.")
    text = _word(content) if content.startswith(b"PK\x03\x04") else _decoded(content)
    if not text.strip():
        raise BadDocument("There is no text in this file.")
    return text


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in content:
        encodings = []
    else:
        encodings = ["utf-8-sig", "cp1252"]  # Windows writes the latter where nobody asked it for Unicode
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise BadDocument("This is not a text file, Markdown or Word document (.docx).")


def _word(content: bytes) -> str:
    try:
        with ZipFile(BytesIO(content)) as packed:
            if sum(part.file_size for part in packed.infolist()) > MOST_UNPACKED:
                raise BadDocument("This Word document is too large.")
        document = Document(BytesIO(content))
    except (BadZipFile, PackageNotFoundError, KeyError, ValueError, SyntaxError) as error:
        if isinstance(error, BadDocument):
            raise
        raise BadDocument("This Word document cannot be read. Save it as .docx again, or paste its text.") from error
    return "\n\n".join(_lines(document))


def _lines(document: WordDocument) -> Iterator[str]:
    numbering = _Numbering(document)
    for block in document.iter_inner_content():
        if isinstance(block, Paragraph):
            yield f"{numbering.label(block)}{block.text}"
        else:
            for row in block.rows:  # the number of a rule often has a column of its own
                cells = {cell._tc: cell.text for cell in row.cells}  # a merged cell is there several times
                yield " ".join(cells.values())


class _Numbering:
    """The numbers that Word shows before the paragraphs of a list, which are not part of their text."""

    def __init__(self, document: WordDocument) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._lists: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        try:
            root = document.part.numbering_part.element
        except (KeyError, NotImplementedError):
            return
        for abstract in root.iter(f"{_W}abstractNum"):
            levels = self._levels[abstract.get(f"{_W}abstractNumId")] = {}
            for level in abstract.iter(f"{_W}lvl"):
                kind, words = level.find(f"{_W}numFmt"), level.find(f"{_W}lvlText")
                start = level.find(f"{_W}start")
                levels[int(level.get(f"{_W}ilvl"))] = (
                    "decimal" if kind is None else kind.get(f"{_W}val"),
                    "" if words is None else words.get(f"{_W}val") or "",
                    1 if start is None else int(start.get(f"{_W}val")),
                )
        for number in root.iter(f"{_W}num"):
            self._lists[number.get(f"{_W}numId")] = number.find(f"{_W}abstractNumId").get(f"{_W}val")

    def label(self, paragraph: Paragraph) -> str:
        """What stands before a paragraph, with a blank: "9a. ", "• ", or nothing. Counts on with each call."""
        found = self._place(paragraph)
        if found is None:
            return ""
        abstract, level = found
        levels = self._levels.get(abstract, {})
        if level not in levels:
            return ""
        kind, words, start = levels[level]
        if kind == "bullet":
            return "• "
        counts = self._counts.setdefault(abstract, {})
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        for place, (other, _, first) in levels.items():
            words = words.replace(f"%{place + 1}", _written(counts.get(place, first), other))
        return f"{words} " if words else ""

    def _place(self, paragraph: Paragraph) -> tuple[str, int] | None:
        """The list that a paragraph belongs to, by itself or by its style, and its level there."""
        own = paragraph._p.find(f"{_W}pPr/{_W}numPr")
        style = paragraph.style.element if paragraph.style is not None else None
        styled = style.find(f"{_W}pPr/{_W}numPr") if style is not None else None
        for properties in (own, styled):
            number = properties.find(f"{_W}numId") if properties is not None else None
            if properties is not None and number is not None:
                level = properties.find(f"{_W}ilvl")
                abstract = self._lists.get(number.get(f"{_W}val"))
                return None if abstract is None else (abstract, 0 if level is None else int(level.get(f"{_W}val")))
        return None


def _written(count: int, kind: str) -> str:
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26)
        return letter if kind == "lowerLetter" else letter.upper()
    return str(count)
