"""What the floor sees: the tables with what is to be done at each, who can go out, where somebody can be moved."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from series.domain.names import fold
from series.models import Day, Entry
from tables.domain.button import DeadButton
from tables.domain.placement import OpenSeat, Role, open_seats
from tables.reads.advice import Advice
from tables.reads.hall import Hall, HallTable, Sitter
from tables.templatetags.seatmap import SeatMap, SeatView

MOST_HITS = 8
BETWEEN = "between button and small blind"


@dataclass(frozen=True)
class Tag:
    """What is to be done at a table, and the tone that says how much it matters."""

    text: str
    tone: str


@dataclass(frozen=True)
class TableCard:
    """One table on the floor page."""

    map: SeatMap
    tags: list[Tag]


def seat_map(table: HallTable, seat_url: str = "", away: Collection[int] = ()) -> SeatMap:
    """The drawing of a table; with `seat_url` each seat leads there, with its number for `{seat}`. `away`: keys of
    entries that serve a penalty, for the staff alone."""
    told = table.told
    seats = []
    for number in range(1, table.seats + 1):
        sitter = table.sitters.get(number)
        seats.append(
            SeatView(
                number=number,
                name=sitter.name if sitter else None,
                entry_id=sitter.entry_id if sitter else None,
                url=seat_url.replace("{seat}", str(number)) if seat_url else None,
                due_big_blind=number == table.next_big_blind,
                penalty=bool(sitter and sitter.entry_id in away),
                arriving=bool(sitter and sitter.arriving),
            )
        )
    return SeatMap(
        number=table.number,
        seats=seats,
        button=told.button if told else None,
        small_blind=told.small_blind if told else None,
        big_blind=told.big_blind if told else None,
        label=f"{table.players} of {table.seats}",
    )


def table_cards(hall: Hall, advice: Advice, away: Collection[int] = ()) -> list[TableCard]:
    """All tables of the hall with their tags; `away`: keys of entries that serve a penalty. No query."""
    halted = {halt.table for halt in advice.halts}
    cards = []
    for table in hall.tables:
        tags = []
        if table.number in halted:
            tags.append(Tag("halt", "stop"))
        if advice.breaking and advice.breaking.table == table.number:
            tags.append(Tag("breaks next", "info"))
        if not advice.breaking:
            tags += _balance_tags(table.number, advice)
        cards.append(TableCard(seat_map(table, away=away), tags))
    return cards


def _balance_tags(table: int, advice: Advice) -> list[Tag]:
    tags = []
    if count := advice.sends[table]:
        tags.append(Tag(f"sends {count}", "warn"))
    if count := advice.receives[table]:
        tags.append(Tag(f"receives {count}", "warn"))
    if table in advice.unknown_buttons:
        tags.append(Tag("button?", ""))
    return tags


@dataclass(frozen=True)
class Waiting:
    """Players who entered and have no seat: the first few by name, and how many."""

    names: list[str]
    count: int


def waiting_for_seats(day: Day) -> Waiting:
    """Who of a day has no seat yet. Two queries."""
    waiting = Entry.objects.filter(day=day, status=Entry.Status.PLAYING, seat__isnull=True).order_by("pk")
    names = list(waiting.values_list("player__public_name", flat=True)[:MOST_HITS])
    return Waiting(names, waiting.count())


def find_sitters(hall: Hall, words: str, without: Iterable[int] = ()) -> list[Sitter]:
    """Seated players found by name, by table ("7") or by table and seat ("7 4"); at most `MOST_HITS`.

    `without`: entries that are chosen already.
    """
    words, left_out = words.strip(), set(without)
    if not words:
        return []
    numbers = [int(word) for word in words.split() if word.isdecimal() and len(word) < 10]
    if numbers and len(numbers) == len(words.split()) <= 2:
        found = [sitter for sitter in hall.sitters if [sitter.table, sitter.seat][: len(numbers)] == numbers]
        return [sitter for sitter in found if sitter.entry_id not in left_out]
    wanted = fold(words).split()
    hits = []
    for sitter in hall.sitters:
        name = fold(sitter.name)
        if sitter.entry_id not in left_out and all(word in name for word in wanted):
            hits.append(sitter)
    return hits[:MOST_HITS]


@dataclass(frozen=True)
class Chosen:
    """A player to go out. `needs_stack`: their stack decides a place. `stack`: as typed, with what is wrong with it."""

    sitter: Sitter
    needs_stack: bool
    stack: str
    error: str


def chosen_sitters(
    hall: Hall, entry_ids: Sequence[int], stacks: Mapping[int, str], errors: Mapping[int, str], *, cross_table: bool
) -> list[Chosen]:
    """The players chosen to go out in one hand, in the order chosen.

    Stacks rank those of one table; with `cross_table` also those of different ones (option of the series).
    """
    by_entry = {sitter.entry_id: sitter for sitter in hall.sitters}
    sitters = [by_entry[entry_id] for entry_id in entry_ids if entry_id in by_entry]
    tables = [sitter.table for sitter in sitters]
    return [
        Chosen(
            sitter,
            needs_stack=len(sitters) > 1 and (cross_table or tables.count(sitter.table) > 1),
            stack=stacks.get(sitter.entry_id, ""),
            error=errors.get(sitter.entry_id, ""),
        )
        for sitter in sitters
    ]


def hunters(hall: Hall, victims: Sequence[int]) -> list[Sitter]:
    """Who may have busted these entries: those who sit with them."""
    tables = {sitter.table for sitter in hall.sitters if sitter.entry_id in victims}
    return [sitter for sitter in hall.sitters if sitter.table in tables and sitter.entry_id not in victims]


@dataclass(frozen=True)
class OpenChair:
    """A chair somebody can be moved to, and what it means in the next hand ("2 hands from the big blind")."""

    table: int
    seat: int
    words: str

    @property
    def spot(self) -> str:
        """As forms send it (`tables.forms.floor.SpotField`)."""
        return f"{self.table}-{self.seat}"


def open_chairs(hall: Hall, without: int, dead_button: DeadButton) -> list[tuple[int, list[OpenChair]]]:
    """The open chairs of every table but `without`'s own, table by table; the most preferred first where the button is
    known (rule 48), those between button and small blind only where there is no other (rule 47)."""
    found = []
    for table in hall.tables:
        words = seat_words(table, dead_button)
        if not words or table.number == without:
            continue
        offered = {seat: said for seat, said in words.items() if not said.startswith(BETWEEN)} or words
        found.append((table.number, [OpenChair(table.number, seat, said) for seat, said in offered.items()]))
    return found


def seat_words(table: HallTable, dead_button: DeadButton) -> dict[int, str]:
    """What each open chair of a table means for a newcomer in the next hand, the most preferred first; empty words
    while the button is unknown."""
    if table.last is None:
        return dict.fromkeys(table.domain.open, "")
    return {seat.seat: _role_words(seat) for seat in open_seats(table.domain, table.last, dead_button)}


def _role_words(seat: OpenSeat) -> str:
    if seat.role is Role.BETWEEN:
        return f"{BETWEEN}: sits out until the button has passed"
    if seat.role is Role.SMALL_BLIND:
        return "small blind next hand"
    if seat.hands_to_big_blind == 0:
        return "big blind next hand"
    hands = "1 hand" if seat.hands_to_big_blind == 1 else f"{seat.hands_to_big_blind} hands"
    button = "button next hand, " if seat.role is Role.BUTTON else ""
    return f"{button}{hands} from the big blind"
