"""Missed hands counted down at the table where the player sits (TDA 2024, rule 71)."""

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Event
from tables.models import HandForHand, Penalty, Table


def count_hand(tx: Tx[Event], table: Table, *, began: dt.datetime | None, dealt_in: Collection[int]) -> None:
    """The next hand of a table is dealt, so the one before it is over: one missed hand less for who serves there.

    It counts if it `began` after the penalty was given and after the player came to the table: `dealt_in` are the keys
    of its entries, nobody if that is not known. Of several penalties the oldest is served first. `table.hand` is the
    hand just dealt.
    """
    over = table.hand - 1
    if over < 1:
        return
    serving = Penalty.objects.serving().filter(entry__seat__table=table)
    if dealt_in:
        serving = serving.filter(entry__in=dealt_in)
    for penalty in _oldest(tx.lock(serving)):
        begun_before = began is not None and began <= penalty.at and not penalty.hands_done
        if not begun_before and not _given_in(penalty, table, over):
            _count(tx, penalty, hands_done=penalty.hands_done + 1)


def count_round(tx: Tx[Event], play: HandForHand, tables: Sequence[Table]) -> None:
    """A hand of hand-for-hand is over at these tables, told there or not: one missed hand less for who serves at one.

    A penalty given in the round does not count in it. The hand a table deals next does not count this one again.
    """
    here = {table.pk: table for table in tables}
    serving = Penalty.objects.serving().filter(entry__seat__table__in=list(here)).select_related("entry__seat")
    for penalty in _oldest(tx.lock(serving)):
        table = here[penalty.entry.seat.table_id]
        in_progress = play.hand == 0 and _given_in(penalty, table, table.hand)
        if penalty.at < play.since and not in_progress:
            _count(tx, penalty, hands_done=penalty.hands_done + 1)
    tx.change_all([(table, {"hand_counted": True}) for table in tables])


def _oldest(serving: Iterable[Penalty]) -> list[Penalty]:
    """Of the penalties of each player the one served first."""
    first: dict[int, Penalty] = {}
    for penalty in serving:
        first.setdefault(penalty.entry_id, penalty)
    return list(first.values())


def _given_in(penalty: Penalty, table: Table, hand: int) -> bool:
    """Whether it was given at this table in this hand, and none counted since."""
    given_here = penalty.table == table.number and penalty.day_id == table.day_id
    return given_here and hand == penalty.hand and not penalty.hands_done


def _count(tx: Tx[Event], penalty: Penalty, **counted: int) -> None:
    tx.change(penalty, **counted)
    status = Penalty.Status.SERVING if penalty.hands_left else Penalty.Status.SERVED
    tx.change(penalty, status=status)


@command(Event, "penalty.count", permission=Permission.REPORT_HANDS)
def count_hands(tx: Tx[Event], *, penalty_id: int, redeal: bool = False) -> dict[str, Any]:
    """Count one missed hand by the floor's or the dealer's word; `redeal`: the last one counted was dealt again, and is
    no hand of its own. Result: `left`.

    Raises:
        Refused: nothing is left to serve, or there was no hand that could be a redeal.
    """
    penalty = tx.lock_one(Penalty, "There is no such penalty.", pk=penalty_id, event=tx.subject)
    tx.expect_unchanged(penalty)
    if penalty.status == Penalty.Status.WITHDRAWN or not penalty.hands_total:
        raise Refused("This penalty has no hands to miss.", code="no_hands")
    if redeal:
        if penalty.redeals >= penalty.hands_done:
            raise Refused("No hand has been counted that could be a redeal.", code="no_redeal")
        _count(tx, penalty, redeals=penalty.redeals + 1)
    elif penalty.status == Penalty.Status.SERVED:
        raise Refused("It has been served.", code="served")
    else:
        _count(tx, penalty, hands_done=penalty.hands_done + 1)
    tx.say("Penalty {number}: {left} hands left", number=penalty.number, left=penalty.hands_left)
    return {"left": penalty.hands_left}
