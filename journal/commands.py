"""The one way to write: a command is one transaction, one permission check and one journal entry.

    @command(Event, "entry.bust", permission=Permission.RUN_FLOOR)
    def bust(tx: Tx[Event], *, entry_ids: list[int]) -> dict[str, Any]:
        ...                      # lock and re-read rows, ask the domain, write with tx.add / tx.change
        tx.say("{player} is out", player=entry.player)
        return {"entries": entry_ids}

    bust(actor=request.user, on=event.pk, command_id=form_id, expected_version=seen, entry_ids=[7])

The runner locks the stream's row first, so commands of one stream follow each other; the gapless `seq` of its entries
is the stream's version.
"""

import datetime as dt
import functools
import secrets
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from journal import guard
from journal.actors import PUBLIC, Actor
from journal.chain import entry_hash
from journal.errors import NotAllowed, Refused, Stale
from journal.models import Journaled, JournalEntry, RowChange, Sealed, Stream
from journal.values import plain, row_values, seal

S = TypeVar("S", bound=Stream)
R = TypeVar("R", bound=Journaled)

request_id: ContextVar[str] = ContextVar("request_id", default="")


@dataclass(frozen=True)
class Spec:
    """What is known of a verb: where it writes, who may, whether it can be undone and who may do that. `forgets`: it
    only destroys values, and stands in nobody's way who undoes what came before. `after_undo`: what is looked at then.
    """

    verb: str
    stream: type[Stream]
    permission: str
    undoable: bool
    undo_permission: str
    forgets: bool = False
    after_undo: Callable[["Tx[Any]", JournalEntry], None] | None = None


VERBS: dict[str, Spec] = {}


@dataclass(frozen=True)
class Done:
    """What a command gives back. `result` is what the command returned; it survives in the entry, so a repeated command
    id gets the same. `repeated` is True then. `seq` is None if the command found nothing to do."""

    result: dict[str, Any]
    seq: int | None
    repeated: bool = False


