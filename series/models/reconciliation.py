"""Statements that somebody went through the money and found it right."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from journal.commands import Tx
from journal.models import Journaled
from series.models.events import Event, Series


class Reconciliation(Journaled):
    """Somebody went through the money of a series, or of one event, on a local `day` or on all of them (None), and
    found it right. `lines`: how many lines the ledger had for it then; with more of them money has moved since."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="reconciliations")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="reconciliations")
    day = models.DateField(null=True)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    lines = models.PositiveIntegerField()
    note = models.CharField(max_length=200, blank=True)
    taken_back = models.BooleanField(default=False)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["series", "event", "day"], name="series_reconciled")]

    def __str__(self) -> str:
        return f"{self.event or self.series} {self.day or ''}".strip()

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)
