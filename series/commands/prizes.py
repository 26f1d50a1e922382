"""How the prizes of an event are divided: changed freely until somebody has paid, then in public with the reason."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.altering import tell_everybody
from series.commands.events import MOST_CENTS, require_not_over
from series.domain import prize_plan
from series.domain.money import format_money
from series.models import Entry, Event, EventNotice

# the columns of an event that each attribute of its plan is kept in
COLUMNS = {
    "kind": "payout_kind",
    "shares_bp": "payout_shares",
    "amounts_cents": "payout_amounts",
    "bands": "payout_bands",
    "step_cents": "payout_step_cents",
    "minimum_cents": "payout_minimum_cents",
}


@command(Event, "prizes.plan", permission=Permission.SET_UP, undoable=False)
def plan_prizes(tx: Tx[Event], *, plan: prize_plan.Plan) -> dict[str, Any]:
    """Say how the prizes are divided. Once somebody has bought in it takes a reason, which everybody reads on the
    event's page and by mail. Prizes that are locked stay as they are until they are locked anew.

    Raises:
        Refused: at the column that is wrong, or at `reason`; the event is over, or a prize was paid.
    """
    event = tx.subject
    tx.expect_unchanged(event)
    require_not_over(event)
    try:
        prize_plan.check(plan)
    except prize_plan.PlanError as error:
        raise Refused(str(error), field=COLUMNS[error.field]) from error
    if not max(plan.step_cents, plan.minimum_cents, *plan.amounts_cents) <= MOST_CENTS:
        field = "payout_amounts" if plan.amounts_cents else "payout_minimum_cents"
        raise Refused(f"The most that can be entered is {format_money(MOST_CENTS)}.", field=field)
    places = max(len(plan.shares_bp), len(plan.amounts_cents))
    if places > event.capacity * (1 + event.max_reentries):
        field = "payout_shares" if plan.shares_bp else "payout_amounts"
        raise Refused("There are more paid places than entries can be.", field=field, code="places")
    if event.payouts.filter(taken_back=False).exists():
        raise Refused("Prizes have been paid: how they are divided cannot change any more.", code="paid")
    before = prize_plan.in_words(event.prize_plan)
    tx.change(
        event,
        payout_kind=str(plan.kind),
        payout_shares=list(plan.shares_bp) or None,
        payout_amounts=list(plan.amounts_cents) or None,
        payout_bands=[[most, list(shares)] for most, shares in plan.bands] or None,
        payout_step_cents=plan.step_cents,
        payout_minimum_cents=plan.minimum_cents,
    )
    now = prize_plan.in_words(plan)
    if now != before and event.entries.exclude(status=Entry.Status.VOID).exists():
        if not tx.reason:
            raise Refused("Players have paid: say why this changes. Everybody reads it.", field="reason")
        tx.rule = "54"
        tell_everybody(tx, EventNotice.Kind.ALTERED, f"Prizes: {before} → {now}\n{tx.reason}")
    tx.say("Prizes: {plan}", plan=now[:200])
    return {}
