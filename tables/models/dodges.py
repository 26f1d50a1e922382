"""Blinds that a player dodged on the way to another table (house rule 49)."""

from django.db import models

from journal.models import Journaled
from tables.models.seating import Move, Table


class BlindDodge(Journaled):
    """The blinds that a moved player forfeits: dead money in the next pot at `table`, at the amounts of `level`.

    `done_at`: when that pot was played, or the floor took it off the page.
    """

    move = models.ForeignKey(Move, on_delete=models.PROTECT, related_name="dodges")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="dodges")
    level = models.PositiveSmallIntegerField()
    small_blind = models.PositiveIntegerField(default=0)
    big_blind = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.amount:,} forfeited by {self.move.entry}"

    @property
    def amount(self) -> int:
        """Chips that go into the pot."""
        return self.small_blind + self.big_blind
