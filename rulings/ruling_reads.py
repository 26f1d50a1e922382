"""Rulings as the staff read them, and how it was ruled last time."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from rulings.models import RulebookVersion, RuleText, Ruling, RulingPlayer
from rulings.reads import in_force
from series.domain.names import fold
from series.models import Entry, Event
from tables.models import Seat

TONES = {Ruling.Appeal.ASKED: "warn", Ruling.Appeal.UPHELD: "go", Ruling.Appeal.OVERTURNED: "stop"}
HITS = 8
RULE_ASKED = re.compile(r"\brule (s?\d+[a-z]?)\b")


def rulebook_of(event: Event) -> RulebookVersion | None:
    """The rulebook that an event goes by now: the version pinned at its start, before that the one in force."""
    return event.rulebook_version or in_force(event.series_id)


@dataclass(frozen=True)
class RulingLine:
    """One ruling. `rule` is its display number in the version it cites, None for discretion."""

    id: int
    event_id: int
    event: str
    number: int
    at: dt.datetime
    table: int | None
    hand: int | None
    rule: str | None
    facts: str
    decision: str
    reason: str
    players: tuple[str, ...]
    decided_by: str
    appeal: str
    appeal_words: str
    withdrawn: bool

    @property
    def tone(self) -> str:
        return TONES.get(Ruling.Appeal(self.appeal), "")

    @property
    def waits(self) -> bool:
        """Whether an appeal waits for the director."""
        return self.appeal == Ruling.Appeal.ASKED and not self.withdrawn


def _rows() -> QuerySet[Ruling]:
    """Rulings with everything a line shows: two queries."""
    number = RuleText.objects.filter(version=OuterRef("rulebook_version"), rule=OuterRef("rule")).values("number")[:1]
    players = RulingPlayer.objects.select_related("entry__player")
    return (
        Ruling.objects.select_related("event", "decided_by", "appeal_decided_by", "rulebook_version")
        .prefetch_related(Prefetch("parties", players))
        .annotate(rule_number=Subquery(number))
    )


def _line(row: Any) -> RulingLine:
    return RulingLine(
        id=row.pk,
        event_id=row.event_id,
        event=row.event.name,
        number=row.number,
        at=row.at,
        table=row.table,
        hand=row.hand,
        rule=row.rule_number,
        facts=row.facts,
        decision=row.decision,
        reason=row.reason,
        players=tuple(party.entry.player.public_name for party in row.parties.all()),
        decided_by=row.decided_by.journal_name,
        appeal=row.appeal,
        appeal_words=row.get_appeal_display(),
        withdrawn=row.withdrawn,
    )


def rulings_of(event: Event) -> list[RulingLine]:
    """The rulings of an event, newest first. Two queries."""
    return [_line(row) for row in _rows().filter(event=event)]


def how_we_ruled(event: Event, search: str) -> list[RulingLine]:
    """The rulings of the whole series that hold every word of the search in what happened, what was decided and why, or
    in a player's public name. "rule 9a" finds those by that rule, "rule 1" those by discretion. Two queries.
    """
    folded = fold(search)
    asked = RULE_ASKED.search(folded)
    number = asked.group(1) if asked else None
    words = RULE_ASKED.sub(" ", folded).split()
    lines = [_line(row) for row in _rows().filter(event__series=event.series_id, withdrawn=False)]
    return [line for line in lines if number in (None, (line.rule or "1").lower()) and _holds(line, words)]


def _holds(line: RulingLine, words: Sequence[str]) -> bool:
    text = fold(" ".join([line.facts, line.decision, line.reason, *line.players]))
    return all(word in text for word in words)


@dataclass(frozen=True)
class RulingPage:
    """One ruling with all that was written down. `rule_words` is the rule as the version cited states it, `parties` the
    players by the key of their entry."""

    line: RulingLine
    row: Ruling
    rule_words: str
    calculation: dict[str, Any] | None
    calculator_query: str
    parties: tuple[tuple[int, str], ...]


def ruling_page(ruling_id: int) -> RulingPage | None:
    """One ruling by its key; None if there is none. Three queries."""
    row = _rows().select_related("event__series", "day").filter(pk=ruling_id).first()
    if row is None:
        return None
    words = ""
    if row.rule_id:
        words = RuleText.objects.values_list("text", flat=True).get(
            version_id=row.rulebook_version_id, rule_id=row.rule_id
        )
    calculation = row.calculation
    query = urlencode(calculation["inputs"], doseq=True) if calculation else ""
    parties = tuple((party.entry_id, party.entry.player.public_name) for party in row.parties.all())
    return RulingPage(_line(row), row, words, calculation, query, parties)


def rule_choices(version: RulebookVersion | None) -> list[tuple[int, str, str]]:
    """The rules of a version as a form offers them: key, number, and how the rule begins. One query."""
    if version is None:
        return []
    return [
        (text.rule_id, text.number, text.text if len(text.text) <= 70 else f"{text.text[:68].rstrip()} …")
        for text in version.texts.all()
    ]


@dataclass(frozen=True)
class PlayerChoice:
    """A player whom a ruling may concern. `where` says the seat, or that they are out."""

    entry_id: int
    name: str
    where: str


def player_choices(event: Event, *, table: int | None, chosen: Iterable[int], find: str = "") -> list[PlayerChoice]:
    """Who may be named: those chosen already, those who sit at the table, and those found by name. Two queries."""
    seats = {
        seat.entry_id: seat
        for seat in Seat.objects.filter(table__day__event=event, entry__isnull=False).select_related("table")
    }
    entries = Entry.objects.filter(event=event).exclude(status=Entry.Status.VOID).select_related("player")
    wanted, words = set(chosen), fold(find).split()
    found: list[tuple[tuple[int, int], PlayerChoice]] = []
    hits = 0
    for entry in entries.order_by("player__name_folded", "-number"):
        seat = seats.get(entry.pk)
        named = bool(words) and all(word in fold(entry.player.public_name) for word in words)
        hits += named
        if entry.pk in wanted or (seat and seat.table.number == table) or (named and hits <= HITS):
            here = seat is not None and seat.table.number == table
            elsewhere = f"table {seat.table.number}, seat {seat.number}" if seat else entry.get_status_display()
            where = f"seat {seat.number}" if seat and here else elsewhere
            order = (0, seat.number) if seat and here else (1, 0)
            found.append((order, PlayerChoice(entry.pk, entry.player.public_name, where)))
    return [choice for _, choice in sorted(found, key=lambda pair: pair[0])]
