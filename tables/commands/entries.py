"""Buying in and re-entering: from a held place to a stack and, but for a draw that seats everybody, to a chair."""

import datetime as dt
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from series.commands.doors import refuse_excluded
from series.commands.money import post_buy_in
from series.commands.people import add_id_check, require_age, require_open
from series.domain.entries import stack_at, why_reentry_over
from series.models import Day, Entry, Event, Letter, Player, Registration
from series.reads.places import reentry_days, why_no_reentry, with_seats
from tables.commands.chips import issue_chips
from tables.commands.clock import day_of
from tables.commands.leaving import give_up
from tables.commands.purchases import refuse_if_declared
from tables.commands.refunds import check_sale_undone
from tables.commands.satellites import SEAT, use_seat
from tables.commands.seating import place_words, seat_new_entry
from tables.reads.clock import stage_of
from tables.reads.penalties import disqualified


def _require_proof(tx: Tx[Event], player: Player, id_kind: str, birth_date: dt.date | None) -> None:
    """The age must be reached and proven by a sighted ID before a seat or chips are given (house rule 1)."""
    event = tx.subject
    require_age(tx, player, birth_date)
    if id_kind:
        if not tx.actor.may(Permission.SIGHT_ID, event):
            raise NotAllowed("Your role does not allow sighting an ID.")
        add_id_check(tx, player, id_kind)
    elif not player.has_proven(event.age_required):
        words = f"Look at the player's ID first: it must show {event.age_required} or over."
        raise Refused(words, field="id_kind", code="no_id")


def _enter(tx: Tx[Event], day: Day, player: Player, number: int, method: str) -> dict[str, Any]:
    stack = stack_at(tx.subject.rules, tx.subject.starting_stack, stage_of(day, tx.at))
    entry = tx.add(Entry(event=tx.subject, day=day, player=player, number=number, stack=stack, at=tx.at))
    if method == SEAT:
        use_seat(tx, entry)
    else:
        post_buy_in(tx, entry, method)
    seat = seat_new_entry(tx, day, entry)
    issue_chips(tx, entry, seat)
    where = place_words(seat) if seat else {}
    what = "bought in" if number == 1 else "re-entered"
    tx.say("{player} " + what + (": table {table}, seat {seat}" if seat else ""), player=player, **where)
    return {"entry": entry.pk, "player": player.pk, "stack": stack, **where}


@command(Event, "entry.buy_in", permission=Permission.TAKE_MONEY, after_undo=check_sale_undone)
def buy_in(
    tx: Tx[Event], *, registration_id: int, method: str, id_kind: str = "", birth_date: dt.date | None = None
) -> dict[str, Any]:
    """Take the buy-in of a registered player, sight the ID with it if need be, and draw the seat.
    `birth_date`: as the ID shows it, where none is kept.

    Result: `entry`, `player`, and `table` and `seat` if a seat was drawn.

    Raises:
        Refused: registration closed, too young, no ID sighted (field `id_kind`), unknown way to pay (field `method`).
    """
    registration = tx.lock_one(
        Registration,
        "This player has no place here that waits for a buy-in.",
        pk=registration_id,
        event=tx.subject,
    )
    tx.expect_unchanged(registration)
    if registration.status not in Registration.HOLDING or registration.again_at is not None:
        raise Refused("This player has no place here that waits for a buy-in.", code="missing")
    if registration.status == Registration.Status.CALLED and (registration.held_until or tx.at) < tx.at:
        raise Refused("The call has ended: the place goes to the next on the waiting list.", code="call_ended")
    day = day_of(tx, registration.day_id)
    require_open(tx.subject, day, tx.at)
    player = registration.player
    refuse_excluded(tx, player, birth_date=birth_date)
    _require_proof(tx, player, id_kind, birth_date)
    tx.change(
        registration,
        status=Registration.Status.ENTERED,
        checked_in_at=registration.checked_in_at or tx.at,
        held_until=None,
    )
    return _enter(tx, day, player, 1, method)


