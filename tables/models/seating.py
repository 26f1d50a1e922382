"""Tables, chairs, draws and moves."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models import Day, Entry


class Table(Journaled):
    """A table of a day. The three positions are those of the last known hand, also where nobody sits, or None."""

    class Status(models.TextChoices):
        OPEN = "open", "open"
        BROKEN = "broken", "broken"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="tables")
    number = models.PositiveSmallIntegerField()
    seats = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=6, choices=Status, default=Status.OPEN)
    button = models.PositiveSmallIntegerField(null=True, blank=True)
    small_blind = models.PositiveSmallIntegerField(null=True, blank=True)
    big_blind = models.PositiveSmallIntegerField(null=True, blank=True)
    button_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["day", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "number"], name="tables_table_number")]

    def __str__(self) -> str:
        return f"table {self.number}"


class Seat(Journaled):
    """A chair. One entry at most, and an entry has one chair at most: the database holds both."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="chairs")
    number = models.PositiveSmallIntegerField()
    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="seat")
    locked = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["table", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["table", "number"], name="tables_seat_number")]

    def __str__(self) -> str:
        return f"table {self.table.number}, seat {self.number}"


class Draw(Journaled):
    """A random decision with all that repeats it: the seed, the algorithm, what went in and what came out."""

    class Kind(models.TextChoices):
        INITIAL = "initial", "seat draw"
        LATE = "late", "late entry"
        BREAK = "break", "table break"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="draws")
    kind = models.CharField(max_length=8, choices=Kind)
    label = models.CharField(max_length=60)
    algorithm = models.CharField(max_length=30)
    seed = models.CharField(max_length=64)
    given = models.JSONField()
    result = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "label"], name="tables_draw_label")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.label}"


class Move(Journaled):
    """A player sent to another seat. The seat is theirs from the order on; `arrived_at` says when they sat down."""

    class Status(models.TextChoices):
        ORDERED = "ordered", "on the way"
        ARRIVED = "arrived", "arrived"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Kind(models.TextChoices):
        BALANCE = "balance", "balance"
        BREAK = "break", "table break"
        MANUAL = "manual", "by the floor"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="moves")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="moves")
    kind = models.CharField(max_length=8, choices=Kind)
    from_table = models.PositiveSmallIntegerField()
    from_seat = models.PositiveSmallIntegerField()
    to_seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=9, choices=Status, default=Status.ORDERED)
    why = models.CharField(max_length=200, blank=True)
    rule = models.CharField(max_length=10, blank=True)
    sits_out = models.BooleanField(default=False)
    ordered_at = models.DateTimeField()
    arrived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(status="ordered"), name="tables_one_move_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} to {self.to_seat}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.WITHDRAWN)
