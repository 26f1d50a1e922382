"""What would come of an import: each row of the file beside what is known already."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from series.domain.eligibility import is_of_age
from series.domain.names import alike, fold
from series.domain.player_file import Row
from series.models import Event, Exclusion, Player, Registration, Series
from series.models.people import LONGEST_PHONE
from series.reads.age import age_to_register
from series.reads.exclusions import REFER
from series.reads.players import known_in


@dataclass(frozen=True)
class Known:
    """Somebody the series knows already."""

    player_id: int
    name: str
    birth_date: dt.date | None


@dataclass(frozen=True)
class Line:
    """A row of the file and what becomes of it. `fate`: `new`, `known` (this very person, `same`), `ask` (somebody
    alike, one of `alike`), `there` already, or `refused` with its `problem`."""

    row: Row
    fate: str
    problem: str = ""
    same: Known | None = None
    alike: tuple[Known, ...] = ()


def preview(series: Series, event: Event | None, rows: Sequence[Row], now: dt.datetime) -> list[Line]:
    """The rows as they would be registered for the event, or put on the list of the series. A handful of queries."""
    known = known_in(series.pk)
    by_name: dict[str, list[Known]] = defaultdict(list)
    by_birth: dict[dt.date | None, list[Known]] = defaultdict(list)
    for pk, name, born in known.values_list("pk", "name", "birth_date"):
        person = Known(pk, name, born)
        by_name[fold(name)].append(person)
        by_birth[born].append(person)
    elsewhere = _elsewhere(rows)
    if event is None:
        there = {person.player_id for people in by_name.values() for person in people}
    else:
        held = event.registrations.exclude(status__in=Registration.GONE)
        there = set(held.values_list("player", flat=True))
    excluded = {(name, born) for name, born in Exclusion.objects.in_force(now).values_list("name_folded", "birth_date")}
    seen: dict[tuple[str, dt.date | None], int] = {}
    lines = []
    for row in rows:
        key = (fold(row.name), row.birth_date)
        problem = row.problem or _problem(series, event, row, now)
        if not problem and key in excluded:
            problem = REFER
        if not problem and key in seen:
            problem = f"The same person as in line {seen[key]}."
        seen.setdefault(key, row.line)
        if problem:
            lines.append(Line(row, "refused", problem))
            continue
        same = next((person for person in by_name[key[0]] if person.birth_date == row.birth_date), None)
        same = same or elsewhere.get(key)
        if same:
            lines.append(Line(row, "there" if same.player_id in there else "known", same=same))
            continue
        close = [person for person in by_birth[row.birth_date] if alike(fold(person.name), key[0])]
        namesakes = tuple(dict.fromkeys([*by_name[key[0]], *close]))
        lines.append(Line(row, "ask" if namesakes else "new", alike=namesakes))
    return lines


def _elsewhere(rows: Sequence[Row]) -> dict[tuple[str, dt.date | None], Known]:
    """People of other series with exactly these names and birth dates: whoever brings both knows them."""
    wanted = {(fold(row.name), row.birth_date) for row in rows if row.birth_date}
    found = Player.objects.filter(
        name_folded__in={name for name, _ in wanted},
        birth_date__in={born for _, born in wanted},
        status=Player.Status.ACTIVE,
    )
    people = found.order_by("-pk").values_list("pk", "name", "birth_date", "name_folded")
    return {(folded, born): Known(pk, name, born) for pk, name, born, folded in people if (folded, born) in wanted}


def _problem(series: Series, event: Event | None, row: Row, now: dt.datetime) -> str:
    if row.birth_date is None:
        return "The birth date is missing."
    if event is not None:
        decision = age_to_register(event, row.birth_date, now)
        if not decision.allowed:
            return f"Too young for {event}: nothing of them is kept."
    elif not is_of_age(row.birth_date, now, series.tz, series.minimum_age):
        return f"Not {series.minimum_age} yet: nothing of them is kept."
    if row.email:
        try:
            validate_email(row.email)
        except ValidationError:
            return "This e-mail address is not complete."
        if len(row.email) > 254:
            return "This e-mail address is too long."
    if len(row.phone) > LONGEST_PHONE:
        return f"This phone number is too long: {LONGEST_PHONE} characters at most."
    return ""
