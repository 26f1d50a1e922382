"""Penalties, with the hands that are missed counted down. Who may give which is in `rulings`."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models

from accounts.permissions import Permission
from journal.commands import Tx
from journal.errors import NotAllowed, Refused
from journal.models import Journaled
from series.models import Day, Entry, Event, Player, Series

OWN_PENALTY = "Nobody rules on a penalty of their own: ask somebody else."


class Penalties(models.QuerySet["Penalty"]):
    """Penalties by what holds of them."""

    def standing(self) -> "Penalties":
        """Those that were not withdrawn."""
        return self.exclude(status=Penalty.Status.WITHDRAWN)

    def serving(self) -> "Penalties":
        return self.filter(status=Penalty.Status.SERVING)

    def disqualifying(self) -> "Penalties":
        return self.standing().filter(sanction=Penalty.Sanction.DISQUALIFICATION)


class Penalty(Journaled):
    """What a player got for an offence (see `rulings.domain.penalties`). Staff alone see it.

    `hands_total` is fixed when it is given: a round is `players` hands. `hands_done` of them are over at whatever table
    the player sat meanwhile; `redeals` among these were no hands of their own. `hand` is the hand of `table` that was
    being played when it was given: it does not count. `by_director`: more than the floor may give. `ruling`: the one it
    came with, if any.
    """

    class Sanction(models.TextChoices):
        WARNING = "warning", "warning"
        MISSED_HANDS = "missed_hands", "missed hands"
        MISSED_ROUNDS = "missed_rounds", "missed rounds"
        DISQUALIFICATION = "disqualification", "disqualification"

    class Status(models.TextChoices):
        SERVING = "serving", "serving"
        SERVED = "served", "served"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Appeal(models.TextChoices):
        NONE = "none", "no appeal"
        ASKED = "asked", "appeal asked"
        UPHELD = "upheld", "upheld on appeal"
        OVERTURNED = "overturned", "overturned on appeal"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="penalties")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="penalties")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="penalties")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="penalties")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="penalties")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    table = models.PositiveSmallIntegerField(null=True, blank=True)
    hand = models.PositiveIntegerField(default=0)
    players = models.PositiveSmallIntegerField("players at the table", default=0)
    offence = models.CharField(max_length=20)
    severe = models.BooleanField(default=False)
    sanction = models.CharField(max_length=16, choices=Sanction)
    count = models.PositiveSmallIntegerField("hands or rounds", default=0)
    hands_total = models.PositiveIntegerField(default=0)
    hands_done = models.PositiveIntegerField(default=0)
    redeals = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=9, choices=Status, default=Status.SERVING)
    by_director = models.BooleanField(default=False)
    rule = models.ForeignKey("rulings.Rule", on_delete=models.PROTECT, null=True, blank=True, related_name="penalties")
    rulebook_version = models.ForeignKey(
        "rulings.RulebookVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="penalties"
    )
    ruling = models.ForeignKey(
        "rulings.Ruling", on_delete=models.PROTECT, null=True, blank=True, related_name="penalties"
    )
    facts = models.TextField()
    witness = models.CharField(max_length=120, blank=True)
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    withdrawn_why = models.TextField(blank=True)
    appeal = models.CharField(max_length=10, choices=Appeal, default=Appeal.NONE)
    appeal_grounds = models.TextField(blank=True)
    appeal_asked_at = models.DateTimeField(null=True, blank=True)
    appeal_note = models.TextField("director's note", blank=True)
    appeal_decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    appeal_decided_at = models.DateTimeField(null=True, blank=True)

    # free words may name people
    journal_sealed = frozenset({"facts", "witness", "withdrawn_why", "appeal_grounds", "appeal_note"})

    objects = Penalties.as_manager()

    class Meta:
        verbose_name_plural = "penalties"
        ordering: ClassVar = ["-at", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="tables_penalty_number"),
            models.CheckConstraint(
                condition=models.Q(redeals__lte=models.F("hands_done")), name="tables_redeals_are_deals"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["series", "player", "offence"], name="tables_penalty_history")]

    def __str__(self) -> str:
        return f"penalty {self.number}"

    @property
    def hands_left(self) -> int:
        """Hands still to miss (TDA 2024, rule 71; a redeal is the same hand)."""
        return max(0, self.hands_total - (self.hands_done - self.redeals))

    def require_ruler(self, tx: Tx[Any]) -> None:
        """Refuse whoever may not decide about it: the player concerned, and the floor what only the director gives.

        Raises:
            NotAllowed, Refused.
        """
        if tx.actor.pk is not None and self.player.user_id == tx.actor.pk:
            raise Refused(OWN_PENALTY, code="own_hand")
        if self.by_director and not tx.actor.may(Permission.DIRECT, tx.subject):
            raise NotAllowed("This penalty was given by the director: only the director takes it back.")

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """A penalty taken back stays readable as such."""
        self.require_ruler(tx)
        tx.change(self, status=self.Status.WITHDRAWN)
