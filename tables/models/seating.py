"""Tables, chairs, draws and moves."""

from collections.abc import Collection
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from journal.commands import Tx
from journal.errors import Refused
from journal.forgetting import Forgotten
from journal.models import Journaled
from series.models import Day, Entry
from tables.domain.dealing import before_first
from tables.domain.table import Positions

HIGH_CARD = "high-card"


class Table(Journaled):
    """A table of a day. The three positions are those of the last hand known, also where nobody sits, or None.

    `hand` counts the hands dealt. `dealt_in` says who was dealt in in the last one, keys of entries by seat; nobody
    means that the positions are those of a first hand, which is still to come. A prepared table is opened when more
    chairs are needed, in the order of `opens`, then of its number. `halt_waived`: how many players there were when the
    director let a short table play on. `hand_counted`: the last hand is over and counted for who serves a penalty, as a
    round of hand-for-hand is complete.
    """

    journal_furniture = True
    journal_told_by_row = True  # the dealer's page

    class Status(models.TextChoices):
        PREPARED = "prepared", "prepared"
        OPEN = "open", "open"
        BROKEN = "broken", "broken"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="tables")
    number = models.PositiveSmallIntegerField()
    seats = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    opens = models.PositiveSmallIntegerField("place in the order of opening", null=True, blank=True)
    button = models.PositiveSmallIntegerField(null=True, blank=True)
    small_blind = models.PositiveSmallIntegerField(null=True, blank=True)
    big_blind = models.PositiveSmallIntegerField(null=True, blank=True)
    button_at = models.DateTimeField(null=True, blank=True)
    hand = models.PositiveIntegerField("hands dealt", default=0)
    dealt_in = models.JSONField(default=dict, blank=True)
    halt_waived = models.PositiveSmallIntegerField(null=True, blank=True)
    hand_counted = models.BooleanField("last hand counted", default=False)

    class Meta:
        ordering: ClassVar = ["day", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "number"], name="tables_table_number")]

    def __str__(self) -> str:
        return f"table {self.number}"

    @property
    def told(self) -> Positions | None:
        """The positions as they were told or dealt, None while the button is unknown."""
        if self.button is None or self.small_blind is None or self.big_blind is None:
            return None
        return Positions(self.button, self.small_blind, self.big_blind)

    @property
    def awaits_first(self) -> bool:
        """Whether the button is known for a first hand that is still to come."""
        return self.told is not None and not self.dealt_in

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """A table where somebody sits stays open: whoever opened it may go, but not the table under the others.

        Raises:
            Refused: it would be broken again with somebody there.
        """
        status = values.get("status", self.status)
        if status != self.Status.OPEN and self.chairs.filter(entry__isnull=False).exists():
            if status == self.Status.BROKEN:
                raise Refused(f"Somebody sits at table {self.number} by now.", code="touched_later")
            values = values | {"status": self.status}
        tx.change(self, **values)

    def last(self, occupied: Collection[int]) -> Positions | None:
        """The positions from which the coming hand follows, with these seats taken: those of the last one, also before
        there was one. None while the button is unknown, or if the player who was to have the first one has gone."""
        if self.told is None or self.dealt_in:
            return self.told
        return before_first(self.seats, occupied, self.told.button)


class Seat(Journaled):
    """A chair. One entry at most, and an entry has one chair at most: the database holds both."""

    journal_furniture = True

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="chairs")
    number = models.PositiveSmallIntegerField()
    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="seat")
    locked = models.BooleanField(default=False)
    locked_why = models.CharField(max_length=120, blank=True)

    journal_sealed = frozenset({"locked_why"})
    journal_related = ("table",)

    class Meta:
        ordering: ClassVar = ["table", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["table", "number"], name="tables_seat_number")]

    def __str__(self) -> str:
        return f"table {self.table.number}, seat {self.number}"

    @property
    def journal_suite(self) -> tuple[str, int]:
        return Table._meta.label_lower, self.table_id

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """Raises Refused if somebody would come back to a table that was closed since: nobody would find them there."""
        if values.get("entry_id") and self.table.status != Table.Status.OPEN:
            words = f"Not undone: table {self.table.number} has been closed since. Open it again first."
            raise Refused(words, code="touched_later")
        tx.change(self, **values)


