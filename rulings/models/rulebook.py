"""The rulebook of a series, in versions. A rule has a permanent key; its number and words belong to a version."""

from typing import ClassVar

from django.db import models

from journal.models import Journaled
from series.models import Series


class RulebookVersion(Journaled):
    """One published state of a series' rules. Nothing published is ever edited: a correction is a new version."""

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        ANNOUNCED = "announced", "announced"
        IN_FORCE = "in_force", "in force"
        SUPERSEDED = "superseded", "superseded"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="rulebook_versions")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    effective_from = models.DateTimeField(null=True, blank=True)
    note = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering: ClassVar = ["series", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "number"], name="rulings_version_number"),
            models.UniqueConstraint(
                fields=["series"], condition=models.Q(status="in_force"), name="rulings_one_in_force"
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
    """A rule as one version states it: display number, section and words."""

    version = models.ForeignKey(RulebookVersion, on_delete=models.PROTECT, related_name="texts")
    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, related_name="texts")
    position = models.PositiveSmallIntegerField()
    number = models.CharField(max_length=10)
    section = models.CharField(max_length=80)
    text = models.TextField()
    supplement = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["version", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "number"], name="rulings_number_once"),
            models.UniqueConstraint(fields=["version", "rule"], name="rulings_rule_once"),
        ]

    def __str__(self) -> str:
        return f"rule {self.number}"
