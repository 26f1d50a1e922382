import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.exclusions import SELF_MONTHS, months_later, months_words

instants = st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2090, 1, 1), timezones=st.just(dt.UTC))  # noqa: DTZ001


@given(instants, st.sampled_from(SELF_MONTHS))
def test_so_many_months_later_lies_ahead_by_that_many_months(at, months):
    later = months_later(at, months)
    assert (later.year * 12 + later.month) - (at.year * 12 + at.month) == months
    assert later.timetz() == at.timetz()
    assert later.day == at.day or (later.day < at.day and (later + dt.timedelta(days=1)).day == 1)


@pytest.mark.parametrize(("months", "words"), [(1, "1 month"), (6, "6 months"), (12, "1 year"), (24, "2 years")])
def test_months_in_words(months, words):
    assert months_words(months) == words
