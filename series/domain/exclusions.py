"""How long a player may exclude themselves (the Gambling Act 2003, section 310, knows up to two years)."""

import calendar
import datetime as dt

SELF_MONTHS = (1, 3, 6, 12, 24)


def months_later(at: dt.datetime, months: int) -> dt.datetime:
    """The same local hour so many calendar months after `at`; the last day of a month that is too short."""
    year, month = divmod(at.month - 1 + months, 12)
    year, month = at.year + year, month + 1
    return at.replace(year=year, month=month, day=min(at.day, calendar.monthrange(year, month)[1]))


def months_words(months: int) -> str:
    """ "1 month", "6 months", "1 year", "2 years"."""
    if months % 12 == 0:
        return "1 year" if months == 12 else f"{months // 12} years"
    return "1 month" if months == 1 else f"{months} months"
