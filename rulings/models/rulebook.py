"""The rulebook of a series, in versions. A rule has a permanent key; its number and words belong to a version."""

import datetime as dt
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.models import Journaled
from rulings.domain.rule_text import RuleText as Text
from series.models import Series


class Versions(models.QuerySet["RulebookVersion"]):
    """Versions by what holds at an instant. The instants decide; `status` follows when a worker carries it out."""

    def published(self) -> "Versions":
        """What anybody may read, also what was withdrawn before it came into force."""
        return self.exclude(status=RulebookVersion.Status.DRAFT)

    def in_force(self, now: dt.datetime) -> "Versions":
        """The version that holds now comes first, and while the worker is late the one before it second."""
        status = RulebookVersion.Status
        held = self.filter(status__in=(status.ANNOUNCED, status.IN_FORCE), effective_from__lte=now)
        return held.order_by("-effective_from", "-number")

    def coming(self, now: dt.datetime) -> "Versions":
        """The version that is announced and not yet in force, if any."""
        return self.filter(status=RulebookVersion.Status.ANNOUNCED, effective_from__gt=now)


class RulebookVersion(Journaled):
    """One state of a series' rules. Nothing published is ever edited: a correction is a new version.

    `previous` is the version that was in force when this one was announced: what its changes are counted from.
    `content_hash`: SHA-256, in hex, of the rules as Markdown. A version whose announcement was cancelled is withdrawn;
    it stays readable, and its number is not given again.
    """

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        ANNOUNCED = "announced", "announced"
        IN_FORCE = "in_force", "in force"
        SUPERSEDED = "superseded", "superseded"
        WITHDRAWN = "withdrawn", "withdrawn"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="rulebook_versions")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    effective_from = models.DateTimeField(null=True, blank=True, db_index=True)
    note = models.TextField("what this version is about", blank=True)
    content_hash = models.CharField(max_length=64, blank=True)
    previous = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    announced_at = models.DateTimeField(null=True, blank=True)
    announced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.TextField(blank=True)

    objects = Versions.as_manager()

    class Meta:
        ordering: ClassVar = ["series", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "number"], name="rulings_version_number"),
            models.UniqueConstraint(fields=["series"], condition=Q(status="in_force"), name="rulings_one_in_force"),
            models.UniqueConstraint(fields=["series"], condition=Q(status="announced"), name="rulings_one_announced"),
            models.UniqueConstraint(fields=["series"], condition=Q(status="draft"), name="rulings_one_draft"),
            models.CheckConstraint(
                condition=Q(status="draft") | Q(effective_from__isnull=False), name="rulings_published_with_instant"
            ),
        ]

    def __str__(self) -> str:
        return f"rulebook version {self.number}"


class Rule(Journaled):
    """The permanent identity of a rule: what permalinks, rulings and histories point to."""

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="rules")
    key = models.SlugField(max_length=40)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["series", "key"], name="rulings_rule_key")]

    def __str__(self) -> str:
        return f"rule {self.key}"


class RuleText(Journaled):
    """A rule as one version states it: display number, section and words.

    A draft may give a number twice while rules are being renumbered; announcing it is refused then.
    """

    version = models.ForeignKey(RulebookVersion, on_delete=models.PROTECT, related_name="texts")
    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="texts")
    position = models.PositiveSmallIntegerField()
    number = models.CharField(max_length=10)
    section = models.CharField(max_length=80)
    text = models.TextField(blank=True)
    supplement = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["version", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "rule"], name="rulings_rule_once"),
        ]

    def __str__(self) -> str:
        return f"rule {self.number}"

    @property
    def as_text(self) -> Text:
        """The rule as the domain knows it."""
        return Text(self.section, self.number, self.text, self.supplement)


class RuleChange(Journaled):
    """Why a rule of a version differs from the version before, and by whom.

    `kinds` is written when the version is announced. `clarified`: the editor says that the new words mean the same.
    """

    version = models.ForeignKey(RulebookVersion, on_delete=models.PROTECT, related_name="changes")
    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="changes")
    kinds = models.JSONField(default=list, blank=True)
    clarified = models.BooleanField(default=False)
    reason = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "rule"], name="rulings_change_once"),
        ]

    def __str__(self) -> str:
        return f"change of {self.rule}"
