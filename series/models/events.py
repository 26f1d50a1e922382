"""Organiser, series, events, their days and structures."""

import secrets
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.models import Journaled, Stream
from series.domain import prize_plan
from series.domain.eligibility import CASINO_MINIMUM, effective_minimum
from series.domain.entries import EntryRules, rules_from
from series.domain.ledger import BUY_IN_SHARE, NOTHING, PER_ENTRY, POOL_SHARE, StaffShare, split_price


def new_draw_secret() -> str:
    """32 random bytes from the operating system, in hex: every draw of the event comes from them (house rule 45)."""
    return secrets.token_hex(32)


HELP_LINES = "Problem Gambling Foundation: 0800 664 262\nSalvation Army Oasis: 0800 53 00 00"


class Organiser(Stream):
    """Whoever runs the series here: one row, the stream of what stands above any series. Made by `migrate`."""

    name = models.CharField(max_length=120, default="Dead Button")

    def __str__(self) -> str:
        return self.name

    @property
    def staff_series_id(self) -> None:
        return None


class Series(Stream):
    """A run of events under one name, in one time zone and currency.

    `points_formula` gives every finish its points (`series.domain.points`; empty: there are none), of which the
    `points_best` of a player count (None: all). `help_lines`: where people find help with gambling, one a line as
    "Name: phone"; pages show them in their foot.
    """

    class VenueKind(models.TextChoices):
        HALL = "hall", "a club, hall or hotel"
        CASINO = "casino", "a casino"

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    venue = models.CharField(max_length=200)
    venue_kind = models.CharField(max_length=6, choices=VenueKind, default=VenueKind.HALL)
    zone = models.CharField("time zone", max_length=60, default="Pacific/Auckland")
    currency = models.CharField(max_length=3, default="NZD")
    minimum_age = models.PositiveSmallIntegerField(default=18)
    contact = models.EmailField("contact e-mail", blank=True)
    about = models.TextField(blank=True)
    help_lines = models.TextField(default=HELP_LINES, blank=True)
    published = models.BooleanField(default=False)
    options = models.JSONField(default=dict, blank=True)
    points_formula = models.CharField("formula of the season's points", max_length=300, blank=True)
    points_best = models.PositiveSmallIntegerField("results that count", null=True, blank=True)
    penalty_summary = models.BooleanField("publishes how many penalties there were", default=False)

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
    """One tournament. Money is in cents of the series' currency.

    `redraw_at`: with how many tables left everybody draws a new seat, from many to few. `spent_secrets`: secrets of
    draws that were published when the event had finished and was then played on. `staff_amount` is cents, or basis
    points of a share (see `series.domain.ledger.StaffShare`).
    `entry_rules`: what differs from the default (`series.domain.entries`).
    """

    class Status(models.TextChoices):
        DRAFT = "draft", "being set up"
        OPEN = "open", "open for registration"
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        CANCELLED = "cancelled", "cancelled"

    class PrizeKind(models.TextChoices):
        TABLE = prize_plan.Kind.TABLE, "A table by entries"
        PERCENT = prize_plan.Kind.PERCENT, "Percent"
        FIXED = prize_plan.Kind.FIXED, "Fixed amounts"
        CUSTOM = prize_plan.Kind.CUSTOM, "Every amount written"

    class StaffKind(models.TextChoices):
        NONE = NOTHING, "Nothing"
        ENTRY = PER_ENTRY, "An amount of each buy-in"
        BUY_IN = BUY_IN_SHARE, "A share of each buy-in"
        POOL = POOL_SHARE, "A share of the prize pool"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    starts_at = models.DateTimeField()
    buy_in_cents = models.PositiveIntegerField(default=0)
    fee_cents = models.PositiveIntegerField(default=0)
    guarantee_cents = models.PositiveIntegerField("guaranteed prize pool", default=0)
    staff_kind = models.CharField(max_length=8, choices=StaffKind, default=StaffKind.NONE)
    staff_amount = models.PositiveIntegerField(default=0)
    starting_stack = models.PositiveIntegerField()
    chips = models.JSONField("chip denominations", default=list)
    seats_per_table = models.PositiveSmallIntegerField(default=9)
    capacity = models.PositiveIntegerField()
    hall_seats = models.PositiveIntegerField("most who can sit at once", null=True, blank=True)
    hold_minutes = models.PositiveIntegerField("places are held until minutes before the start", null=True, blank=True)
    call_minutes = models.PositiveSmallIntegerField("minutes to answer a call", default=15)
    early_call_minutes = models.PositiveIntegerField("minutes to answer a call long before the start", default=1440)
    late_reg_level = models.PositiveSmallIntegerField("late registration until the end of level", null=True, blank=True)
    max_reentries = models.PositiveSmallIntegerField(default=0)
    seats_in = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="satellites")
    entry_rules = models.JSONField("re-entries, rebuys, add-ons, bounties", default=dict, blank=True)
    minimum_age = models.PositiveSmallIntegerField(null=True, blank=True)
    payout_kind = models.CharField(max_length=7, choices=PrizeKind, default=PrizeKind.TABLE)
    payout_shares = models.JSONField("payout shares in basis points", null=True, blank=True)
    payout_amounts = models.JSONField("payout amounts in cents", null=True, blank=True)
    payout_bands = models.JSONField("own payout tables: most entries, shares in basis points", null=True, blank=True)
    payout_step_cents = models.PositiveIntegerField(default=100)
    payout_minimum_cents = models.PositiveIntegerField(default=0)
    seat_at_buy_in = models.BooleanField(default=True)
    redraw_at = models.JSONField("redraw with so many tables left", default=list, blank=True)
    draw_secret = models.CharField(max_length=64, default=new_draw_secret, editable=False)
    spent_secrets = models.JSONField(default=list, blank=True, editable=False)
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
        """The minimum age in force here: never below 18, 20 in a casino, never below the series' own."""
        venue = CASINO_MINIMUM if self.series.venue_kind == Series.VenueKind.CASINO else None
        return effective_minimum(self.series.minimum_age, venue, self.minimum_age)

    @property
    def prize_plan(self) -> prize_plan.Plan:
        """How the prizes are meant to be divided."""
        return prize_plan.Plan(
            kind=prize_plan.Kind(str(self.payout_kind)),
            shares_bp=tuple(self.payout_shares or ()),
            amounts_cents=tuple(self.payout_amounts or ()),
            bands=tuple((most, tuple(shares)) for most, shares in self.payout_bands or ()),
            step_cents=self.payout_step_cents,
            minimum_cents=self.payout_minimum_cents,
        )

    @property
    def price_cents(self) -> int:
        return self.buy_in_cents + self.fee_cents + self.rules.bounty_cents

    @property
    def rules(self) -> EntryRules:
        """What may be bought beside the plain entry, and when."""
        return rules_from(self.entry_rules)

    @property
    def staff_share(self) -> StaffShare:
        return StaffShare(self.staff_kind, self.staff_amount)

    @property
    def price_shares(self) -> dict[str, int]:
        """Where the price of an entry goes, in cents by account of the ledger."""
        return split_price(self.buy_in_cents, self.fee_cents, self.staff_share, self.rules.bounty_cents)

    @property
    def is_public(self) -> bool:
        return self.status != self.Status.DRAFT and self.series.published

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """A published secret stays published: an event that plays on after its end draws from a new one."""
        before = {name: value for name, value in values.items() if name not in ("draw_secret", "spent_secrets")}
        if self.status == self.Status.FINISHED and before.get("status", self.status) != self.Status.FINISHED:
            before |= {"draw_secret": new_draw_secret(), "spent_secrets": [*self.spent_secrets, self.draw_secret]}
        tx.change(self, **before)


class Day(Journaled):
    """A flight (1A, 1B …) or a later day of an event: what has a clock and tables of its own.

    `entries_close_at` is the instant at which late registration ends if the clock runs on as it does now; None while
    the clock stands (the level then says nothing of an instant). `entries_closed` is final. `break_order`: numbers of
    its tables, the first to be broken first.
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
    capacity = models.PositiveIntegerField("most entries", null=True, blank=True)
    break_order = models.JSONField(default=list, blank=True)

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
