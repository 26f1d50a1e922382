"""A screen in the hall, a laptop and a player's phone watch one event: they agree to the second, whatever happens."""

import json
import math
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ops.site_process import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.real_db]

SET_UP = """
import datetime as dt, json
from django.utils import timezone
from journal import guard
from series.models import Registration
from tables.models import Clock, Seat
from tests.factories import *
from tests.tables.hall import make_hall
event = make_event(make_series(name="Winter Series"), minutes=20, name="Main")
day = make_hall(event, (4, 4))
director = make_director(event.series)
player = Seat.objects.get(table__number=1, number=1).entry.player
with guard.writing():
    Registration.objects.create(event=event, day=day, player=player, at=timezone.now())
    Clock.objects.update(ends_at=timezone.now() + dt.timedelta(seconds=int(sys.argv[1])))
made = {"event": event.pk, "director": director.email, "actor": director.pk, "token": player.token}
print(json.dumps(made | {"clock": Clock.objects.get().pk}))
"""
RUN = """
import sys
from accounts.models import User
from tables.commands import clock
actor, event, name = User.objects.get(pk=sys.argv[1]), int(sys.argv[2]), sys.argv[3]
getattr(clock, name)(actor=actor, on=event, **({"seconds": int(sys.argv[4])} if len(sys.argv) > 4 else {}))
"""
ENDS = "from tables.models import Clock; row = Clock.objects.get(); print(row.ends_at.timestamp())"
SHOWN = """() => ({
    at: Date.now() / 1000,
    time: document.querySelector("[data-clock-part=time]").textContent.trim(),
    title: document.querySelector("[data-clock-part=title]").textContent.trim(),
    state: document.querySelector("[data-clock]").dataset.state,
})"""
HEAR = "window.heard = []; document.addEventListener('sound:played', (event) => window.heard.push(event.detail))"


def seconds(shown: str) -> int:
    total = 0
    for part in shown.split(":"):
        total = total * 60 + int(part)
    return total


class Hall:
    """The three pages, and what the clock of the server says."""

    def __init__(self, site: Any, visitor: Any, until_level_two: int) -> None:
        self.site = site
        self.made = json.loads(site.world.run("import sys\n" + SET_UP, until_level_two).splitlines()[-1])
        self.display: Page = visitor(viewport={"width": 1920, "height": 1080})
        self.laptop: Page = visitor(viewport={"width": 1440, "height": 900})
        self.phone: Page = visitor()
        self.display.goto(f"/events/{self.made['event']}/display/")
        self.laptop.goto(f"/events/{self.made['event']}/clock/")
        self.phone.goto(f"/me/{self.made['token']}/")

    @property
    def pages(self) -> list[Page]:
        return [self.display, self.laptop, self.phone]

    def run(self, name: str, *arguments: object) -> None:
        self.site.world.run(RUN, self.made["actor"], self.made["event"], name, *arguments)

    def ends(self) -> float:
        return float(self.site.world.run(ENDS))

    def agree(self, ends: float, title: str) -> bool:
        """Whether all pages show this level, and to the second the time left that the server would show."""
        for page in self.pages:
            found = page.evaluate(SHOWN)
            if found["title"] != title or found["state"] != "running":
                return False
            if abs(seconds(found["time"]) - math.ceil(ends - found["at"])) > 1:
                return False
        return True

    def show(self, state: str) -> bool:
        return all(page.evaluate(SHOWN)["state"] == state for page in self.pages)


def test_three_pages_through_level_change_pause_sleep_and_restart(site: Any, visitor: Any) -> None:
    hall = Hall(site, visitor, 25)
    ends = hall.ends()
    assert eventually(lambda: hall.agree(ends, "Level 1"), 10)

    # a tap turns the sound on; the change of level is heard once
    hall.display.evaluate(
        "window.heard = []; document.addEventListener('sound:played', (e) => window.heard.push(e.detail))"
    )
    hall.display.mouse.move(100, 100)
    expect(hall.display.locator("[data-sound-button]")).to_have_text("Sound is off")
    hall.display.locator("[data-sound-button]").click()
    expect(hall.display.locator("[data-sound-button]")).to_have_text("Sound is on")

    # the level changes at its instant on all pages, with nobody pressing anything
    time.sleep(max(0.0, ends - time.time() + 1))
    after = ends + 20 * 60
    assert hall.agree(after, "Level 2")
    assert eventually(lambda: hall.ends() == after, 10)
    time.sleep(1)
    assert hall.display.evaluate("window.heard") == ["minute", "level"]

    # a pause is told to all, and the time stands
    hall.run("pause_clock")
    assert eventually(lambda: hall.show("paused"), 5)
    assert len({page.evaluate(SHOWN)["time"] for page in hall.pages}) == 1
    hall.run("resume_clock")
    ends = hall.ends()
    assert eventually(lambda: hall.agree(ends, "Level 2"), 5)

    # the phone sleeps and the laptop loses the network while the clock is changed; right as soon as they are back
    devtools = hall.phone.context.new_cdp_session(hall.phone)
    devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    hall.phone.context.set_offline(True)
    hall.laptop.context.set_offline(True)
    hall.run("adjust_clock", 300)
    expect(hall.laptop.locator("[data-live-state]")).to_have_text("not live")
    hall.phone.context.set_offline(False)
    hall.laptop.context.set_offline(False)
    devtools.send("Page.setWebLifecycleState", {"state": "active"})
    assert eventually(lambda: hall.agree(ends + 300, "Level 2"), 10)
    expect(hall.laptop.locator("[data-live-state]")).to_have_text("live")

    # the server goes away and comes back: the clocks run on, and hear again what happens
    site.stop()
    assert hall.agree(ends + 300, "Level 2")
    site.start()
    assert hall.agree(ends + 300, "Level 2")
    hall.run("pause_clock")
    assert eventually(lambda: hall.show("paused"), 30)