def _require_reentry(
    tx: Tx[Event], player_id: int, day_id: int | None, *, giving_up: bool
) -> tuple[Player, list[Entry], Day]:
    """A player who may re-enter as far as the event's terms go, with their entries and the day they re-enter.

    Raises:
        Refused: as `reenter`.
    """
    event = tx.subject
    player = tx.lock_one(Player, "There is no such player.", pk=player_id)
    entries = tx.lock(Entry.objects.filter(event=event, player=player).exclude(status=Entry.Status.VOID))
    tx.expect_unchanged(*entries)
    if reason := why_no_reentry(event, entries, giving_up=giving_up):
        raise Refused(reason, code="no_reentry")
    if disqualified(event) & {entry.pk for entry in entries}:
        raise Refused(f"{player} was disqualified.", code="disqualified")
    day = day_of(tx, day_id or entries[-1].day_id)
    require_open(event, day, tx.at)
    refuse_excluded(tx, player)
    if reason := why_reentry_over(event.rules, stage_of(day, tx.at)):
        raise Refused(reason, code="no_reentry")
    if not reentry_days(event, [day], entries[-1].day):
        words = "only the same flight" if event.rules.reentry_day == "same" else "only a later flight"
        raise Refused(f"A re-entry is for {words} here.", field="day", code="no_reentry")
    return player, entries, day


def _place_of(tx: Tx[Event], player: Player) -> Registration | None:
    """The registration with which the player entered, locked; None if their record was merged into one that had it."""
    rows = tx.lock(tx.subject.registrations.filter(player=player).exclude(status__in=Registration.GONE))
    return rows[0] if rows else None


@command(Event, "entry.reenter", permission=Permission.TAKE_MONEY, after_undo=check_sale_undone)
def reenter(
    tx: Tx[Event], *, player_id: int, method: str, day_id: int | None = None, given_up: int | None = None
) -> dict[str, Any]:
    """Sell a new stack and seat to a player who is out. It is a new entry; the first one keeps its place.

    `given_up`: the chips of a stack they still have, which leaves play for the new one (TDA 2024 rule 8B). In a hall
    whose seats are all taken who was called from the waiting list has one.

    Raises:
        Refused: still playing, no re-entries (left), their window or registration closed, disqualified, no seat; at
            `day` for a flight that cannot be re-entered, at `given_up` for chips that cannot be; the call has ended.
    """
    event = tx.subject
    player, entries, day = _require_reentry(tx, player_id, day_id, giving_up=given_up is not None)
    place = _place_of(tx, player)
    playing = any(entry.status == Entry.Status.PLAYING for entry in entries)
    called = place is not None and place.status == Registration.Status.CALLED and place.again_on_id == day.pk
    if place is not None and called and (place.held_until or tx.at) < tx.at:
        raise Refused("The call has ended: the seat goes to the next on the waiting list.", code="call_ended")
    if not playing and not called and not with_seats(event, [day], tx.at):
        if place is not None and place.again_at is not None:
            raise Refused(f"All seats are taken, and {player} is on the waiting list already.", code="full")
        raise Refused(
            "All seats are taken. Put them on the waiting list: they are called when one is free.", code="full"
        )
    if place is not None and place.again_at is not None:
        tx.change(place, **place.ended(Registration.Status.ENTERED, tx.at), held_until=None)
    for entry in entries:
        if entry.status == Entry.Status.PLAYING:
            refuse_if_declared([entry])
            give_up(tx, entry, given_up or 0)
    return _enter(tx, day, player, max(entry.number for entry in entries) + 1, method)


@command(Event, "entry.wait", permission=Permission.REGISTER)
def wait_for_reentry(tx: Tx[Event], *, player_id: int, day_id: int | None = None) -> dict[str, Any]:
    """Put a player who is out at the end of the waiting list, for a seat to re-enter: they pay when they are called.

    Result: `registration`.

    Raises:
        Refused: as `reenter`; a seat is free, or they wait already.
    """
    player, _, day = _require_reentry(tx, player_id, day_id, giving_up=False)
    place = _place_of(tx, player)
    if place is None or place.status != Registration.Status.ENTERED:
        raise Refused(f"{player} is on the waiting list already.", code="waiting")
    if with_seats(tx.subject, [day], tx.at):
        raise Refused("A seat is free: take the re-entry.", code="free")
    tx.change(place, status=Registration.Status.WAITING, again_on=day, again_at=tx.at, called_at=None, held_until=None)
    if player.email:
        tx.add(Letter(registration=place, kind=Letter.Kind.WAITING, at=tx.at))
    tx.say("{player} waits for a seat to re-enter", player=player)
    return {"registration": place.pk}