@dataclass
class Tx(Generic[S]):
    """The open transaction of a command: the locked stream, the actor, the instant, and the only methods that write."""

    subject: S
    actor: Actor
    at: dt.datetime
    expected_version: int | None = None
    text: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    rule: str = ""
    rulebook_version: int | None = None
    random: dict[str, Any] | None = None
    undoes: JournalEntry | None = None
    _changes: list[RowChange] = field(default_factory=list)
    _touches: set[str] = field(default_factory=set)
    _sealed: list[Sealed] = field(default_factory=list)
    _added: dict[type[Journaled], list[Journaled]] = field(default_factory=dict)

    # --- reading ------------------------------------------------------------------------------------------------
    def lock(self, rows: models.QuerySet[R]) -> list[R]:
        """The rows, locked, in primary-key order so that two commands never wait for each other in a circle."""
        return list(rows.select_for_update(of=("self",)).order_by("pk"))

    def lock_one(self, model: type[R], missing: str, **where: Any) -> R:
        """One locked row.

        Raises:
            Refused: with the words of `missing` if there is none.
        """
        rows = self.lock(model._default_manager.filter(**where))
        if len(rows) != 1:
            raise Refused(missing, code="missing")
        return rows[0]

    def expect_unchanged(self, *rows: Journaled) -> None:
        """Refuse if somebody changed one of these rows after the version that the actor saw.

        Raises:
            Stale: naming the later entry.
        """
        if self.expected_version is None:
            return
        wanted = models.Q(pk__in=[])
        for row in rows:
            wanted |= models.Q(changes__table=row._meta.label_lower, changes__row=row.pk)
        later = (
            JournalEntry.objects.filter(stream=self.subject.stream_key, seq__gt=self.expected_version)
            .filter(wanted)
            .order_by("-seq")
            .first()
        )
        if later:
            raise Stale(f"This changed while you looked: {later_words(later)}. Here is how it stands now.")

    # --- writing ------------------------------------------------------------------------------------------------
    def add(self, row: R) -> R:
        """Insert one row."""
        row.save(force_insert=True)
        self._added.setdefault(type(row), []).append(row)
        self._record(RowChange.Kind.CREATE, row, {}, row_values(row))
        return row

    def add_all(self, rows: Sequence[R]) -> list[R]:
        """Insert many rows of one table."""
        if not rows:
            return []
        made = type(rows[0])._default_manager.bulk_create(rows, batch_size=1000)
        self._added.setdefault(type(rows[0]), []).extend(made)
        for row in made:
            self._record(RowChange.Kind.CREATE, row, {}, row_values(row))
        return list(made)

    def change(self, row: R, **values: Any) -> R:
        """Set columns of one row; writes and records only what differs."""
        before, after = self._apply(row, values)
        if after:
            row.save(update_fields=list(values))
            self._record(RowChange.Kind.CHANGE, row, before, after)
        return row

    def change_all(self, changes: Iterable[tuple[R, dict[str, Any]]]) -> None:
        """Set columns of many rows. Rows that get the same values are written in one statement."""
        same: dict[str, tuple[type[R], dict[str, Any], list[int]]] = {}
        for row, values in changes:
            before, after = self._apply(row, values)
            if after:
                key = f"{row._meta.label_lower} {sorted((name, plain_value(v)) for name, v in values.items())}"
                same.setdefault(key, (type(row), values, []))[2].append(row.pk)
                self._record(RowChange.Kind.CHANGE, row, before, after)
        for model, values, pks in same.values():
            for start in range(0, len(pks), 500):
                model._default_manager.filter(pk__in=pks[start : start + 500]).update(**values)

    def forget(self, row: R, **values: Any) -> R:
        """Set columns of one row and destroy everything sealed that the journal knows of it: what it was before cannot
        be read, nor brought back by undo, any more."""
        before, after = self._apply(row, values)
        row.save(update_fields=list(values))
        Sealed.objects.filter(table=row._meta.label_lower, row=row.pk).delete()
        self._sealed = [kept for kept in self._sealed if (kept.table, kept.row) != (row._meta.label_lower, row.pk)]
        before = {name: "" if name in row.journal_sealed else value for name, value in before.items()}
        self._record(RowChange.Kind.CHANGE, row, before, after)
        return row

    def forget_columns(self, row: R, *names: str) -> R:
        """Empty sealed columns of one row, and destroy all that the journal knows of what stood in these alone."""
        self.change(row, **dict.fromkeys(names))
        label = row._meta.label_lower
        mine = [change for change in self._changes if (change.table, change.row) == (label, row.pk)]
        gone = {
            values[name]["sealed"]
            for change in [*RowChange.objects.filter(table=label, row=row.pk), *mine]
            for values in (change.before, change.after)
            for name in names
            if isinstance(values.get(name), dict)
        }
        Sealed.objects.filter(pk__in=gone).delete()
        self._sealed = [kept for kept in self._sealed if str(kept.pk) not in gone]
        return row

    def forget_sealed(self, values: models.QuerySet[Sealed]) -> None:
        """Destroy values of the past that no row holds any more."""
        Sealed.objects.filter(pk__in=[value.pk for value in values]).delete()

    def remove(self, row: Journaled) -> None:
        """Delete one row that nobody was shown: an undone creation, a rule of a draft, a mail not sent. Whatever has
        been shown to people gets a status instead."""
        values, pk = row_values(row), row.pk
        row.delete()
        row.pk = pk
        self._record(RowChange.Kind.REMOVE, row, values, {})

    # --- the entry ----------------------------------------------------------------------------------------------
    def say(self, text: str, **facts: Any) -> None:
        """The entry in plain words. `{name}` stands for a fact; rows are kept as references and named when read."""
        self.text = text
        self.facts = {name: _fact(value) for name, value in facts.items()}

    def _apply(self, row: Journaled, values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        names = {name: row._meta.get_field(name).attname for name in values}  # type: ignore[union-attr]
        before = {attname: plain(getattr(row, attname)) for attname in names.values()}
        for name, value in values.items():
            setattr(row, name, value)
        after = {attname: plain(getattr(row, attname)) for attname in names.values()}
        changed = [attname for attname in after if before[attname] != after[attname]]
        return {name: before[name] for name in changed}, {name: after[name] for name in changed}

    def _record(self, kind: str, row: Journaled, before: dict[str, Any], after: dict[str, Any]) -> None:
        if isinstance(row, Stream):
            for values in (before, after):
                values.pop("seq", None)
                values.pop("head", None)
        self._touches.add(row._meta.label_lower)
        if row.journal_told_by_row:
            self._touches.add(row.journal_touch)
        self._changes.append(
            RowChange(
                kind=kind,
                table=row._meta.label_lower,
                row=row.pk,
                before=seal(row, before, self._sealed),
                after=seal(row, after, self._sealed),
            )
        )

    def prove(self) -> None:
        """Let every table that was added to check its rows. Raises OutOfBalance."""
        for model, rows in self._added.items():
            model.journal_prove(rows)

    def _seal_reason(self) -> str:
        """The words may name somebody: the entry refers to them."""
        if not self.reason:
            return ""
        secret = Sealed(table=JournalEntry._meta.label_lower, row=0, salt=secrets.token_hex(16), value=self.reason)
        self._sealed.append(secret)
        return f"{secret.id}:{secret.digest()}"

    def _write_entry(self, spec: Spec, command_id: uuid.UUID, result: dict[str, Any]) -> JournalEntry:
        subject = self.subject
        entry = JournalEntry(
            stream=subject.stream_key,
            seq=subject.seq + 1,
            at=self.at,
            actor_id=self.actor.pk,
            actor_name=self.actor.journal_name,
            verb=spec.verb,
            text=self.text,
            facts=self.facts,
            reason_seal=self._seal_reason(),
            rule=self.rule,
            rulebook_version=self.rulebook_version,
            random=self.random,
            result=result,
            touches=sorted(self._touches),
            request_id=request_id.get(),
            command_id=command_id,
            undoes=self.undoes,
            previous=subject.head,
        )
        entry.hash = entry_hash(entry, self._changes)
        entry.save(force_insert=True)
        for change in self._changes:
            change.entry = entry
        for secret in self._sealed:
            if secret.table == entry._meta.label_lower:
                secret.row = entry.pk
        RowChange.objects.bulk_create(self._changes, batch_size=1000)
        Sealed.objects.bulk_create(self._sealed, batch_size=1000)
        type(subject)._default_manager.filter(pk=subject.pk).update(seq=entry.seq, head=entry.hash)
        subject.seq, subject.head = entry.seq, entry.hash
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:  # delivered by the database when, and only if, this commits
                cursor.execute("SELECT pg_notify('journal', %s)", [subject.stream_key])
        return entry


def plain_value(value: Any) -> Any:
    return value.pk if isinstance(value, models.Model) else plain(value)


def _fact(value: Any) -> Any:
    if isinstance(value, models.Model):
        return {"model": value._meta.label_lower, "id": value.pk}
    if isinstance(value, list | tuple):
        return [_fact(item) for item in value]
    return plain(value)


def later_words(entry: JournalEntry) -> str:
    """An entry as a refusal names it: what, by whom, at what time of day."""
    from journal.reads import describe

    said = describe([entry])[0]
    return f"“{said.text}” by {said.actor}, {timezone.localtime(entry.at):%H:%M:%S}"


class Body(Protocol):
    def __call__(self, tx: Any, /, **kwargs: Any) -> dict[str, Any] | None: ...


def command(
    stream: type[S],
    verb: str,
    *,
    permission: str,
    undoable: bool = True,
    undo_permission: str = "",
    forgets: bool = False,
    after_undo: Callable[[Tx[S], JournalEntry], None] | None = None,
) -> Callable[[Callable[..., dict[str, Any] | None]], Callable[..., Done]]:
    """Make a function `(tx, *, ...) -> result` a command. See the module's docstring for how it is called.

    Undoing it needs the same permission, if `undo_permission` names no other. What anybody may do has to name one. What
    one that `forgets` destroyed does not come back when something before it is undone. `after_undo` is called with the
    command's own entry after each undo and redo of it: it refuses what may not be, and writes what follows.

    The command is called with keyword arguments only: `actor`, `on` (primary key of the stream's row), and optionally
    `command_id`, `expected_version` and `reason`, then the function's own. One that changes nothing writes no entry.

    Raises (when called):
        NotAllowed, Stale, Refused: nothing was written.
    """

    def wrap(body: Callable[..., dict[str, Any] | None]) -> Callable[..., Done]:
        undoing = str(undo_permission or permission)
        if undoable and undoing == PUBLIC:
            raise ValueError(f"{verb}: anybody could undo what others did")
        spec = VERBS[verb] = Spec(verb, stream, str(permission), undoable, undoing, forgets, after_undo)

        @functools.wraps(body)
        def run_command(
            *,
            actor: Actor,
            on: int,
            command_id: uuid.UUID | None = None,
            expected_version: int | None = None,
            reason: str = "",
            **kwargs: Any,
        ) -> Done:
            return run(spec, body, actor, on, command_id, expected_version, reason, kwargs)

        return run_command

    return wrap


def run(
    spec: Spec,
    body: Callable[..., dict[str, Any] | None],
    actor: Actor,
    on: int,
    command_id: uuid.UUID | None,
    expected_version: int | None,
    reason: str,
    kwargs: dict[str, Any],
) -> Done:
    """Carry out one command (see `command`)."""
    if actor is None:
        raise NotAllowed("Nobody is named as the one who does this.")
    try:
        with transaction.atomic(durable=True), guard.writing():
            subject = spec.stream._default_manager.select_for_update().filter(pk=on).first()
            if subject is None:
                raise Refused(f"There is no such {spec.stream._meta.verbose_name}.", code="missing")
            if command_id and (first := JournalEntry.objects.filter(command_id=command_id).first()):
                if first.verb != spec.verb or first.stream != subject.stream_key or first.actor_id != actor.pk:
                    raise Refused("This form was already used for something else. Load the page again.", code="reused")
                return Done(first.result, first.seq, repeated=True)
            if not actor.may(spec.permission, subject):
                raise NotAllowed
            tx: Tx[Any] = Tx(subject, actor, timezone.now(), expected_version, reason=reason.strip())
            result = body(tx, **kwargs) or {}
            if not tx._changes:
                return Done(result, None)
            tx.prove()
            entry = tx._write_entry(spec, command_id or uuid.uuid4(), result)
            return Done(result, entry.seq)
    except IntegrityError as error:
        raise Refused("Somebody else was quicker. Look at how it stands now and try again.", code="taken") from error
