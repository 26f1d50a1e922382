"""Screens in the hall and what the floor says on them."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models import Day, Event


class HallMessage(Journaled):
    """Words of the floor to everybody, shown `until` an instant or until they are taken down."""

    class Audience(models.TextChoices):
        BOTH = "both", "screens and phones"
        DISPLAYS = "displays", "screens in the hall"
        PHONES = "phones", "phones"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="hall_messages")
    text = models.CharField(max_length=200)
    audience = models.CharField(max_length=8, choices=Audience, default=Audience.BOTH)
    said_at = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    taken_down = models.BooleanField(default=False)

    journal_sealed = frozenset({"text"})  # may call somebody by name

    class Meta:
        indexes: ClassVar = [models.Index(fields=["event"], condition=Q(taken_down=False), name="tables_messages_up")]

    def __str__(self) -> str:
        return self.text

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_down=True)


class Display(Journaled):
    """A screen in the hall that shows what the floor chose, known by the code it showed when it was paired."""

    class Show(models.TextChoices):
        CLOCK = "clock", "Clock"
        MOVES = "moves", "Seat moves"
        NAMES = "names", "Seats by surname"
        TABLES = "tables", "Seats by table"
        PAYOUTS = "payouts", "Payouts"
        MESSAGES = "messages", "Messages"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="displays")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    code = models.CharField(max_length=6)
    name = models.CharField(max_length=40)
    show = models.CharField(max_length=8, choices=Show, default=Show.CLOCK)
    paired = models.BooleanField(default=True)
    paired_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["code"], condition=Q(paired=True), name="tables_one_display_a_code"),
        ]

    def __str__(self) -> str:
        return f"screen “{self.name}”"
