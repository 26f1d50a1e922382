"""Series, events, people, entries and money. Only commands write these tables."""

import secrets
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled, Stream
from series.domain.eligibility import ID_KINDS, effective_minimum


def new_token() -> str:
    """The secret in a player's own link: 128 bits."""
    return secrets.token_urlsafe(16)


def new_draw_secret() -> str:
    """32 random bytes from the operating system, in hex: every draw of the event comes from them (house rule 45)."""
    return secrets.token_hex(32)


class Organiser(Stream):
    """Whoever runs the series here: one row, the stream of what stands above any series. Made by `migrate`."""

    name = models.CharField(max_length=120, default="Dead Button")

    def __str__(self) -> str:
        return self.name

    @property
    def staff_series_id(self) -> None:
        return None


class Series(Stream):
    """A run of events under one name, in one time zone and currency."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    venue = models.CharField(max_length=200)
    zone = models.CharField("time zone", max_length=60, default="Pacific/Auckland")
    currency = models.CharField(max_length=3, default="NZD")
    minimum_age = models.PositiveSmallIntegerField(default=18)
    contact = models.EmailField("contact e-mail", blank=True)
    about = models.TextField(blank=True)
    published = models.BooleanField(default=False)
    options = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name_plural = "series"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(minimum_age__gte=18), name="series_never_below_18"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def staff_series_id(self) -> int:
        return self.pk

    @property
    def tz(self) -> ZoneInfo:
        return ZoneInfo(self.zone)


class Event(Stream):
    """One tournament. Money is in cents of the series' currency."""

    class Status(models.TextChoices):
        DRAFT = "draft", "being set up"
        OPEN = "open", "open for registration"
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        CANCELLED = "cancelled", "cancelled"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    starts_at = models.DateTimeField()
    buy_in_cents = models.PositiveIntegerField(default=0)
    fee_cents = models.PositiveIntegerField(default=0)
    starting_stack = models.PositiveIntegerField()
    chips = models.JSONField("chip denominations", default=list)
    seats_per_table = models.PositiveSmallIntegerField(default=9)
    capacity = models.PositiveIntegerField()
    late_reg_level = models.PositiveSmallIntegerField("late registration until the end of level", null=True, blank=True)
    max_reentries = models.PositiveSmallIntegerField(default=0)
    minimum_age = models.PositiveSmallIntegerField(null=True, blank=True)
    payout_shares = models.JSONField("payout shares in basis points", null=True, blank=True)
    payout_step_cents = models.PositiveIntegerField(default=100)
    seat_at_buy_in = models.BooleanField(default=True)
    draw_secret = models.CharField(max_length=64, default=new_draw_secret, editable=False)
    rulebook_version = models.ForeignKey(
        "rulings.RulebookVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    # the secret stays out of the journal until draws reveal what comes from it
    journal_sealed = frozenset({"draw_secret"})

    class Meta:
        ordering: ClassVar = ["starts_at", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["series", "number"], name="series_event_number"),
            models.CheckConstraint(
                condition=Q(minimum_age__isnull=True) | Q(minimum_age__gte=18), name="series_event_never_below_18"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def staff_series_id(self) -> int:
        return self.series_id

    @property
    def age_required(self) -> int:
        """The minimum age in force here: never below 18, never below the series' own."""
        return effective_minimum(self.series.minimum_age, self.minimum_age)

    @property
    def price_cents(self) -> int:
        return self.buy_in_cents + self.fee_cents

    @property
    def is_public(self) -> bool:
        return self.status != self.Status.DRAFT and self.series.published


class Day(Journaled):
    """A flight (1A, 1B …) or a later day of an event: what has a clock and tables of its own.

    `entries_close_at` is the instant at which late registration ends if the clock runs on as it does now; None while
    the clock stands (the level then says nothing of an instant). `entries_closed` is final.
    """

    class Kind(models.TextChoices):
        FLIGHT = "flight", "flight"
        LATER = "later", "later day"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="days")
    number = models.PositiveSmallIntegerField(default=1)
    label = models.CharField(max_length=20, default="Day 1")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.FLIGHT)
    starts_at = models.DateTimeField()
    entries_close_at = models.DateTimeField(null=True, blank=True, db_index=True)
    entries_closed = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["event", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "number"], name="series_day_number")]

    def __str__(self) -> str:
        return self.label


