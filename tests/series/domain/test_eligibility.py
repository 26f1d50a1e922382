from calendar import isleap
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from series.domain import eligibility
from series.domain.eligibility import (
    AgeRule,
    BirthDateError,
    EarlyRegistration,
    age_on,
    anniversary,
    check_birth_date,
    effective_minimum,
    hospitality_since,
    is_of_age,
    may_be_seated,
    may_register,
    parse_birth_date,
    proves,
)

AUCKLAND = ZoneInfo("Pacific/Auckland")
CHATHAM = "Pacific/Chatham"

births = st.dates(date(1900, 1, 1), date(2010, 12, 31))
days = st.dates(date(1990, 1, 1), date(2090, 12, 31))
minimums = st.integers(18, 25)


def age_counted_by_birthdays(born: date, day: date) -> int:
    """Years of age by walking the birthdays one by one: the naive oracle."""
    age = 0
    while True:
        year = born.year + age + 1
        birthday = (
            date(year, 3, 1) if (born.month, born.day) == (2, 29) and not isleap(year) else born.replace(year=year)
        )
        if birthday > day:
            return age if born <= day else -1
        age += 1


@given(births, days, minimums)
@example(date(2008, 2, 29), date(2026, 2, 28), 18)
@example(date(2008, 2, 29), date(2026, 3, 1), 18)
@example(date(2008, 2, 29), date(2028, 2, 29), 20)
def test_age_equals_counting_birthdays(born, day, minimum):
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=AUCKLAND)
    assert is_of_age(born, noon, AUCKLAND, minimum) == (age_counted_by_birthdays(born, day) >= minimum)


@given(births, days)
@example(date(2008, 2, 29), date(2009, 2, 28))
@example(date(2008, 2, 29), date(2009, 3, 1))
def test_years_of_age_are_birthdays_reached(born, day):
    assert age_on(born, max(born, day)) == age_counted_by_birthdays(born, max(born, day))


@given(births, minimums, st.sampled_from(["Pacific/Auckland", CHATHAM, "UTC", "America/Los_Angeles"]))
def test_the_age_is_reached_exactly_at_local_midnight(born, minimum, tz):
    birthday = anniversary(born, minimum)
    midnight = datetime(birthday.year, birthday.month, birthday.day, tzinfo=ZoneInfo(tz)).astimezone(UTC)
    assert is_of_age(born, midnight, tz, minimum)
    assert not is_of_age(born, midnight - timedelta(seconds=1), tz, minimum)


def test_chatham_reaches_the_day_before_auckland():
    at = datetime(2026, 6, 4, 23, 30, tzinfo=AUCKLAND)
    assert is_of_age(date(2008, 6, 5), at, CHATHAM, 18)
    assert not is_of_age(date(2008, 6, 5), at, "Pacific/Auckland", 18)


def test_a_naive_instant_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        is_of_age(date(2000, 1, 1), datetime(2026, 1, 1), AUCKLAND, 18)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("minimums", "expected"),
    [((), 18), ((16, None, 10), 18), ((None, 20, None), 20), ((18, 20, 21), 21)],
)
def test_the_minimum_is_the_highest_and_never_below_18(minimums, expected):
    assert effective_minimum(*minimums) == expected


@pytest.mark.parametrize(
    ("text", "born"),
    [
        ("3.4.80", date(1980, 4, 3)),
        ("3/4/1980", date(1980, 4, 3)),
        ("3 4 80", date(1980, 4, 3)),
        (" 3 / 4 / 1980 ", date(1980, 4, 3)),
        ("19800403", date(1980, 4, 3)),
        ("03041980", date(1980, 4, 3)),
        ("1980-4-3", date(1980, 4, 3)),
        ("30.11.26", date(2026, 11, 30)),
        ("1.12.26", date(1926, 12, 1)),
        ("5/6/08", date(2008, 6, 5)),
        ("29-2-00", date(2000, 2, 29)),
    ],
)
def test_birth_dates_as_people_write_them(text, born):
    assert parse_birth_date(text, date(2026, 11, 30)) == born


@given(births)
def test_eight_digits_are_read_one_way(born):
    today = date(2026, 11, 30)
    for text in (f"{born:%Y%m%d}", f"{born:%d%m%Y}"):
        if anniversary(born, 120) >= today:
            assert parse_birth_date(text, today) == born


