"""A new version of the rules from the draft to the player's phone, in force at its instant by the real worker."""

import datetime as dt
import json
import re
import time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.e2e, pytest.mark.real_db]
NZ = ZoneInfo("Pacific/Auckland")
AHEAD = 15  # seconds from the announcement to the instant

SET_UP = """
import json
from django.utils import timezone
from datetime import timedelta
from accounts.permissions import Role
from series.commands.people import register
from series.models import Player
from tables.commands.clock import start_clock
from tables.commands.floor import bust, close_entries
from tables.commands.entries import buy_in
from tests.factories import *
from tests.rulings.books import make_editor, make_published
series = make_published(name="Winter Series")
director, editor = make_director(series), make_editor(series)
first = make_event(series, name="Opener", starts_at=timezone.now() - timedelta(hours=2))
players = add_players(first, 2, director)
start_clock(actor=director, on=first.pk)
close_entries(actor=director, on=first.pk)
bust(actor=director, on=first.pk, entry_ids=[players[1]["entry"]])
running = make_event(series, name="Turbo")
add_players(running, 2, director)
start_clock(actor=director, on=running.pk)
coming = make_event(series, name="Main", starts_at=timezone.now() + timedelta(hours=2))
player = Player.objects.get(pk=players[0]["player"])
held = register(actor=director, on=coming.pk, player_id=player.pk).result
print(json.dumps({"slug": series.slug, "editor": editor.email, "director": director.email, "running": running.pk,
                  "coming": coming.pk, "token": player.token}))
"""
STATES = """
import json
from rulings.models import RulebookVersion
print(json.dumps(dict(RulebookVersion.objects.values_list("number", "status"))))
"""
LATENESS = """
from journal.models import JournalEntry
from rulings.models import RulebookVersion
version = RulebookVersion.objects.get(number=2)
entry = JournalEntry.objects.get(verb="rulebook.in_force")
print((entry.at - version.effective_from).total_seconds())
"""


def edit(page: Page, number: str) -> None:
    page.get_by_role("link", name=f"Edit rule {number}", exact=True).click()
    expect(page.locator("h1")).to_have_text(f"Rule {number}")


def rules(page: Page, slug: str) -> Any:
    page.goto(f"/series/{slug}/rules/")
    return page.locator("main")


def test_editor_announces_and_the_player_sees_it_from_its_instant_on(site: Any, visitor: Any) -> None:
    made = json.loads(site.world.run(SET_UP))
    slug = made["slug"]
    player = visitor()
    player.goto(f"/me/{made['token']}/?event={made['coming']}")
    expect(player.locator("#mine")).not_to_contain_text("What changed since your last event")

    # --- the draft, on a phone ---
    editor = visitor(made["editor"])
    editor.goto(f"/staff/series/{slug}/rules/")
    editor.get_by_role("button", name="Start a draft from version 1").click()
    edit(editor, "10")
    editor.fill("textarea[name=text]", "All-in hands are tabled as soon as betting is complete.")
    editor.get_by_role("button", name="Save").click()
    expect(editor.locator("#id_reason:invalid, #id_reason_error").first).to_be_visible()
    expect(editor.locator("textarea[name=text]")).to_have_value(re.compile("as soon as betting is complete"))
    editor.fill("#id_reason", "Players waited for cards that could be seen.")
    editor.get_by_role("button", name="Save").click()
    expect(editor.locator("main")).to_contain_text("1 reworded")
    edit(editor, "44")
    editor.get_by_text("Take this rule out…").click()
    editor.fill("#remove_reason", "Covered by rule 52.")
    editor.get_by_role("button", name="Take rule 44 out of the draft").click()
    expect(editor.locator("main")).to_contain_text("1 removed")
    expect(rules(player, slug)).not_to_contain_text("as soon as betting is complete")

    # --- announced, a few seconds ahead ---
    editor.get_by_role("link", name="Announce…").click()
    begins = dt.datetime.now(NZ).replace(microsecond=0) + dt.timedelta(seconds=AHEAD)
    editor.fill("input[name=effective_from]", f"{begins:%Y-%m-%dT%H:%M:%S}")
    editor.get_by_role("button", name="Announce version 2").click()
    expect(editor.locator("h1")).to_have_text("What changed in version 2")
    assert dt.datetime.now(NZ) < begins, "this machine is too slow for AHEAD"
    player.goto(f"/events/{made['coming']}/")
    expect(player.locator("main")).to_contain_text("Version 2 then replaces the present rules: 1 removed, 1 reworded.")
    expect(rules(player, slug)).to_contain_text("All-in hands are always tabled at the showdown.")

    # --- in force at the instant, by the worker ---
    time.sleep(max(0.0, (begins - dt.datetime.now(NZ)).total_seconds()) + 0.05)
    expect(rules(player, slug)).to_contain_text("as soon as betting is complete")
    time.sleep(1)
    assert json.loads(site.world.run(STATES)) == {"1": "superseded", "2": "in_force"}
    assert 0 <= float(site.world.run(LATENESS)) < 1.5

    # --- the player sees what changed since the last event ---
    player.goto(f"/me/{made['token']}/?event={made['coming']}")
    mine = player.locator("#mine")
    expect(mine).to_contain_text("What changed since your last event")
    expect(mine).to_contain_text("Players waited for cards that could be seen.")
    expect(mine.locator("del").first).to_be_visible()
    expect(mine.locator("ins").first).to_contain_text("as soon as betting is complete")
    mine.get_by_role("link", name="The same on a page of its own").click()
    expect(player.locator("h1")).to_have_text("From version 1 to version 2")
    player.check("input[name=view][value=side]")
    player.get_by_role("button", name="Compare").click()
    expect(player.locator(".sides").first).to_contain_text("Before")

    # --- the running event keeps its version, and the director says so ---
    director = visitor(made["director"])
    director.goto(f"/staff/events/{made['running']}/floor/")
    director.get_by_role("link", name="Write a note").click()
    director.fill("textarea[name=text]", "This event ends as it began.")
    director.get_by_role("button", name="Show it to the players").click()
    player.goto(f"/events/{made['running']}/")
    expect(player.locator("main")).to_contain_text("This event is played by version 1 of the rules to its end.")
    expect(player.locator("main")).to_contain_text("This event ends as it began.")
    assert "chain and triggers intact" in site.world.run(
        "from django.core.management import call_command; call_command('journal', 'verify')"
    )
