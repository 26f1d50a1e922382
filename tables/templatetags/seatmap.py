"""The seat map: a table seen from above, drawn on the server as SVG.

The dealer sits at the bottom; seat 1 is at the dealer's left and the seats go clockwise. One drawing serves
every size: seatmap.css shows names only where there is room for them.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django import template

register = template.Library()

# The drawing, in its own units. Seats stand on a stadium: two straights joined by half circles.
MIDDLE_X, MIDDLE_Y = 180.0, 118.0  # of 360 by 236
RING_RADIUS = 93.0
STRAIGHT = 110.0
MARK_INSET = (56.0, 42.0)  # a plate is wider than high
WIDEST_NAME = 7.6  # in widths of an ordinary small letter
NARROW, WIDE = frozenset("fiījlrtI1.'’- "), frozenset("mwMW…")
PARTICLES = frozenset(["te", "ngā", "nga", "van", "von", "de", "da", "di", "le", "la"])


@dataclass(frozen=True)
class SeatView:
    """One seat as shown. `name` is None for an empty seat; `url` is where a tap leads in the full drawing.

    `due_big_blind`: posts the next big blind. `penalty`: away serving one. `arriving`: ordered here, not
    seated yet.
    """

    number: int
    name: str | None = None
    entry_id: int | None = None
    url: str | None = None
    due_big_blind: bool = False
    penalty: bool = False
    arriving: bool = False
    is_you: bool = False


@dataclass(frozen=True)
class SeatMap:
    """One table as shown, with 2 to 10 seats.

    `button`, `small_blind` and `big_blind` are seat numbers, also of empty seats (a dead button or small
    blind), or None. `label` stands under the table's number on the cloth, "6 of 9".
    """

    number: int
    seats: list[SeatView]
    button: int | None = None
    small_blind: int | None = None
    big_blind: int | None = None
    label: str = ""


@dataclass(frozen=True)
class DrawnSeat:
    """A seat with its place in the drawing and its words. Coordinates are texts, ready for attributes."""

    number: int
    x: str
    y: str
    css: str
    short: str
    words: str
    sign: str
    url: str | None


@dataclass(frozen=True)
class Mark:
    """Something lying on the cloth before a seat: D, SB, BB, or next (the coming big blind)."""

    kind: str
    text: str
    x: str
    y: str


def ring_point(share: float, inset: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """The point after `share` (0..1) of the way round, clockwise from the dealer, `inset` (x, y) inside."""
    half, arc = STRAIGHT / 2, math.pi * RING_RADIUS
    across, down = RING_RADIUS - inset[0], RING_RADIUS - inset[1]
    way = (share % 1.0) * (2 * STRAIGHT + 2 * arc)
    if way < half:  # along the bottom, from the dealer to the dealer's left
        return MIDDLE_X - way, MIDDLE_Y + down
    way -= half
    if way < arc:
        angle = way / RING_RADIUS
        return MIDDLE_X - half - across * math.sin(angle), MIDDLE_Y + down * math.cos(angle)
    way -= arc
    if way < STRAIGHT:
        return MIDDLE_X - half + way, MIDDLE_Y - down
    way -= STRAIGHT
    if way < arc:
        angle = way / RING_RADIUS
        return MIDDLE_X + half + across * math.sin(angle), MIDDLE_Y - down * math.cos(angle)
    return MIDDLE_X + half - (way - arc), MIDDLE_Y + down


def seat_share(number: int, seats: int) -> float:
    """Where on the ring a seat stands: the dealer takes one place, the seats share the rest evenly."""
    return number / (seats + 1)


def short_names(names: list[str]) -> dict[str, str]:
    """What fits a seat: the first name, with a letter of the last one where two at the table share it."""
    first = {name: _first_name(name) for name in names}
    shared = Counter(first.values())
    short = {}
    for name, said in first.items():
        letter = f" {name.split()[-1][0]}" if shared[said] > 1 and " " in name.strip() else ""
        while width(said + letter) > WIDEST_NAME:
            said = said.removesuffix("…")[:-1].rstrip() + "…"
        short[name] = said + letter
    return short


def width(text: str) -> float:
    """About how wide a text is drawn, in widths of an ordinary small letter."""
    return sum(0.55 if each in NARROW else 1.5 if each in WIDE else 1.2 if each.isupper() else 1 for each in text)


def _first_name(name: str) -> str:
    """ "Te Ariki" of "Te Ariki Hohepa": a particle alone names nobody."""
    words = name.split()
    return " ".join(words[:2]) if words[0].lower() in PARTICLES else words[0]


def draw(table: SeatMap) -> tuple[list[DrawnSeat], list[Mark]]:
    """All seats and the marks on the cloth, in seat order."""
    count = max([len(table.seats), *(seat.number for seat in table.seats)])
    short = short_names([seat.name for seat in table.seats if seat.name and seat.name.strip()])
    drawn, marks = [], []
    for seat in sorted(table.seats, key=lambda seat: seat.number):
        share = seat_share(seat.number, count)
        x, y = ring_point(share)
        drawn.append(
            DrawnSeat(
                number=seat.number,
                x=f"{x:.1f}",
                y=f"{y:.1f}",
                css=" ".join(_states(seat)),
                short="you" if seat.is_you else short.get(seat.name or "", ""),
                words=_words(table, seat),
                sign="penalty" if seat.penalty else "arriving" if seat.arriving else "",
                url=seat.url,
            )
        )
        marks += _marks(table, seat, share)
    return drawn, marks


def _states(seat: SeatView) -> list[str]:
    flags = {
        "empty": not seat.name and not seat.is_you,
        "you": seat.is_you,
        "due": seat.due_big_blind,
        "penalty": seat.penalty,
        "arriving": seat.arriving,
    }
    return [name for name, holds in flags.items() if holds]


def _words(table: SeatMap, seat: SeatView) -> str:
    parts = [f"Seat {seat.number}: {seat.name or 'empty'}"]
    if seat.is_you:
        parts.append("you")
    if seat.arriving:
        parts.append("on the way here")
    if seat.penalty:
        parts.append("away on a penalty")
    if table.button == seat.number:
        parts.append("button" if seat.name else "dead button")
    if table.small_blind == seat.number:
        parts.append("small blind")
    if table.big_blind == seat.number:
        parts.append("big blind")
    if seat.due_big_blind:
        parts.append("next big blind")
    return ", ".join(parts)


def _marks(table: SeatMap, seat: SeatView, share: float) -> list[Mark]:
    here = [
        ("button", "D", table.button == seat.number),
        ("blind", "SB", table.small_blind == seat.number),
        ("blind", "BB", table.big_blind == seat.number),
        ("next", "next", seat.due_big_blind and table.big_blind != seat.number),
    ]
    lying = [(kind, text) for kind, text, holds in here if holds]
    marks = []
    for place, (kind, text) in enumerate(lying):
        x, y = ring_point(share, MARK_INSET)
        # two before one seat (heads-up the button posts the small blind) lie side by side
        x += (place - (len(lying) - 1) / 2) * 26
        marks.append(Mark(kind, text, f"{x:.1f}", f"{y:.1f}"))
    return marks


@register.inclusion_tag("components/seatmap.html")
def seatmap(table: SeatMap, size: str = "full", link: str | None = None) -> dict[str, Any]:
    """Draw a table. `size` is "thumb" or "full"; `link` makes the whole drawing one link.

    In the full drawing each seat with a `url` is a link of at least 44 px.
    """
    seats, marks = draw(table)
    with_links = size == "full" and link is None and any(seat.url for seat in seats)
    return {
        "table": table,
        "size": size,
        "link": link,
        "seats": seats,
        "marks": marks,
        "with_links": with_links,
        "title": f"Table {table.number}" + (f", {table.label}" if table.label else ""),
    }
