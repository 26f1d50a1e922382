"""The chip ledger: what came into play and what left it, and what was counted at the tables."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models import Day, Entry, Event
from tables.models.seating import Table


class ChipLine(Journaled):
    """Chips that came into play (positive) or left it (negative). The lines of a day add up to its chips in play.

    `table`: the number of the table where that happened, None for chips issued to somebody without a seat.
    """

    class Kind(models.TextChoices):
        ISSUED = "issued", "issued"
        REBUY = "rebuy", "rebuy"
        ADDON = "addon", "add-on"
        REFUND = "refund", "refunded"
        GIVEN_UP = "given_up", "given up for a re-entry"
        CARRIED = "carried", "carried to another day"
        FORFEIT = "forfeit", "forfeited"
        DISQUALIFIED = "disqualified", "disqualification"
        COLOUR_UP = "colour_up", "colour-up"
        CORRECTION = "correction", "correction"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="chip_lines")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="chip_lines")
    table = models.PositiveSmallIntegerField(null=True, blank=True)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="chip_lines")
    kind = models.CharField(max_length=12, choices=Kind)
    chips = models.BigIntegerField()
    reason = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()
    reverses = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="reversed_by")

    journal_sealed = frozenset({"reason"})

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(chips=0), name="tables_chip_line_not_zero"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.chips:+,}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """A line is answered by one of the opposite number, as in the ledger of money."""
        tx.add(
            ChipLine(
                event_id=self.event_id,
                day_id=self.day_id,
                table=self.table,
                entry_id=self.entry_id,
                kind=self.kind,
                chips=-self.chips,
                at=tx.at,
                reverses=self,
            )
        )


class ChipCount(Journaled):
    """The chips of one table as somebody counted them, at a break or at the bag.

    `position`: the item of the structure at which it was counted. `expected`: what the ledger and the moves said then,
    None if players had come or gone with chips nobody had counted. `people`: keys of the entries that sat there.
    """

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="chip_counts")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="chip_counts")
    position = models.PositiveSmallIntegerField(default=0)
    chips = models.BigIntegerField()
    expected = models.BigIntegerField(null=True, blank=True)
    people = models.JSONField(default=list, blank=True)
    at = models.DateTimeField()
    counted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.table}: {self.chips:,} counted"
