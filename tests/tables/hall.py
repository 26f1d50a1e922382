"""Halls of a given shape: tables with so many players, the button where the test wants it."""

import datetime as dt
import uuid
from collections.abc import Sequence

from django.utils import timezone

from journal import guard
from series.domain.names import fold
from series.models import Day, Entry, Event, LedgerLine, Player
from tables.models import ChipLine, Clock, Seat, Table
from tests.factories import numbers

NAMES = ("Hēmi Parata", "Mia Paraone", "Łukasz Nowak", "Ngāio Tūhoe", "Zoë Smith", "Jack Wirihana", "Anahera Ngata")


def seat_players(
    day: Day, table: int, occupied: Sequence[int], *, seats: int = 9, last: tuple[int, int, int] | None = None
) -> list[Entry]:
    """A table with a paid player in each of the seats `occupied`; `last` are button, small and big blind."""
    event = day.event
    posting = uuid.uuid4()
    paid = {LedgerLine.Account.TILL: event.buy_in_cents, LedgerLine.Account.PRIZE_POOL: -event.buy_in_cents}
    button, small_blind, big_blind = last or (None, None, None)
    with guard.writing():
        row = Table.objects.create(
            day=day,
            number=table,
            seats=seats,
            button=button,
            small_blind=small_blind,
            big_blind=big_blind,
            button_at=timezone.now() if last else None,
            hand=1 if last else 0,
        )
        players = []
        for _ in occupied:
            name = f"{NAMES[next(numbers) % len(NAMES)]} {next(numbers)}"
            player = Player(name=name, name_folded=fold(name), public_name=name, birth_date=dt.date(1990, 1, 1))
            players.append(player)
        Player.objects.bulk_create(players)
        entries = Entry.objects.bulk_create(
            [
                Entry(event=event, day=day, player=player, stack=event.starting_stack, at=timezone.now())
                for player in players
            ]
        )
        LedgerLine.objects.bulk_create(
            [
                LedgerLine(event=event, entry=entry, posting=posting, account=account, amount_cents=cents, at=entry.at)
                for entry in entries
                for account, cents in paid.items()
                if cents
            ]
        )
        ChipLine.objects.bulk_create(
            [
                ChipLine(event=event, day=day, table=table, entry=entry, kind="issued", chips=entry.stack, at=entry.at)
                for entry in entries
            ]
        )
        by_seat = dict(zip(occupied, entries, strict=True))
        if last:
            Table.objects.filter(pk=row.pk).update(dealt_in={str(seat): entry.pk for seat, entry in by_seat.items()})
        Seat.objects.bulk_create(
            [Seat(table=row, number=number, entry=by_seat.get(number)) for number in range(1, seats + 1)]
        )
    return entries


def make_hall(event: Event, sizes: Sequence[int], *, told: bool = True, running: bool = True) -> Day:
    """Tables 1, 2, … with so many players in their first seats; `told`: the button was at seat 1 in the last hand."""
    day = event.days.get()
    day.event = event
    with guard.writing():
        if running:
            Event.objects.filter(pk=event.pk).update(status=Event.Status.RUNNING)
            event.status = Event.Status.RUNNING
            ends_at = timezone.now() + dt.timedelta(minutes=15)
            Clock.objects.create(day=day, status="running", ends_at=ends_at, version=1)
    for number, size in enumerate(sizes, start=1):
        occupied = range(1, size + 1)
        seat_players(day, number, occupied, seats=event.seats_per_table, last=(1, 2, 3) if told else None)
    return day