class Draw(Journaled):
    """A random decision with all that repeats it: the algorithm, what went in, the seed and what came out.

    `given` holds what was frozen: `names` (keys of entries, or numbers of tables) and, for a draw of seats, `tables`;
    `people` the public name of each key at that time. A frozen draw shows the hash of its seed and has no seed yet. A
    draw taken back stays with its seed: no later draw comes from the same one. `commitment` is the hash of the event's
    secret the seed comes from. A button told by high card is a draw of the dealer's, without a seed.
    """

    class Kind(models.TextChoices):
        INITIAL = "initial", "seat draw"
        LATE = "late", "late entry"
        BREAK = "break", "table break"
        REDRAW = "redraw", "redraw"
        BREAK_ORDER = "break_order", "order of breaking"
        BUTTON = "button", "first button"
        LOT = "lot", "lot"
        BALANCE = "balance", "lot of a balancing move"

    class Status(models.TextChoices):
        FROZEN = "frozen", "list frozen"
        DRAWN = "drawn", "drawn"
        WITHDRAWN = "withdrawn", "taken back"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="draws")
    kind = models.CharField(max_length=11, choices=Kind)
    status = models.CharField(max_length=9, choices=Status, default=Status.DRAWN)
    label = models.CharField(max_length=60)
    what = models.CharField("what it decides", max_length=120, blank=True)
    algorithm = models.CharField(max_length=30)
    commitment = models.CharField(max_length=64)
    seed_commitment = models.CharField(max_length=64, blank=True)
    seed = models.CharField(max_length=64, blank=True)
    given = models.JSONField()
    people = models.JSONField(default=dict)
    result = models.JSONField(default=list)
    frozen_at = models.DateTimeField()
    drawn_at = models.DateTimeField(null=True)
    withdrawn_why = models.CharField(max_length=200, blank=True)

    journal_sealed = frozenset({"people", "withdrawn_why"})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "label"], name="tables_draw_label"),
            models.UniqueConstraint(fields=["day"], condition=Q(status="frozen"), name="tables_one_frozen_draw"),
            models.CheckConstraint(condition=~Q(status="frozen") | Q(seed=""), name="tables_frozen_without_seed"),
        ]

    def journal_forget(self, tx: Tx[Any], who: Forgotten) -> None:
        """Names stand by the keys of entries: a namesake keeps theirs."""
        own = {str(key) for key in who.rows.get("series.entry", ())}
        people = {key: who.shown if key in own else name for key, name in (self.people or {}).items()}
        why = who.redact(self.withdrawn_why)
        if (people, why) != (self.people or {}, self.withdrawn_why):
            tx.forget(self, people=people, withdrawn_why=why)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.label}"

    @property
    def by_hand(self) -> bool:
        """Whether the dealer's cards decided it: nothing that a script could repeat."""
        return self.algorithm == HIGH_CARD

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.WITHDRAWN)

    def journal_restore(self, tx: Tx[Any], values: dict[str, Any]) -> None:
        """A seed that was shown is spent: undoing the draw of a frozen list takes the whole draw back."""
        if values.get("status") == self.Status.FROZEN and self.seed:
            values = {"status": self.Status.WITHDRAWN}
        tx.change(self, **values)


class Move(Journaled):
    """A player sent to another seat. The seat is theirs from the order on; `arrived_at` says when they sat down.

    `draw` is the draw it came from, if any.
    """

    class Status(models.TextChoices):
        ORDERED = "ordered", "on the way"
        ARRIVED = "arrived", "arrived"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Kind(models.TextChoices):
        BALANCE = "balance", "balance"
        BREAK = "break", "table break"
        REDRAW = "redraw", "redraw"
        MANUAL = "manual", "by the floor"

    day = models.ForeignKey(Day, on_delete=models.PROTECT, related_name="moves")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="moves")
    kind = models.CharField(max_length=8, choices=Kind)
    from_table = models.PositiveSmallIntegerField()
    from_seat = models.PositiveSmallIntegerField()
    to_seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    draw = models.ForeignKey(Draw, on_delete=models.PROTECT, null=True, blank=True, related_name="moves")
    status = models.CharField(max_length=9, choices=Status, default=Status.ORDERED)
    why = models.CharField(max_length=200, blank=True)
    rule = models.CharField(max_length=10, blank=True)
    sits_out = models.BooleanField(default=False)
    ordered_at = models.DateTimeField()
    arrived_at = models.DateTimeField(null=True, blank=True)

    journal_sealed = frozenset({"why"})

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["entry"], condition=Q(status="ordered"), name="tables_one_move_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} to {self.to_seat}"

    def journal_unmake(self, tx: Tx[Any]) -> None:
        tx.change(self, status=self.Status.WITHDRAWN)
