"""The clock in the browser says at every instant what the server would say, though nothing is fetched."""

import datetime as dt
import html
import re
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.template.loader import render_to_string
from playwright.sync_api import Page

from journal import guard
from series.models import Event
from tables.models import Clock, Elimination, HandForHand
from tables.reads.screens import clock_faces, days_of
from tests.factories import make_event
from tests.tables.test_screens import MINUTE, with_structure

pytestmark = [pytest.mark.e2e, pytest.mark.django_db]
SCRIPT = Path(__file__).resolve().parents[2] / "static" / "js" / "clock.js"
BEGAN = dt.datetime(2026, 12, 5, 5, 30, tzinfo=dt.UTC)
SHOWN = """() => [...document.querySelectorAll("[data-clock-part]")]
    .filter((part) => !part.closest("[hidden]") && part.dataset.clockPart !== "bar")
    .map((part) => [part.dataset.clockPart, part.textContent.trim()])"""
LAST_MINUTE = """() => document.querySelector("[data-clock]").hasAttribute("data-last-minute")"""


def event_with_clock(**clock: Any) -> Event:
    event = make_event(starts_at=BEGAN)
    with_structure(event)
    if clock:
        with guard.writing():
            Event.objects.filter(pk=event.pk).update(status=Event.Status.RUNNING)
            Clock.objects.create(day=event.days.get(), **clock)
    return Event.objects.select_related("series").get(pk=event.pk)


def rendered(event: Event, at: dt.datetime) -> str:
    day = days_of(event)[0]
    with time_machine.travel(at, tick=False):
        return render_to_string("tables/display.html#screen", server_context(event, at, day))


def server_context(event: Event, at: dt.datetime, day: Any) -> dict[str, Any]:
    return {"event": event, "series": event.series, "day": day, "face": clock_faces([day], at)[day.pk], "show": "clock"}


def said_by_server(event: Event, at: dt.datetime) -> list[list[str]]:
    """The parts of the clock that are to be seen in what the server sends at an instant."""
    text = rendered(event, at)
    text = re.sub(r"<(p|span) [^>]*hidden[^>]*>.*?</\1>", "", text, flags=re.S)
    parts = re.findall(r'data-clock-part="(\w+)"[^>]*>(.*?)</(?:p|b|span)>', text, flags=re.S)
    return [[name, html.unescape(re.sub(r"<[^>]+>", "", said)).strip()] for name, said in parts if name != "bar"]


def opened(page: Page, event: Event, at: dt.datetime, *, machine_is_off_by: dt.timedelta = dt.timedelta()) -> None:
    page.clock.install(time=at + machine_is_off_by - MINUTE)
    page.goto("about:blank")
    page.set_content(f"<body>{rendered(event, at)}</body>")
    page.clock.pause_at(at + machine_is_off_by)
    page.add_script_tag(path=SCRIPT)


@pytest.mark.parametrize("off", [dt.timedelta(), 3 * MINUTE, -50 * MINUTE], ids=["right", "fast", "slow"])
def test_the_browser_turns_the_levels_by_itself(page: Page, off: dt.timedelta):
    event = event_with_clock(status="running", ends_at=BEGAN + 20 * MINUTE, version=1)
    opened(page, event, BEGAN + 3 * MINUTE, machine_is_off_by=off)
    for minutes in (3, 10, 19, 20, 39, 40, 54, 55, 74, 80):
        at = BEGAN + minutes * MINUTE + dt.timedelta(milliseconds=1300)
        page.clock.pause_at(at + off)
        assert page.evaluate(SHOWN) == said_by_server(event, at), at
        assert page.evaluate(LAST_MINUTE) is (minutes in (19, 39, 54, 74)), at


