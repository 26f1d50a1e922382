"""Bagged stacks: what each player takes from one day of an event to the next."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models import Day, Entry


class Bag(Journaled):
    """The chips of one entry at the end of a day, from the seat where it was played."""

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="bags")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="bags")
    table = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    chips = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    counted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    taken_back = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "entry"], condition=Q(taken_back=False), name="tables_bagged_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.chips:,}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)
