"""The tournament clock."""

from django.db import models

from journal.models import Journaled
from series.models import Day


class Clock(Journaled):
    """The tournament clock of a day: an instant, not a counter (see `tables.domain.clock`).

    While it runs, `ends_at` is when the present item ends; while it stands, `remaining` is what is left of it.
    """

    day = models.OneToOneField(Day, on_delete=models.PROTECT, related_name="clock")
    position = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=12, default="not_started")
    ends_at = models.DateTimeField(null=True, blank=True, db_index=True)
    remaining = models.DurationField(null=True, blank=True)
    pause_after = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"clock of {self.day}"
