"""Who is old enough to play, and which documents show it (house rule 1: everybody is 18 or over).

Ages are calendar-exact: an age is reached at 00:00 on the birthday, in the zone of the event. Every date
here is a civil date; every instant is an aware datetime.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

HOUSE_MINIMUM = 18
CASINO_MINIMUM = 20  # Gambling Act 2003, section 303
OLDEST_PLAUSIBLE_AGE = 120


class AgeRule(StrEnum):
    """The day on which a player must have reached the minimum age."""

    AT_START = "at_start"  # on the local date the event (its first day) starts, and when seated
    AT_SEATING = "at_seating"  # when taking the first seat: allows late entry after midnight on the birthday


class EarlyRegistration(StrEnum):
    """What happens when somebody registers before reaching the age, but reaches it by the start."""

    RESERVE = "reserve"  # a reserved place, unverified and unpaid
    REFUSE = "refuse"


class BirthDateError(ValueError):
    """A birth date that cannot be true. `code` is `impossible`, `future` or `too_old`; the text is for the
    player.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class AgeDecision:
    """Whether a player may register or be seated.

    `reserved`: allowed, but only as a reserved place until the age is reached. `old_enough_on`: the day the
    minimum is reached. `reason`: plain words for the player, empty when there is nothing to say.
    """

    allowed: bool
    reserved: bool
    minimum: int
    old_enough_on: date
    reason: str = ""


@dataclass(frozen=True)
class IdKind:
    """A kind of document that staff may sight. Only `code` is kept of it, never the document, its number or
    expiry.
    """

    code: str
    label: str
    condition: str


# The kinds that New Zealand's alcohol rules accept, taken as the model because none are set for class 1 to
# 3 gambling.
ID_KINDS = (
    IdKind("passport", "Passport", "Of any country, not expired."),
    IdKind("nz_driver_licence", "New Zealand driver licence", "Not expired."),
    IdKind("kiwi_access", "Kiwi Access Card", "Not expired."),
    IdKind("hanz_18_plus", "Hospitality NZ 18+ card", "Issued within the last 10 years."),
)
HOSPITALITY_YEARS = 10
NOT_ACCEPTED = (
    "A driver licence of another country",
    "A photo or copy of a document",
    "An expired document",
)


def effective_minimum(*minimums: int | None) -> int:
    """The age that counts, in years: the highest of 18 and the minimums of series, venue and event (None:
    not set).
    """
    return max([HOUSE_MINIMUM, *(minimum for minimum in minimums if minimum is not None)])


def anniversary(born: date, years: int) -> date:
    """The date on which somebody born on `born` reaches `years`. Born on 29 February: 1 March in common
    years.
    """
    try:
        return born.replace(year=born.year + years)
    except ValueError:
        return date(born.year + years, 3, 1)


def age_on(born: date, day: date) -> int:
    """How many years somebody born on `born` has reached on `day`, by the calendar (see `anniversary`)."""
    years = day.year - born.year
    return years if anniversary(born, years) <= day else years - 1


def local_date(at: datetime, tz: ZoneInfo | str) -> date:
    """The civil date in `tz` at the instant `at`. Raises ValueError for a naive datetime."""
    if at.tzinfo is None:
        raise ValueError("An instant needs a time zone.")
    return at.astimezone(ZoneInfo(tz) if isinstance(tz, str) else tz).date()


def is_of_age(born: date, at: datetime, tz: ZoneInfo | str, minimum: int) -> bool:
    """Whether `minimum` years are reached at the instant `at`, by the calendar of `tz` (house rule 1)."""
    return local_date(at, tz) >= anniversary(born, minimum)


def check_birth_date(born: date, today: date) -> date:
    """`born` itself. Raises BirthDateError (`future`, `too_old`) where nobody alive `today` has that birth
    date.
    """
    if born > today:
        raise BirthDateError("future", "This birth date lies in the future.")
    if anniversary(born, OLDEST_PLAUSIBLE_AGE) < today:
        raise BirthDateError("too_old", f"This birth date is over {OLDEST_PLAUSIBLE_AGE} years ago.")
    return born


