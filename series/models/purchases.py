"""Rebuys and add-ons: chips that an entry bought on top of its stack."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models.events import Event
from series.models.people import Entry


class Purchase(Journaled):
    """A rebuy or an add-on of an entry. A declared rebuy binds the player (TDA 2024 rule 27) and is not paid yet: no
    money and no chips have moved."""

    class Kind(models.TextChoices):
        REBUY = "rebuy", "rebuy"
        ADDON = "addon", "add-on"

    class Status(models.TextChoices):
        DECLARED = "declared", "declared"
        PAID = "paid", "paid"
        TAKEN_BACK = "taken_back", "taken back"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="purchases")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="purchases")
    kind = models.CharField(max_length=5, choices=Kind)
    status = models.CharField(max_length=10, choices=Status)
    chips = models.PositiveIntegerField()
    cents = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(status="declared"), name="series_one_declared_rebuy"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.entry}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.TAKEN_BACK)
