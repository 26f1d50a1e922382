"""The journal as people read it: entries with names filled in, and whether each can be undone."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps

from journal.commands import VERBS
from journal.models import JournalEntry, reasons


@dataclass(frozen=True)
class Said:
    """One entry in plain words."""

    id: int
    seq: int
    at: dt.datetime
    actor: str
    verb: str
    text: str
    reason: str
    rule: str
    undoable: bool
    undone: bool


def describe(entries: Sequence[JournalEntry]) -> list[Said]:
    """The entries with the rows they mention called by their present names; one query for each kind of row."""
    wanted: dict[str, set[int]] = defaultdict(set)

    def collect(value: Any) -> None:
        if isinstance(value, dict) and "model" in value:
            wanted[value["model"]].add(value["id"])
        elif isinstance(value, list):
            for item in value:
                collect(item)

    for entry in entries:
        for value in entry.facts.values():
            collect(value)
    names: dict[tuple[str, int], str] = {}
    for label, ids in wanted.items():
        model: Any = apps.get_model(label)
        rows = model._default_manager.filter(pk__in=ids)
        if related := getattr(model, "journal_related", ()):
            rows = rows.select_related(*related)
        for row in rows:
            names[label, row.pk] = row.journal_name

    def name(value: Any) -> str:
        if isinstance(value, dict) and "model" in value:
            return names.get((value["model"], value["id"]), "(removed)")
        if isinstance(value, list):
            return ", ".join(name(item) for item in value)
        return str(value)

    undone = set(
        JournalEntry.objects.filter(undoes__in=[entry.pk for entry in entries]).values_list("undoes_id", flat=True)
    )
    why = reasons(entries)
    said = []
    for entry in entries:
        spec = VERBS.get(entry.verb)
        text = (
            entry.text.format_map({key: name(value) for key, value in entry.facts.items()})
            if entry.text
            else entry.verb
        )
        said.append(
            Said(
                id=entry.pk,
                seq=entry.seq,
                at=entry.at,
                actor=entry.actor_name,
                verb=entry.verb,
                text=text,
                reason=why.get(entry.pk, ""),
                rule=entry.rule,
                undoable=bool(entry.undoes_id or (spec and spec.undoable)) and entry.pk not in undone,
                undone=entry.pk in undone,
            )
        )
    return said


def latest(
    stream: str,
    count: int,
    *,
    verbs: Sequence[str] | None = None,
    without: Sequence[str] = (),
    before: int | None = None,
) -> list[Said]:
    """The last `count` entries of a stream, newest first; with `before`, those older than that seq."""
    entries = JournalEntry.objects.filter(stream=stream).exclude(verb__in=without).order_by("-seq")
    if verbs:
        entries = entries.filter(verb__in=verbs)
    if before:
        entries = entries.filter(seq__lt=before)
    return describe(list(entries[:count]))
