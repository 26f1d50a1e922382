"""Prizes: as they were locked, as a deal divided them, held back, and handed over."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.errors import Refused
from journal.models import Journaled
from series.domain import deals
from series.models.events import Event
from series.models.money import LedgerLine
from series.models.people import Entry


class PrizeLock(Journaled):
    """The prizes of an event as they were published, in cents, best place first, with the entries and the pool they
    were reckoned from. A later lock takes the place of the one before."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="prize_locks")
    amounts = models.JSONField()
    entries = models.PositiveIntegerField()
    pool_cents = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    standing = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event"], condition=Q(standing=True), name="series_prizes_locked_once"),
        ]

    def __str__(self) -> str:
        return f"prizes of {self.event}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Raises Refused while a deal divides these prizes."""
        if Deal.objects.filter(event=self.event_id, standing=True).exists():
            raise Refused("A deal has divided these prizes: undo it first.", code="deal")
        tx.change(self, standing=False)


class Deal(Journaled):
    """The prizes still played for, divided among everybody left (`shares`), but for `left_cents`, which the winner gets
    on top. Everybody agreed; a deal that somebody refused is never written down (TDA 2026 RP-27)."""

    class Method(models.TextChoices):
        ICM = deals.Method.ICM, "ICM"
        CHIP_CHOP = deals.Method.CHIP_CHOP, "Chip chop"
        CUSTOM = "custom", "Own amounts"

    class Shown(models.TextChoices):
        AMOUNTS = "amounts", "The deal and its amounts"
        MADE = "made", "That there was a deal"
        NOTHING = "nothing", "Nothing of it"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="deals")
    method = models.CharField(max_length=9, choices=Method)
    left_cents = models.PositiveBigIntegerField(default=0)
    shown = models.CharField(max_length=7, choices=Shown, default=Shown.AMOUNTS)
    at = models.DateTimeField()
    standing = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event"], condition=Q(standing=True), name="series_one_deal"),
        ]

    def __str__(self) -> str:
        return f"deal in {self.event}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Raises Refused once one of its shares was paid."""
        paid = Payout.objects.filter(entry__in=self.shares.values("entry"), taken_back=False)
        if paid.exists():
            raise Refused("A share of this deal has been paid: take the payment back first.", code="paid")
        tx.change(self, standing=False)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """Raises Refused for a deal that was taken back: prizes and players may have changed since."""
        if values.get("standing"):
            raise Refused("Not redone: make the deal anew, as prizes and players stand now.", code="deal_anew")
        tx.change(self, **values)


class DealShare(Journaled):
    """What one player gets of a deal, in cents, and the chips they had then (None if none were counted)."""

    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="shares")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="deal_shares")
    stack = models.PositiveIntegerField(null=True)
    amount_cents = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["deal", "entry"], name="series_one_share_of_a_deal"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} {self.amount_cents}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """It stays with its deal, which no longer stands."""


class PrizeHold(Journaled):
    """A prize that is not paid while it stands, for a reason that is the staff's own: a dispute, a missing ID."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="prize_holds")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="prize_holds")
    reason = models.CharField(max_length=300)
    at = models.DateTimeField()
    held_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    standing = models.BooleanField(default=True)

    journal_sealed = frozenset({"reason"})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(standing=True), name="series_prize_held_once"),
        ]

    def __str__(self) -> str:
        return f"prize of {self.entry} held"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, standing=False)


class Payout(Journaled):
    """A prize handed over: for which places, how much, how and by whom. `paid_to`: whom the player sent for it, empty
    for the player; `signed`: that the receipt was signed."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="payouts")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="payouts")
    best_place = models.PositiveIntegerField()
    worst_place = models.PositiveIntegerField()
    amount_cents = models.PositiveIntegerField()
    method = models.CharField(max_length=8, choices=LedgerLine.Method)
    at = models.DateTimeField()
    paid_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    paid_to = models.CharField(max_length=120, blank=True)
    signed = models.BooleanField(default=False)
    taken_back = models.BooleanField(default=False)

    journal_sealed = frozenset({"paid_to"})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(taken_back=False), name="series_paid_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} {self.amount_cents}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """Raises Refused for a payment that was taken back: places, a deal or a dispute may have changed since."""
        if values.get("taken_back") is False:
            raise Refused("Not redone: pay this prize anew, as it stands now.", code="pay_anew")
        tx.change(self, **values)
