"""Deals: the prizes still played for, divided among those who are left because all of them want it.

Asked one by one and out of hearing; a no is not written down (TDA 2026 RP-27: yes or no without saying whose).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.permissions import Permission
from journal.commands import Done, Tx, command
from journal.errors import Refused
from series.domain import deals
from series.domain.money import format_money
from series.models import Deal, DealShare, Entry, Event, Payout
from tables.commands.finish import everybody_in
from tables.commands.leaving import require_leavable, take_out
from tables.commands.payouts import check_field_undone
from tables.commands.purchases import refuse_if_declared
from tables.commands.seating import playing, seats_of
from tables.models import Elimination
from tables.reads.standings import Standings, standings_of


def shares_of(
    now: Standings, method: str, stacks: Mapping[int, int], amounts: Mapping[int, int], left_cents: int
) -> dict[int, int]:
    """What each entry still in would get, in cents, by `stacks` (chips) or, for own amounts, by `amounts`.

    Raises:
        Refused: at the field that is wrong (`stack_7` and `amount_7` for entry 7).
    """
    players = now.playing
    if not players:
        raise Refused("Nobody is left to divide anything with.", code="alone")
    if method not in Deal.Method.values:
        raise Refused("Choose how the prizes are divided.", field="method")
    try:
        to_divide = deals.without(prizes_left(now), left_cents)
    except deals.DealError as error:
        raise Refused(str(error), field="left_cents") from error
    given, field = (amounts, "amount") if method == Deal.Method.CUSTOM else (stacks, "stack")
    for entry in players:
        if given.get(entry.pk) is None:
            raise Refused(f"{entry.player}: {'share' if field == 'amount' else 'chips'}?", field=f"{field}_{entry.pk}")
        if given[entry.pk] < 0:
            raise Refused("Not less than nothing.", field=f"{field}_{entry.pk}")
    in_order = [given[entry.pk] for entry in players]
    try:
        if method == Deal.Method.CUSTOM:
            found = deals.custom(in_order, sum(to_divide))
        else:
            if not any(in_order):
                raise Refused("Count the chips first.", field=f"stack_{players[0].pk}")
            found = deals.deal(deals.Method(method), in_order, to_divide)
    except deals.DealError as error:
        raise Refused(str(error), field=f"{field}_{players[0].pk}" if field == "amount" else "method") from error
    return {entry.pk: cents for entry, cents in zip(players, found, strict=True)}


def prizes_left(now: Standings) -> tuple[int, ...]:
    """The prizes of the places still played for, best first, in cents."""
    return now.prizes.amounts[: len(now.playing)]


def require_dealable(now: Standings, event: Event, entries_closed: bool) -> None:
    """Refuse unless several are left to divide prizes that are locked and up to date."""
    if event.status != Event.Status.RUNNING:
        raise Refused("A deal is made while the event is played.", code="not_running")
    if not entries_closed:
        raise Refused("Registration is open: nobody knows yet who divides what.", code="open")
    if now.prizes.lock is None:
        raise Refused("Lock the prizes first: a deal divides what was published.", code="not_locked")
    if now.prizes.stale:
        raise Refused("The prizes are no longer up to date: lock them anew first.", code="stale")
    if now.prizes.deal:
        raise Refused("There is a deal already: undo it first.", code="deal")
    if len(now.playing) < 2:
        raise Refused("Nobody is left to divide anything with.", code="alone")
    if len(now.playing) > deals.MOST_PLAYERS:
        raise Refused(f"A deal is made among {deals.MOST_PLAYERS} players at most.", code="many")
    if not prizes_left(now):
        raise Refused("There are no prizes left to divide.", code="no_prize")


@dataclass(frozen=True)
class WorkedOut:
    """Shares in cents by entry, or why there are none, and what they follow from beside the terms: the players in their
    order and the prizes left."""

    players: tuple[int, ...]
    prizes: tuple[int, ...]
    shares: Mapping[int, int]
    problem: Refused | None

    def fits(self, now: Standings) -> bool:
        """Whether players and prizes are still the same."""
        return (self.players, self.prizes) == (_keys(now), prizes_left(now))


def _keys(now: Standings) -> tuple[int, ...]:
    return tuple(entry.pk for entry in now.playing)


def make_deal(
    *, on: int, method: str, stacks: Mapping[int, int], amounts: Mapping[int, int], left_cents: int, **sent: Any
) -> Done:
    """Write down what everybody left agreed to, as `write_deal` does. ICM among many takes seconds, so the shares are
    worked out before the event is locked, and hold if players and prizes are still the same then.

    Raises:
        Refused: as `write_deal`.
    """
    event = Event.objects.select_related("series").filter(pk=on).first()
    if event is None:
        raise Refused("There is no such event.", code="missing")
    now = standings_of([event])[on]
    shares: dict[int, int] = {}
    problem = None
    try:
        shares = shares_of(now, method, stacks, amounts, left_cents)
    except Refused as refusal:  # said once the event is locked, after what is wrong with the event
        problem = refusal
    worked_out = WorkedOut(_keys(now), prizes_left(now), shares, problem)
    return write_deal(on=on, method=method, stacks=stacks, left_cents=left_cents, worked_out=worked_out, **sent)


@command(Event, "deal.make", permission=Permission.DIRECT)
def write_deal(
    tx: Tx[Event],
    *,
    method: str,
    stacks: Mapping[int, int],
    left_cents: int,
    worked_out: WorkedOut,
    shown: str,
    agreed: frozenset[int],
    shares: Mapping[int, int],
) -> dict[str, Any]:
    """The part of `make_deal` that holds the event. `shares`: the cents by entry that the players were shown; `agreed`:
    who said yes.

    Raises:
        Refused: somebody has not agreed, what was shown is not what comes of it now, or no deal can be made.
    """
    event = tx.subject
    entries = tx.lock(Entry.objects.filter(event=event, status=Entry.Status.PLAYING))
    now = standings_of([event])[event.pk]
    require_dealable(now, event, everybody_in(event, tx))
    if shown not in Deal.Shown.values:
        raise Refused("Choose what the results show of it.", field="shown")
    if worked_out.problem:
        raise worked_out.problem
    found = worked_out.shares
    if not worked_out.fits(now) or found != dict(shares):
        raise Refused("This is not what the players were shown: look at the shares again.", code="shares")
    if left_cents and event.rules.seat_cents:
        raise Refused("Nothing is left to play for: a satellite ends with its seats.", field="left_cents")
    missing = [entry for entry in now.playing if entry.pk not in agreed]
    if missing:
        raise Refused("Everybody has to agree, or there is no deal.", field=f"agree_{missing[0].pk}", code="agree")
    if Payout.objects.filter(entry__in=entries, taken_back=False).exists():
        raise Refused("One of these players has been paid already.", code="paid")
    made = tx.add(Deal(event=event, method=method, left_cents=left_cents, shown=shown, at=tx.at))
    tx.add_all(
        [
            DealShare(deal=made, entry_id=entry, stack=stacks.get(entry), amount_cents=cents)
            for entry, cents in found.items()
        ]
    )
    tx.say("A deal among {count}: {cents} divided", count=len(found), cents=format_money(sum(found.values())))
    return {"deal": made.pk}


@command(Event, "deal.show", permission=Permission.DIRECT)
def show_deal(tx: Tx[Event], *, shown: str) -> dict[str, Any]:
    """Say what the public results show of the deal.

    Raises:
        Refused: there is no deal, or at `shown`.
    """
    deal = tx.lock_one(Deal, "There is no deal.", event=tx.subject, standing=True)
    tx.expect_unchanged(deal)
    if shown not in Deal.Shown.values:
        raise Refused("Choose what the results show of it.", field="shown")
    tx.change(deal, shown=shown)
    tx.say("The results show of the deal: {what}", what=deal.get_shown_display().lower())
    return {}


@command(Event, "deal.end", permission=Permission.DIRECT, after_undo=check_field_undone)
def end_by_chips(tx: Tx[Event]) -> dict[str, Any]:
    """Nothing is left to play for: the event ends here, with places by the chips that were counted for the deal. Equal
    chips share a place, as if they had gone out in one hand.

    Raises:
        Refused: no deal, or it no longer fits; something is left to play for; nobody counted chips, or two have most of
            them; or not everybody is seated on one day.
    """
    event = tx.subject
    deal = tx.lock_one(Deal, "There is no deal.", event=event, standing=True)
    tx.expect_unchanged(deal)
    if deal.left_cents:
        raise Refused(f"{format_money(deal.left_cents)} are left to play for: play on.", code="left")
    now = standings_of([event])[event.pk]
    if now.deal_broken:
        raise Refused("The deal no longer fits who is left.", code="deal")
    counted = dict(deal.shares.values_list("entry", "stack"))
    entries = playing(tx, [entry.pk for entry in now.playing])
    refuse_if_declared(entries)
    if any(counted[entry.pk] is None for entry in entries):
        raise Refused("Nobody counted the chips for this deal: bust the players in their order.", code="uncounted")
    stacks = {entry.pk: counted[entry.pk] or 0 for entry in entries}
    most = max(stacks.values())
    if sum(stack == most for stack in stacks.values()) > 1:
        raise Refused("Two have the same most chips: play for the first place.", code="equal")
    if len({entry.day_id for entry in entries}) > 1:
        raise Refused("Players of different days cannot be placed by their chips.", code="days")
    seats = seats_of(tx, entries)
    for stack in sorted(set(stacks.values()) - {most}):
        out = [entry for entry in entries if stacks[entry.pk] == stack]
        require_leavable(tx, out)
        take_out(tx, out, seats, tx.add(Elimination(day=entries[0].day, at=tx.at)), stacks)
    tx.say("Play ends by the deal; places by chips")
    return {}


@command(Event, "deal.take_back", permission=Permission.DIRECT)
def take_deal_back(tx: Tx[Event]) -> dict[str, Any]:
    """The deal does not hold: the prizes are those of the places again.

    Raises:
        Refused: there is no deal, or one of its shares was paid.
    """
    deal = tx.lock_one(Deal, "There is no deal.", event=tx.subject, standing=True)
    tx.expect_unchanged(deal)
    deal.journal_unmake(tx)
    tx.say("The deal is taken back")
    return {}