def test_a_pause_after_the_level_is_kept_without_the_server(page: Page):
    event = event_with_clock(status="running", ends_at=BEGAN + 20 * MINUTE, pause_after=True, version=1)
    opened(page, event, BEGAN)
    at = BEGAN + 31 * MINUTE
    page.clock.pause_at(at)
    shown = page.evaluate(SHOWN)
    assert ["state", "paused"] in shown
    assert ["time", "20:00"] in shown
    assert shown == said_by_server(event, at)


def test_a_paused_clock_stands(page: Page):
    event = event_with_clock(status="paused", remaining=12 * MINUTE, version=3)
    opened(page, event, BEGAN)
    page.clock.pause_at(BEGAN + 9 * MINUTE)
    assert ["time", "12:00"] in page.evaluate(SHOWN)
    assert page.evaluate(SHOWN) == said_by_server(event, BEGAN + 9 * MINUTE)


def test_a_clock_that_stands_in_hand_for_hand_says_so(page: Page):
    event = event_with_clock(status="paused", remaining=12 * MINUTE, version=3)
    with guard.writing():
        out = Elimination.objects.create(day=event.days.get(), at=BEGAN)
        HandForHand.objects.create(
            day=out.day, phase="dealing", hand=2, since=BEGAN, announced_at=BEGAN, elimination=out
        )
    opened(page, event, BEGAN)
    page.clock.pause_at(BEGAN + 9 * MINUTE)
    assert ["state", "hand-for-hand"] in page.evaluate(SHOWN)
    assert page.evaluate(SHOWN) == said_by_server(event, BEGAN + 9 * MINUTE)


def test_it_counts_down_to_the_start(page: Page):
    event = event_with_clock()
    opened(page, event, BEGAN - 26 * 60 * MINUTE)
    for before in (25 * 60, 90, 1, -5):
        at = BEGAN - before * MINUTE
        page.clock.pause_at(at)
        assert page.evaluate(SHOWN) == said_by_server(event, at), before


def test_seven_minutes_asleep_are_seven_minutes_less(page: Page):
    event = event_with_clock(status="running", ends_at=BEGAN + 20 * MINUTE, version=1)
    opened(page, event, BEGAN)
    assert ["time", "20:00"] in page.evaluate(SHOWN)
    page.clock.fast_forward("07:00")  # timers fire once at most, as after a sleep
    assert ["time", "13:00"] in page.evaluate(SHOWN)


@pytest.mark.parametrize("off", [8, -8], ids=["fast", "slow"])
def test_a_clock_of_the_machine_that_is_put_right_takes_its_offset_with_it(page: Page, off: int):
    event = event_with_clock(status="running", ends_at=BEGAN + 20 * MINUTE, version=1)
    opened(page, event, BEGAN, machine_is_off_by=dt.timedelta(seconds=off))
    assert ["time", "20:00"] in page.evaluate(SHOWN)
    page.clock.set_system_time(BEGAN)
    page.clock.run_for(1_000)
    assert ["time", "19:59"] in page.evaluate(SHOWN)


def test_a_clock_of_the_machine_that_creeps_to_the_right_time_is_followed(page: Page):
    event = event_with_clock(status="running", ends_at=BEGAN + 20 * MINUTE, version=1)
    opened(page, event, BEGAN, machine_is_off_by=dt.timedelta(seconds=-2))
    for half_seconds in range(1, 5):  # too little at once to be seen as a jump
        page.clock.set_system_time(BEGAN - dt.timedelta(seconds=2 - half_seconds / 2))
        page.clock.run_for(200)
        page.clock.set_system_time(BEGAN - dt.timedelta(seconds=2 - half_seconds / 2))
    page.clock.fast_forward("06:00")
    swap = """(html) => {
        document.dispatchEvent(new Event("htmx:beforeSwap"));
        document.body.innerHTML = html;
        document.dispatchEvent(new Event("htmx:afterSwap"));
    }"""
    page.evaluate(swap, rendered(event, BEGAN + 6 * MINUTE))
    assert ["time", "14:00"] in page.evaluate(SHOWN)
