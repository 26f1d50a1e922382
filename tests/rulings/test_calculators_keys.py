"""The big keys in a real browser as wide as a small phone: taps alone, the last one taken back, the answer at once.

Without an event the calculators need no database, so none is made for these tests.
"""

from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from playwright.sync_api import Page, expect

from tests.look.server import QuietHandler

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of a server with the pages of the site."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(WSGIHandler())
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def phone(page: Page) -> Iterator[Page]:
    """A phone's page; whatever the browser complains of fails the test."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_viewport_size({"width": 360, "height": 740})
    yield page
    assert not complaints


def open_calculator(page: Page, site: str, kind: str) -> None:
    page.goto(f"{site}/calculators/{kind}/")
    expect(page.locator("[data-dock]")).to_be_visible()


def tap(page: Page, *keys: str) -> None:
    for key in keys:
        page.locator(f"[data-dock] {key}").click()


def amount(*keys: str) -> list[str]:
    return [f"[data-key='{key}']" for key in keys]


def seat(number: int) -> str:
    return f"[data-seat-key='{number}']"


def headline(page: Page) -> Any:
    return page.locator("#headline")


def test_pots_by_thumb(phone: Page, site: str) -> None:
    open_calculator(phone, site, "pots")
    expect(phone.locator("[data-row]:visible")).to_have_count(1)
    tap(phone, seat(2), *amount("1", "2", "5", "00"), "[data-mark='all_in']")
    tap(phone, seat(4), *amount("3", "1", "000"), "[data-mark='all_in']")
    tap(phone, seat(6), *amount("5", "0", "000", "+", "8", "000"))
    tap(phone, seat(7), *amount("4", "000"), "[data-mark='folded']")
    expect(headline(phone)).to_have_text("Pot 1 41,500 · Pot 2 37,000 · 27,000 back to 6")
    expect(phone.locator("[name=in_6]")).to_have_value("50,000 + 8,000")
    expect(phone.locator("[data-row='6'] [data-sum]")).to_have_text("= 58,000")
    expect(phone.locator("[data-row]:visible")).to_have_count(4)
    expect(phone.locator("#answer")).to_contain_text("105,500 in, 105,500 out")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.reload()  # the address has everything
    expect(phone.locator("#answer")).to_contain_text("105,500 in, 105,500 out")
    expect(phone.locator("[name=in_2]")).to_have_value("12,500")


def test_the_last_key_is_taken_back_whatever_it_was(phone: Page, site: str) -> None:
    open_calculator(phone, site, "pots")
    tap(phone, seat(3), *amount("7", "000"), "[data-mark='killed']", seat(5), *amount("9"))
    tap(phone, "[data-undo]", "[data-undo]")  # the 9, then going to seat 5
    tap(phone, "[data-undo]")
    expect(phone.locator("[name=state_3]")).to_have_value("")
    tap(phone, "[data-undo]")
    expect(phone.locator("[name=in_3]")).to_have_value("7")
    expect(phone.locator("[name=in_5]")).to_have_value("")


def test_a_wager_in_two_taps(phone: Page, site: str) -> None:
    phone.goto(f"{site}/calculators/wager/?to_match=400&big_blind=400")
    expect(headline(phone)).to_be_visible()
    tap(phone, "[data-chip='1000']", "[data-chip='500']")
    expect(headline(phone)).to_have_text("Raise to 1,500")
    tap(phone, "[data-undo]")
    expect(headline(phone)).to_have_text("Call of 400")
    expect(phone.locator("#answer")).to_contain_text("S7")


def test_what_is_wrong_stands_beside_its_field_and_goes_again(phone: Page, site: str) -> None:
    phone.goto(f"{site}/calculators/wager/?to_match=400&big_blind=400")
    tap(phone, "[data-chip='1000']")
    phone.fill("[name=already_in]", "900")
    expect(phone.locator("#error_already_in")).to_have_text("At most the price, 400.")
    expect(headline(phone)).to_have_text("Something does not fit")
    phone.fill("[name=already_in]", "100")
    expect(phone.locator("#error_already_in")).to_have_text("")
    expect(headline(phone)).not_to_have_text("Something does not fit")
    expect(phone.locator("[name=chips]")).to_have_value("1,000")


def test_betting_line_by_line(phone: Page, site: str) -> None:
    open_calculator(phone, site, "raise")
    phone.fill("[name=big_blind]", "400")
    phone.locator("[name=to_1]").focus()
    tap(phone, seat(4), *amount("9", "00"), "[data-next]", seat(5), *amount("1", "4", "00"), "[data-next]")
    tap(phone, seat(6), *amount("2", "3", "00"))
    expect(headline(phone)).to_have_text("Smallest raise: to 3,200")
    phone.select_option("[name=asks]", "4")
    expect(headline(phone)).to_have_text("Seat 4 may raise, to 3,200 or more")


def test_a_keyboard_works_as_well(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{site}/calculators/pots/")
    page.locator("[name=in_1]").focus()
    page.keyboard.type("500")
    page.keyboard.press("Enter")
    page.keyboard.type("900")
    expect(page.locator("#answer")).to_contain_text("1,400 in, 1,400 out")
    expect(page.locator("[data-dock]")).to_be_hidden()


def test_pots_that_come_filled_in_leave_their_winners_to_tap(phone: Page, site: str) -> None:
    phone.goto(f"{site}/calculators/split/?button=8&unit=25&pot_1=8025&for_1=1,4,6&pot_2=9000&for_2=4,6")
    expect(phone.locator("[data-dock]")).to_be_visible()
    expect(phone.locator(".pad")).to_be_hidden()
    pots = phone.locator(".pot-entry")
    expect(pots).to_have_count(2)
    for pot, winner in ((0, "1"), (0, "4"), (1, "4")):
        pots.nth(pot).locator(f"input[type=checkbox][value='{winner}']").click()
    expect(headline(phone)).to_have_text("4,025 to seat 1 · 13,000 to seat 4")
    expect(phone.locator(".pad")).to_be_hidden()
    phone.locator("#id_pot_2").click()
    tap(phone, "[data-undo]", *amount("0"))
    expect(phone.locator(".pad")).to_be_visible()
