"""Who may not play for a time, by the organiser's decision or their own: in every series of the organiser."""

import datetime as dt
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.forgetting import Forgotten
from journal.models import Journaled
from series.domain.names import fold
from series.models.people import Player


class ExclusionQuerySet(models.QuerySet["Exclusion"]):
    """Exclusions by time."""

    def in_force(self, at: dt.datetime) -> "ExclusionQuerySet":
        """Those that hold at an instant."""
        return self.filter(Q(until=None) | Q(until__gt=at), from_at__lte=at, lifted_at=None)


class Exclusion(Journaled):
    """A person who is excluded until `until` (None: without an end), known by a record and by name and birth date, so
    that a new record of theirs is refused as well. `reason` is for directors alone."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, blank=True, related_name="exclusions")
    name = models.CharField(max_length=80)
    name_folded = models.CharField(max_length=80, db_index=True)
    birth_date = models.DateField(null=True)
    by_player = models.BooleanField("by the player themselves", default=False)
    from_at = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    lifted_at = models.DateTimeField(null=True)
    lifted_why = models.TextField(blank=True)

    objects = ExclusionQuerySet.as_manager()

    journal_sealed = frozenset({"name", "name_folded", "birth_date", "reason", "lifted_why"})

    class Meta:
        ordering: ClassVar = ["-from_at", "-pk"]

    def __str__(self) -> str:
        return "an exclusion"

    def journal_forget(self, tx: Tx[Any], who: Forgotten) -> None:
        """One that is over needs no name any more."""
        if who.owns(self):
            words = {name: who.closely.redact(getattr(self, name)) for name in ("reason", "lifted_why")}
            tx.forget(self, name=who.shown, name_folded=fold(who.shown), birth_date=None, **words)
        else:
            super().journal_forget(tx, who)

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, lifted_at=tx.at)
