from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from series.domain.money import (
    MOST_CENTS,
    MOST_CHIPS,
    AmountError,
    format_chips,
    format_money,
    parse_chips,
    parse_money,
)


@given(st.integers(0, MOST_CENTS), st.booleans())
def test_money_survives_writing_and_reading(cents, always_cents):
    assert parse_money(format_money(cents, always_cents=always_cents)) == cents


@given(st.integers(0, MOST_CHIPS))
def test_chips_survive_writing_and_reading(chips):
    assert parse_chips(format_chips(chips)) == chips


@given(st.text(max_size=12))
def test_any_text_is_an_amount_within_the_limits_or_an_amount_error(text):
    with suppress(AmountError):
        assert 0 <= parse_money(text) <= MOST_CENTS


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("250", 25_000),
        ("$1,234.50", 123_450),
        (" $ 12.5 ", 1_250),
        ("NZ$1 234", 123_400),
        ("1\u00a0234\u00a0567.01", 123_456_701),
        ("0", 0),
        ("0.05", 5),
        pytest.param("0" * 5_000 + "7", 700, id="5000 noughts"),
    ],
)
def test_ways_to_write_money(text, cents):
    assert parse_money(text) == cents


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "for example"),
        ("-5", "less than nothing"),
        ("\u22125", "less than nothing"),
        ("1.234", "two decimals"),
        ("1,23", "not an amount"),
        ("1,234,5", "not an amount"),
        ("12.", "not an amount"),
        ("abc", "not an amount"),
        ("1e3", "not an amount"),
        ("١٢", "not an amount"),
        ("1000000000.01", "most that can be entered"),
        pytest.param("9" * 5_000, "most that can be entered", id="5000 digits"),
    ],
)
def test_what_is_not_money_is_explained(text, words):
    with pytest.raises(AmountError, match=words):
        parse_money(text)


@pytest.mark.parametrize(
    "text", ["", "-1", "1.5", "1,50", "ten", "1000000001", pytest.param("9" * 5_000, id="5000 digits")]
)
def test_what_is_not_a_number_of_chips(text):
    with pytest.raises(AmountError):
        parse_chips(text)


@pytest.mark.parametrize(
    ("cents", "plain", "with_cents"),
    [
        (0, "$0", "$0.00"),
        (5, "$0.05", "$0.05"),
        (123_400, "$1,234", "$1,234.00"),
        (123_450, "$1,234.50", "$1,234.50"),
        (-500, "-$5", "-$5.00"),
        (-1, "-$0.01", "-$0.01"),
    ],
)
def test_cents_show_only_where_there_are_some(cents, plain, with_cents):
    assert format_money(cents) == plain
    assert format_money(cents, always_cents=True) == with_cents


def test_another_currency():
    assert format_money(1_050, symbol="€") == "€10.50"