def parse_birth_date(text: str, today: date) -> date:
    """A birth date written day first (5/6/2008, 5.6.08, 5 6 2008, 05062008) or year first (2008-06-05, 20080605).

    A year of two digits is the latest that does not lie ahead of `today`.
    Raises BirthDateError: `impossible` (not a day of the calendar, or not readable), `future`, `too_old`.
    """
    written, month, day = _date_parts(" ".join(text.split()))
    year = int(written)
    if len(written) == 2:
        year += today.year // 100 * 100
        if (year, month, day) > (today.year, today.month, today.day):
            year -= 100
    try:
        born = date(year, month, day)
    except ValueError:
        raise BirthDateError("impossible", "There is no such day in the calendar.") from None
    return check_birth_date(born, today)


_SEP = r" ?[-/. ] ?"
_DAY_FIRST = re.compile(
    rf"([0-9]{{2}})([0-9]{{2}})([0-9]{{4}})|([0-9]{{1,2}}){_SEP}([0-9]{{1,2}}){_SEP}([0-9]{{4}}|[0-9]{{2}})"
)
_YEAR_FIRST = re.compile(
    rf"((?:19|20)[0-9]{{2}})(0[1-9]|1[0-2])([0-9]{{2}})|([0-9]{{4}}){_SEP}([0-9]{{1,2}}){_SEP}([0-9]{{1,2}})"
)


def _date_parts(text: str) -> tuple[str, int, int]:
    """Year as written, month and day as written. Eight digits can be read one way only: no year begins with a month.

    Raises BirthDateError: `impossible`, for what is no date.
    """
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (part for part in match.groups() if part)
    elif match := _DAY_FIRST.fullmatch(text):
        day, month, year = (part for part in match.groups() if part)
    else:
        raise BirthDateError("impossible", "Write the birth date as day/month/year, for example 5/6/2008.")
    return year, int(month), int(day)


def may_register(
    born: date,
    *,
    now: datetime,
    starts: datetime,
    tz: ZoneInfo | str,
    minimum: int,
    rule: AgeRule = AgeRule.AT_START,
    early: EarlyRegistration = EarlyRegistration.RESERVE,
) -> AgeDecision:
    """Whether somebody may register at `now` for an event that starts (its first day) at `starts`.

    Who is under age now but not at the start gets a reserved place, or is refused, as `early` says (house
    rule 1).
    Raises BirthDateError for a birth date that cannot be true, ValueError for a naive datetime.
    """
    today = local_date(now, tz)
    check_birth_date(born, today)
    reached = anniversary(born, minimum)
    first_day = local_date(starts, tz)
    if reached <= today and (rule is AgeRule.AT_SEATING or reached <= first_day):
        return AgeDecision(True, False, minimum, reached)
    if reached > first_day:
        return AgeDecision(False, False, minimum, reached, _too_young(minimum, rule))
    if early is EarlyRegistration.REFUSE:
        reason = f"Registration opens to you on the day you turn {minimum}."
        return AgeDecision(False, False, minimum, reached, reason)
    reason = f"Your place is reserved. You can pay and be seated once you are {minimum}."
    return AgeDecision(True, True, minimum, reached, reason)


def may_be_seated(
    born: date,
    *,
    now: datetime,
    starts: datetime,
    tz: ZoneInfo | str,
    minimum: int,
    rule: AgeRule = AgeRule.AT_START,
) -> AgeDecision:
    """Whether somebody may take a first seat and chips at `now` in an event that started, or will start, at
    `starts`.

    On a later day of an event the first day still counts: `starts` is always that of the first day (house
    rule 1).
    Raises as `may_register`.
    """
    today = local_date(now, tz)
    check_birth_date(born, today)
    reached = anniversary(born, minimum)
    due = today if rule is AgeRule.AT_SEATING else min(today, local_date(starts, tz))
    if reached <= due:
        return AgeDecision(True, False, minimum, reached)
    return AgeDecision(False, False, minimum, reached, _too_young(minimum, rule))


def hospitality_since(today: date) -> date:
    """The earliest day of issue of a Hospitality NZ 18+ card that still counts `today`."""
    try:
        return today.replace(year=today.year - HOSPITALITY_YEARS)
    except ValueError:
        return date(today.year - HOSPITALITY_YEARS, 3, 1)


def proves(threshold: int, minimum: int) -> bool:
    """Whether an earlier sighting that showed `threshold` years or more is enough where `minimum` is asked.

    An age once shown stays true; a sighting for 18 says nothing about 20.
    """
    return threshold >= minimum


def _too_young(minimum: int, rule: AgeRule) -> str:
    when = "when you take your seat" if rule is AgeRule.AT_SEATING else "on the day this event starts"
    return f"You need to be {minimum} or over {when}. We would love to see you once you are."
