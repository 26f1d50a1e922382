"""Hand-for-hand play: one row while it lasts, and a report for each table and hand."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from journal.models import Journaled
from series.models import Day
from tables.models.eliminations import Elimination
from tables.models.seating import Table


class HandForHand(Journaled):
    """Hand-for-hand play of a day, from its announcement to its end (house rules 50 and 51).

    `hand` counts released hands; 0 is the hand in progress at the announcement. `elimination` groups the busts of the
    round at hand, `previous` those of the one before it. `release_at` is set when every table has reported: the sweep
    then releases the next hand.
    """

    class Phase(models.TextChoices):
        ANNOUNCED = "announced", "announced, hands in progress"
        ALL_IDLE = "all_idle", "all tables wait"
        DEALING = "dealing", "hand in progress"
        ALL_DONE = "all_done", "all tables are done"
        NORMAL = "normal", "over"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="hand_for_hand")
    phase = models.CharField(max_length=9, choices=Phase, default=Phase.ANNOUNCED)
    hand = models.PositiveSmallIntegerField(default=0)
    since = models.DateTimeField()
    announced_at = models.DateTimeField()
    elimination = models.ForeignKey(Elimination, on_delete=models.PROTECT, related_name="+")
    previous = models.ForeignKey(Elimination, on_delete=models.PROTECT, null=True, related_name="+")
    release_at = models.DateTimeField(null=True, db_index=True)
    ended_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name_plural = "hand-for-hand"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day"], condition=~Q(phase="normal"), name="tables_one_hand_for_hand"),
        ]

    def __str__(self) -> str:
        return f"hand-for-hand, hand {self.hand}"


class HandReport(Journaled):
    """One table in one round: when it dealt its hand, if it told, and when it reported it done. A table broken in the
    middle is dropped."""

    play = models.ForeignKey(HandForHand, on_delete=models.PROTECT, related_name="reports")
    hand = models.PositiveSmallIntegerField()
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="+")
    dealt_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    nudged_at = models.DateTimeField(null=True)
    dropped = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["play", "hand", "table"], name="tables_one_report_a_hand"),
        ]

    def __str__(self) -> str:
        return f"{self.table}, hand {self.hand}"
