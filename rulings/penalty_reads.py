"""Penalties as the staff read them, what the ladder suggests, and the anonymous summary of a series."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.text import Truncator

from rulings.domain import penalties as domain
from rulings.models import Ruling
from series.domain.eligibility import local_date
from series.domain.options import options_from
from series.models import Entry, Event, Player, Series
from tables.models import Penalty, Seat

OFFENCES = {offence.code: offence for offence in domain.OFFENCES}
TONES = {Penalty.Status.SERVING: "warn", Penalty.Status.WITHDRAWN: "", Penalty.Status.SERVED: "go"}


def policy_of(series: Series) -> domain.PenaltyPolicy:
    """The series' options as the ladder takes them."""
    options = options_from(series.options)
    return domain.PenaltyPolicy(
        severe_skips=options.penalty_severe_skips,
        forget_after_days=options.penalty_forget_days,
        floor_rounds=options.penalty_floor_rounds,
    )


def _earlier(series: Series, player_id: int) -> dict[str, list[dt.date]]:
    """Days of a player's penalties in the series, by offence, in its zone; withdrawn ones left out. One query."""
    found: dict[str, list[dt.date]] = {}
    rows = Penalty.objects.standing().filter(series=series, player=player_id).order_by()
    for code, at in rows.values_list("offence", "at"):
        found.setdefault(code, []).append(local_date(at, series.tz))
    return found


def suggestion_for(
    event: Event, player_id: int, offence: domain.Offence, *, at: dt.datetime, severe: bool = False
) -> domain.Suggestion:
    """What the ladder suggests for this offence of a player now. One query."""
    series = event.series
    earlier = _earlier(series, player_id).get(offence.code, [])
    return domain.suggest_penalty(
        offence, earlier=earlier, on=local_date(at, series.tz), severe=severe, policy=policy_of(series)
    )


@dataclass(frozen=True)
class OffenceChoice:
    """An offence with what the ladder suggests for it, as it is and if it is severe."""

    code: str
    title: str
    rules: str
    suggested: str
    severe: str
    counted: int


def offence_choices(event: Event, player_id: int, at: dt.datetime) -> list[OffenceChoice]:
    """Every offence with the suggestion for this player. One query."""
    series = event.series
    earlier, on, policy = _earlier(series, player_id), local_date(at, series.tz), policy_of(series)
    found = []
    for offence in domain.OFFENCES:
        days = earlier.get(offence.code, [])
        usual = domain.suggest_penalty(offence, earlier=days, on=on, policy=policy)
        severe = domain.suggest_penalty(offence, earlier=days, on=on, severe=True, policy=policy)
        rules = ", ".join(offence.rules)
        found.append(
            OffenceChoice(offence.code, offence.title, rules, str(usual.penalty), str(severe.penalty), usual.counted)
        )
    return found


@dataclass(frozen=True)
class PenaltyLine:
    """One penalty. `now`: where the player sits, empty for nowhere; `served`: how far it is served, in words."""

    row: Penalty
    offence: str
    said: str
    served: str
    now: str
    tone: str

    @property
    def serving(self) -> bool:
        return self.row.status == Penalty.Status.SERVING

    @property
    def waits(self) -> bool:
        """Whether an appeal waits for the director."""
        return self.row.appeal == Penalty.Appeal.ASKED and self.row.status != Penalty.Status.WITHDRAWN


def _line(row: Penalty, seat: Seat | None) -> PenaltyLine:
    given = domain.Penalty(domain.Sanction(row.sanction), row.count)
    offence = OFFENCES.get(row.offence)
    served = ""
    if row.hands_total:
        counted = domain.missed_hands(total=row.hands_total, completed=row.hands_done, redeals=row.redeals)
        served = f"{counted.remaining} of {counted.total} hand{'' if counted.total == 1 else 's'} left"
    now = f"table {seat.table.number}, seat {seat.number}" if seat else ""
    return PenaltyLine(
        row, offence.title if offence else row.offence, str(given), served, now, TONES[Penalty.Status(row.status)]
    )


def _lines(rows: Iterable[Penalty]) -> list[PenaltyLine]:
    found = list(rows)
    chairs = Seat.objects.filter(entry__in=[row.entry_id for row in found]).select_related("table")
    seats = {seat.entry_id: seat for seat in chairs}
    return [_line(row, seats.get(row.entry_id)) for row in found]


_NEEDED = ("ruling", "event__series", "player", "given_by", "entry", "rulebook_version", "appeal_decided_by", "day")


def penalties_of(event: Event) -> tuple[list[PenaltyLine], list[PenaltyLine]]:
    """Those being served, then all others, newest first. Two queries."""
    lines = _lines(Penalty.objects.filter(event=event).select_related(*_NEEDED))
    return [line for line in lines if line.serving], [line for line in lines if not line.serving]


def history_of(series: Series, player: Player) -> list[PenaltyLine]:
    """A player's penalties in a series, newest first. Two queries."""
    return _lines(Penalty.objects.filter(series=series, player=player).select_related(*_NEEDED))


def penalties_from(ruling_id: int) -> list[PenaltyLine]:
    """The penalties that came from a ruling, newest first. Two queries."""
    return _lines(Penalty.objects.filter(ruling=ruling_id).select_related(*_NEEDED))


def ruling_choices(entry: Entry) -> list[tuple[int, str]]:
    """The rulings on a player in the event, the latest first: key and words. One query."""
    rows = Ruling.objects.filter(parties__entry=entry, withdrawn=False).order_by("-number")
    return [(row.pk, f"No. {row.number}: {Truncator(row.decision).words(12)}") for row in rows]


@dataclass(frozen=True)
class PenaltyPage:
    """One penalty with the rule as it stood and what the player had before."""

    line: PenaltyLine
    rule: str
    rule_words: str
    earlier: int


def penalty_page(penalty_id: int) -> PenaltyPage | None:
    """One penalty by its key; None if there is none. Four queries."""
    lines = _lines(Penalty.objects.filter(pk=penalty_id).select_related(*_NEEDED))
    if not lines:
        return None
    row = lines[0].row
    text = None
    if row.rule_id and row.rulebook_version:
        text = row.rulebook_version.texts.filter(rule_id=row.rule_id).first()
    offence = OFFENCES.get(row.offence)
    earlier = Penalty.objects.standing().filter(
        series=row.series_id, player=row.player_id, offence=row.offence, at__lt=row.at
    )
    return PenaltyPage(
        lines[0],
        text.number if text else ", ".join(offence.rules) if offence else "",
        text.text if text else "",
        earlier.count(),
    )


def entry_to_penalise(event: Event, entry_id: int) -> tuple[Entry, Seat | None] | None:
    """An entry of the event with its player, and its seat if it has one. Two queries."""
    entry = Entry.objects.filter(pk=entry_id, event=event).select_related("player").first()
    if entry is None:
        return None
    return entry, Seat.objects.filter(entry=entry).select_related("table").first()


def summary_of(series: Series) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """How many penalties of each sanction and of each offence there were: numbers alone. One query."""
    rows = list(Penalty.objects.standing().filter(series=series).order_by().values_list("sanction", "offence"))
    sanctions, offences = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
    return (
        [(str(label).capitalize(), sanctions[value]) for value, label in Penalty.Sanction.choices if sanctions[value]],
        [(offence.title, offences[code]) for code, offence in OFFENCES.items() if offences[code]],
    )
