"""The coming hands of a table in words: who posts what, where the button lies, who sits out, and why."""

from dataclasses import dataclass, field

from tables.domain.button import DeadButton
from tables.domain.dealing import Coming, coming_hands
from tables.domain.halt import halt_alarm
from tables.domain.table import SeatingError
from tables.models import BlindDodge
from tables.reads.hall import Hall, HallTable

TITLES = ("Coming hand", "Hand after that", "Third hand")


@dataclass(frozen=True)
class Place:
    """One position of a hand. `seat` is None where nobody posts; `name` is None for an empty seat."""

    what: str
    seat: int | None
    name: str | None
    on_the_way: bool = False
    dead: bool = False

    @property
    def key(self) -> str:
        """The position as a word for the page."""
        return self.what.lower().replace(" ", "-")


@dataclass(frozen=True)
class ComingHand:
    """One coming hand. `places` in the order of the deal, heads-up button and small blind in one line."""

    title: str
    places: list[Place]
    sits_out: list[Place]
    reasons: tuple[str, ...]
    waits_for: list[Place]


@dataclass(frozen=True)
class Assistant:
    """What the next hands of a table are, or the `problem` that stands before them.

    `ask`: the button is not known, or who had the first one has gone. `old`: it was told long ago. `halt` says why no
    hand may be dealt.
    """

    hands: list[ComingHand] = field(default_factory=list)
    problem: str = ""
    ask: bool = False
    old: bool = False
    halt: str = ""

    @property
    def first(self) -> ComingHand | None:
        return self.hands[0] if self.hands else None

    @property
    def may_deal(self) -> bool:
        return bool(self.hands) and not self.halt and not self.hands[0].waits_for


def assistant(hall: Hall, table: HallTable, dead_button: DeadButton, *, old: bool) -> Assistant:
    """The coming three hands of a table; `old` is whether its button was told too long ago. No query."""
    if table.players < 2:
        return Assistant(problem="A hand needs at least two players at the table.")
    state = table.dealing
    if state is None:
        return Assistant(problem="Nobody has told the button of this table.", ask=True)
    try:
        hands = coming_hands(state, dead_button)
    except SeatingError as error:
        return Assistant(problem=str(error), ask=True)
    alarm = halt_alarm(table.domain, max(other.players for other in hall.tables))
    halted = alarm is not None and alarm.halted and not old and table.halt_waived != table.players
    return Assistant(
        [_hand(title, coming, table) for title, coming in zip(TITLES, hands, strict=True)],
        old=old,
        halt=alarm.reason if alarm and halted else "",
    )


def _hand(title: str, coming: Coming, table: HallTable) -> ComingHand:
    hand = coming.hand

    def place(what: str, seat: int | None, *, dead: bool = False) -> Place:
        sitter = table.sitters.get(seat or 0)
        on_the_way = seat in coming.waits_for
        return Place(what, seat, sitter.name if sitter else None, on_the_way, dead)

    button = hand.positions.button
    if hand.heads_up:
        places = [place("Button and small blind", button)]
    else:
        places = [place("Button", button, dead=hand.button_dead), place("Small blind", hand.small_blind)]
    return ComingHand(
        title=title,
        places=[*places, place("Big blind", hand.big_blind)],
        sits_out=[place("Sits out", seat) for seat in hand.sits_out],
        reasons=coming.reasons,
        waits_for=[place("", seat) for seat in coming.waits_for],
    )


@dataclass(frozen=True)
class DeadMoney:
    """Chips that a player forfeited and that wait for the next pot of a table (rule 49)."""

    dodge_id: int
    entry_id: int
    name: str
    amount: int


def dead_money(day_id: int, table: int) -> list[DeadMoney]:
    """What waits for the next pot of a table. One query."""
    waiting = BlindDodge.objects.filter(table__day=day_id, table__number=table, done_at=None)
    rows = waiting.select_related("move__entry__player").order_by("pk")
    return [DeadMoney(row.pk, row.move.entry_id, row.move.entry.player.public_name, row.amount) for row in rows]