class Level(Journaled):
    """One item of an event's structure: a level with its blinds, or a break. `position` counts both from 0."""

    class Kind(models.TextChoices):
        LEVEL = "level", "level"
        BREAK = "break", "break"

    class AnteType(models.TextChoices):
        NONE = "none", "no ante"
        EACH = "each", "each player"
        BIG_BLIND = "big_blind", "big blind ante"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="levels")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=5, choices=Kind, default=Kind.LEVEL)
    number = models.PositiveSmallIntegerField(null=True, blank=True)
    minutes = models.PositiveSmallIntegerField()
    small_blind = models.PositiveIntegerField(default=0)
    big_blind = models.PositiveIntegerField(default=0)
    ante = models.PositiveIntegerField(default=0)
    ante_type = models.CharField(max_length=9, choices=AnteType, default=AnteType.NONE)
    remove = models.JSONField("chips taken out of play afterwards", default=list, blank=True)

    class Meta:
        ordering: ClassVar = ["event", "position"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "position"], name="series_level_position")]

    def __str__(self) -> str:
        return f"level {self.number}" if self.kind == self.Kind.LEVEL else "break"


class Player(Journaled):
    """A person who plays. Public pages show `public_name` alone."""

    name = models.CharField(max_length=80)
    name_folded = models.CharField(max_length=80, db_index=True)
    public_name = models.CharField(max_length=80)
    birth_date = models.DateField()
    email = models.EmailField(blank=True)
    phone = models.CharField(max_length=30, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="players"
    )
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)

    journal_sealed = frozenset({"name", "name_folded", "public_name", "birth_date", "email", "phone", "token"})

    def __str__(self) -> str:
        return self.public_name

    def has_proven(self, age: int) -> bool:
        """Whether a sighted ID showed this age or more; an age once shown stays true."""
        return self.id_checks.filter(age__gte=age, taken_back=False).exists()


class IdCheck(Journaled):
    """That somebody's age was proven by a document. The document itself leaves no trace: no number, no copy, no expiry."""

    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="id_checks")
    kind = models.CharField(max_length=20, choices=[(kind.code, kind.label) for kind in ID_KINDS])
    age = models.PositiveSmallIntegerField("age proven")
    at = models.DateTimeField()
    checked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    taken_back = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.player} {self.get_kind_display()}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)


class Registration(Journaled):
    """A player's place in an event before the buy-in, with the rulebook version they accepted."""

    class Status(models.TextChoices):
        REGISTERED = "registered", "registered"
        ENTERED = "entered", "entered"
        WITHDRAWN = "withdrawn", "withdrawn"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="registrations")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="registrations")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="registrations")
    status = models.CharField(max_length=10, choices=Status, default=Status.REGISTERED)
    rulebook_version = models.ForeignKey(
        "rulings.RulebookVersion", on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["event", "player"], condition=~Q(status="withdrawn"), name="series_registered_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.event}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.WITHDRAWN)


class Entry(Journaled):
    """One paid stack of a player in an event; a re-entry is a second row with its own number."""

    class Status(models.TextChoices):
        PLAYING = "playing", "playing"
        OUT = "out", "out"
        VOID = "void", "taken back"

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="entries")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=8, choices=Status, default=Status.PLAYING)
    stack = models.PositiveIntegerField("chips issued")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["event", "player", "number"], condition=~Q(status="void"), name="series_entry_number"
            ),
            models.UniqueConstraint(
                fields=["event", "player"], condition=Q(status="playing"), name="series_one_live_entry"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["event", "status"], name="series_entry_status")]

    def __str__(self) -> str:
        return str(self.player)

    @property
    def journal_name(self) -> str:
        return str(self.player)

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.VOID)


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

    def journal_unmake(self, tx: Tx[Any]) -> None:
        """Money is answered, not unwritten: a line of the opposite amount in the same posting."""
        tx.add(
            LedgerLine(
                event_id=self.event_id,
                entry_id=self.entry_id,
                posting=self.posting,
                account=self.account,
                amount_cents=-self.amount_cents,
                method=self.method,
                at=tx.at,
                reverses=self,
            )
        )


class Payout(Journaled):
    """A prize handed to a player: for which places, how much, how and by whom."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="payouts")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="payouts")
    best_place = models.PositiveIntegerField()
    worst_place = models.PositiveIntegerField()
    amount_cents = models.PositiveIntegerField()
    method = models.CharField(max_length=8, choices=LedgerLine.Method)
    at = models.DateTimeField()
    paid_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    taken_back = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(taken_back=False), name="series_paid_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} {self.amount_cents}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, taken_back=True)


class Letter(Journaled):
    """A mail to be sent by the sweep once the transaction that wanted it has committed."""

    class Kind(models.TextChoices):
        REGISTERED = "registered"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="letters")
    kind = models.CharField(max_length=12, choices=Kind)
    at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.kind} to {self.registration.player}"
