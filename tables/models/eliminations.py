"""Who went out, and together with whom."""

from django.db import models

from journal.models import Journaled
from series.models import Day, Entry


class Elimination(Journaled):
    """Everybody who went out in the same hand (hand-for-hand: in the same round). Places follow from their order: that
    of time, but one that came `before` the hand of a round was over comes before that round's."""

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="eliminations")
    at = models.DateTimeField()
    before = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return f"elimination {self.pk}"


class Bust(Journaled):
    """One entry that went out, from which seat, and the stack it began the hand with (None: not asked)."""

    elimination = models.ForeignKey(Elimination, on_delete=models.PROTECT, related_name="busts")
    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, related_name="bust")
    table = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    stack = models.PositiveIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.entry} out"
