"""The action clock: a player's minute and the countdown after it (rules 27, 28a, 28b, 29)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Verdict(StrEnum):
    """What becomes of the player's hand."""

    LIVE = "live"
    DEAD = "dead"
    CHECK = "check"


class Phase(StrEnum):
    MINUTE = "minute"
    COUNTDOWN = "countdown"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Options:
    """How a series runs the action clock.

    time, countdown: 60 and 10 seconds (rule 28a; T24-29 has 25 and 5). expire_unfaced: what becomes of a
    hand whose time ran out without a bet to call, DEAD as 28a is written or CHECK (T24-29).
    left_after_acting: what becomes of the hand of a player who left the seat but could no longer act,
    DEAD as 29 is written or LIVE (T24-31).
    """

    time: timedelta = timedelta(seconds=60)
    countdown: timedelta = timedelta(seconds=10)
    expire_unfaced: Verdict = Verdict.DEAD
    left_after_acting: Verdict = Verdict.DEAD

    @property
    def limit(self) -> timedelta:
        """The time after which it is too late; acting exactly then is in time."""
        return self.time + self.countdown


HOUSE = Options()


def judge(
    acts_after: timedelta | None,
    *,
    facing_bet: bool,
    left_seat: bool = False,
    can_act: bool = True,
    options: Options = HOUSE,
) -> Verdict:
    """Return what becomes of the hand of a player on the clock; a player who asked for it has the same (rule 28b).

    acts_after: time from the call of the clock to the action, None if there was none; left_seat: a live
    player left, which needs no clock (rule 29); can_act: False for a player all-in or done with the
    betting.
    """
    if left_seat:
        return Verdict.DEAD if can_act else options.left_after_acting
    if acts_after is not None and acts_after <= options.limit:
        return Verdict.LIVE
    return Verdict.DEAD if facing_bet else options.expire_unfaced


@dataclass(frozen=True, slots=True)
class View:
    """What a phone shows: the phase and the time left in it."""

    phase: Phase
    time_left: timedelta


def deadline(called_at: datetime, options: Options = HOUSE) -> datetime:
    """Return the last instant at which the player may act."""
    return called_at + options.limit


def at(called_at: datetime, now: datetime, options: Options = HOUSE) -> View:
    """Return the action clock called at `called_at` as it is at `now`."""
    countdown_starts, ends = called_at + options.time, deadline(called_at, options)
    if now < countdown_starts:
        return View(Phase.MINUTE, countdown_starts - now)
    if now <= ends:
        return View(Phase.COUNTDOWN, ends - now)
    return View(Phase.EXPIRED, timedelta(0))
