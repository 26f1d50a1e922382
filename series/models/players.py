"""What is known of players beyond one event: the list of a series, and records that were one person."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.permissions import Permission
from journal.commands import Tx, later_words
from journal.errors import NotAllowed, Refused
from journal.models import Journaled, RowChange
from series.models.events import Event, Series
from series.models.people import Player


class SeriesPlayer(Journaled):
    """A player on the list of a series, such as one of an imported file, whether or not they ever register."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="listed")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="listed_in")
    at = models.DateTimeField()
    removed = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "player"], name="series_listed_once"),
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.series}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, removed=True)


class ErasureRequest(Journaled):
    """A player asks that their personal data be erased. `keep_name`: their results may keep the public name."""

    class Status(models.TextChoices):
        ASKED = "asked", "asked"
        WITHDRAWN = "withdrawn", "taken back by the player"
        DONE = "done", "carried out"

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="erasure_requests")
    at = models.DateTimeField()
    keep_name = models.BooleanField(default=False)
    status = models.CharField(max_length=9, choices=Status, default=Status.ASKED)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["player"], condition=Q(status="asked"), name="series_asked_once"),
        ]

    def __str__(self) -> str:
        return f"request of {self.player}"


class TwoPeople(Journaled):
    """That two records which look like one person are two people, so that nobody has to look again."""

    first = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    taken_back = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["first", "second"], condition=Q(taken_back=False), name="series_told_apart_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} is not {self.second}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)


class Merge(Journaled):
    """That two records were one person. `moved`: the rows that went from `gone` to `kept`, as table and key."""

    kept = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    moved = models.JSONField(default=list)
    taken_back = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["gone"], condition=Q(taken_back=False), name="series_merged_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gone} is {self.kept}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """The records are two again.

        Raises:
            NotAllowed: rows would go back in a series where the actor registers nobody.
            Refused: since then the kept one registered, entered or was given something in an event whose rows would go
                back, so that it would belong to neither.
        """
        moved = Event.objects.filter(pk__in=self._events()).exclude(series=tx.subject.pk).values("series")
        if not all(tx.actor.may(Permission.REGISTER, series) for series in Series.objects.filter(pk__in=moved)):
            raise NotAllowed("Rows of another series would go back: somebody who registers players there undoes this.")
        later = self._grown()
        if later is not None:
            raise Refused(
                f"Not undone: {later_words(later.entry)} came after it. Undo that first.", code="touched_later"
            )
        tx.change(self, taken_back=True)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """Only a new merge looks at everything that came meanwhile.

        Raises:
            Refused: always.
        """
        raise Refused("Merge the two records again instead.", code="not_undoable")

    @staticmethod
    def _of_events() -> list[Any]:
        """Relations to a player from what belongs to an event."""
        return [relation for relation in Player._meta.related_objects if hasattr(relation.related_model, "event")]

    def _moved(self) -> dict[str, set[int]]:
        """Keys of the rows that went over, by table."""
        moved: dict[str, set[int]] = {}
        for table, row in self.moved:
            moved.setdefault(table, set()).add(row)
        return moved

    def _events(self) -> set[int]:
        """Keys of the events that they belong to."""
        moved, events = self._moved(), set()
        for relation in self._of_events():
            model = relation.related_model
            rows = model._default_manager.filter(pk__in=moved.get(model._meta.label_lower, ()))
            events.update(rows.values_list("event", flat=True))
        return events

    def _grown(self) -> RowChange | None:
        """What was made for the kept record in one of the moved rows' events after the merge."""
        made = RowChange.objects.filter(table=self._meta.label_lower, row=self.pk, kind=RowChange.Kind.CREATE)
        entry_id = made.values_list("entry", flat=True).get()
        moved, events, related = self._moved(), self._events(), self._of_events()
        found = Q(pk__in=[])
        for relation in related:
            label = relation.related_model._meta.label_lower
            rows = relation.related_model._default_manager.filter(
                **{relation.field.name: self.kept_id, "event__in": events}
            ).exclude(pk__in=moved.get(label, ()))
            found |= Q(table=label, row__in=list(rows.values_list("pk", flat=True)))
        later = RowChange.objects.filter(found, entry__gt=entry_id, kind=RowChange.Kind.CREATE)
        return later.select_related("entry").order_by("-entry").first()
