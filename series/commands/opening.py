"""The structure, opening for registration, and closing again for setting up."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.domain.structure import Check, Finding, Item, check
from series.domain.structure import Level as StructureLevel
from series.domain.windows import misplaced
from series.models import Entry, Event, Level, Registration
from series.reads.setup import has_rulebook, opening_steps

MOST_ROWS = 200
MOST_MINUTES = 24 * 60


def said_of(finding: Finding) -> str:
    """A finding with the place it was found at: "Row 4, level 3: …"."""
    if finding.position is None:
        return finding.explanation
    level = f", level {finding.level}" if finding.level else ""
    return f"Row {finding.position}{level}: {finding.explanation}"


def checked(event: Event, items: Sequence[Item]) -> Check:
    """What is unusual in a structure for an event.

    Raises:
        Refused: too long, `structure.check` finds an error (the row is named), or players were told of a window that it
            has no place for.
    """
    if len(items) > MOST_ROWS:
        raise Refused(f"A structure has {MOST_ROWS} levels and breaks at most.", code="too_many_rows")
    if any(item.minutes > MOST_MINUTES for item in items):
        raise Refused("A level or break lasts a day at most.", code="bad_minutes")
    found = check(items, event.chips, event.late_reg_level)
    if found.errors:
        raise Refused(said_of(found.errors[0]), code=found.errors[0].code)
    if event.status != Event.Status.DRAFT:
        for _, wrong in misplaced(event.rules, items):
            raise Refused(wrong, code="misplaced")
    return found


def write_levels(tx: Tx[Event], rows: Sequence[Level], items: Sequence[Item]) -> int:
    """Make the stored rows, all of them and locked, those of these items; how many levels there are."""
    present = {row.position: row for row in rows}
    number = 0
    new = []
    for position, item in enumerate(items):
        values: dict[str, Any] = {"kind": Level.Kind.BREAK, "number": None, "small_blind": 0, "big_blind": 0}
        values |= {"ante": 0, "ante_type": Level.AnteType.NONE}
        if isinstance(item, StructureLevel):
            number += 1
            values = {
                "kind": Level.Kind.LEVEL,
                "number": number,
                "small_blind": item.small_blind,
                "big_blind": item.big_blind,
                "ante": item.ante,
                "ante_type": str(item.ante_type),
            }
        values |= {"minutes": item.minutes, "remove": list(item.remove)}
        if position in present:
            tx.change(present[position], **values)
        else:
            new.append(Level(event=tx.subject, position=position, **values))
    tx.add_all(new)
    for position, row in present.items():
        if position >= len(items):
            tx.remove(row)
    return number


# The clock counts rows of the structure, so a structure cannot come back under a clock that has started.
@command(Event, "structure.set", permission=Permission.SET_UP, undoable=False)
def set_structure(tx: Tx[Event], *, items: Sequence[Item]) -> dict[str, Any]:
    """Replace all levels and breaks, until the event runs. Result: `levels`, `warnings` (codes, and
    fields of the event's terms that do not fit; in a draft they may not yet).

    Raises:
        Refused: the event runs or is over, or `structure.check` finds an error; the row is named.
    """
    event = tx.subject
    if event.status not in (Event.Status.DRAFT, Event.Status.OPEN):
        raise Refused(
            f"This event is {event.get_status_display()}: its structure stays as it was published.",
            code="over",
        )
    found = checked(event, items)
    rows = tx.lock(Level.objects.filter(event=event))
    tx.expect_unchanged(*rows)
    number = write_levels(tx, rows, items)
    tx.say("Structure of {event} set: {count} levels", event=event, count=number)
    warnings = [finding.code for finding in found.warnings]
    return {"levels": number, "warnings": [*warnings, *(window.field for window, _ in misplaced(event.rules, items))]}


@command(Event, "event.open", permission=Permission.SET_UP, undoable=False)
def open_event(tx: Tx[Event]) -> dict[str, Any]:
    """Open registration. The event appears on the public pages.

    Raises:
        Refused: not being set up, or a step of `opening_steps` is missing; it is named.
    """
    event = tx.subject
    if event.status != Event.Status.DRAFT:
        raise Refused(f"This event is {event.get_status_display()} already.", code="status")
    for step in opening_steps(event, tx.lock(Level.objects.filter(event=event)), rulebook=has_rulebook(event.series)):
        if not step.done:
            raise Refused(step.missing, code=f"no_{step.name}")
    tx.change(event, status=Event.Status.OPEN)
    tx.say("{event} open for registration", event=event)
    return {}


@command(Event, "event.close", permission=Permission.SET_UP, undoable=False)
def close_event(tx: Tx[Event]) -> dict[str, Any]:
    """Take an open event back to being set up, as long as nobody holds a place in it.

    Raises:
        Refused: not open, or somebody registered.
    """
    event = tx.subject
    if event.status != Event.Status.OPEN:
        raise Refused(f"This event is {event.get_status_display()}.", code="status")
    registered = event.registrations.exclude(status__in=Registration.GONE).exists()
    if registered or event.entries.exclude(status=Entry.Status.VOID).exists():
        raise Refused("People have registered for this event. Cancel it, if it cannot be played.", code="registered")
    tx.change(event, status=Event.Status.DRAFT)
    tx.say("{event} closed again for setting up", event=event)
    return {}
