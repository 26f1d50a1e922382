"""Seats in another event, won in a satellite."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.errors import Refused
from journal.models import Journaled
from series.models.events import Event
from series.models.people import Entry


class SeatWon(Journaled):
    """A seat in `target` that `entry` of a satellite won, worth `cents`: not used yet, used for an entry of the target,
    or paid in cash instead."""

    class Status(models.TextChoices):
        WON = "won", "not used yet"
        USED = "used", "used"
        CASHED = "cashed", "paid in cash"
        TAKEN_BACK = "taken_back", "taken back"

    target = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="seats_won")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="seats_won")
    cents = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.WON)
    used_by = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["entry"], condition=~Q(status="taken_back"), name="series_one_seat_an_entry"
            ),
        ]

    def __str__(self) -> str:
        return f"seat in {self.target}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Raises Refused for a seat that was used or paid in cash meanwhile, maybe at the desk of the other event."""
        if self.status != self.Status.WON:
            raise Refused(f"Not undone: this seat is {self.get_status_display()}.", code="touched_later")
        tx.change(self, status=self.Status.TAKEN_BACK)
