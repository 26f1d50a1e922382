"""Action clocks as the dealer, the floor and the player see them."""

import datetime as dt
from dataclasses import dataclass

from series.models import Entry
from tables.models import ActionClock
from tables.reads.hall import HallTable, Sitter

RECENTLY = dt.timedelta(minutes=5)


@dataclass(frozen=True)
class Timed:
    """A player on the clock, or whose clock has just ended. Instants in milliseconds since 1970, for the browser."""

    clock_id: int
    entry_id: int
    name: str
    seat: int
    table: int
    asked_by: str
    facing_bet: bool
    status: str
    ended: str
    result: str
    hand: str
    now: int
    called: int
    countdown: int
    deadline: int
    ended_at: dt.datetime | None

    @property
    def running(self) -> bool:
        return self.status == ActionClock.Status.RUNNING

    @property
    def counting(self) -> bool:
        """The minute is over: the countdown runs."""
        return self.now >= self.countdown

    @property
    def seconds_left(self) -> int:
        """Of the minute, then of the countdown; a begun second counts."""
        return max(0, -(-((self.deadline if self.counting else self.countdown) - self.now) // 1000))


def milliseconds(instant: dt.datetime) -> int:
    return round(instant.timestamp() * 1000)


def _timed(row: ActionClock, now: dt.datetime) -> Timed:
    if row.called_by_id == row.entry_id:
        asked_by = "asked for by the player"
    else:
        asked_by = f"asked for by {row.called_by.player.public_name}" if row.called_by else ""
    return Timed(
        clock_id=row.pk,
        entry_id=row.entry_id,
        name=row.entry.player.public_name,
        seat=row.seat,
        table=row.table.number,
        asked_by=asked_by,
        facing_bet=row.facing_bet,
        status=row.status,
        ended=row.get_status_display(),
        result=row.result,
        hand=row.get_result_display(),
        now=milliseconds(now),
        called=milliseconds(row.called_at),
        countdown=milliseconds(row.countdown_at),
        deadline=milliseconds(row.deadline_at),
        ended_at=row.ended_at,
    )


ROWS = ActionClock.objects.select_related("table", "entry__player", "called_by__player").order_by("-pk")


def action_clock_at(day_id: int, table: int, now: dt.datetime) -> Timed | None:
    """The last action clock of a table, if it runs or ended within five minutes. One query."""
    row = ROWS.filter(table__day=day_id, table__number=table).first()
    if row is None or (row.ended_at and now - row.ended_at > RECENTLY):
        return None
    return _timed(row, now)


def my_action_clock(entry: Entry, now: dt.datetime) -> Timed | None:
    """The player's own clock, if it runs or ended within a minute. One query."""
    row = ROWS.filter(entry=entry).exclude(status=ActionClock.Status.CANCELLED).first()
    if row is None or (row.ended_at and now - row.ended_at > dt.timedelta(minutes=1)):
        return None
    return _timed(row, now)


def in_the_hand(table: HallTable) -> list[Sitter]:
    """Who can be put on the clock: those dealt in and still there; where nobody told, all who sit there. No query."""
    dealt = set(table.dealt_in.values())
    return [who for who in table.in_seat_order if not who.arriving and (not dealt or who.entry_id in dealt)]
