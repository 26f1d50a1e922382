"""What is known of a person whose data is being erased, and how words are taken out of what staff wrote."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.apps import apps
from django.db.models import CharField, EmailField, JSONField, Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from journal.models import Journaled, Sealed

FEWEST = 4  # letters: shorter words are parts of others


@dataclass(frozen=True)
class Forgotten:
    """`rows`: the keys of what is the person's own, by table. `words`: what names or reaches them (names, addresses,
    numbers). `shown`: what takes their place."""

    rows: dict[str, frozenset[int]]
    words: tuple[str, ...]
    shown: str

    def owns(self, row: Journaled) -> bool:
        return row.pk in self.rows.get(row._meta.label_lower, ())

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        words = sorted({word for word in self.words if len(word) >= FEWEST}, key=len, reverse=True)
        found = "|".join(re.escape(word) for word in words)
        return re.compile(rf"(?<!\w)(?:{found})(?!\w)", re.IGNORECASE) if words else None

    @property
    def closely(self) -> "Forgotten":
        """The same person for a row of their own, where a part of the name means them too."""
        return replace(self, words=(*self.words, *(part for word in self.words for part in word.split())))

    def redact(self, value: Any) -> Any:
        """The value with the person's words replaced, also inside lists and objects."""
        if isinstance(value, str) and self._pattern:
            return self._pattern.sub(lambda _: self.shown, value)  # as it stands, with whatever signs are in it
        if isinstance(value, list):
            return [self.redact(item) for item in value]
        if isinstance(value, dict):
            return {key: self.redact(item) for key, item in value.items()}
        return value

    def mention(self, rows: QuerySet[Any], names: Iterable[str]) -> QuerySet[Any]:
        """Those rows in whose columns one of the words may stand; never too few of them."""
        wanted = Q(pk__in=[])
        spellings = {
            spelt
            for word in self.words
            if len(word) >= FEWEST
            for said in (word, word.lower(), word.upper(), word.title())
            for spelt in (said, json.dumps(said)[1:-1])
        }
        for name in names:
            rows = rows.annotate(**{f"{name}_said": Cast(name, TextField())})
            for spelt in spellings:
                wanted |= Q(**{f"{name}_said__icontains": spelt})
        return rows.filter(wanted)


def free_words(model: type[Model]) -> list[str]:
    """The columns of a table whose words are sealed, because they may name people."""
    sealed: frozenset[str] = getattr(model, "journal_sealed", frozenset())
    return [
        field.name
        for field in model._meta.concrete_fields
        if field.name in sealed and isinstance(field, CharField | TextField | JSONField | EmailField)
    ]


def written_about(who: Forgotten, but: Iterable[type[Model]]) -> list[Journaled]:
    """Every row whose sealed words may name the person, and every one of their own, but for those of some tables and
    those that are never altered. Two queries for each table."""
    found: list[Journaled] = []
    for model in apps.get_models():
        if not issubclass(model, Journaled) or model.journal_append_only or model in but:
            continue
        if names := free_words(model):
            found += who.mention(model._default_manager.all(), names)
            seen = {row.pk for row in found if type(row) is model}
            own = who.rows.get(model._meta.label_lower, frozenset()) - seen
            found += model._default_manager.filter(pk__in=own)
    return found


def sealed_about(who: Forgotten, but: Iterable[type[Model]]) -> QuerySet[Sealed]:
    """Values of the past that may name the person, but for those of some tables."""
    labels = [model._meta.label_lower for model in but]
    return who.mention(Sealed.objects.exclude(table__in=labels), ["value"])
