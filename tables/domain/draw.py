"""The seat draw that anyone can check afterwards (rule 45; late entrants T24-8A; two-step draw T24-10B).

Every draw of an event comes from one 32-byte secret. Before the first draw the event shows
`commitment(secret)`; each draw has a label of its own ("initial", "late 412", "break table 7") and the
seed `derive(secret, label)`. A seed gives away neither the secret nor another draw's seed, so each draw
can be published at once and the secret after the event's last draw. Whoever wants the initial draw bound
before that shows the commitment of its seed as well.

The document of a draw, as JSON, is what `static/verify_draw.py` checks:

    {"algorithm": "dead-button-draw-1", "kind": "seats" | "order", "label": str, "seed": hex,
     "commitment": hex of the secret's SHA-256, "secret": hex (once it is out),
     "seed_commitment": hex of the seed's SHA-256 (if it was shown),
     "names": [str, ...]                          frozen before the draw, in order
     "tables": [{"table": int, "players": int, "chairs": [int], "last_resort": [int]}, ...]   kind seats only
     "result": [[name, table, seat], ...]         kind seats, in the order drawn
               [name, ...]}                       kind order

Without `seed` and `result` it is that of a frozen list, to be kept and compared. What else it holds, such as the
players' names by the keys drawn (`people`), is for people.

Algorithm dead-button-draw-1. Generator: HMAC_DRBG with SHA-256 of NIST SP 800-90A, instantiated with the
seed alone and asked for 1,024 bytes at a time. A number below n is an eight-byte word, big-endian, modulo
n; words of the incomplete top range are thrown away. Shuffle: Fisher-Yates from the last place down. Kind
order: the names, shuffled. Kind seats: shuffle the names; then for each name in turn take the tables with
a chair left and the fewest players, of these the ones with a chair outside the last resort if there is
one, keep that list (in document order) until it is used up, draw one table out of it and then one chair
of that table, ordinary chairs first.
"""

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from tables.domain.table import SeatingError

ALGORITHM = "dead-button-draw-1"
SECRET_BYTES = 32
_REQUEST_BYTES = 1024
_WORD_BYTES = 8
_WORDS = 1 << (8 * _WORD_BYTES)

T = TypeVar("T")


def commitment(secret: bytes) -> str:
    """Return the SHA-256 of a secret (or of a seed) in hex, to be shown before the draw."""
    return sha256(secret).hexdigest()


def derive(secret: bytes, label: str) -> bytes:
    """Return the 32-byte seed of the draw `label`; every draw of an event needs its own label."""
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret of a draw has {SECRET_BYTES} bytes, not {len(secret)}")
    return hmac.digest(secret, label.encode(), "sha256")


