"""The ledger. Money is in cents and is never unwritten."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Max, Q, Sum

from journal.commands import Tx
from journal.errors import OutOfBalance, Refused
from journal.models import Journaled
from series.domain.money import format_money
from series.models.events import Event, Series
from series.models.people import Entry
from series.models.tills import Till


class LedgerLine(Journaled):
    """One side of a money movement, in cents. The lines of one posting add up to 0; nothing is ever altered.

    Positive amounts flow into the account, negative ones out of it: a buy-in puts cents into the till and takes them
    from the prize pool's and the fee's side. `item` says what the money is for. A line of a person's till names that
    `till`; one without is the event's common till. Lines without an event move cash between a till, the safe and the
    organiser; those without a till either name their `series`.

    `receipt`: the running number, without gaps in an event, of each line that takes money or gives it back.
    """

    class Account(models.TextChoices):
        TILL = "till", "till"
        PRIZE_POOL = "prize_pool", "prize pool"
        FEE = "fee", "fee"
        BOUNTY = "bounty", "bounties"
        STAFF = "staff", "staff share"
        OVERLAY = "overlay", "overlay"
        PAYOUTS = "payouts", "payouts"
        SEATS = "seats", "seats won"
        BANK = "bank", "safe"
        DIFFERENCE = "difference", "till difference"
        ROUNDING = "rounding", "cash rounding"
        ORGANISER = "organiser", "organiser"

    class Method(models.TextChoices):
        CASH = "cash", "Cash"
        CARD = "card", "Card"
        TRANSFER = "transfer", "Transfer"

    class Item(models.TextChoices):
        BUY_IN = "buy_in", "Buy-in"
        REENTRY = "reentry", "Re-entry"
        REBUY = "rebuy", "Rebuy"
        ADD_ON = "addon", "Add-on"
        BOUNTY = "bounty", "Bounty"
        TICKET = "ticket", "Ticket"
        ADDITION = "addition", "Money added"
        STAFF = "staff", "Staff share of the pool"
        OVERLAY = "overlay", "Overlay"
        PAYOUT = "payout", "Prize"
        FLOAT = "float", "Float"
        DROP = "drop", "To the safe"
        TOP_UP = "top_up", "From the safe"
        COUNT = "count", "Difference at the count"
        STOCK = "stock", "Organiser’s cash"

    ENTERING = (Item.BUY_IN, Item.REENTRY)
    WITHOUT_RECEIPT = frozenset({Item.FLOAT, Item.DROP, Item.TOP_UP, Item.COUNT, Item.STOCK})

    # the series of what belongs to no event and to no till
    series = models.ForeignKey(Series, on_delete=models.PROTECT, null=True, related_name="ledger")

    event = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="ledger")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, related_name="ledger")
    till = models.ForeignKey(Till, on_delete=models.PROTECT, null=True, related_name="ledger")
    posting = models.UUIDField(db_index=True)
    account = models.CharField(max_length=10, choices=Account)
    item = models.CharField(max_length=8, choices=Item, default=Item.BUY_IN)
    amount_cents = models.BigIntegerField()
    method = models.CharField(max_length=8, choices=Method, blank=True)
    receipt = models.PositiveIntegerField(null=True)
    note = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reverses = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="reversed_by")

    journal_append_only = True
    journal_balanced = ("posting", "amount_cents")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(amount_cents=0), name="series_ledger_not_zero"),
            models.CheckConstraint(
                condition=Q(event__isnull=False) | Q(till__isnull=False) | Q(series__isnull=False),
                name="series_ledger_belongs_somewhere",
            ),
            models.UniqueConstraint(fields=["event", "receipt"], name="series_receipt_number"),
        ]
        indexes: ClassVar = [models.Index(fields=["event", "at"], name="series_ledger_by_time")]

    def __str__(self) -> str:
        return f"{self.get_account_display()} {self.amount_cents}"

    @classmethod
    def journal_prove(cls, added: list[Any]) -> None:
        """Every posting that a command added to must come to nothing, whoever wrote the lines."""
        sums = cls.objects.filter(posting__in={line.posting for line in added}).order_by().values("posting")
        if off := list(sums.annotate(off=Sum("amount_cents")).exclude(off=0)):
            raise OutOfBalance(f"The ledger would be out of balance: {off}")

    @property
    def credit_cents(self) -> int:
        return -self.amount_cents

    @property
    def takes_receipt(self) -> bool:
        return bool(self.event_id) and self.account == self.Account.TILL and self.item not in self.WITHOUT_RECEIPT

    def contra(self, tx: Tx[Any], till: Till | None) -> "LedgerLine":
        """The line of the opposite amount in the same posting, not yet written and without its receipt's number; `till`
        from `till_for_contra`."""
        return LedgerLine(
            series_id=self.series_id,
            event_id=self.event_id,
            entry_id=self.entry_id,
            till=till,
            posting=self.posting,
            account=self.account,
            item=self.item,
            amount_cents=-self.amount_cents,
            method=self.method,
            note=self.note,
            at=tx.at,
            by_id=tx.actor.pk,
            reverses=self,
        )

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Money is answered, not unwritten. What filled the prize pool stays while prizes are paid out of it, and what
        was brought to the safe once it has left it.

        Raises:
            Refused: prizes have been paid, or the safe does not hold it any more; or as `till_for_contra`.
        """
        fills = self.account == self.Account.PRIZE_POOL and self.item not in (self.Item.STAFF, self.Item.OVERLAY)
        if fills and self.event is not None and self.event.payouts.filter(taken_back=False).exists():
            raise Refused("Not undone: prizes have been paid. Take them back first.", code="paid")
        if self.account == self.Account.BANK and self.amount_cents > 0:
            require_in_safe(self._series_id(), self.amount_cents, "Not undone: by")
        add_lines(tx, [self.contra(tx, till_for_contra(tx, self))])

    def _series_id(self) -> int:
        owner = self.event or self.till
        return int(owner.series_id if owner else self.series_id or 0)


