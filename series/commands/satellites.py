"""Satellites: an event whose prizes are seats in another one."""

from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.events import require_not_over
from series.commands.notices import tell_changes
from series.domain.entries import differences, rules_from
from series.domain.money import format_money
from series.models import Entry, Event


def _prizes_in_words(event: Event) -> str:
    if event.seats_in is None:
        return "money"
    second = "kept as a credit" if event.rules.second_seat == "keep" else "paid in cash"
    return f"seats in {event.seats_in}, {format_money(event.rules.seat_cents)} each; a second seat is {second}"


@command(Event, "event.satellite", permission=Permission.SET_UP, undoable=False)
def set_satellite(tx: Tx[Event], *, target_id: int | None, second_seat: str = "cash") -> dict[str, Any]:
    """Make the prizes seats in another event of the series, each worth its price; None: money again. `second_seat`:
    whether a winner who has a seat already gets `cash`, or may `keep` it as a credit for a re-entry. What people have
    been told of changes with a reason that everybody reads (house rule 54).

    Raises:
        Refused: somebody has bought in; at `target`: no such event, this one, over, free, a satellite of this one; at
            `reason`.
    """
    event = tx.subject
    tx.expect_unchanged(event)
    require_not_over(event)
    if event.entries.exclude(status=Entry.Status.VOID).exists():
        raise Refused("Players have bought in: what they play for cannot change any more.", code="fixed")
    stored = {name: value for name, value in event.entry_rules.items() if name not in ("seat_cents", "second_seat")}
    # locked: its price is what a seat is worth, and does not change once it has a satellite
    found = tx.lock(Event.objects.filter(pk=target_id, series=event.series_id)) if target_id else []
    target = found[0] if found else None
    if target_id:
        if target is None or target.pk == event.pk or target.seats_in_id == event.pk:
            raise Refused("Choose another event of this series.", field="target")
        if target.status in (Event.Status.FINISHED, Event.Status.CANCELLED):
            raise Refused(f"{target} is {target.get_status_display()}.", field="target")
        if not target.price_cents:
            raise Refused(f"{target} costs nothing: a seat in it is no prize.", field="target")
        if second_seat not in ("cash", "keep"):
            raise Refused("Choose one of those offered.", field="second_seat")
        stored |= {"seat_cents": target.price_cents, "second_seat": second_seat}
    before = _prizes_in_words(event)
    tx.change(event, seats_in=target, entry_rules=differences(rules_from(stored)))
    after = _prizes_in_words(event)
    tell_changes(tx, [f"Prizes: {before} → {after}"] if after != before else [])
    if target:
        tx.say("Prizes are seats in {target}, {price} each", target=target, price=format_money(target.price_cents))
    else:
        tx.say("Prizes are paid in money")
    return {"target": target.pk if target else None}
