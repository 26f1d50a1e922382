"""A rulebook to print: Inter, A4, the number of each rule in the margin, version and fingerprint on every page."""

import datetime as dt
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

from fpdf import FPDF, FontFace, TextStyle

from series.pdf_fonts import cut_fonts

_POUNAMU, _INK, _SOFT = (11, 107, 87), (27, 31, 26), (87, 94, 85)
_MARGIN, _TEXT_AT, _FOOT = 20.0, 36.0, 20.0  # millimetres
_SUITS = {"♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}
_ALWAYS = " -•·0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:()/"


def to_pdf(
    *,
    title: str,
    version: str,
    fingerprint: str,
    rules: Sequence[tuple[str, str, str]],
    made_at: dt.datetime | None = None,
) -> bytes:
    """Return a PDF of rules given as (section, number, safe HTML).

    The same version gives the same bytes: `made_at` is the only date in the file.
    """
    words = " ".join([title, version, fingerprint, _ALWAYS, *(part for rule in rules for part in rule)])
    with TemporaryDirectory() as folder:
        page = _Page(title, version, fingerprint)
        for style, path in cut_fonts(Path(folder), unescape(words)).items():
            page.add_font("Inter", style, path)
        page.set_creation_date(made_at or dt.datetime(2000, 1, 1, tzinfo=dt.UTC))
        page.add_page()
        page.heading(title, version)
        section = ""
        for name, number, html in rules:
            if name != section:
                section = name
                page.section(name)
            page.rule(number, html)
        return bytes(page.output())


class _Page(FPDF):
    def __init__(self, title: str, version: str, fingerprint: str) -> None:
        super().__init__(format="A4")
        self.foot = f"{title} · {version}"
        self.fingerprint = fingerprint
        self.set_title(f"{title}, {version}")
        self.set_lang("en-NZ")
        self.set_margins(_MARGIN, _MARGIN)
        self.set_auto_page_break(True, margin=_FOOT + 8)

    def footer(self) -> None:
        self.set_y(-_FOOT)
        self.set_font("Inter", size=7.5)
        self.set_text_color(*_SOFT)
        self.set_x(_MARGIN)
        self.cell(self.w - 2 * _MARGIN - 20, 4, self.foot)
        self.cell(20, 4, f"{self.page_no()} / {{nb}}", align="R", new_x="LMARGIN", new_y="NEXT")
        if self.fingerprint:
            self.set_x(_MARGIN)
            self.cell(0, 4, f"SHA-256 {self.fingerprint}")

    def heading(self, title: str, version: str) -> None:
        self.set_font("Inter", "B", 22)
        self.set_text_color(*_INK)
        self.multi_cell(0, 10, title, new_x="LMARGIN", new_y="NEXT", align="L")
        self.set_font("Inter", size=10)
        self.set_text_color(*_SOFT)
        self.multi_cell(0, 6, version, new_x="LMARGIN", new_y="NEXT", align="L")
        self.ln(2)

    def section(self, name: str) -> None:
        if self.will_page_break(26):
            self.add_page()
        self.ln(4)
        self.start_section(name)
        self.set_font("Inter", "B", 13)
        self.set_text_color(*_INK)
        self.multi_cell(0, 7, name, new_x="LMARGIN", new_y="NEXT", align="L")
        self.ln(1)

    def rule(self, number: str, html: str) -> None:
        if self.will_page_break(11):
            self.add_page()
        top = self.get_y()
        self.set_font("Inter", "B", 11)
        self.set_text_color(*_POUNAMU)
        self.cell(_TEXT_AT - _MARGIN, 5.2, number)
        self.set_left_margin(_TEXT_AT)
        self.set_font("Inter", size=10)
        self.set_xy(_TEXT_AT, top - self.font_size)  # a paragraph of HTML begins on a new line
        self.set_text_color(*_INK)
        self.write_html(_plain(html), font_family="Inter", tag_styles=_TAGS, li_prefix_color=_INK)
        self.set_left_margin(_MARGIN)
        self.ln(2.5)


_TAGS = {
    "p": TextStyle(b_margin=1),
    "ul": TextStyle(t_margin=1),
    "ol": TextStyle(t_margin=1),
    "blockquote": TextStyle(color=_SOFT, t_margin=2, b_margin=2),
    "code": FontFace(family="Inter"),
}


def _plain(html: str) -> str:
    """The HTML without line ends between tags, which would show, and with suits as words: Inter lacks most of them."""
    for sign, word in _SUITS.items():
        html = html.replace(sign, word)
    return re.sub(r"<(p|ul|ol)>", r'<\1 line-height="1.3">', re.sub(r">\s+<", "><", html.strip()))
