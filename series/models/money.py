"""The ledger. Money is in cents and is never unwritten."""

import datetime as dt
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled
from series.models.events import Event
from series.models.people import Entry


class LedgerLine(Journaled):
    """One side of a money movement, in cents. The lines of one posting add up to 0; nothing is ever altered.

    Positive amounts flow into the account, negative ones out of it: a buy-in puts cents into the till and takes them
    from the prize pool's and the fee's side.
    """

    class Account(models.TextChoices):
        TILL = "till", "till"
        PRIZE_POOL = "prize_pool", "prize pool"
        FEE = "fee", "fee"
        PAYOUTS = "payouts", "payouts"

    class Method(models.TextChoices):
        CASH = "cash", "Cash"
        CARD = "card", "Card"
        TRANSFER = "transfer", "Transfer"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="ledger")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, related_name="ledger")
    posting = models.UUIDField(db_index=True)
    account = models.CharField(max_length=10, choices=Account)
    amount_cents = models.BigIntegerField()
    method = models.CharField(max_length=8, choices=Method, blank=True)
    at = models.DateTimeField()
    reverses = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="reversed_by")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(amount_cents=0), name="series_ledger_not_zero"),
        ]

    def __str__(self) -> str:
        return f"{self.get_account_display()} {self.amount_cents}"

    def contra(self, at: dt.datetime) -> "LedgerLine":
        """The line of the opposite amount in the same posting, not yet written."""
        return LedgerLine(
            event_id=self.event_id,
            entry_id=self.entry_id,
            posting=self.posting,
            account=self.account,
            amount_cents=-self.amount_cents,
            method=self.method,
            at=at,
            reverses=self,
        )

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Money is answered, not unwritten."""
        tx.add(self.contra(tx.at))
