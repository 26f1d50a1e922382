"""The draws of an event as anybody may see them: what went in, what came out, and the document that a script checks."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from series.models import Entry, Event
from tables.domain.draw import commitment
from tables.models import Draw

ORDERS = (Draw.Kind.BREAK_ORDER, Draw.Kind.BUTTON, Draw.Kind.LOT, Draw.Kind.BALANCE)
APART = (Draw.Kind.LATE, Draw.Kind.BALANCE)  # the many small ones, listed by themselves
REMOVED = "(name removed)"


@dataclass(frozen=True)
class Secret:
    """The hash that an event has shown since it opened, and the secret itself once it is out, else empty."""

    commitment: str
    secret: str


@dataclass(frozen=True)
class Drawn:
    """One name that came out: with a seat, or with its place in an order."""

    key: str
    name: str
    table: int | None
    seat: int | None


@dataclass(frozen=True)
class Chairs:
    """A table of a draw. `last_resort`: chairs drawn only when no other is open (rule 47)."""

    table: int
    players: int
    chairs: tuple[int, ...]
    last_resort: tuple[int, ...]


@dataclass(frozen=True)
class DrawView:
    """A draw. `went_in` is in the frozen order, `came_out` in the order drawn, empty before.

    `by_hand`: the dealer's cards decided; there is no document to check. `outcome`: what came out, if one line says it.
    """

    id: int
    kind: str
    status: str
    title: str
    label: str
    day: str
    frozen_at: dt.datetime
    drawn_at: dt.datetime | None
    at_once: bool
    seed_commitment: str
    seed: str
    withdrawn_why: str
    by_hand: bool
    went_in: tuple[tuple[str, str], ...]
    tables: tuple[Chairs, ...]
    came_out: tuple[Drawn, ...]
    outcome: str

    @property
    def is_order(self) -> bool:
        return not self.tables

    @property
    def numbered(self) -> bool:
        """Whether what is drawn are entries, told apart by their numbers."""
        return self.what_went_in == "Players"

    @property
    def what_went_in(self) -> str:
        if self.kind == Draw.Kind.BREAK_ORDER:
            return "Tables"
        return "Chairs" if self.kind == Draw.Kind.BALANCE and "-" in self.went_in[0][0] else "Players"

    @property
    def by_name(self) -> list[Drawn]:
        """What came out, to be looked up: by name."""
        return sorted(self.came_out, key=lambda drawn: drawn.name.casefold())


def secrets_of(event: Event) -> list[Secret]:
    """The event's secrets, the one in use last; the secret is out once the event is finished. No query."""
    hidden = "" if event.status != Event.Status.FINISHED else event.draw_secret
    spent = [Secret(commitment(bytes.fromhex(secret)), secret) for secret in event.spent_secrets]
    return [*spent, Secret(commitment(bytes.fromhex(event.draw_secret)), hidden)]


def draws_of(event: Event, kind: str = "") -> QuerySet[Draw]:
    """The draws of an event, the latest first: those of one kind of `APART`, or all that are not of these."""
    rows = Draw.objects.filter(day__event=event).select_related("day").order_by("-pk")
    return rows.filter(kind=kind) if kind else rows.exclude(kind__in=APART)


def present_names(rows: Iterable[Draw]) -> list[Draw]:
    """Draws with everybody under the public name of now, as they may have chosen another one since. One query."""
    found = list(rows)
    keys = {key for row in found for key in (row.people or {}) if key.isdecimal()}
    entries = Entry.objects.filter(pk__in=keys).select_related("player")
    names = {str(entry.pk): entry.player.public_name for entry in entries}
    for row in found:
        row.people = {key: names.get(key, name) for key, name in (row.people or {}).items()}
    return found


def view_of(row: Draw) -> DrawView:
    """What the page shows of a draw; the row with its day. No query."""
    people: dict[str, str] = row.people or {}

    def name(key: str) -> str:
        if row.kind == Draw.Kind.BREAK_ORDER:
            return f"Table {key}"
        if row.kind == Draw.Kind.BALANCE and "-" in key:
            return f"Seat {key.split('-')[1]}"
        return people.get(key, REMOVED)

    tables = tuple(
        Chairs(table["table"], table["players"], tuple(table["chairs"]), tuple(table["last_resort"]))
        for table in row.given.get("tables", ())
    )
    came_out = tuple(
        Drawn(item, name(item), None, None)
        if isinstance(item, str)
        else Drawn(item[0], name(item[0]), item[1], item[2])
        for item in row.result
    )
    return DrawView(
        id=row.pk,
        kind=row.kind,
        status=row.status,
        title=_title(row, tables),
        label=f"{row.day_id} {row.label}",
        day=row.day.label,
        frozen_at=row.frozen_at,
        drawn_at=row.drawn_at,
        at_once=not row.seed_commitment,
        seed_commitment=row.seed_commitment,
        seed=row.seed,
        withdrawn_why=row.withdrawn_why,
        by_hand=row.by_hand,
        went_in=tuple((key, name(key)) for key in row.given["names"]),
        tables=tables,
        came_out=came_out,
        outcome=_outcome(row, came_out),
    )


def document(row: Draw, event: Event) -> dict[str, Any]:
    """What `static/verify_draw.py` checks (see `tables.domain.draw`); of a frozen list, without seed and result."""
    secret = next((known.secret for known in secrets_of(event) if known.commitment == row.commitment), "")
    found: dict[str, Any] = {
        "algorithm": row.algorithm,
        "kind": "order" if row.kind in ORDERS else "seats",
        "label": f"{row.day_id} {row.label}",
        "commitment": row.commitment,
        **row.given,
        "people": row.people,
        "event": event.name,
    }
    if row.seed_commitment:
        found["seed_commitment"] = row.seed_commitment
    if row.seed:
        found |= {"seed": row.seed, "result": row.result}
    if secret:
        found["secret"] = secret
    return found


def _title(row: Draw, tables: Sequence[Chairs]) -> str:
    if row.kind == Draw.Kind.LATE:
        return "Late entry"
    if row.kind == Draw.Kind.BREAK:
        return row.label.removeprefix("break ").capitalize() + " breaks"
    if row.kind == Draw.Kind.REDRAW:
        return "Redraw for the final table" if len(tables) == 1 else f"Redraw at {len(tables)} tables"
    if row.kind in (Draw.Kind.BUTTON, Draw.Kind.LOT, Draw.Kind.BALANCE):
        return row.what[:1].upper() + row.what[1:]
    return row.get_kind_display().capitalize()


def _outcome(row: Draw, came_out: Sequence[Drawn]) -> str:
    if not came_out:
        return ""
    first = came_out[0]
    if row.kind == Draw.Kind.LATE:
        return f"{first.name}: table {first.table}, seat {first.seat}"
    if row.kind == Draw.Kind.BUTTON:
        return f"{first.name}, by high card" if row.by_hand else first.name
    if row.kind == Draw.Kind.BREAK_ORDER:
        return ", ".join(drawn.key for drawn in came_out)
    if row.kind == Draw.Kind.BALANCE:
        return f"{first.name} first of {len(came_out)}"
    if row.kind == Draw.Kind.LOT:
        return ", ".join(drawn.name for drawn in came_out)
    return "1 player" if len(came_out) == 1 else f"{len(came_out):,} players"
