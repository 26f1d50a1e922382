"""Until when a paper holds, to the day."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from series.domain.licences import WARN_DAYS, State, state

DAYS = st.dates(dt.date(2000, 1, 1), dt.date(2100, 1, 1))


@given(DAYS, DAYS)
def test_it_holds_through_its_last_day_and_not_a_day_longer(expires: dt.date, on: dt.date):
    found = state(None, expires, on)
    assert (found is State.EXPIRED) == (on > expires)
    if on <= expires:
        assert (found is State.SOON) == ((expires - on).days <= WARN_DAYS)


@given(DAYS, DAYS)
def test_it_does_not_hold_before_it_was_issued_and_without_an_end_for_ever_after(issued: dt.date, on: dt.date):
    assert state(issued, None, on) is (State.NOT_YET if on < issued else State.VALID)
