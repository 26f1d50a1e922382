"""Bounties: who busted whom, and what was paid for it."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q, Sum

from journal.commands import Tx
from journal.errors import Refused
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

    def require_unpaid(self) -> None:
        """Raises Refused if its hunter has been paid more than the bounties that are left without this one."""
        player = self.hunter.player_id
        won = Knockout.objects.filter(event=self.event_id, hunter__player=player, taken_back=False)
        paid = BountyPayment.objects.filter(event=self.event_id, entry__player=player, taken_back=False)
        left = won.exclude(pk=self.pk).aggregate(total=Sum("cents"))["total"] or 0
        if (paid.aggregate(total=Sum("cents"))["total"] or 0) > left:
            words = f"{self.hunter.player.public_name} has been paid bounties already: take that back first."
            raise Refused(words, code="paid")

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Raises Refused if it was paid."""
        self.require_unpaid()
        tx.change(self, taken_back=True)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """Raises Refused if it would be taken back, and was paid."""
        if values.get("taken_back"):
            self.require_unpaid()
        tx.change(self, **values)


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

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """Raises Refused for a payment that was taken back: somebody else may have the bounty since."""
        if values.get("taken_back") is False:
            raise Refused("Not redone: pay the bounties anew, as they stand now.", code="pay_anew")
        tx.change(self, **values)
