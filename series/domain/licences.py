"""Until when a paper of the organiser holds. Dates are civil dates in the series' zone."""

import datetime as dt
from enum import StrEnum

WARN_DAYS = 60  # a renewal at the Department takes weeks


class State(StrEnum):
    """How a paper stands on a day."""

    NOT_YET = "not_yet"
    VALID = "valid"
    SOON = "soon"
    EXPIRED = "expired"


def state(issued: dt.date | None, expires: dt.date | None, on: dt.date) -> State:
    """How a paper stands on a day; it holds on the day it expires, and without one it does not expire.

    >>> day = dt.date(2026, 6, 1)
    >>> state(None, day, day).value, state(None, day, day + dt.timedelta(days=1)).value
    ('soon', 'expired')
    """
    if issued and on < issued:
        return State.NOT_YET
    if expires is None:
        return State.VALID
    if on > expires:
        return State.EXPIRED
    return State.SOON if (expires - on).days <= WARN_DAYS else State.VALID
