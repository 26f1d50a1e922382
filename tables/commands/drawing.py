"""Rows of draws, inside commands: lists are frozen, seeds come from the event's secret, results are written down."""

from collections.abc import Iterable, Sequence
from typing import Any

from journal.commands import Tx
from journal.errors import Refused
from series.models import Day, Entry, Event
from tables.domain import draw
from tables.domain.draw import DrawTable, Seating
from tables.domain.table import SeatingError
from tables.models import Draw


def frozen_draw(tx: Tx[Event], day: Day) -> Draw | None:
    """The draw of the day whose list is frozen and not drawn yet, locked."""
    return next(iter(tx.lock(Draw.objects.filter(day=day, status=Draw.Status.FROZEN))), None)


def refuse_while_frozen(day: Day) -> None:
    """Refuse what would change the chairs of a frozen list.

    Raises:
        Refused: a list of the day is frozen.
    """
    if Draw.objects.filter(day=day, status=Draw.Status.FROZEN).exists():
        raise Refused("A list is frozen for a draw: draw it first, or take it back.", code="frozen")


def numbered(day: Day, kind: str, word: str) -> str:
    """The label of the day's next draw of this kind, "seats 2". Draws taken back count: no label serves twice."""
    return f"{word} {Draw.objects.filter(day=day, kind=kind).count() + 1}"


def unused(day: Day, words: str) -> str:
    """This label, or "… (2)" and so on if it has served."""
    used = set(Draw.objects.filter(day=day, label__startswith=words).values_list("label", flat=True))
    label, number = words, 1
    while label in used:
        number += 1
        label = f"{words} ({number})"
    return label


def document_label(day: Day, label: str) -> str:
    """The label that the seed is derived from: no two draws of an event have the same."""
    return f"{day.pk} {label}"


def seed_for(event: Event, day: Day, label: str) -> bytes:
    """The seed of a draw, which nobody may see before it is drawn."""
    return draw.derive(bytes.fromhex(event.draw_secret), document_label(day, label))


def keys_of(entries: Iterable[Entry]) -> dict[str, str]:
    """What a draw knows of its players: the public name by the entry's key, in the order in which they entered."""
    return {str(entry.pk): entry.player.public_name for entry in sorted(entries, key=lambda entry: entry.pk)}


def freeze(tx: Tx[Event], day: Day, kind: str, label: str, people: dict[str, str], tables: Sequence[DrawTable]) -> Draw:
    """Write down what a later draw of seats is made from, with the hash of its seed."""
    seed = seed_for(tx.subject, day, label)
    given = draw.seats_document(seed, document_label(day, label), list(people), tables, ())
    row = _row(tx, day, kind, label, people, given)
    row.status, row.seed_commitment = Draw.Status.FROZEN, draw.commitment(seed)
    return tx.add(row)


def thaw(tx: Tx[Event], row: Draw) -> tuple[Seating, ...]:
    """Draw the seats of a frozen list.

    Raises:
        Refused: the event's secret has been published since the list was frozen.
    """
    if row.commitment != draw.commitment(bytes.fromhex(tx.subject.draw_secret)):
        raise Refused("The secret of this draw is public already: take the list back and freeze it again.")
    seed = seed_for(tx.subject, row.day, row.label)
    result = draw.draw_seats(seed, row.given["names"], tables_of(row))
    document = draw.seats_document(seed, document_label(row.day, row.label), row.given["names"], (), result)
    tx.change(row, status=Draw.Status.DRAWN, seed=seed.hex(), result=document["result"], drawn_at=tx.at)
    _note(tx, row)
    return result


def draw_now(
    tx: Tx[Event], day: Day, kind: str, label: str, people: dict[str, str], tables: Sequence[DrawTable]
) -> tuple[Draw, tuple[Seating, ...]]:
    """Draw a seat for each name among the chairs of the tables (rule 45), the list frozen in the same moment.

    Raises:
        Refused: not enough free chairs.
    """
    seed = seed_for(tx.subject, day, label)
    try:
        result = draw.draw_seats(seed, list(people), tables)
    except SeatingError as error:
        raise Refused(str(error), code="no_chairs") from error
    document = draw.seats_document(seed, document_label(day, label), list(people), tables, result)
    return write(tx, day, kind, label, people, document), result


def draw_order(
    tx: Tx[Event], day: Day, kind: str, label: str, names: Sequence[str], people: dict[str, str], what: str = ""
) -> tuple[str, ...]:
    """Draw the names in an order: of breaking, of who has the button, of who is due among equals."""
    seed = seed_for(tx.subject, day, label)
    order = draw.draw_order(seed, names)
    write(tx, day, kind, label, people, draw.order_document(seed, document_label(day, label), names, order), what)
    return order


def write(
    tx: Tx[Event], day: Day, kind: str, label: str, people: dict[str, str], document: dict[str, Any], what: str = ""
) -> Draw:
    """The row of a draw that is over, from its document (see `tables.domain.draw`)."""
    row = _row(tx, day, kind, label, people, document)
    row.what, row.seed, row.result, row.drawn_at = what, document["seed"], document["result"], tx.at
    tx.add(row)
    _note(tx, row)
    return row


def tables_of(row: Draw) -> list[DrawTable]:
    """The tables of a draw of seats as they were frozen."""
    return [
        DrawTable(table["table"], tuple(table["chairs"]), tuple(table["last_resort"]), table["players"])
        for table in row.given["tables"]
    ]


def _row(tx: Tx[Event], day: Day, kind: str, label: str, people: dict[str, str], document: dict[str, Any]) -> Draw:
    return Draw(
        day=day,
        kind=kind,
        label=label,
        algorithm=draw.ALGORITHM,
        commitment=draw.commitment(bytes.fromhex(tx.subject.draw_secret)),
        given={name: document[name] for name in ("names", "tables") if name in document},
        people=people,
        frozen_at=tx.at,
    )


def _note(tx: Tx[Event], row: Draw) -> None:
    """The journal's entry names the source of every draw made in it."""
    tx.random = tx.random or {"algorithm": draw.ALGORITHM, "draws": []}
    tx.random["draws"].append({"label": document_label(row.day, row.label), "seed": row.seed})