def test_a_hospitality_card_counts_for_ten_years():
    assert hospitality_since(date(2026, 11, 30)) == date(2016, 11, 30)
    assert hospitality_since(date(2028, 2, 29)) == date(2018, 3, 1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("30/2/2008", "impossible"),
        ("29/2/2007", "impossible"),
        ("13/13/2000", "impossible"),
        ("0/1/2000", "impossible"),
        ("yesterday", "impossible"),
        ("", "impossible"),
        ("5/6/8", "impossible"),
        ("5/62008", "impossible"),
        ("5.6..2008", "impossible"),
        ("5 6", "impossible"),
        ("050608", "impossible"),
        ("20133112", "impossible"),
        ("30/2/08", "impossible"),
        ("1/12/2026", "future"),
        ("29/11/1906", "too_old"),
        ("0001-01-01", "too_old"),
    ],
)
def test_birth_dates_that_cannot_be_true(text, code):
    with pytest.raises(BirthDateError) as error:
        parse_birth_date(text, date(2026, 11, 30))
    assert error.value.code == code
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("text", ["2008-06-05", "5/6/2008", "05/06/2008", " 5.6.2008 ", "5-6-2008", "2008/6/5"])
def test_birth_dates_are_read_day_first_or_year_first(text):
    assert parse_birth_date(text, date(2026, 11, 30)) == date(2008, 6, 5)


def test_today_and_the_120th_birthday_are_still_possible():
    today = date(2026, 11, 30)
    assert check_birth_date(today, today) == today
    assert check_birth_date(date(1906, 11, 30), today) == date(1906, 11, 30)


STARTS = datetime(2026, 6, 5, 20, 0, tzinfo=AUCKLAND)


def register(born, now, **options):
    return may_register(born, now=now, starts=STARTS, tz=AUCKLAND, minimum=18, **options)


def seat(born, now, **options):
    return may_be_seated(born, now=now, starts=STARTS, tz=AUCKLAND, minimum=18, **options)


class TestRegistering:
    a_month_before = datetime(2026, 5, 5, 9, tzinfo=AUCKLAND)

    def test_an_adult_is_simply_allowed(self):
        decision = register(date(1990, 1, 1), self.a_month_before)
        assert (decision.allowed, decision.reserved, decision.reason) == (True, False, "")

    def test_so_is_who_turns_18_today(self):
        decision = register(date(2008, 5, 5), self.a_month_before)
        assert (decision.allowed, decision.reserved) == (True, False)

    def test_turning_18_on_the_day_of_the_event_is_a_reserved_place(self):
        decision = register(date(2008, 6, 5), self.a_month_before)
        assert (decision.allowed, decision.reserved) == (True, True)
        assert decision.old_enough_on == date(2026, 6, 5)
        assert "reserved" in decision.reason

    def test_the_series_may_refuse_that_instead(self):
        decision = register(date(2008, 6, 5), self.a_month_before, early=EarlyRegistration.REFUSE)
        assert not decision.allowed

    def test_turning_18_the_day_after_is_refused_kindly(self):
        decision = register(date(2008, 6, 6), self.a_month_before)
        assert not decision.allowed
        assert "18 or over on the day this event starts" in decision.reason

    def test_an_impossible_date_is_an_error_and_not_a_refusal(self):
        with pytest.raises(BirthDateError):
            register(date(2027, 1, 1), self.a_month_before)


class TestAnEventThatCrossesMidnight:
    born = date(2008, 6, 6)
    after_midnight = datetime(2026, 6, 6, 0, 5, tzinfo=AUCKLAND)

    def test_the_default_counts_the_start(self):
        assert not register(self.born, self.after_midnight).allowed
        assert not seat(self.born, self.after_midnight).allowed

    def test_at_seating_lets_the_player_enter_late_but_not_before_midnight(self):
        assert not seat(self.born, STARTS, rule=AgeRule.AT_SEATING).allowed
        assert "take your seat" in seat(self.born, STARTS, rule=AgeRule.AT_SEATING).reason
        assert seat(self.born, self.after_midnight, rule=AgeRule.AT_SEATING).allowed
        assert register(self.born, self.after_midnight, rule=AgeRule.AT_SEATING).allowed
        assert not register(self.born, STARTS, rule=AgeRule.AT_SEATING).allowed


def test_a_seat_taken_before_the_day_of_the_event_needs_the_age_already():
    the_day_before = datetime(2026, 6, 4, 18, tzinfo=AUCKLAND)
    assert not seat(date(2008, 6, 5), the_day_before).allowed
    assert seat(date(2008, 6, 4), the_day_before).allowed


def test_a_sighting_for_18_is_not_one_for_20():
    assert proves(18, 18)
    assert proves(20, 18)
    assert not proves(18, 20)


def test_the_kinds_of_document_are_distinct():
    codes = [kind.code for kind in eligibility.ID_KINDS]
    assert len(set(codes)) == len(codes) == 4
