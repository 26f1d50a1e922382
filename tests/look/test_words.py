"""How money, chips, times and places are written."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from series.templatetags import deadbutton

NZ = ZoneInfo("Pacific/Auckland")
EVENING = dt.datetime(2026, 7, 5, 6, 30, 0, 3999, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("cents", "currency", "text"),
    [
        (123450, "NZD", "$1,234.50"),
        (25000, "NZD", "$250"),
        (0, "NZD", "$0"),
        (-500, "NZD", "-$5"),
        (123450, "EUR", "€1,234.50"),
        (123450, "CHF", "CHF 1,234.50"),
        (None, "NZD", "–"),
    ],
)
def test_money(cents, currency, text):
    assert deadbutton.money(cents, currency) == text


def test_money_exact_keeps_the_cents():
    assert deadbutton.money_exact(25000) == "$250.00"


def test_chips():
    assert deadbutton.chips(1234500) == "1,234,500"
    assert deadbutton.chips(None) == "–"


def test_the_local_day_and_time_are_shown_and_the_instant_kept():
    with time_machine.travel(EVENING):
        shown = deadbutton.at(EVENING, "Pacific/Auckland")
    assert shown == '<time datetime="2026-07-05T06:30:00.003999+00:00">Sun 5 Jul, 18:30</time>'


def test_another_year_is_named():
    with time_machine.travel(dt.datetime(2027, 1, 2, tzinfo=NZ)):
        assert "Sun 5 Jul 2026, 18:30" in deadbutton.at(EVENING, NZ)


def test_the_year_is_that_of_the_zone():
    new_year = dt.datetime(2026, 12, 31, 11, 30, tzinfo=dt.UTC)  # 00:30 on 1 January in Auckland
    with time_machine.travel(new_year):
        assert ">Fri 1 Jan, 00:30<" in deadbutton.at(new_year, NZ)


def test_times_of_day():
    assert ">18:30<" in deadbutton.time_of_day(EVENING, NZ)
    assert ">18:30:00.003<" in deadbutton.time_exact(EVENING, NZ)
    assert deadbutton.at(None) == deadbutton.time_of_day(None) == deadbutton.time_exact(None) == ""


@pytest.mark.parametrize(
    ("place", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st"),
     (44, "44th"), (111, "111th"), (1013, "1,013th"), (10112, "10,112th")],
)  # fmt: skip
def test_ordinal(place, text):
    assert deadbutton.ordinal(place) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (45, "45 s"), (1200, "20 min"), (3600, "1 h"), (4800, "1 h 20 min"), (4859, "1 h 20 min")],
)
def test_duration(seconds, text):
    assert deadbutton.duration(seconds) == text
    assert deadbutton.duration(dt.timedelta(seconds=seconds)) == text


@given(st.integers(0, 500_000))
def test_a_countdown_loses_no_second(seconds):
    total = 0
    for part in deadbutton.countdown(seconds).split(":"):
        total = total * 60 + int(part)
    assert total == seconds


def test_a_countdown_stops_at_nothing():
    assert deadbutton.countdown(-3) == "0:00"
    assert deadbutton.countdown(761) == "12:41"
    assert deadbutton.countdown(3725) == "1:02:05"


def test_initials():
    assert deadbutton.initials("Hēmi Parata") == "HP"
    assert deadbutton.initials("Te Ariki Hohepa Ngātai") == "TN"
    assert deadbutton.initials("Mere") == "M"


def test_each_form_gets_a_command_id_of_its_own():
    template = Template("{% load deadbutton %}{% command_inputs version=41 %}|{% command_inputs %}")
    first, second = template.render(Context({"csrf_token": "abc"})).split("|")
    assert 'name="version" value="41"' in first
    assert "version" not in second
    assert 'name="csrfmiddlewaretoken" value="abc"' in first
    assert first.split('name="command_id" value="')[1][:36] != second.split('name="command_id" value="')[1][:36]
