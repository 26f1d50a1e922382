"""The look in a real browser: no part overflows, everything can be reached, and live parts fetch themselves."""

import re
import time
import uuid
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.look.urls import behaviour, fetched, made_from, returned, streams

pytestmark = pytest.mark.e2e


@pytest.fixture
def clean_console(page: Page):
    """Fails the test if the browser complains, above all about the content security policy."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield
    assert said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 1440])
@pytest.mark.parametrize("path", ["/style/", "/style/?errors", "/accounts/login/", "/accounts/signup/"])
def test_pages_fit_and_are_accessible(site: str, page: Page, clean_console, scheme: str, width: int, path: str):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(site + path)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    results = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
    assert results.violations_count == 0, results.generate_report()


def test_every_seat_of_ten_can_be_tapped_on_a_phone(site: str, page: Page):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(site + "/style/")
    seats = page.locator("#fullmap a.seat")
    assert seats.count() == 9
    for index in range(seats.count()):
        box = seats.nth(index).bounding_box()
        assert box["width"] >= 44
        assert box["height"] >= 44


def test_small_buttons_are_large_under_a_finger(site: str, browser: Browser):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(site + "/style/")
    small = page.locator(".btn.small:visible, .chip:visible, .links a:visible, .tabs a:visible, .hit:visible")
    heights = [small.nth(index).bounding_box()["height"] for index in range(small.count())]
    assert min(heights) >= 44
    context.close()


def test_names_appear_where_there_is_room(site: str, page: Page):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(site + "/style/")
    expect(page.locator("#fullmap .seat-name").first).to_be_visible()
    expect(page.locator(".seatmap.thumb .seat-name").first).to_be_hidden()


def test_without_javascript_everything_can_be_reached(site: str, browser: Browser):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(site + "/style/")
    page.locator(".chip", has_text="Passport").click()
    expect(page.get_by_role("radio", name="Passport")).to_be_checked()
    page.locator("summary", has_text="More").click()
    expect(page.get_by_role("link", name="Print")).to_be_visible()
    expect(page.get_by_role("link", name="Journal").first).to_be_visible()
    expect(page.locator("[data-live-state]")).to_be_hidden()
    context.close()


def test_the_keyboard_finds_and_walks(site: str, page: Page):
    page.goto(site + "/style/")
    page.keyboard.press("/")
    expect(page.get_by_label("Find a player")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hit").nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Find a player")).to_be_focused()


def test_a_wrong_form_says_so_where_the_cursor_is(site: str, page: Page):
    page.goto(site + "/style/?errors")
    expect(page.locator(".errors")).to_be_focused()
    page.locator(".errors a", has_text="Days").click()
    expect(page.locator("#id_days")).to_be_focused()


# --- live parts -----------------------------------------------------------------------------------------------------


@pytest.fixture
def topic() -> str:
    return f"event:{uuid.uuid4().hex[:8]}"


@pytest.fixture
def live(site: str, page: Page, topic: str) -> Page:
    fetched.clear()
    behaviour.clear()
    page.goto(f"{site}/live-page/?topic={topic}")
    expect(page.locator("[data-live-state]")).to_have_text("live")
    return page


@pytest.fixture
def change(topic: str) -> Callable[..., None]:
    def send(*touches: str, seq: int = 1) -> None:
        names = ",".join(f'"{name}"' for name in touches)
        data = f'{{"topic":"{topic}","seq":{seq},"touches":[{names}]}}'
        streams[topic].put(f"id: {seq}\nevent: change\ndata: {data}\n\n")

    return send


def settled(page: Page) -> dict[str, int]:
    page.wait_for_timeout(900)
    return dict(fetched)


def test_a_change_refreshes_only_the_parts_that_show_it(live: Page, change, clean_console):
    change("tables.seat")
    expect(live.locator("#seats output")).to_have_text("1")
    expect(live.locator("#any output")).to_have_text("1")
    assert settled(live) == {"seats": 1, "any": 1}


def test_after_too_much_to_tell_every_part_is_refreshed(live: Page, change):
    change("*", "tables.clock")
    assert settled(live) == {"seats": 1, "entries": 1, "any": 1}


def test_a_burst_is_one_refresh(live: Page, change):
    for seq in range(5):
        change("tables.move", "tables.seat", seq=seq)
    assert settled(live) == {"seats": 1, "entries": 1, "any": 1}


def test_a_part_being_written_in_waits(live: Page, change):
    note = live.get_by_label("seats note")
    note.fill("7 4")
    change("tables.seat")
    assert settled(live) == {"any": 1}
    note.blur()  # to go on in the next field
    assert settled(live) == {"any": 1}
    expect(note).to_have_value("7 4")
    note.fill("")
    expect(live.locator("#seats output")).to_have_text("1")


def choose(label: str, value: str) -> Callable[[Page], object]:
    return lambda page: page.get_by_label(label).select_option(value)


def reset(page: Page) -> None:
    page.locator("#seats button").click()


@pytest.mark.parametrize(
    ("chosen", "taken_back"),
    [
        (choose("seats seat", "7"), choose("seats seat", "")),
        (choose("seats blind", "1"), choose("seats blind", "2")),
        (lambda page: page.get_by_label("seats facing a bet").uncheck(), reset),
        (lambda page: page.get_by_label("seats all-in").check(), reset),
    ],
    ids=["select", "preset select", "checkbox", "radio"],
)  # fmt: skip
def test_a_part_in_which_something_is_chosen_waits(live: Page, change, chosen, taken_back):
    chosen(live)
    change("tables.seat")
    assert settled(live) == {"any": 1}
    taken_back(live)
    expect(live.locator("#seats output")).to_have_text("1")


def test_what_is_typed_while_a_part_is_fetched_is_kept(live: Page, change):
    behaviour["seats"] = ["late"]
    change("tables.seat")
    wait_until(lambda: fetched["seats"] == 1)
    live.get_by_label("seats note").fill("7 4")
    assert settled(live) == {"seats": 1, "any": 1}
    expect(live.get_by_label("seats note")).to_have_value("7 4")
    live.get_by_label("seats note").fill("")
    expect(live.locator("#seats output")).to_have_text("2")


def test_a_form_that_came_back_with_what_is_wrong_waits(live: Page, change):
    live.evaluate("document.querySelector('#seats input[aria-label]').setAttribute('aria-invalid', 'true')")
    change("tables.seat")
    assert settled(live) == {"any": 1}


def test_what_is_in_sight_stays_when_a_part_above_it_is_replaced(live: Page, change):
    live.set_viewport_size({"width": 360, "height": 740})
    live.evaluate("document.body.style.paddingBottom = '2000px'")
    live.evaluate("document.getElementById('seats').style.height = '600px'")  # the next one is lower
    live.evaluate("window.scrollBy(0, document.getElementById('seats').getBoundingClientRect().bottom + 4)")
    before = live.locator("#entries").bounding_box()
    assert live.locator("#seats").bounding_box()["y"] < -600  # out of sight
    change("tables.seat")
    expect(live.locator("#seats output")).to_have_text("1")
    assert abs(live.locator("#entries").bounding_box()["y"] - before["y"]) < 1


def test_a_change_during_a_slow_refresh_is_not_lost(live: Page, change):
    behaviour["seats"] = ["late"]
    change("tables.seat")
    wait_until(lambda: fetched["seats"] == 1)
    change("tables.seat", seq=2)  # the answer under way may not show it
    expect(live.locator("#seats output")).to_have_text("2")


def test_a_change_during_a_slow_refresh_that_brings_nothing_new_is_not_lost(live: Page, change):
    behaviour["seats"] = ["late, nothing new"]
    change("tables.seat")
    wait_until(lambda: fetched["seats"] == 1)
    change("tables.seat", seq=2)
    expect(live.locator("#seats output")).to_have_text("2")


@pytest.fixture
def waiting_long(live: Page) -> Callable[[], None]:
    """Lets the part that takes its time wait as long as it may, longer than a slow answer takes."""

    def wait() -> None:
        live.evaluate("document.getElementById('any-box').dataset.liveJitter = '1500'")
        live.evaluate("Math.random = () => 1")

    return wait


def test_a_change_during_a_slow_refresh_is_not_lost_on_a_part_that_takes_its_time(live: Page, change, waiting_long):
    behaviour["any"] = ["late"]
    change("series.payout")
    wait_until(lambda: fetched["any"] == 1)
    waiting_long()
    change("series.payout", seq=2)
    expect(live.locator("#any output")).to_have_text("2")


def test_a_part_that_was_replaced_while_it_waited_is_refreshed(live: Page, change, waiting_long):
    waiting_long()
    change("tables.seat")
    expect(live.locator("#seats output")).to_have_text("1")  # so the other one has begun to wait
    live.evaluate("htmx.trigger('#any', 'refresh')")
    expect(live.locator("#any output")).to_have_text("2")


def test_a_refresh_that_failed_is_tried_again(live: Page, change):
    behaviour["seats"] = ["fail"]
    change("tables.seat")
    expect(live.locator("#seats output")).to_have_text("2")
    expect(live.locator("#toasts")).to_be_empty()


def test_a_part_that_fails_again_and_again_is_tried_less_and_less(live: Page, change):
    live.evaluate("Math.random = () => 0.5")
    behaviour["seats"] = ["fail"] * 20
    change("tables.seat")
    wait_until(lambda: fetched["seats"] == 1)
    live.wait_for_timeout(500)
    change("tables.seat", seq=2)  # another reason to fetch it, but not to try twice from then on
    wait_until(lambda: fetched["seats"] == 2)
    live.wait_for_timeout(6_000)
    assert fetched["seats"] == 3


def test_a_refreshed_part_is_refreshed_again(live: Page, change):
    change("tables.seat")
    expect(live.locator("#seats output")).to_have_text("1")
    change("tables.seat", seq=2)
    expect(live.locator("#seats output")).to_have_text("2")


@pytest.fixture
def slow(site: str, page: Page, topic: str) -> Page:
    """The live page, with a clock that moves only when told to. It stands at 10 s, the stream heard at 0 s or later."""
    page.clock.install(time=0)
    page.goto(f"{site}/live-page/?topic={topic}")
    expect(page.locator("[data-live-state]")).to_have_text("live")
    page.clock.pause_at(10)
    fetched.clear()
    behaviour.clear()
    return page


def test_a_silent_stream_is_not_live_and_the_page_polls(slow: Page):
    slow.route("**/live/**", lambda route: route.abort())
    slow.clock.run_for(13_000)
    expect(slow.locator("[data-live-state]")).to_have_text("live")
    slow.clock.run_for(11_000)
    expect(slow.locator("[data-live-state]")).to_have_text("not live")
    for times in (1, 2, 3):
        expect(slow.locator("#seats output")).to_have_text(str(times))
        expect(slow.locator("#entries output")).to_have_text(str(times))
        slow.clock.run_for(1_000)  # htmx settles what it swapped
        slow.clock.run_for(9_000)


def test_while_it_is_not_live_the_poll_alone_tries_again(slow: Page):
    slow.route("**/live/**", lambda route: route.abort())
    behaviour["seats"] = ["fail"] * 20
    slow.clock.run_for(24_000)
    wait_until(lambda: fetched["seats"] >= 1)
    slow.wait_for_timeout(300)  # for the answer
    slow.clock.run_for(5_000)
    slow.wait_for_timeout(300)
    # polls alone, which ask for every part: on a slow machine another one may be due by now
    wait_until(lambda: fetched["seats"] == fetched["entries"])


def test_a_sign_of_life_keeps_it_live(slow: Page, topic: str):
    opened: list[str] = []
    slow.on("request", lambda request: opened.append(request.url) if "/live/?" in request.url else None)
    for _ in range(4):
        streams[topic].put("event: beat\ndata: {}\n\n")
        slow.wait_for_timeout(300)
        slow.clock.run_for(15_000)
    expect(slow.locator("[data-live-state]")).to_have_text("live")
    assert opened == []
    assert fetched == {}


def test_after_sleep_everything_is_fetched_and_the_stream_reopened(site: str, page: Page, topic: str):
    fetched.clear()
    page.clock.install()
    page.goto(f"{site}/live-page/?topic={topic}")
    expect(page.locator("[data-live-state]")).to_have_text("live")
    with page.expect_request("**/live/**"):
        page.clock.fast_forward(3_600_000)
    wait_until(lambda: fetched["seats"] >= 1 and fetched["entries"] >= 1)
    expect(page.locator("[data-live-state]")).to_have_text("live")


def test_a_stream_that_ends_comes_back_and_says_where_it_left_off(live: Page, topic: str, change):
    change("tables.seat", seq=7)
    expect(live.locator("#seats output")).to_have_text("1")
    with live.expect_request("**/live/?*", timeout=10_000):
        streams[topic].put("")
    wait_until(lambda: returned[topic] == ["7"])
    expect(live.locator("[data-live-state]")).to_have_text("live")
    change("tables.seat", seq=8)
    expect(live.locator("#seats output")).to_have_text("2")


def test_the_first_stream_says_what_the_page_was_made_from(live: Page, topic: str):
    assert made_from[topic] == ["41"]


def test_a_stream_that_stays_away_is_not_live(live: Page, topic: str):
    live.route("**/live/**", lambda route: route.abort())
    streams[topic].put("")
    expect(live.locator("[data-live-state]")).to_have_text("not live", timeout=10_000)
    live.unroute("**/live/**")
    expect(live.locator("[data-live-state]")).to_have_text("live", timeout=10_000)


def wait_until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < ends, fetched
        time.sleep(0.05)


# --- without network ------------------------------------------------------------------------------------------------


def test_with_a_full_store_the_answer_is_shown_all_the_same(site: str, page: Page):
    page.goto(site + "/style/")
    wait_until(lambda: page.evaluate("navigator.serviceWorker.controller !== null"))
    full = "() => { Cache.prototype.put = () => Promise.reject(new DOMException('full', 'QuotaExceededError')); }"
    page.context.service_workers[0].evaluate(full)
    assert page.evaluate("async () => (await fetch('/static/js/calculator.js')).ok")


@pytest.mark.parametrize(("database", "comes_back"), [(True, True), (False, False)])
def test_a_kept_copy_is_left_once_the_site_answers(
    site: str, browser: Browser, topic: str, database: bool, comes_back: bool
):
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    kept = lambda route: route.fulfill(body=route.fetch().text().replace("<body ", '<body data-offline="1" '))  # noqa: E731
    page.route("**/live-page/**", kept)
    page.route("**/health/", lambda route: route.fulfill(status=503, json={"database": database, "beat": False}))
    page.goto(f"{site}/live-page/?topic={topic}")
    page.unroute("**/live-page/**")
    page.evaluate("Math.random = () => 0; window.dispatchEvent(new Event('online'))")
    page.wait_for_timeout(1_000)
    expect(page.locator("body[data-offline]")).to_have_count(0 if comes_back else 1)
    context.close()


# --- asking and refusing --------------------------------------------------------------------------------------------


def test_a_dangerous_button_asks_first_and_a_refusal_is_told(live: Page):
    sent: list[str] = []
    live.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    live.locator("#send").click()
    expect(live.get_by_role("dialog")).to_contain_text("Really break table 9?")
    live.get_by_role("button", name="Cancel").click()
    expect(live.get_by_role("dialog")).to_have_count(0)
    assert sent == []
    live.locator("#send").click()
    live.get_by_role("button", name="Break it").click()
    expect(live.locator("#toasts")).to_have_text("Table 7 is full.")
    assert len(sent) == 1
    expect(live.locator("#seats")).to_be_visible()  # the page of the refusal was not swapped in
    assert re.search("/live-page/", live.url)
