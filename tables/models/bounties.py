"""Bounties: who busted whom, and what was paid for it."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models import Entry, Event, LedgerLine


class Knockout(Journaled):
    """That `hunter` has won the bounty of `victim`, or a part of it, in cents."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="knockouts")
    victim = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="knocked_out_by")
    hunter = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="knockouts")
    cents = models.PositiveIntegerField()
    at = models.DateTimeField()
    taken_back = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["victim", "hunter"], condition=Q(taken_back=False), name="tables_knocked_out_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hunter} busted {self.victim}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)


class BountyPayment(Journaled):
    """Bounties handed to a player; `entry` is the last one they played."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="bounty_payments")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="bounty_payments")
    cents = models.PositiveIntegerField()
    method = models.CharField(max_length=8, choices=LedgerLine.Method)
    at = models.DateTimeField()
    paid_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    taken_back = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.entry} {self.cents}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)
