"""The action clock: a player's minute and countdown at a table."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from journal.models import Journaled
from series.models import Entry
from tables.models.seating import Table


class ActionClock(Journaled):
    """The time of one player to act (house rules 27 to 29), as instants: the minute ends at `countdown_at`, and acting
    exactly at `deadline_at` is in time.

    `called_by` is the player who asked for it, the player themselves by rule 28b, None for the staff. `result` is what
    became of the hand. A live player who left has no instants to come: both are `called_at` (rule 29).
    """

    class Status(models.TextChoices):
        RUNNING = "running", "running"
        ACTED = "acted", "acted in time"
        EXPIRED = "expired", "time ran out"
        LEFT = "left", "left the seat"
        CANCELLED = "cancelled", "called off"

    class Result(models.TextChoices):
        LIVE = "live", "the hand is live"
        DEAD = "dead", "the hand is dead"
        CHECK = "check", "checked"

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="action_clocks")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="action_clocks")
    seat = models.PositiveSmallIntegerField()
    called_by = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    called_at = models.DateTimeField()
    countdown_at = models.DateTimeField()
    deadline_at = models.DateTimeField(db_index=True)
    facing_bet = models.BooleanField()
    status = models.CharField(max_length=9, choices=Status, default=Status.RUNNING)
    result = models.CharField(max_length=5, choices=Result, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table"], condition=Q(status="running"), name="tables_one_action_clock"),
        ]

    def __str__(self) -> str:
        return f"action clock of {self.entry}"
