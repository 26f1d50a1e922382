"""Forty walk-ins through three desks at once, by keyboard alone: no double seat, no double payment."""

import asyncio
import json
import threading
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.e2e.conftest import Site
from tests.factories import PASSWORD

pytestmark = [pytest.mark.e2e, pytest.mark.real_db]

SET_UP = """
import json
from accounts.permissions import Role
from tests.factories import *
series = make_series(name="Winter Series")
event = make_event(series, name="Main", capacity=60)
desks = [make_user(name, role=Role.DESK, series=series).email for name in ("Hana", "Moana", "Rangi")]
print(json.dumps({"event": event.pk, "desks": desks}))
"""
STATE = """
import json
from django.db.models import Sum
from journal.chain import verify
from series.models import *
from tables.models import Seat
till = LedgerLine.objects.filter(account="till")
print(json.dumps({
    "players": Player.objects.count(),
    "entries": Entry.objects.filter(status="playing").count(),
    "entered": Registration.objects.filter(status="entered").count(),
    "seats": Seat.objects.exclude(entry=None).values("table", "number").distinct().count(),
    "seated": Seat.objects.exclude(entry=None).values("entry").distinct().count(),
    "paid": till.count(), "taken": till.aggregate(sum=Sum("amount_cents"))["sum"],
    "balance": LedgerLine.objects.aggregate(sum=Sum("amount_cents"))["sum"],
    "born": sorted({str(born) for born in Player.objects.values_list("birth_date", flat=True)}),
    "checks": IdCheck.objects.count(), "chain": not any(verify()),
}))
"""
FIRST = ("Hēmi", "Mia", "Łukasz", "Ngāio", "Zoë", "Jack", "Anahera", "Tūī")
LAST = ("Parata", "Tūhoe", "O'Connor", "Nowak", "Smith")
WALK_INS = [f"{first} {last}" for first in FIRST for last in LAST]
AS_TYPED = ("3.4.80", "3/4/1980", "3 4 80", "19800403")


async def serve(page: Page, name: str, born: str, *, impatient: bool) -> None:
    """One walk-in from the search field to the seat, with nothing but keys."""
    keys = page.keyboard
    await expect(page.locator("#find")).to_be_focused()
    await keys.type(name)
    await keys.press("Enter")
    await expect(page.locator("#id_birth_date")).to_be_focused()
    await keys.type(born)
    await expect(page.locator("#born")).to_contain_text("3 April 1980")
    await keys.press("Enter")
    await expect(page.locator("#card input[name=id_kind]").first).to_be_focused()
    await keys.press("Space")
    await keys.press("Enter")
    if impatient:
        await keys.press("Enter")
    await expect(page.locator("#who")).to_have_text(name)
    await expect(page.locator("#card .answer")).to_contain_text("seat")


async def man_desk(browser: Browser, site: Site, event: int, email: str, number: int) -> None:
    context = await browser.new_context(base_url=site.url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    page = await context.new_page()
    await page.goto(f"/accounts/login/?next=/staff/events/{event}/desk/")
    await page.fill("input[name=login]", email)
    await page.fill("input[name=password]", PASSWORD)
    await page.click("main button[type=submit]")
    await page.wait_for_url("**/desk/")
    for at, name in enumerate(WALK_INS[number::3]):
        await serve(page, name, AS_TYPED[at % len(AS_TYPED)], impatient=number == 2)
    await context.close()


async def all_desks(site: Site, given: dict[str, Any], launch: dict[str, Any]) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**launch)
        desks = enumerate(given["desks"])
        await asyncio.gather(*(man_desk(browser, site, given["event"], email, at) for at, email in desks))
        await browser.close()


def test_forty_walk_ins_at_three_desks_at_once(site: Site, browser_type_launch_args: dict[str, Any]) -> None:
    given = json.loads(site.world.run(SET_UP))
    failures: list[BaseException] = []

    def work() -> None:
        try:
            asyncio.run(all_desks(site, given, browser_type_launch_args))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)  # a loop of its own, whatever other browser tests left in this thread
    thread.start()
    thread.join(timeout=240)
    assert not thread.is_alive(), "the desks did not finish"
    if failures:
        raise failures[0]
    assert json.loads(site.world.run(STATE)) == {
        "players": 40, "entries": 40, "entered": 40, "seats": 40, "seated": 40,
        "paid": 40, "taken": 40 * 25000, "balance": 0,
        "born": ["1980-04-03"], "checks": 40, "chain": True,
    }  # fmt: skip
