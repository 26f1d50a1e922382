"""Decisions of the floor, the players they concern, and appeals to the director."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.actors import Actor
from journal.commands import Tx
from journal.errors import Refused
from journal.models import Journaled
from rulings.models.rulebook import Rule, RulebookVersion
from series.models import Day, Entry, Event

OWN_HAND = "Nobody rules on their own hand: ask somebody else."


class Ruling(Journaled):
    """What the floor decided, by which rule of which version, or by discretion with its reason (rule 1).

    `number` runs in the event. `calculation` is what a calculator of the floor answered: its inputs, outcome, rules and
    reason. A sealed check (35a) leaves its result here and nothing else: no field holds cards.
    """

    class Basis(models.TextChoices):
        RULE = "rule", "A rule"
        DISCRETION = "discretion", "Rule 1: discretion in the interest of fairness"

    class SealedCheck(models.TextChoices):
        KEPT = "kept", "kept to the rule"
        BROKE = "broke", "broke the rule"

    class Appeal(models.TextChoices):
        NONE = "none", "no appeal"
        ASKED = "asked", "appeal asked"
        UPHELD = "upheld", "upheld on appeal"
        OVERTURNED = "overturned", "overturned on appeal"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="rulings")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, null=True, blank=True, related_name="rulings")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    table = models.PositiveSmallIntegerField(null=True, blank=True)
    hand = models.PositiveIntegerField(null=True, blank=True)
    facts = models.TextField()
    basis = models.CharField(max_length=10, choices=Basis)
    rule = models.ForeignKey(Rule, on_delete=models.PROTECT, null=True, blank=True, related_name="rulings")
    rulebook_version = models.ForeignKey(
        RulebookVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="rulings"
    )
    reason = models.TextField("reason of a decision by discretion", blank=True)
    decision = models.TextField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    calculation = models.JSONField(null=True, blank=True)
    sealed_check = models.CharField(max_length=5, choices=SealedCheck, blank=True)
    withdrawn = models.BooleanField(default=False)
    appeal = models.CharField(max_length=10, choices=Appeal, default=Appeal.NONE)
    appeal_grounds = models.TextField(blank=True)
    appeal_asked_at = models.DateTimeField(null=True, blank=True)
    appeal_note = models.TextField("director's note", blank=True)
    appeal_decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    appeal_decided_at = models.DateTimeField(null=True, blank=True)

    # free words may name people
    journal_sealed = frozenset({"facts", "decision", "reason", "calculation", "appeal_grounds", "appeal_note"})

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="rulings_ruling_number"),
            models.CheckConstraint(
                condition=Q(basis="rule", rule__isnull=False, rulebook_version__isnull=False)
                | (Q(basis="discretion", rule__isnull=True) & ~Q(reason="")),
                name="rulings_rule_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"ruling {self.number}"

    def refuse_own_hand(self, actor: Actor) -> None:
        """Raises Refused if the actor is one of the players it names."""
        if is_own_hand(actor, [party.entry_id for party in self.parties.all()]):
            raise Refused(OWN_HAND, code="own_hand")

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """A ruling taken back stays readable as such; like ruling, that is not for the players concerned."""
        self.journal_restore(tx, {"withdrawn": True})

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        self.refuse_own_hand(tx.actor)
        super().journal_restore(tx, values)


class RulingPlayer(Journaled):
    """One player whom a ruling concerns, by the entry that was in play."""

    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, related_name="parties")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="rulings")

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ruling", "entry"], name="rulings_player_once"),
        ]

    def __str__(self) -> str:
        return str(self.entry)

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Stays with its ruling, which is withdrawn."""


def is_own_hand(actor: Actor, entry_ids: list[int]) -> bool:
    """Whether one of the entries is the actor's own."""
    return actor.pk is not None and Entry.objects.filter(pk__in=entry_ids, player__user_id=actor.pk).exists()
