"""What the floor should do about the tables: break one, move somebody, ask where a button is (rules 46 to 48)."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from django.utils import timezone

from series.domain.options import options_from
from series.models import Day, Event
from tables.domain import balance
from tables.domain.breaking import final_table_size
from tables.domain.button import DeadButton
from tables.domain.clock import Status
from tables.domain.halt import halt_alarms
from tables.domain.table import Table
from tables.reads.hall import Hall, HallTable, Sitter, hall_of

ASKED = 8  # tables whose button is asked for by name


@dataclass(frozen=True)
class MoveAdvice:
    """A move that makes the tables even. `reason` says it in full, with the rule.

    `ask` are the tables whose button nobody has told: player or seat were drawn instead. `check` are those whose button
    was told long ago. `ties` are the lots it rests on.
    """

    sitter: Sitter
    to_table: int
    to_seat: int
    sits_out: bool
    short_by: int
    reason: str
    ask: tuple[int, ...]
    check: tuple[int, ...]
    ties: tuple[balance.Tie, ...] = ()

    @property
    def entry_id(self) -> int:
        return self.sitter.entry_id

    @property
    def from_table(self) -> int:
        return self.sitter.table

    @property
    def sent(self) -> str:
        """As forms send it (`tables.forms.floor.BalanceForm`)."""
        return f"{self.entry_id}:{self.to_table}-{self.to_seat}"


@dataclass(frozen=True)
class BreakAdvice:
    """The table to break next: who sits there, how many open seats the others have, and their sizes afterwards."""

    table: int
    players: list[Sitter]
    open_elsewhere: int
    others: int
    sizes_after: tuple[int, ...]

    @property
    def open_after(self) -> int:
        return self.open_elsewhere - len(self.players)


@dataclass(frozen=True)
class Halt:
    """A table that must not deal until a player has come (TDA 2024 rule 11D)."""

    table: int
    reason: str


@dataclass(frozen=True)
class Advice:
    """Everything the floor is advised to do, the first thing first. `notes` say why something is not advised.

    `untold` are the tables in play whose button nobody has told, `old` those whose button was told too long ago.
    """

    breaking: BreakAdvice | None
    moves: list[MoveAdvice]
    halts: list[Halt]
    notes: tuple[str, ...]
    untold: list[int] = field(default_factory=list)
    old: list[int] = field(default_factory=list)

    @property
    def asked(self) -> list[int]:
        """The first tables to ask for their button."""
        return sorted([*self.untold, *self.old])[:ASKED]

    @property
    def asked_more(self) -> int:
        return len(self.untold) + len(self.old) - len(self.asked)

    @cached_property
    def sends(self) -> Counter[int]:
        return Counter(move.from_table for move in self.moves)

    @cached_property
    def receives(self) -> Counter[int]:
        return Counter(move.to_table for move in self.moves)

    @cached_property
    def unknown_buttons(self) -> set[int]:
        """Tables whose button would tell who moves, or where to."""
        return {number for move in self.moves for number in move.ask}


NOTHING = Advice(None, [], [], ())


def advice(day: Day) -> Advice:
    """The advice for a day as its rows stand now; the day with its event and series. Six queries."""
    now = timezone.now()
    hall = hall_of(day, now)
    started = hasattr(day, "clock") and day.clock.status != Status.NOT_STARTED
    return advise(hall, day.event, now, started=started)


def advise(hall: Hall, event: Event, now: dt.datetime, *, started: bool) -> Advice:
    """The advice for a hall already read; `event` with its series. No query.

    Before the clock has started no table is broken: they are filling. Where a table can be broken, the moves that
    make the tables even without it are named too, for a director who lets it play on. Equal ranks, and players and
    seats where the button is unknown, are drawn by seeds that stay the same until the next move is ordered: looking
    again does not change the lot.
    """
    chosen = options_from(event.series.options)
    over = event.status in (Event.Status.FINISHED, Event.Status.CANCELLED)
    if over or not hall.sitters:
        return NOTHING
    untold = hall.without_button() if started else []
    old = hall.old_buttons(now, chosen.old_button_minutes)
    if len(hall.tables) < 2:
        return replace(NOTHING, untold=untold, old=old)
    tables = [table.domain for table in hall.tables]
    options = balance.Options(
        max_gap=chosen.max_gap,
        allow_break=started,
        break_order=hall.break_order,
        fixed=hall.fixed,
        final_table=final_table_size(event.seats_per_table),
        recent=frozenset(balance.Spot(who.table, who.seat) for who in hall.sitters if who.moved_lately),
        dead_button=DeadButton(chosen.dead_button),
    )
    secret = balance.Secret(bytes.fromhex(event.draw_secret), f"{hall.day_id} balance {hall.moves_ordered}")
    plan = balance.plan(tables, options, secret)
    even = plan if plan.breaking is None else balance.plan(tables, replace(options, allow_break=False), secret)
    by_number = {table.number: table for table in hall.tables}
    return Advice(
        breaking=_break_advice(hall, plan),
        moves=[_move_advice(move, by_number, old) for move in even.moves],
        halts=_halts(tables, by_number, old) if started else [],
        notes=() if plan.breaking is not None else plan.notes,
        untold=untold,
        old=old,
    )


def breaking(hall: Hall, table: int) -> BreakAdvice | None:
    """What breaking this table would do. No query.

    None if there are no others, its players do not fit there, or one of them keeps a fixed seat.
    """
    gap = max((row.seats for row in hall.tables), default=1)
    options = balance.Options(break_order=(table,), max_gap=gap, fixed=hall.fixed)
    return _break_advice(hall, balance.plan([row.domain for row in hall.tables], options))


def _break_advice(hall: Hall, plan: balance.Plan) -> BreakAdvice | None:
    if plan.breaking is None:
        return None
    others = [table for table in hall.tables if table.number != plan.breaking]
    closing = hall.table(plan.breaking)
    return BreakAdvice(
        table=plan.breaking,
        players=closing.in_seat_order if closing else [],
        open_elsewhere=sum(len(table.domain.open) for table in others),
        others=len(others),
        sizes_after=plan.sizes_after,
    )


def _move_advice(move: balance.Move, tables: Mapping[int, HallTable], old: Sequence[int]) -> MoveAdvice:
    giver, taker = tables[move.from_table], tables[move.to_table]
    assert move.from_seat is not None, "a plan with a seed names every seat"
    assert move.to_seat is not None, "a plan with a seed names every seat"
    ends = sorted((giver, taker), key=lambda table: table.number)
    return MoveAdvice(
        sitter=giver.sitters[move.from_seat],
        to_table=move.to_table,
        to_seat=move.to_seat,
        sits_out=move.sits_out,
        short_by=giver.players - taker.players,
        reason=move.reason,
        ask=tuple(table.number for table in ends if table.last is None),
        check=tuple(table.number for table in ends if table.number in old),
        ties=move.ties,
    )


def _halts(tables: Sequence[Table], rows: Mapping[int, HallTable], old: Sequence[int]) -> list[Halt]:
    """Alarms of tables whose button was told lately (a big blind told long ago has moved on), and not waived."""
    return [
        Halt(alarm.table, alarm.reason)
        for alarm in halt_alarms(tables)
        if alarm.halted and alarm.table not in old and rows[alarm.table].halt_waived != rows[alarm.table].players
    ]
