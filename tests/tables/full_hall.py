"""An event whose hall has no seat left, and a player who is out."""

import datetime as dt
from typing import Any

from accounts.models import User
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.people import register
from series.models import Event, Registration
from tables.commands.entries import reenter, wait_for_reentry
from tables.commands.floor import bust
from tests.factories import add_players, make_running_event


def join(event: Event, director: User, name: str, **given: Any) -> Registration:
    done = register(
        actor=director, on=event.pk, name=name, birth_date=dt.date(1990, 1, 1), email=f"{name}@example.nz",
        waiting=True, **given,
    )  # fmt: skip
    return Registration.objects.get(pk=done.result["registration"])


class FullHall:
    """Four players in a hall of four seats; the first goes out, and somebody new has their seat, or (`in_line`) waits
    for it."""

    def __init__(self, *, in_line: bool = False, **fields: Any) -> None:
        given = {"hall_seats": 4, "capacity": 20, "hold_minutes": 90, "max_reentries": 2} | fields
        self.event, self.director = make_running_event(4, **given)
        self.out = self.event.entries.order_by("pk")[0]
        self.alternate = join(self.event, self.director, "Ana") if in_line else None
        self.bust(0)
        if not in_line:
            add_players(self.event, 1, self.director)

    def bust(self, at: int) -> None:
        entry = self.event.entries.filter(status="playing").order_by("pk")[at]
        bust(actor=self.director, on=self.event.pk, entry_ids=[entry.pk])

    def wait(self) -> Registration:
        wait_for_reentry(actor=self.director, on=self.event.pk, player_id=self.out.player_id)
        return self.place

    def reenter(self) -> dict[str, Any]:
        return reenter(actor=self.director, on=self.event.pk, player_id=self.out.player_id, method="cash").result

    def undo(self, verb: str) -> None:
        """Take back the last entry of this verb."""
        undo(actor=self.director, entry_id=JournalEntry.objects.filter(verb=verb).latest("pk").pk)

    @property
    def place(self) -> Registration:
        return Registration.objects.get(event=self.event, player=self.out.player_id)