def add_lines(tx: Tx[Any], lines: list[LedgerLine]) -> None:
    """Write lines, each taking or giving of an event with the next number of its receipts. Holds the event's lock."""
    events = {line.event_id for line in lines if line.takes_receipt}
    assert len(events) <= 1, "receipts are numbered under the lock of their event"
    if events:
        last = LedgerLine.objects.filter(event__in=events).aggregate(last=Max("receipt"))["last"] or 0
        for number, line in enumerate((line for line in lines if line.takes_receipt), start=last + 1):
            line.receipt = number
    tx.add_all(lines)


def of_series(series_id: int) -> Q:
    """The lines of a series: of its events, of its tills, and its own."""
    return Q(event__series=series_id) | Q(event=None, till__series=series_id) | Q(series=series_id)


def safe_cents(series_id: int) -> int:
    """The cash in the safe of a series by the ledger, in cents. One query."""
    lines = LedgerLine.objects.filter(of_series(series_id), account=LedgerLine.Account.BANK)
    return lines.aggregate(total=Sum("amount_cents"))["total"] or 0


def require_in_safe(series_id: int, cents: int, start: str = "By", field: str = "") -> None:
    """Raises Refused, at `field`, if the safe of a series holds less than that."""
    if cents > (holds := safe_cents(series_id)):
        holds_now = f"{start} the ledger the safe holds {format_money(holds)}."
        words = f"{holds_now} Cash that the organiser brought is written down on the series' Money page."
        raise Refused(words, field=field, code="safe")


def open_till(tx: Tx[Any], series_id: int) -> Till | None:
    """The open till of whoever acts, locked, so that it is not counted meanwhile."""
    if tx.actor.pk is None:
        return None
    mine = Till.objects.filter(series=series_id, holder=tx.actor.pk, status=Till.Status.OPEN)
    return next(iter(tx.lock(mine)), None)


def till_for_contra(tx: Tx[Any], line: LedgerLine) -> Till | None:
    """Where an answered line of a till goes: into the same till while that is open, else to whoever gives the money
    back now, else to the event's common till. A till that was counted stays as it was counted.

    Raises:
        Refused: cash between a till and the safe, and the till is closed.
        NotAllowed: the same, of somebody else's till, and the actor does not direct.
    """
    if line.till_id is None:
        return None
    (till,) = tx.lock(Till.objects.filter(pk=line.till_id))
    if line.event_id is None:
        till.require_own(tx)
    if till.status == Till.Status.OPEN:
        return till
    if line.event_id is None:
        raise Refused(f"Not undone: {till} is closed.", code="till_closed")
    return open_till(tx, till.series_id)
