"""Many players at once: what their registrations and buy-ins one by one would leave, in one journal entry.

Half of the time of the tests went into buying in players whom they are not about.
"""

import datetime as dt
import uuid
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from series.domain.names import fold
from series.models import Day, Entry, Event, IdCheck, LedgerLine, Letter, Player, Registration
from series.models.money import add_lines
from tables.commands.drawing import draw_now, keys_of
from tables.commands.seating import chairs_drawn, chairs_of, new_tables, place_words, pool_of, sit_down
from tables.models import ChipLine, Draw, Seat, Table


@command(Event, "entry.test_field", permission=Permission.TAKE_MONEY, undoable=False)
def enter_field(tx: Tx[Event], *, people: list[tuple[str, dt.date, str]]) -> dict[str, Any]:
    """Enter people (name, birth date, e-mail address) into an event that has no players yet, at tables filled one after
    the other. Result: `players`, as `register` and `buy_in` say of each.
    """
    event = tx.subject
    day = Day.objects.get(event=event)
    version = event.series.rulebook_versions.in_force(tx.at).values_list("pk", flat=True).first()
    players = tx.add_all(
        [
            Player(name=name, name_folded=fold(name), public_name=name, birth_date=born, email=email)
            for name, born, email in people
        ]
    )
    held = tx.add_all([_registration(event, day, player, version, tx.at) for player in players])
    tx.add_all([Letter(registration=one, kind=Letter.Kind.REGISTERED, at=tx.at) for one in held])
    tx.add_all(
        [
            IdCheck(player=player, kind="passport", age=event.age_required, at=tx.at, checked_by_id=tx.actor.pk)
            for player in players
        ]
    )
    entries = tx.add_all(
        [Entry(event=event, day=day, player=player, stack=event.starting_stack, at=tx.at) for player in players]
    )
    add_lines(tx, [line for entry in entries for line in _paid(tx, entry)])
    seats = _seats(tx, day, entries)
    tx.add_all(
        [
            ChipLine(
                event=event,
                day=day,
                table=seats[entry.pk].table.number,
                entry=entry,
                kind=ChipLine.Kind.ISSUED,
                chips=entry.stack,
                at=tx.at,
            )
            for entry in entries
        ]
    )
    rows = zip(held, entries, strict=True)
    return {
        "players": [
            {"registration": one.pk, "player": one.player_id, "entry": entry.pk, "stack": entry.stack}
            | place_words(seats[entry.pk])
            for one, entry in rows
        ]
    }


def _registration(event: Event, day: Day, player: Player, version: int | None, at: dt.datetime) -> Registration:
    return Registration(
        event=event,
        day=day,
        player=player,
        rulebook_version_id=version,
        at=at,
        status=Registration.Status.ENTERED,
        checked_in_at=at,
    )


def _paid(tx: Tx[Event], entry: Entry) -> list[LedgerLine]:
    """In cash, into the event's common till."""
    posting = uuid.uuid4()
    amounts = {LedgerLine.Account.TILL: tx.subject.price_cents}
    amounts |= {account: -cents for account, cents in tx.subject.price_shares.items()}
    return [
        LedgerLine(
            event=tx.subject,
            entry=entry,
            posting=posting,
            account=account,
            item=LedgerLine.Item.BUY_IN,
            amount_cents=cents,
            method=LedgerLine.Method.CASH,
            at=tx.at,
            by_id=tx.actor.pk,
        )
        for account, cents in amounts.items()
        if cents
    ]


def _seats(tx: Tx[Event], day: Day, entries: list[Entry]) -> dict[int, Seat]:
    """A drawn chair for each entry, by its key."""
    size = tx.subject.seats_per_table
    tables = new_tables(tx, day, [size] * -(-len(entries) // size), Table.Status.OPEN)
    chairs = chairs_of(tx, tables)
    seats: dict[int, Seat] = {}
    for number, table in enumerate(tables):
        here = entries[number * size : (number + 1) * size]
        own = {table.pk: chairs[table.pk]}
        _, result = draw_now(tx, day, Draw.Kind.LATE, f"entry {here[0].pk}", keys_of(here), pool_of(tx, [table], own))
        seats |= chairs_drawn(own, result)
    sit_down(tx, seats)
    return seats
