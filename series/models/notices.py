"""What the organiser tells everybody about an event that is not as it was announced (house rule 54)."""

from typing import Any, ClassVar

from django.db import models

from journal.commands import Tx
from journal.errors import Refused
from journal.models import Journaled
from series.models.events import Event


class EventNotice(Journaled):
    """A public notice on the page of an event. `refunded_cents`: what was given back when the event was called off."""

    class Kind(models.TextChoices):
        CANCELLED = "cancelled", "cancelled"
        ALTERED = "altered", "altered"
        LEVELS = "levels", "levels to come changed"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="notices")
    kind = models.CharField(max_length=9, choices=Kind)
    text = models.TextField()
    at = models.DateTimeField()
    refunded_cents = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"notice of {self.event}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """What was refunded stays refunded.

        Raises:
            Refused: the event was called off and buy-ins were given back.
        """
        if self.refunded_cents:
            raise Refused("The buy-ins were refunded: the event stays cancelled. Set up a new one.", code="refunded")
        tx.remove(self)
