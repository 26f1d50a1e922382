"""Players, sighted ID, registrations and entries."""

import datetime as dt
import secrets
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.errors import Refused
from journal.models import Journaled
from series.domain.eligibility import ID_KINDS
from series.models.events import Day, Event

LONGEST_PHONE = 30  # characters


def new_token() -> str:
    """The secret in a player's own link: 128 bits."""
    return secrets.token_urlsafe(16)


class Player(Journaled):
    """A person who plays. Public pages show `public_name` alone.

    A merged record leads to the one that was kept (`merged_into`); an erased one has a public name and nothing else.
    Neither registers, plays or is found any more.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", "active"
        MERGED = "merged", "merged into another record"
        ERASED = "erased", "erased"

    status = models.CharField(max_length=6, choices=Status, default=Status.ACTIVE)
    merged_into = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="merged_from")
    name = models.CharField(max_length=80)
    name_folded = models.CharField(max_length=80, db_index=True)
    public_name = models.CharField(max_length=80)
    birth_date = models.DateField(null=True)  # None once erased, or discarded after an ID was seen
    email = models.EmailField(blank=True)
    phone = models.CharField(max_length=LONGEST_PHONE, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="players"
    )
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)

    journal_sealed = frozenset({"name", "name_folded", "public_name", "birth_date", "email", "phone", "token"})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user"], name="series_one_player_each_account"),
        ]

    def __str__(self) -> str:
        return self.public_name

    def has_proven(self, age: int) -> bool:
        """Whether a sighted ID showed this age or more; an age once shown stays true."""
        return self.id_checks.filter(age__gte=age, taken_back=False).exists()


class IdCheck(Journaled):
    """That somebody's age was proven by a document, which leaves no trace itself: no number, no copy, no expiry."""

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
    """A player's place in an event before the buy-in, with the rulebook version they accepted; or a place on its
    waiting list.

    `held_until`: the instant at which a place that is not paid, or a call that is not answered, lapses; None: never.
    `called_at`: when the waiting list came to them. `checked_in_at`: when the desk saw that they are here.

    A player who is out can wait once more, for a seat to re-enter: on the day `again_on`, since `again_at`. They have
    the place already.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "on the waiting list"
        CALLED = "called", "called from the waiting list"
        REGISTERED = "registered", "registered"
        ENTERED = "entered", "entered"
        WITHDRAWN = "withdrawn", "withdrawn"
        RELEASED = "released", "released"

    HOLDING: ClassVar = (Status.REGISTERED, Status.CALLED)
    GONE: ClassVar = (Status.WITHDRAWN, Status.RELEASED)

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="registrations")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="registrations")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="registrations")
    status = models.CharField(max_length=10, choices=Status, default=Status.REGISTERED)
    rulebook_version = models.ForeignKey(
        "rulings.RulebookVersion", on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()
    held_until = models.DateTimeField(null=True, blank=True)
    called_at = models.DateTimeField(null=True, blank=True)
    checked_in_at = models.DateTimeField(null=True, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)
    again_on = models.ForeignKey(Day, on_delete=models.PROTECT, null=True, blank=True, related_name="waiting_again")
    again_at = models.DateTimeField(null=True, blank=True)
    # which version of the privacy page the player agreed to, at the instant `at`; None where the desk wrote them down
    privacy_version = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["event", "player"],
                condition=~Q(status__in=["withdrawn", "released"]),
                name="series_registered_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["status", "held_until"], name="series_place_lapses"),
            models.Index(fields=["event", "status"], name="series_place_status"),
            models.Index(fields=["day", "status"], name="series_place_day_status"),
        ]

    def __str__(self) -> str:
        return f"{self.player} in {self.event}"

    @property
    def wanted_day(self) -> Day:
        """The day they hold, or wait for, a place or seat on."""
        return self.again_on or self.day

    @property
    def waits_since(self) -> dt.datetime:
        """What the order of the waiting list goes by."""
        return self.again_at or self.at

    def ended(self, status: str, at: dt.datetime) -> dict[str, Any]:
        """The values of one whose place or turn goes to others. Who waited for a re-entry has played: that stays."""
        if self.again_at is not None:
            return {"status": self.Status.ENTERED, "again_on": None, "again_at": None}
        return {"status": status} | ({"released_at": at} if status == self.Status.RELEASED else {})

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.WITHDRAWN)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """A place comes back only if there is one, and does not lapse at once: whoever undid it saw the player.

        Raises:
            Refused: the place went to somebody else, or who would wait for a re-entry is playing.
        """
        status = values.get("status", self.status)
        again = values.get("again_on_id", self.again_on_id)
        playing = self.event.entries.filter(player=self.player_id, status=Entry.Status.PLAYING)
        if status in (self.Status.WAITING, self.Status.CALLED) and again and playing.exists():
            raise Refused(f"{self.player} is playing: nobody who plays waits for a re-entry.", code="playing")
        if status in self.HOLDING and self.status not in self.HOLDING and again:
            self._require_seat(Day.objects.get(pk=again))
        elif (status in self.HOLDING and self.status not in (*self.HOLDING, self.Status.ENTERED)) or (
            status == self.Status.ENTERED and self.status in self.GONE
        ):
            held = self.event.registrations.filter(status__in=self.HOLDING, again_at=None).count()
            taken = self.event.entries.filter(number=1).exclude(status=Entry.Status.VOID).count()
            if held + taken >= self.event.capacity:
                raise Refused("The place went to somebody else meanwhile: this event is full.", code="full")
            has_place = Q(status__in=[*self.HOLDING, self.Status.ENTERED]) | Q(again_at__isnull=False)
            here = self.day.registrations.filter(has_place).count()
            if self.day.capacity is not None and here >= self.day.capacity:
                words = f"The place went to somebody else meanwhile: {self.day} is full."
                raise Refused(words, code="full")
            self._require_seat(self.day)
        if (until := values.get("held_until", self.held_until)) is not None and until <= tx.at:
            values = values | {"held_until": None}
        tx.change(self, **values)

    def _require_seat(self, day: Day) -> None:
        """Raises Refused if the hall has no seat for one more on this day."""
        seats = self.event.hall_seats
        if seats is None:
            return
        on_day = Q(day=day, again_at=None) | Q(again_on=day)
        held = self.event.registrations.filter(on_day, status__in=self.HOLDING).count()
        if held + day.entries.filter(status=Entry.Status.PLAYING).count() >= seats:
            raise Refused("The place went to somebody else meanwhile: all seats are taken.", code="full")


class Entry(Journaled):
    """One paid stack of a player in an event; a re-entry is a second row with its own number.

    `day` is where it is played now. A bagged entry waits for a later day. One given up for another stack has no place.
    `keeps_seat` says why the player keeps a fixed seat (an access need); empty for everybody else.
    """

    class Status(models.TextChoices):
        PLAYING = "playing", "playing"
        BAGGED = "bagged", "bagged"
        OUT = "out", "out"
        GIVEN_UP = "given_up", "given up"
        VOID = "void", "taken back"

    STILL_IN: ClassVar = (Status.PLAYING, Status.BAGGED)

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="entries")
    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=8, choices=Status, default=Status.PLAYING)
    stack = models.PositiveIntegerField("chips issued")
    at = models.DateTimeField()
    keeps_seat = models.CharField("why they keep their seat", max_length=200, blank=True)

    journal_sealed = frozenset({"keeps_seat"})
    journal_related = ("player",)

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
        indexes: ClassVar = [
            models.Index(fields=["event", "status"], name="series_entry_status"),
            models.Index(fields=["day", "status"], name="series_entry_day_status"),
        ]

    def __str__(self) -> str:
        return str(self.player)

    @property
    def journal_name(self) -> str:
        return str(self.player)

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.VOID)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        if values.get("status") == self.Status.PLAYING:
            self.end_wait(tx)
        tx.change(self, **values)

    def end_wait(self, tx: Tx[Any]) -> None:
        """The player waits for no re-entry any more. Comes before this entry is in play again, so that an undo, which
        goes backwards, finds them out when it lets them wait."""
        waits = Registration.objects.filter(event=self.event_id, player=self.player_id, again_at__isnull=False)
        for row in tx.lock(waits):
            tx.change(row, **row.ended(Registration.Status.ENTERED, tx.at), held_until=None)


class Letter(Journaled):
    """A mail to be sent by the sweep once the transaction that wanted it has committed. One that was sent stays when
    what it told of is undone."""

    journal_furniture = True

    class Kind(models.TextChoices):
        REGISTERED = "registered"
        CANCELLED = "cancelled"
        ALTERED = "altered"
        WAITING = "waiting"
        CALLED = "called"
        RELEASED = "released"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="letters")
    kind = models.CharField(max_length=12, choices=Kind)
    at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.kind} to {self.registration.player}"
