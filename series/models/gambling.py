"""What an organiser answers for under the Gambling Act: who operates, for what purpose, papers, costs and goods."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models.events import Event, Series


class GamblingTerms(Journaled):
    """Who conducts the events and what for: of a series (no `event`), or of one event where it differs. Empty values of
    an event are those of its series."""

    class Operator(models.TextChoices):
        INDIVIDUAL = "individual", "A person, or a group that is no society"
        SOCIETY = "society", "A society"
        CORPORATE_SOCIETY = "corporate_society", "A corporate society"
        CASINO = "casino", "A casino under its licence"
        FREE = "free", "Nobody charges anything"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="gambling_terms")
    event = models.OneToOneField(Event, on_delete=models.PROTECT, null=True, related_name="gambling_terms")
    operator = models.CharField(max_length=20, choices=Operator, blank=True)
    operator_name = models.CharField(max_length=120, blank=True)
    purpose = models.CharField(max_length=300, blank=True)
    licence_number = models.CharField(max_length=60, blank=True)
    retention_years = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series"], condition=Q(event=None), name="series_own_gambling_terms"),
        ]

    def __str__(self) -> str:
        return f"operator of {self.event or self.series}"


class Withdrawable(Journaled):
    """A record that is never deleted: what was wrong is withdrawn and stays to be read."""

    withdrawn = models.BooleanField(default=False)

    class Meta:
        abstract = True

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, withdrawn=True)


class LicenceDocument(Withdrawable):
    """A paper the organiser holds. The site keeps what stands on it, not the paper itself."""

    class Kind(models.TextChoices):
        CLASS_3 = "class_3", "Class 3 operator’s licence"
        VENUE = "venue", "Agreement with the venue"
        CASINO = "casino", "Casino licence or approval"
        SOCIETY = "society", "Registration of the society"
        ADVICE = "advice", "Written advice of the Department"
        OTHER = "other", "Another paper"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="licences")
    kind = models.CharField(max_length=8, choices=Kind)
    number = models.CharField(max_length=60)
    issued = models.DateField(null=True)
    expires = models.DateField(null=True)
    note = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.number}"


class Cost(Withdrawable):
    """An actual cost of an event, with the number of the receipt that proves it."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="costs")
    what = models.CharField(max_length=120)
    amount_cents = models.PositiveIntegerField()
    receipt = models.CharField("number of the receipt", max_length=60)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.what


class GoodsPrize(Withdrawable):
    """A prize that is not money, with its retail value (section 17A) and for what it is given."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="goods")
    what = models.CharField(max_length=120)
    retail_cents = models.PositiveIntegerField()
    given_for = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.what


class EventStatement(Journaled):
    """The statement of an event as it was frozen. Never altered: what changes afterwards makes the next number.

    `content` holds real names and is sealed in the journal; `fingerprint` is the SHA-256 of it.
    Erasing a person leaves it as it is: a money record that was handed on.
    """

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="statements")
    number = models.PositiveSmallIntegerField()
    content = models.JSONField()
    fingerprint = models.CharField(max_length=64)
    at = models.DateTimeField()
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    journal_sealed = frozenset({"content"})
    journal_append_only = True

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="series_statement_number"),
        ]

    def __str__(self) -> str:
        return f"statement {self.number}"
