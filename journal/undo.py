"""Undo and redo. Undoing writes a new entry that puts the rows back; refused if anything later touched one of them, but
for what was itself taken back since: the last steps can be undone one by one.

Redo is the undo of an undo. Money is never unwritten: its rows answer with a contra line (`Journaled.journal_unmake`).
"""

import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.apps import apps
from django.db import models

from journal.actors import Actor
from journal.commands import VERBS, Done, Tx, later_words, run
from journal.errors import Refused
from journal.models import Journaled, JournalEntry, RowChange
from journal.values import restored, still_known, unseal


def undo(*, actor: Actor, entry_id: int, command_id: uuid.UUID | None = None, reason: str = "") -> Done:
    """Take back one entry, with the permission that undoing its verb needs.

    Raises:
        Refused: the entry cannot be undone, was undone already, or a later entry touched the same rows (it is named).
    """
    entry = JournalEntry.objects.filter(pk=entry_id).first()
    if entry is None:
        raise Refused("There is no such entry.", code="missing")
    original = entry
    while original.undoes is not None:
        original = original.undoes
    spec = VERBS.get(original.verb)
    if spec is None or not spec.undoable:
        raise Refused("This cannot be undone.", code="not_undoable")
    verb = "undo" if entry.undoes_id is None or entry.verb == "redo" else "redo"
    on = int(entry.stream.split(":")[1])
    return run(
        replace(spec, verb=verb, permission=spec.undo_permission),
        _take_back,
        actor,
        on,
        command_id,
        None,
        reason,
        {"entry": entry, "original": original},
    )


def _take_back(tx: Tx[Any], *, entry: JournalEntry, original: JournalEntry) -> dict[str, Any]:
    if JournalEntry.objects.filter(undoes=entry).exists():
        raise Refused("This was undone already.", code="undone")
    changes = list(entry.changes.all())
    _refuse_if_touched_later(entry, changes)
    in_use = _furniture_in_use(entry, changes)
    for change in reversed(changes):
        _reverse(tx, change, in_use)
    if not tx._changes:
        raise Refused("Not undone: others use it by now.", code="in_use")
    if after := VERBS[original.verb].after_undo:
        after(tx, original)
    tx.undoes = entry
    tx.text, tx.facts = ("Undone: " + entry.text)[:300], entry.facts
    if entry.undoes_id is not None:
        tx.text = ("Redone: " + entry.text.removeprefix("Undone: "))[:300]
    return {"undone": entry.seq}


def _later(entry: JournalEntry, rows: Iterable[tuple[str, int]]) -> JournalEntry | None:
    """The latest entry that changed one of these rows after this one and still stands.

    A later entry and its undo cancel each other out: the rows are as they were before both. Not so the undo of an entry
    before this one, which is a change like any other. What only forgot values is no change to these rows.
    """
    touched = models.Q(pk__in=[])
    by_table: dict[str, set[int]] = {}
    for table, row in rows:
        by_table.setdefault(table, set()).add(row)
    for table, ids in by_table.items():
        touched |= models.Q(table=table, row__in=ids)
    standing: dict[int, JournalEntry] = {}
    changes = RowChange.objects.filter(touched, entry__gt=entry).order_by()
    for later in JournalEntry.objects.filter(pk__in=changes.values("entry")).order_by("pk"):
        if later.verb in VERBS and VERBS[later.verb].forgets:
            continue
        if later.undoes_id in standing:
            del standing[later.undoes_id]
        else:
            standing[later.pk] = later
    return max(standing.values(), key=lambda later: later.pk, default=None)


def _is_furniture(change: RowChange) -> bool:
    model: type[Journaled] = apps.get_model(change.table)
    return change.kind == RowChange.Kind.CREATE and model.journal_furniture


def _furniture_in_use(entry: JournalEntry, changes: list[RowChange]) -> set[tuple[str, int]]:
    """The furniture made by an entry that stays, as table and key: others use it, or something of the same suite."""
    made: dict[str, list[int]] = {}
    for change in filter(_is_furniture, changes):
        made.setdefault(change.table, []).append(change.row)
    suites: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for table, keys in made.items():
        for row in apps.get_model(table)._default_manager.filter(pk__in=keys):
            suites.setdefault(row.journal_suite, []).append((table, row.pk))
    return {spot for spots in suites.values() if _later(entry, spots) for spot in spots}


def _refuse_if_touched_later(entry: JournalEntry, changes: list[RowChange]) -> None:
    later = _later(entry, [(change.table, change.row) for change in changes if not _is_furniture(change)])
    if later:
        raise Refused(f"Not undone: {later_words(later)} came after it. Undo that first.", code="touched_later")


def _reverse(tx: Tx[Any], change: RowChange, in_use: set[tuple[str, int]]) -> None:
    model: type[Journaled] = apps.get_model(change.table)
    if change.kind == RowChange.Kind.REMOVE:
        values = unseal(change.before)
        tx.add(model(**{name: restored(model, name, value) for name, value in values.items()}))
        return
    row = tx.lock(model._default_manager.filter(pk=change.row))[0]
    if change.kind == RowChange.Kind.CHANGE:
        values = unseal(still_known(change.before))
        row.journal_restore(tx, {name: restored(model, name, value) for name, value in values.items()})
    elif _is_furniture(change) and (change.table, change.row) in in_use:
        return
    elif not _is_held(row, change):
        row.journal_unmake(tx)


def _is_held(row: Journaled, change: RowChange) -> bool:
    """Whether a row must stay because rows made together with it stay too, with a status of their own.

    Raises:
        Refused: a row made later points to it, so taking it away would take the ground from under that one.
    """
    if type(row).journal_unmake is not Journaled.journal_unmake:
        return False  # it leaves a status or a contra line behind
    held = False
    for relation in row._meta.get_fields(include_hidden=True):
        if not isinstance(relation, models.ForeignObjectRel) or not issubclass(relation.related_model, Journaled):
            continue
        for found in relation.related_model._default_manager.filter(**{relation.field.name: row.pk})[:100]:
            made = RowChange.objects.filter(table=found._meta.label_lower, row=found.pk).select_related("entry")
            first, last = made.order_by("entry").first(), made.order_by("entry").last()
            # without an entry yet it is made by this very undo, such as a contra line
            if first is not None and last is not None and first.entry_id != change.entry_id:
                words = later_words(last.entry)
                raise Refused(f"Not undone: {words} came after it. Undo that first.", code="touched_later")
            held = True
    return held
