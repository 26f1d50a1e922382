"""Who is told of changed rules by mail, and what the director says when rules change under a running event."""

import secrets
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.forgetting import Forgotten
from journal.models import Journaled
from rulings.models.rulebook import RulebookVersion
from series.models import Event, Series


def new_mail_token() -> str:
    """The secret in a subscriber's links: 128 bits."""
    return secrets.token_urlsafe(16)


class Subscriber(Journaled):
    """Somebody who wants mail when the rules change. Nothing but the question itself is sent before they confirm."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="rule_subscribers")
    email = models.EmailField(blank=True)
    token = models.CharField(max_length=32, unique=True, default=new_mail_token, editable=False)
    asked_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)

    journal_sealed = frozenset({"email", "token"})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["series", "email"], condition=Q(left_at__isnull=True), name="rulings_subscribed_once"
            ),
        ]

    def __str__(self) -> str:
        return f"subscriber {self.pk}"

    def journal_forget(self, tx: Tx[Any], who: Forgotten) -> None:
        """Somebody whose address is erased gets no more mail."""
        if not self.email or who.redact(self.email) == self.email:
            return
        tx.forget(self, email="", left_at=self.left_at or tx.at)
        for letter in tx.lock(self.letters.filter(sent_at__isnull=True)):
            tx.remove(letter)


class RulesLetter(Journaled):
    """A mail to a subscriber, sent by the sweep once the transaction that wanted it has committed."""

    class Kind(models.TextChoices):
        CONFIRM = "confirm"
        ANNOUNCED = "announced"
        WITHDRAWN = "withdrawn"

    subscriber = models.ForeignKey(Subscriber, on_delete=models.PROTECT, related_name="letters")
    kind = models.CharField(max_length=10, choices=Kind)
    version = models.ForeignKey(RulebookVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.kind} to {self.subscriber}"


class RulesNote(Journaled):
    """What the director tells the players of a running event about a version that came into force meanwhile."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="rules_notes")
    version = models.ForeignKey(RulebookVersion, on_delete=models.PROTECT, related_name="notes")
    text = models.TextField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["at"]

    def __str__(self) -> str:
        return f"note on {self.version}"