class HmacDrbg:
    """HMAC_DRBG with SHA-256 (NIST SP 800-90A, 10.1.2), never reseeded."""

    def __init__(self, seed: bytes) -> None:
        self._key = bytes(32)
        self._value = b"\x01" * 32
        self._update(seed)

    def _update(self, data: bytes = b"") -> None:
        for separator in (b"\x00", b"\x01") if data else (b"\x00",):
            self._key = hmac.digest(self._key, self._value + separator + data, "sha256")
            self._value = hmac.digest(self._key, self._value, "sha256")

    def generate(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        out = bytearray()
        while len(out) < size:
            self._value = hmac.digest(self._key, self._value, "sha256")
            out += self._value
        self._update()
        return bytes(out[:size])


class Lot:
    """Unbiased choices out of one seed, in the order asked for."""

    def __init__(self, seed: bytes) -> None:
        self._source = HmacDrbg(seed)
        self._bytes = b""

    def below(self, count: int) -> int:
        """Return a number from 0 to count - 1, each equally likely."""
        while True:
            if not self._bytes:
                self._bytes = self._source.generate(_REQUEST_BYTES)
            word, self._bytes = int.from_bytes(self._bytes[:_WORD_BYTES], "big"), self._bytes[_WORD_BYTES:]
            if word < _WORDS - _WORDS % count:
                return word % count

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order (Fisher-Yates)."""
        deck = list(items)
        for last in range(len(deck) - 1, 0, -1):
            other = self.below(last + 1)
            deck[last], deck[other] = deck[other], deck[last]
        return deck

    def take(self, items: list[T]) -> T:
        """Draw one item out of the list, which loses it."""
        return items.pop(self.below(len(items)))


@dataclass(frozen=True, slots=True)
class DrawTable:
    """One table of the pool; chairs in `last_resort` are drawn only when its other chairs are gone."""

    table: int
    chairs: tuple[int, ...]
    last_resort: tuple[int, ...] = ()
    players: int = 0


@dataclass(frozen=True, slots=True)
class Seating:
    """A name and the seat it drew."""

    name: str
    table: int
    seat: int


@dataclass(frozen=True, slots=True)
class FixedSeat:
    """A player who is not drawn but keeps this chair (an access need)."""

    name: str
    table: int
    seat: int


def table_sizes(
    entries: int, seats_per_table: int, *, players_per_table: int | None = None, tables: int | None = None
) -> tuple[int, ...]:
    """Return how many players start at each table, largest first: few tables, even sizes (rule 45).

    `players_per_table` fills fewer chairs at the start; `tables` fixes the number of tables. Raises
    SeatingError if the entries do not fit.
    """
    fill = min(players_per_table or seats_per_table, seats_per_table)
    if entries < 0 or fill < 1:
        raise SeatingError("A draw needs tables with at least one chair.")
    if tables is None:
        tables = -(-entries // fill)
    if entries > tables * seats_per_table:
        raise SeatingError(f"{entries} entries do not fit at {tables} tables of {seats_per_table}: open more tables.")
    if not tables:
        return ()
    least, more = divmod(entries, tables)
    return (least + 1,) * more + (least,) * (tables - more)


def draw_seats(
    seed: bytes, names: Sequence[str], tables: Sequence[DrawTable], fixed: Collection[FixedSeat] = ()
) -> tuple[Seating, ...]:
    """Draw a seat for every name, keeping the tables even (rule 45); the result is in the order drawn.

    Serves the initial draw, redraws, late entrants and broken tables alike. `names` and `tables` in the
    frozen order. Fixed players and their chairs are taken out of the draw and counted at their tables;
    they are not in the result. Raises SeatingError if chairs are short, a fixed chair is not open, or a
    name or table comes twice.
    """
    names, tables = without_fixed(names, tables, fixed)
    if len(set(names)) < len(names) or len({table.table for table in tables}) < len(tables):
        raise SeatingError("Each entry and each table can be in a draw only once.")
    if sum(len(table.chairs) + len(table.last_resort) for table in tables) < len(names):
        raise SeatingError(f"There are not enough open seats for {len(names)} players.")
    lot = Lot(seed)
    pool = _Pool(tables)
    return tuple(Seating(name, *pool.draw(lot)) for name in lot.shuffled(names))


def draw_seat(seed: bytes, name: str, tables: Sequence[DrawTable]) -> Seating:
    """Draw the seat of one late entrant: among the open seats of the tables with fewest players (T24-8A)."""
    return draw_seats(seed, [name], tables)[0]


def draw_order(seed: bytes, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in random order: the button of a table, the order of breaking, a tie."""
    return tuple(Lot(seed).shuffled(names))


def without_fixed(
    names: Sequence[str], tables: Sequence[DrawTable], fixed: Collection[FixedSeat]
) -> tuple[list[str], list[DrawTable]]:
    """Return the names and tables that are really drawn once the fixed seats are taken out of both."""
    pool = {table.table: table for table in tables}
    for kept in fixed:
        table = pool.get(kept.table)
        if table is None or kept.seat not in (*table.chairs, *table.last_resort):
            raise SeatingError(f"Table {kept.table} seat {kept.seat} is kept for a player but is not open.")
        pool[kept.table] = DrawTable(
            table.table,
            tuple(seat for seat in table.chairs if seat != kept.seat),
            tuple(seat for seat in table.last_resort if seat != kept.seat),
            table.players + 1,
        )
    keepers = {kept.name for kept in fixed}
    if len(keepers) < len(fixed):
        raise SeatingError("A player can keep only one seat.")
    return [name for name in names if name not in keepers], list(pool.values())


class _Pool:
    """The tables with chairs left, grouped by how many players they have."""

    def __init__(self, tables: Sequence[DrawTable]) -> None:
        self._chairs = [list(table.chairs) for table in tables]
        self._last_resort = [list(table.last_resort) for table in tables]
        self._players = [table.players for table in tables]
        self._numbers = [table.table for table in tables]
        self._drawable: list[int] = []

    def draw(self, lot: Lot) -> tuple[int, int]:
        """Return the table and the seat drawn next."""
        if not self._drawable:
            self._drawable = self._smallest()
        index = lot.take(self._drawable)
        self._players[index] += 1
        return self._numbers[index], lot.take(self._chairs[index] or self._last_resort[index])

    def _smallest(self) -> list[int]:
        left = [i for i in range(len(self._numbers)) if self._chairs[i] or self._last_resort[i]]
        fewest = min(self._players[i] for i in left)
        smallest = [i for i in left if self._players[i] == fewest]
        return [i for i in smallest if self._chairs[i]] or smallest


def seats_document(
    seed: bytes, label: str, names: Sequence[str], tables: Sequence[DrawTable], result: Sequence[Seating]
) -> dict[str, Any]:
    """Return the document of a draw of seats; the event adds the commitment and the secret."""
    return _document(seed, label, "seats", names) | {
        "tables": [
            {
                "table": table.table,
                "players": table.players,
                "chairs": list(table.chairs),
                "last_resort": list(table.last_resort),
            }
            for table in tables
        ],
        "result": [[seating.name, seating.table, seating.seat] for seating in result],
    }


def order_document(seed: bytes, label: str, names: Sequence[str], result: Sequence[str]) -> dict[str, Any]:
    """Return the document of a draw of an order; the event adds the commitment and the secret."""
    return _document(seed, label, "order", names) | {"result": list(result)}


def _document(seed: bytes, label: str, kind: str, names: Sequence[str]) -> dict[str, Any]:
    return {"algorithm": ALGORITHM, "kind": kind, "label": label, "seed": seed.hex(), "names": list(names)}
