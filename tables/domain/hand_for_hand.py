"""Hand-for-hand play (rules 50, 51; T24 RP-8): no table starts a hand before all have finished the last one.

    NORMAL -> ANNOUNCED -> ALL_IDLE -> DEALING 1 -> ALL_DONE -> DEALING 2 -> ALL_DONE -> ... -> NORMAL

ANNOUNCED: the hands in progress are played out; they are round 0, whose players already compete for prizes
(RP-8A). ALL_IDLE: all tables have finished them. DEALING n: round n has been released. ALL_DONE: all tables
have reported it done; its busts are worked out and the next round released, or normal play resumed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

TIME_PER_HAND = timedelta(minutes=2)
MOST_TIME_PER_HAND = timedelta(minutes=3)
SUGGESTED_BEFORE_THE_MONEY = 1


class HandForHandError(ValueError):
    """Hand-for-hand play cannot do that now; the message is in plain words, for the page."""


class Phase(StrEnum):
    NORMAL = "normal"
    ANNOUNCED = "announced"
    ALL_IDLE = "all_idle"
    DEALING = "dealing"
    ALL_DONE = "all_done"


_PLAYING = (Phase.ANNOUNCED, Phase.DEALING)
_FINISHED = (Phase.ALL_IDLE, Phase.ALL_DONE)


@dataclass(frozen=True, slots=True)
class Progress:
    """One table in the round at hand; done_at: when it reported, None while it plays."""

    table: int
    done_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HandForHand:
    """The state of one event. since: when the round at hand began (announced or released)."""

    phase: Phase = Phase.NORMAL
    hand: int = 0
    since: datetime | None = None
    tables: tuple[Progress, ...] = ()

    @property
    def round(self) -> int | None:
        """The round to which a bust belongs now, shared places included; None in normal play."""
        return None if self.phase is Phase.NORMAL else self.hand

    @property
    def hands_completed(self) -> int:
        """Hands finished since the announcement, the one then in progress included; each takes time off the clock."""
        return self.hand + (self.phase in _FINISHED)

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The tables that have not reported, in the order of the board."""
        return tuple(progress.table for progress in self.tables if progress.done_at is None)


def is_bubble(remaining: int, places_paid: int) -> bool:
    """Say whether the next player out is the last without a prize."""
    return remaining == places_paid + 1


def in_the_money(remaining: int, places_paid: int) -> bool:
    """Say whether every player left has a prize."""
    return remaining <= places_paid


def is_suggested(remaining: int, next_paid_place: int, tables: int) -> bool:
    """Say whether to suggest hand-for-hand: one player before the next paid place, at two tables or more."""
    return tables > 1 and 0 < remaining - next_paid_place <= SUGGESTED_BEFORE_THE_MONEY


def announce(state: HandForHand, tables: Iterable[int], now: datetime) -> HandForHand:
    """Announce hand-for-hand: the tables finish the hand in progress and wait."""
    if state.phase is not Phase.NORMAL:
        raise HandForHandError("Hand-for-hand has been announced already.")
    progress = tuple(Progress(table) for table in tables)
    if len(progress) < 2:
        raise HandForHandError("Hand-for-hand needs at least two tables.")
    return HandForHand(Phase.ANNOUNCED, 0, now, progress)


def report(state: HandForHand, table: int, now: datetime) -> HandForHand:
    """Take a table's word that its hand is over; a second report of the same hand changes nothing."""
    _check_running(state)
    if table not in (progress.table for progress in state.tables):
        raise HandForHandError(f"Table {table} is not part of this round.")
    return _settled(
        replace(
            state,
            tables=tuple(
                Progress(table, now) if progress.table == table and progress.done_at is None else progress
                for progress in state.tables
            ),
        )
    )


def withdraw(state: HandForHand, table: int) -> HandForHand:
    """Take back a mistaken report, also after it was the last one, until the next round is released."""
    _check_running(state)
    if table not in (progress.table for progress in state.tables if progress.done_at):
        raise HandForHandError(f"Table {table} has not reported its hand done.")
    phase = {Phase.ALL_IDLE: Phase.ANNOUNCED, Phase.ALL_DONE: Phase.DEALING}.get(state.phase, state.phase)
    tables = tuple(Progress(table) if progress.table == table else progress for progress in state.tables)
    return replace(state, phase=phase, tables=tables)


def as_reported(state: HandForHand) -> HandForHand:
    """Give the round the phase that its reports say, after one of them was changed by hand."""
    _check_running(state)
    return _settled(replace(state, phase=Phase.DEALING if state.hand else Phase.ANNOUNCED))


def drop_table(state: HandForHand, table: int) -> HandForHand:
    """Leave out a table that was broken in the middle; the round may be over by that."""
    _check_running(state)
    return _settled(replace(state, tables=tuple(progress for progress in state.tables if progress.table != table)))


def release(state: HandForHand, tables: Iterable[int], now: datetime) -> HandForHand:
    """Let all tables, as they are now, start the next hand."""
    if state.phase not in _FINISHED:
        waiting = ", ".join(str(table) for table in state.waiting_for)
        raise HandForHandError(
            f"The next hand waits for table {waiting}." if waiting else "Hand-for-hand has not been announced."
        )
    return HandForHand(Phase.DEALING, state.hand + 1, now, tuple(Progress(table) for table in tables))


def end(state: HandForHand) -> HandForHand:
    """Go back to normal play."""
    _check_running(state)
    return HandForHand()


def slow_tables(state: HandForHand, now: datetime, patience: timedelta) -> tuple[int, ...]:
    """Return the tables still playing when the round has taken longer than `patience`."""
    if state.phase not in _PLAYING or state.since is None or now - state.since <= patience:
        return ()
    return state.waiting_for


def time_left(at_announcement: timedelta, hands: int, per_hand: timedelta = TIME_PER_HAND) -> timedelta:
    """Return what is left of the level after `hands` completed hands (T24 RP-8B).

    Each takes `per_hand` off, three minutes at most. Never below zero, and nothing is carried into the
    next level.
    """
    return max(at_announcement - hands * min(per_hand, MOST_TIME_PER_HAND), timedelta(0))


def _check_running(state: HandForHand) -> None:
    if state.phase is Phase.NORMAL:
        raise HandForHandError("Hand-for-hand has not been announced.")


def _settled(state: HandForHand) -> HandForHand:
    if state.phase in _PLAYING and not state.waiting_for:
        return replace(state, phase=Phase.ALL_IDLE if state.phase is Phase.ANNOUNCED else Phase.ALL_DONE)
    return state
