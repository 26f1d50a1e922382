"""The append-only journal, and the two bases of every domain table: Stream (locked) and Journaled (recorded)."""

import hashlib
import json
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from journal.commands import Tx
    from journal.forgetting import Forgotten


class Journaled(models.Model):
    """A table that only commands write. The guard in `journal.guard` refuses every other write.

    `journal_sealed` names the fields with personal data: the journal keeps a reference to their values, so that a
    person's data can be erased without breaking the chain.

    `journal_furniture` marks rows that others use once they are there, such as a table: undoing what made them takes
    them away only if nobody has used them since, nor any of their `journal_suite`.

    `journal_told_by_row` marks rows that have an open page each: the live feed tells which of them changed.

    `journal_append_only` marks rows that are never altered nor deleted; triggers in the database see to it.

    `journal_balanced` names two columns, a group and an amount: a transaction that leaves a group whose amounts do not
    add up to nothing is refused by the database itself, whoever writes.

    `journal_related` names the rows that `journal_name` reads, so that they are fetched along with this one.
    """

    journal_sealed: ClassVar[frozenset[str]] = frozenset()
    journal_furniture: ClassVar[bool] = False
    journal_told_by_row: ClassVar[bool] = False
    journal_append_only: ClassVar[bool] = False
    journal_balanced: ClassVar[tuple[str, str] | None] = None
    journal_related: ClassVar[tuple[str, ...]] = ()

    class Meta:
        abstract = True

    @property
    def journal_touch(self) -> str:
        """This row as the live feed names it: "tables.table:17"."""
        return f"{self._meta.label_lower}:{self.pk}"

    @property
    def journal_name(self) -> str:
        """How entries of the journal speak of this row."""
        return str(self)

    @property
    def journal_suite(self) -> tuple[str, int]:
        """What stays together if one of it is in use: a table and its chairs. By default a row stands for itself."""
        return self._meta.label_lower, self.pk

    def journal_unmake(self, tx: "Tx[Any]") -> None:
        """Undo this row's creation. Rows that leave a trace elsewhere override this with a status or a contra line."""
        tx.remove(self)

    @classmethod
    def journal_prove(cls, added: list[Any]) -> None:
        """Called once at the end of a command with the rows it added: raises OutOfBalance if they do not hold."""

    def journal_forget(self, tx: "Tx[Any]", who: "Forgotten") -> None:
        """Take a person's words out of this row's sealed columns. Rows that keep them in another shape override it."""
        present = {name: getattr(self, name) for name in self.journal_sealed}
        known = who.closely if who.owns(self) else who
        left = {name: known.redact(value) for name, value in present.items()}
        if changed := {name: value for name, value in left.items() if value != present[name]}:
            tx.forget(self, **changed)

    def journal_restore(self, tx: "Tx[Any]", values: dict[str, Any]) -> None:
        """Undo a change of this row: `values` are its columns as they were. Rows that only go forward override it."""
        tx.change(self, **values)


class Stream(Journaled):
    """A row with a journal of its own: locking it locks everything below it, `seq` is its version.

    `head` is the hash of the stream's last entry, the link for the next one.
    """

    seq = models.PositiveBigIntegerField(default=0, editable=False)
    head = models.CharField(max_length=64, default="", blank=True, editable=False)

    class Meta:
        abstract = True

    @classmethod
    def stream_kind(cls) -> str:
        return str(cls._meta.model_name)

    @property
    def stream_key(self) -> str:
        return f"{self.stream_kind()}:{self.pk}"

    @property
    def staff_series_id(self) -> int | None:
        """The series whose staff roles decide what may be done here; None: only the organiser's own staff."""
        raise NotImplementedError


class JournalEntry(models.Model):
    """One change of state: who did what, when and why, and the rows it changed. Never altered, never deleted.

    The words of the reason may name people, so they are sealed: `reason_seal` is the reference and a salted digest.

    `hash` is SHA-256 over the entry and the hash before it in the same stream (see `journal.chain`).
    """

    stream = models.CharField(max_length=60)
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", db_constraint=False
    )
    actor_name = models.CharField(max_length=150)
    verb = models.CharField(max_length=60)
    text = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(default=dict)
    reason_seal = models.CharField(max_length=110, blank=True)
    rule = models.CharField(max_length=20, blank=True)
    rulebook_version = models.PositiveIntegerField(null=True)
    random = models.JSONField(null=True)
    result = models.JSONField(default=dict)
    touches = models.JSONField(default=list)
    request_id = models.CharField(max_length=64, blank=True)
    command_id = models.UUIDField(unique=True, default=uuid.uuid4)
    undoes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="undone_by")
    previous = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["stream", "seq"], name="journal_stream_seq")]
        verbose_name_plural = "journal entries"

    def __str__(self) -> str:
        return f"{self.stream} {self.seq} {self.verb}"

    @property
    def reason(self) -> str:
        """The words of the reason, empty if there were none or they were erased. One query."""
        return reasons([self]).get(self.pk, "")


def reasons(entries: Sequence[JournalEntry]) -> dict[int, str]:
    """The words of these entries' reasons, by entry. One query, none without any."""
    seals = {entry.reason_seal.partition(":")[0]: entry.pk for entry in entries if entry.reason_seal}
    found = Sealed.objects.filter(pk__in=list(seals)) if seals else ()
    return {seals[str(row.pk)]: str(row.value) for row in found}


class RowChange(models.Model):
    """One row that an entry changed. For a change only the fields that differ are kept, before and after."""

    class Kind(models.TextChoices):
        CREATE = "create"
        CHANGE = "change"
        REMOVE = "remove"

    entry = models.ForeignKey(JournalEntry, on_delete=models.PROTECT, related_name="changes")
    kind = models.CharField(max_length=6, choices=Kind)
    table = models.CharField(max_length=60)
    row = models.BigIntegerField()
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["id"]
        indexes: ClassVar = [models.Index(fields=["table", "row", "entry"], name="journal_touched")]

    def __str__(self) -> str:
        return f"{self.kind} {self.table} {self.row}"


class Sealed(models.Model):
    """A value with personal data that the journal refers to. Erasing it keeps the chain whole: the entry holds only
    `id` and a salted digest, and the salt goes with the value."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    table = models.CharField(max_length=60)
    row = models.BigIntegerField()
    salt = models.CharField(max_length=32)
    value = models.JSONField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["table", "row"], name="journal_sealed_row")]
        verbose_name_plural = "sealed values"

    def __str__(self) -> str:
        return f"{self.table} {self.row}"

    def digest(self) -> str:
        """SHA-256 over salt and value; the order of keys in it does not matter, as no database keeps it."""
        text = json.dumps(self.value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(f"{self.salt}:{text}".encode()).hexdigest()
