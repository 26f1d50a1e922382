"""Tills: the cash one person at the desk answers for, from opening to the count."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.permissions import Permission
from journal.commands import Tx
from journal.errors import NotAllowed, Refused
from journal.models import Journaled
from series.models.events import Series


class Till(Journaled):
    """One person's cash drawer, from opening to closing. What is in it follows from the ledger's lines that name it.

    `reckoned_cents` and `counted_cents` are what the ledger said and what was counted at the closing; `opening_count`
    and `closing_count` hold pieces by their value in cents where notes and coins were counted.
    """

    class Status(models.TextChoices):
        OPEN = "open", "open"
        CLOSED = "closed", "closed"
        VOID = "void", "taken back"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="tills")
    number = models.PositiveIntegerField()
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=6, choices=Status, default=Status.OPEN)
    opened_at = models.DateTimeField()
    opening_count = models.JSONField(default=dict)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    closing_count = models.JSONField(default=dict)
    reckoned_cents = models.BigIntegerField(null=True)
    counted_cents = models.BigIntegerField(null=True)
    reason = models.CharField("why the count differs", max_length=200, blank=True)

    journal_sealed = frozenset({"reason"})  # free words may name people

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["series", "holder"], condition=Q(status="open"), name="series_one_open_till_each"
            ),
            models.UniqueConstraint(fields=["series", "number"], name="series_till_number"),
        ]

    def __str__(self) -> str:
        return f"till {self.number}"

    def require_own(self, tx: Tx[Any]) -> None:
        """Raises NotAllowed unless it is the actor's own till, or the actor directs."""
        if self.holder_id != tx.actor.pk and not tx.actor.may(Permission.DIRECT, tx.subject):
            raise NotAllowed("This is somebody else’s till.")

    def _require_unused(self, tx: Tx[Any]) -> None:
        self.require_own(tx)
        if self.ledger.exclude(item="float").exists():
            raise Refused("Not undone: money went through this till. Close it instead.", code="used")

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """An opening is taken back while nothing but the float went through the till."""
        self._require_unused(tx)
        tx.change(self, status=self.Status.VOID)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """A closing taken back opens the till again, unless its holder has another one by now; an opening that was
        redone is taken back as the first one."""
        if values.get("status") == self.Status.VOID:
            self._require_unused(tx)
        open_now = Till.objects.filter(series=self.series_id, holder=self.holder_id, status=self.Status.OPEN)
        if values.get("status") == self.Status.OPEN and open_now.exclude(pk=self.pk).exists():
            raise Refused("Not undone: this person has opened another till since.", code="open")
        tx.change(self, **values)
