"""A version of the rulebook as a file: Markdown (reads back without a difference), JSON, PDF."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rulings.change_reads import changes_of
from rulings.domain.rule_text import to_markdown
from rulings.models import RuleText
from rulings.pdf import to_pdf
from rulings.reads import to_html
from rulings.version_reads import VersionLine, versions_of


@dataclass(frozen=True)
class Export:
    name: str
    content: bytes
    content_type: str


def _rows(line: VersionLine) -> list[RuleText]:
    return list(line.row.texts.select_related("rule"))


def _markdown(line: VersionLine) -> bytes:
    """Exactly the bytes that the fingerprint is of."""
    return to_markdown(row.as_text for row in _rows(line)).encode()


def _json(line: VersionLine) -> bytes:
    row = line.row
    content: dict[str, Any] = {
        "series": str(row.series),
        "version": row.number,
        "state": line.state.value,
        "effective_from": row.effective_from and row.effective_from.isoformat(),
        "announced_at": row.announced_at and row.announced_at.isoformat(),
        "note": row.note,
        "sha256": row.content_hash,
        "rules": [
            {
                "key": text.rule.key,
                "number": text.number,
                "section": text.section,
                "text": text.text,
                "supplement": text.supplement,
            }
            for text in _rows(line)
        ],
    }
    if line.is_published and row.previous_id:
        changes = changes_of(line, versions_of(row.series_id))
        content["changed_from"] = changes.old.number if changes.old else None
        content["changes"] = [
            {
                "key": change.key,
                "number": change.number,
                "kinds": [tag.kind for tag in change.kinds],
                "reasons": [{"reason": why.reason, "author": why.author} for why in change.whys],
            }
            for change in changes.rows
        ]
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _pdf(line: VersionLine) -> bytes:
    row = line.row
    if line.is_published and row.effective_from:
        begins = row.effective_from.astimezone(row.series.tz)
        holds = f"{line.words}, from {begins:%A} {begins.day} {begins:%B %Y, %H:%M}"
    else:
        holds = "draft"
    return to_pdf(
        title=f"{row.series} rulebook",
        version=f"Version {row.number}, {holds}",
        fingerprint=row.content_hash,
        rules=[(text.section, text.number, to_html(text.text)) for text in _rows(line)],
        made_at=row.announced_at or row.effective_from,
    )


_MAKERS: dict[str, tuple[Callable[[VersionLine], bytes], str]] = {
    "md": (_markdown, "text/markdown; charset=utf-8"),
    "json": (_json, "application/json"),
    "pdf": (_pdf, "application/pdf"),
}
KINDS = tuple(_MAKERS)


def export(line: VersionLine, kind: str) -> Export:
    """A version as a file of one of `KINDS`; its name says series and version."""
    make, content_type = _MAKERS[kind]
    return Export(f"{line.row.series.slug}-rules-v{line.number}.{kind}", make(line), content_type)
