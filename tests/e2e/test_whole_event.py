"""A 27-player event from sign-up to winner, through the pages alone, with the real worker and beat running."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.e2e, pytest.mark.real_db]

PLAYERS = 27
SET_UP = """
import json
from accounts.permissions import Role
from series.models import Level
from journal import guard
from tests.factories import *
series = make_series(name="Winter Series")
event = make_event(series, levels=25, minutes=1, name="Main", late_reg_level=20, seats_per_table=9, capacity=40)
director, desk = make_director(series), make_user("Hana", role=Role.DESK, series=series)
print(json.dumps({"event": event.pk, "director": director.email, "desk": desk.email}))
"""
NAMES = [
    f"{first} {last}"
    for first in ("Hēmi", "Mia", "Łukasz", "Ngāio", "Zoë", "Jack", "Anahera", "Tūī", "Wiremu")
    for last in ("Parata", "Tūhoe", "O'Connor")
]


def sign_up(page: Page, event: int, name: str) -> str:
    """The address of the player's own page."""
    page.goto(f"/events/{event}/sign-up/")
    page.fill("input[name=name]", name)
    for part, value in (("day", "5"), ("month", "6"), ("year", "1990")):
        page.fill(f"input[name=birth_date_{part}]", value)
    page.fill("input[name=contact]", "021 555 0100")
    page.check("input[name=rules]")
    page.check("input[name=privacy]")
    page.click("main button[type=submit]")
    page.wait_for_url("**/me/**")
    return page.url


def buy_in(desk: Page, event: int, name: str) -> None:
    desk.goto(f"/staff/events/{event}/desk/?q={name}")
    with desk.expect_response(re.compile("player=")):
        desk.locator("#hits .hit:not(.new)", has_text=name).click()
    expect(desk).to_have_url(re.compile("player="))
    desk.check("#card input[name=id_kind][value=nz_driver_licence]")
    desk.check("#card input[name=method][value=cash]")
    desk.locator("#card").get_by_role("button", name=re.compile(r"Take \$250\.00 and draw a seat")).click()
    expect(desk.locator("#card .answer")).to_contain_text(re.compile(r"Table \d, seat \d"))


def tables_of(floor: Page) -> dict[int, list[int]]:
    """Occupied seats of each open table, as the floor page says them to a screen reader."""
    found: dict[int, list[int]] = {}
    for card in floor.locator("#tables .card").all():
        number = int(card.locator("h3").inner_text().split()[1])
        texts = card.locator("li").all_inner_texts() or card.locator("li").all_text_contents()
        found[number] = [
            int(match[1]) for text in texts if (match := re.search(r"[Ss]eat (\d+)", text)) and "empty" not in text
        ]
    return found


def follow_advice(floor: Page, event: int) -> None:
    """Do what the to-do list says until it is empty of moves and breaks."""
    for _ in range(40):
        floor.goto(f"/staff/events/{event}/floor/")
        todo = floor.locator("#todo")
        arrived = todo.get_by_role("button", name="Arrived")
        breaking = todo.get_by_role("button", name=re.compile(r"^Break table"))
        moving = todo.get_by_role("button", name=re.compile(r"^Order (the drawn )?move"))
        if arrived.count():
            arrived.first.click()
        elif breaking.count():
            breaking.first.click()
            floor.get_by_role("button", name="Break it").click()
        elif moving.count():
            moving.first.click()
        else:
            return
        expect(floor.locator("#done, #toasts").first).to_be_attached()
        floor.wait_for_load_state("networkidle")
    raise AssertionError("the advice never ends")


def bust(floor: Page, event: int, table: int, seat: int) -> None:
    floor.goto(f"/staff/events/{event}/floor/?find={table}+{seat}")
    floor.locator("#bust-out").get_by_role("button", name=re.compile("is out$")).click()
    expect(floor.locator("#bust-out")).to_have_count(0)


def test_an_event_from_sign_up_to_winner(site: Any, visitor: Any) -> None:
    made = json.loads(site.world.run(SET_UP))
    event = made["event"]

    phone = visitor()
    pages = {name: sign_up(phone, event, name) for name in NAMES[:PLAYERS]}
    expect(phone.locator("#mine")).to_contain_text("Your place is held")
    watched = NAMES[PLAYERS - 1]

    desk = visitor(made["desk"], {"width": 1280, "height": 800})
    for name in NAMES[: PLAYERS - 1]:
        buy_in(desk, event, name)
    # the last player looks at the phone while the desk takes the money: the seat appears by itself
    buy_in(desk, event, watched)
    expect(phone.locator("#mine .answer")).to_contain_text(re.compile(r"Table \d, seat \d"), timeout=5_000)

    floor = visitor(made["director"])
    floor.goto(f"/staff/events/{event}/floor/")
    assert {number: len(seats) for number, seats in tables_of(floor).items()} == {1: 9, 2: 9, 3: 9}
    floor.get_by_role("button", name="Start the clock").click()
    floor.locator("dialog .btn.main").click()
    expect(floor.locator("#clock")).to_contain_text("running")

    display = visitor(viewport={"width": 1920, "height": 1080})
    display.goto(f"/events/{event}/display/")
    expect(display.locator("body")).to_contain_text("25 – 50")

    left = PLAYERS
    while left > 12:
        table, seats = max(tables_of(floor).items(), key=lambda item: len(item[1]))
        bust(floor, event, table, seats[0])
        left -= 1
        follow_advice(floor, event)
    # one by mistake: taken back
    table, seats = max(tables_of(floor).items(), key=lambda item: len(item[1]))
    bust(floor, event, table, seats[0])
    floor.goto(f"/staff/events/{event}/floor/")
    floor.locator("#recent form button").first.click()
    expect(floor.locator("#field")).to_contain_text("12 of 27")

    # the worker has changed the level meanwhile, and every screen shows it
    expect(display.locator("body")).not_to_contain_text("Level 1", timeout=90_000)
    floor.goto(f"/staff/events/{event}/floor/")
    floor.get_by_role("button", name="Close registration").click()
    floor.locator("dialog .btn.main").click()
    expect(floor.locator("#field")).to_contain_text("Registration closed")

    while left > 1:
        floor.goto(f"/staff/events/{event}/floor/")
        table, seats = max(tables_of(floor).items(), key=lambda item: len(item[1]))
        bust(floor, event, table, seats[-1])
        left -= 1
        if left > 1:
            follow_advice(floor, event)

    results = visitor()
    results.goto(f"/events/{event}/results/")
    body = results.locator("main")
    for prize in ("$2,970", "$1,782", "$1,188"):  # 27 × $220 at 50, 30 and 20 %
        expect(body).to_contain_text(prize)
    assert sum(results.get_by_text(name, exact=True).count() > 0 for name in pages) == PLAYERS

    payouts = visitor(made["desk"], {"width": 1280, "height": 800})
    for _ in range(3):
        payouts.goto(f"/staff/events/{event}/payouts/")
        payouts.get_by_role("button", name=re.compile(r"Pay .* by cash")).first.click()
        payouts.locator("dialog .btn.main").click()
        expect(payouts.locator("#payouts")).to_contain_text("The prize is paid")
    payouts.goto(f"/staff/events/{event}/payouts/")
    expect(payouts.locator("#payouts")).to_contain_text("$5,940.00")
    assert payouts.get_by_role("button", name=re.compile(r"Pay .* by cash")).count() == 0
    assert "chain and triggers intact" in site.world.run(
        "from django.core.management import call_command; call_command('journal', 'verify')"
    )
