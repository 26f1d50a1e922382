"""Prizes handed over."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models.events import Event
from series.models.money import LedgerLine
from series.models.people import Entry


class Payout(Journaled):
    """A prize handed to a player: for which places, how much, how and by whom."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="payouts")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="payouts")
    best_place = models.PositiveIntegerField()
    worst_place = models.PositiveIntegerField()
    amount_cents = models.PositiveIntegerField()
    method = models.CharField(max_length=8, choices=LedgerLine.Method)
    at = models.DateTimeField()
    paid_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    taken_back = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(taken_back=False), name="series_paid_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} {self.amount_cents}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)
