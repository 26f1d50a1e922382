"""The bubble at three tables: three dealers report on their phones, the worker releases the hands, until the money."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.e2e, pytest.mark.real_db]

SET_UP = """
import json
from accounts.permissions import Role
from tables.commands.floor import bust, close_entries
from tables.models import Seat
from tests.factories import *
from tests.tables.hall import make_hall
series = make_series(name="Winter Series")
event = make_event(series, payout_shares=[2000, 2000, 1500, 1500, 1000, 1000, 1000], name="Main")
day = make_hall(event, (3, 3, 3))
director = make_director(series)
close_entries(actor=director, on=event.pk)
seat = Seat.objects.get(table__day=day, table__number=1, number=1)
bust(actor=director, on=event.pk, entry_ids=[seat.entry_id])
dealers = [make_user(name, role=Role.DEALER, series=series).email for name in ("Tane", "Hana", "Ihaia")]
print(json.dumps({"event": event.pk, "director": director.email, "dealers": dealers}))
"""
VERIFY = "from django.core.management import call_command; call_command('journal', 'verify')"
RELEASED = 20_000  # the seconds of grace, and a busy machine


def finish(phone: Page) -> None:
    phone.get_by_role("button", name="Hand finished").click()
    expect(phone.get_by_role("button", name="Not finished")).to_be_visible()


def bust(floor: Page, event: int, place: str) -> None:
    floor.goto(f"/staff/events/{event}/floor/?find={place}")
    floor.locator("#bust-out button.main").click()
    expect(floor.locator("#bust-out")).to_have_count(0)


def test_three_phones_play_hand_for_hand_into_the_money(site: Any, visitor: Any) -> None:
    made = json.loads(site.world.run(SET_UP).splitlines()[-1])
    event = made["event"]
    floor = visitor(made["director"])
    display = visitor(viewport={"width": 1920, "height": 1080})
    display.goto(f"/events/{event}/display/")
    phones = [visitor(dealer) for dealer in made["dealers"]]
    for number, phone in enumerate(phones, start=1):
        phone.goto(f"/staff/events/{event}/dealer/{number}/")
        expect(phone.get_by_role("button", name="Next hand")).to_be_visible()

    # the floor is asked, and announces: every screen learns it by itself
    floor.goto(f"/staff/events/{event}/floor/")
    expect(floor.locator("#todo")).to_contain_text("8 are left and 7 places are paid")
    floor.get_by_role("button", name="Announce").click()
    floor.locator("dialog .btn.main").click()
    expect(floor.locator("#todo")).to_contain_text("Waiting for tables 1, 2 and 3.")
    for phone in phones:
        expect(phone.locator("#dealer")).to_contain_text("Finish the hand in progress")
        expect(phone.get_by_role("button", name="Next hand")).to_have_count(0)
    expect(display.locator("#screen")).to_contain_text("Finish the hand in progress, then wait.")

    # a report by mistake is taken back; the last one brings the first hand without anybody's hand
    finish(phones[0])
    finish(phones[1])
    expect(display.locator("#screen")).to_contain_text("Waiting for table 3.")
    phones[1].get_by_role("button", name="Not finished").click()
    expect(display.locator("#screen")).to_contain_text("Waiting for tables 2 and 3.")
    finish(phones[2])
    finish(phones[1])
    for phone in phones:
        expect(phone.get_by_role("button", name="Deal hand 1")).to_be_visible(timeout=RELEASED)
    expect(display.locator("#screen")).to_contain_text("Hand-for-hand, hand 1")

    # all deal; two go out at different tables in the same round
    for phone in phones:
        phone.get_by_role("button", name="Deal hand 1").click()
        expect(phone.locator("#dealer")).to_contain_text("Last hand (2)")
        expect(phone.get_by_role("button", name=re.compile("Deal|Next hand"))).to_have_count(0)
    bust(floor, event, "2+1")
    bust(floor, event, "3+1")
    floor.goto(f"/staff/events/{event}/hand-for-hand/")
    expect(floor.locator("#board")).to_contain_text("0 of 3")
    expect(floor.locator("#board .place", has_text="7th – 8th")).to_have_count(2)
    expect(floor.locator("#board .place").first).to_contain_text("$99")
    expect(floor.locator("#board .board-table .time").first).to_have_text(re.compile(r"\d+:\d\d"))

    # two report on their phones, the floor taps the third on the board
    finish(phones[0])
    finish(phones[1])
    expect(floor.locator("#board")).to_contain_text("Waiting for table 3.")
    floor.get_by_role("button", name="Table 3 has finished").click()
    expect(floor.locator("#board")).to_contain_text("Not being played", timeout=RELEASED)
    expect(display.locator("#screen")).not_to_contain_text("Hand-for-hand", timeout=RELEASED)
    for phone in phones:
        expect(phone.get_by_role("button", name="Next hand")).to_be_visible()

    # two hands took four minutes, the clock runs on, and the two share
    clock = visitor()
    clock.goto(f"/events/{event}/clock/")
    expect(clock.locator("#screen")).to_contain_text("in the money")
    expect(clock.locator("[data-clock-part=time]").first).to_have_text(re.compile(r"(10|9|8):\d\d"))
    clock.goto(f"/events/{event}/results/")
    expect(clock.locator("main").get_by_text("$99.00", exact=True)).to_have_count(2)
    assert "chain and triggers intact" in site.world.run(VERIFY)