def test_a_phone_without_network_keeps_its_pages_and_says_that_they_are_not_live(site: Any, visitor: Any) -> None:
    hall = Hall(site, visitor, 600)
    ends = hall.ends()
    phone = hall.phone
    phone.wait_for_function("navigator.serviceWorker.controller !== null")
    kept = "async (path) => Boolean(await caches.match(location.origin + path))"
    assert eventually(lambda: phone.evaluate(kept, f"/me/{hall.made['token']}/"), 10)
    assert eventually(lambda: phone.evaluate(kept, "/static/js/clock.js"), 10)

    phone.context.set_offline(True)
    time.sleep(2)  # the copy is older than what it is compared with
    phone.reload()
    expect(phone.locator(".offline-notice")).to_contain_text("Not live")
    expect(phone.locator("[data-live-state]")).to_have_text("not live")
    found = phone.evaluate(SHOWN)
    assert abs(seconds(found["time"]) - math.ceil(ends - found["at"])) <= 1
    expect(phone.locator("main")).to_contain_text("Table 1, seat 1")
    phone.goto(f"/events/{hall.made['event']}/results/")
    expect(phone.locator("main")).to_contain_text("No connection to the site")
    phone.go_back()

    phone.context.set_offline(False)
    expect(phone.locator(".offline-notice")).to_have_count(0, timeout=20_000)
    expect(phone.locator("[data-live-state]")).to_have_text("live")


def test_a_screen_is_paired_by_its_code_and_follows_the_floor(site: Any, visitor: Any) -> None:
    hall = Hall(site, visitor, 600)
    screen, floor = visitor(viewport={"width": 1920, "height": 1080}), visitor(hall.made["director"])
    screen.goto("/display/")
    code = screen.locator("[data-code]").inner_text()
    floor.goto(f"/staff/events/{hall.made['event']}/displays/")
    floor.get_by_label("Code on the screen").fill(code.lower())
    floor.get_by_label("Name").fill("Above the bar")
    floor.get_by_role("button", name="Pair it").click()
    expect(screen.locator("[data-clock-part=title]")).to_have_text("Level 1")
    floor.get_by_label("Above the bar shows").select_option("names")
    floor.get_by_role("button", name="Show", exact=True).click()
    expect(screen.locator(".hall-list h2")).to_have_text("Seats by surname")
    floor.get_by_label("Message").fill("Dinner until seven")
    floor.get_by_role("button", name="Say it").click()
    for page in [screen, *hall.pages]:
        expect(page.locator("main")).to_contain_text("Dinner until seven")
    floor.get_by_role("button", name="Take down: Dinner until seven").click()
    for page in [screen, *hall.pages]:
        expect(page.locator("main")).not_to_contain_text("Dinner until seven")
    floor.get_by_role("button", name="Remove Above the bar").click()
    expect(screen.locator("[data-code]")).to_have_text(code)


def test_an_action_clock_runs_on_the_dealers_and_the_players_phone(site: Any, visitor: Any) -> None:
    hall = Hall(site, visitor, 600)
    staff = visitor(hall.made["director"])
    staff.goto(f"/staff/events/{hall.made['event']}/tables/1/action-clock/")
    staff.locator(".seat-buttons button").first.click()
    expect(staff.get_by_role("button", name="Acted")).to_be_visible()
    expect(hall.phone.locator(".action-figure")).to_contain_text("You are on the clock")
    figures = [int(page.locator("[data-action-part=figure]").inner_text()) for page in (staff, hall.phone)]
    assert abs(figures[0] - figures[1]) <= 1
    assert 50 < figures[0] <= 60
    staff.get_by_role("button", name="Acted").click()
    expect(hall.phone.locator(".action-figure")).to_contain_text("Acted in time")
