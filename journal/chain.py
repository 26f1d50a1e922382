"""The hash chain: each entry of a stream carries the hash of the one before it: nothing can be slipped in or out."""

import hashlib
import json
from collections.abc import Iterable, Iterator

from django.apps import apps

from journal.models import JournalEntry, RowChange, Stream
from journal.values import plain


def entry_hash(entry: JournalEntry, changes: Iterable[RowChange]) -> str:
    """SHA-256, in hex, over the previous hash, the entry's own content and its row changes in order."""
    content = {
        "previous": entry.previous,
        "stream": entry.stream,
        "seq": entry.seq,
        "at": plain(entry.at),
        "actor": entry.actor_id,
        "actor_name": entry.actor_name,
        "verb": entry.verb,
        "text": entry.text,
        "facts": entry.facts,
        "reason": entry.reason_seal,
        "rule": entry.rule,
        "rulebook_version": entry.rulebook_version,
        "random": entry.random,
        "result": entry.result,
        "request_id": entry.request_id,
        "command_id": str(entry.command_id),
        "undoes": entry.undoes_id,
        "changes": [[change.kind, change.table, change.row, change.before, change.after] for change in changes],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def verify(stream: str | None = None) -> Iterator[str]:
    """Walks one stream, or all of them, and yields a sentence for each thing that is wrong; nothing if all is well."""
    entries = JournalEntry.objects.order_by("stream", "seq").prefetch_related("changes")
    if stream:
        entries = entries.filter(stream=stream)
    last: dict[str, tuple[int, str]] = {}
    for entry in entries.iterator(chunk_size=500):
        seq, head = last.get(entry.stream, (0, ""))
        if entry.seq != seq + 1:
            yield f"{entry.stream}: entry {seq + 1} is missing, {entry.seq} follows {seq}"
        if entry.previous != head:
            yield f"{entry.stream} {entry.seq}: does not follow the entry before it"
        if entry.hash != entry_hash(entry, entry.changes.all()):
            yield f"{entry.stream} {entry.seq}: its content does not match its hash"
        last[entry.stream] = (entry.seq, entry.hash)
    for model in apps.get_models():
        if issubclass(model, Stream):
            for row in model._default_manager.only("pk", "seq", "head").iterator():
                if stream in (None, row.stream_key) and last.get(row.stream_key, (0, "")) != (row.seq, row.head):
                    yield f"{row.stream_key}: the journal ends at another entry than the row says ({row.seq})"
