"""Messages of the floor, and screens in the hall that show what the floor chose."""

import datetime as dt
import re
import uuid
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.events import add_day
from series.models import Event, Registration
from tables.commands import displays
from tables.models import Display, HallMessage
from tables.reads.displays import DISPLAYS, PHONES, messages_up
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, signed_in, words

pytestmark = pytest.mark.django_db
START = dt.datetime(2026, 11, 30, 8, 0, tzinfo=dt.UTC)
SCREEN = reverse("paired_display")


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def event() -> Event:
    made = make_event()
    make_hall(made, [4, 3])
    made.refresh_from_db()
    return made


def code_on(screen: Client) -> str:
    found = re.search(r"data-code>([A-Z2-9]{6})<", words(screen.get(SCREEN)))
    assert found
    return found[1]


def press(client: Client, event: Event, do: str, **sent: Any) -> HttpResponse:
    return client.post(reverse("displays", args=[event.pk]), {"do": do, "command_id": uuid.uuid4()} | sent)


def poll(screen: Client, event: Event | None = None) -> HttpResponse:
    given = {"event": event.pk} if event else {}
    return screen.get(SCREEN, given, headers={"HX-Request": "true"})


# --- messages ---


def test_a_message_reaches_its_audience_until_its_time() -> None:
    with time_machine.travel(START, tick=False) as at:
        event = make_event()
        make_hall(event, [3])
        actor = make_director(event.series)
        player = entries_at(event, 1)[0].player
        with guard.writing():
            Registration.objects.create(event=event, day=event.days.get(), player=player, at=START)
        for text, audience in (("Dinner at six", "both"), ("Look up", "displays"), ("Look down", "phones")):
            displays.say_message(actor=actor, on=event.pk, text=text, audience=audience, minutes=5)
        pages = {
            "display": words(Client().get(reverse("display", args=[event.pk]))),
            "clock": words(Client().get(reverse("clock", args=[event.pk]))),
            "mine": words(Client().get(reverse("my_page", args=[player.token]))),
        }
        assert all("Dinner at six" in page for page in pages.values())
        assert ["Look up" in page for page in pages.values()] == [True, False, False]
        assert ["Look down" in page for page in pages.values()] == [False, True, True]
        at.shift(dt.timedelta(minutes=5))
        assert messages_up(event, START + dt.timedelta(minutes=5)) == []
        assert "Dinner" not in words(Client().get(reverse("clock", args=[event.pk])))


def test_taken_down_and_undone(event: Event) -> None:
    actor = make_director(event.series)
    said = displays.say_message(actor=actor, on=event.pk, text="  Last   hand ").result["message"]
    assert HallMessage.objects.get(pk=said).text == "Last hand"
    displays.take_down(actor=actor, on=event.pk, message_id=said)
    assert not messages_up(event, START, DISPLAYS)
    undo(actor=actor, entry_id=JournalEntry.objects.latest("pk").pk)
    assert [words_.text for words_ in messages_up(event, START, PHONES)] == ["Last hand"]


def test_no_empty_message_and_no_flood(event: Event) -> None:
    client = signed_in(make_director(event.series))
    refused = press(client, event, "say", text="  ", audience="both", minutes="0")
    assert refused.status_code == 422
    assert "Write what everybody should know" in words(refused)
    for number in range(5):
        assert press(client, event, "say", text=f"Message {number}", audience="both", minutes="0").status_code == 303
    assert press(client, event, "say", text="One more", audience="both", minutes="0").status_code == 422
    assert HallMessage.objects.count() == 5


# --- screens ---


def test_a_screen_is_paired_follows_the_floor_and_is_let_go(event: Event) -> None:
    screen, floor = Client(), signed_in(make_user("Flo", role=Role.FLOOR, series=event.series))
    code = code_on(screen)
    assert code_on(screen) == code
    assert press(floor, event, "pair", code=code.lower(), name="Bar", show="names").status_code == 303
    assert poll(screen)["HX-Refresh"] == "true"
    shown = words(screen.get(SCREEN))
    assert f'data-live="event:{event.pk}"' in shown
    assert "Seats by surname" in shown
    given, surname = entries_at(event, 2)[0].player.public_name.rsplit(" ", 1)
    assert f"{surname}, {given}" in shown
    display = Display.objects.get()
    press(floor, event, "show", display_id=display.pk, show="payouts")
    part = words(poll(screen, event))
    assert "Payouts" in part
    assert "<html" not in part
    press(floor, event, "remove", display_id=display.pk)
    assert poll(screen, event)["HX-Refresh"] == "true"
    assert code_on(screen) == code
    press(floor, event, "pair", code=code, name="Bar", show="clock")
    assert Display.objects.filter(paired=True).count() == 1


def test_two_screens_show_two_things(event: Event) -> None:
    screens, floor = [Client(), Client()], signed_in(make_director(event.series))
    for screen, show in zip(screens, ("moves", "tables"), strict=True):
        press(floor, event, "pair", code=code_on(screen), show=show)
    assert ["Seat moves" in words(screen.get(SCREEN)) for screen in screens] == [True, False]
    assert ["Table 2" in words(screen.get(SCREEN)) for screen in screens] == [False, True]


def test_a_code_that_no_screen_shows_is_refused(event: Event) -> None:
    floor = signed_in(make_director(event.series))
    refused = press(floor, event, "pair", code="ABCDEF", show="clock")
    assert refused.status_code == 422
    assert "No screen shows this code" in refused.context["pair_form"].errors["code"][0]
    assert not Display.objects.exists()


def test_a_screen_belongs_to_one_event(event: Event) -> None:
    other = make_event()
    code = code_on(Client())
    displays.pair_display(actor=make_director(event.series), on=event.pk, code=code, name="Bar")
    with pytest.raises(Refused, match="paired already"):
        displays.pair_display(actor=make_director(other.series), on=other.pk, code=code, name="Bar")


def test_a_forged_code_pairs_nothing(event: Event) -> None:
    displays.pair_display(actor=make_director(event.series), on=event.pk, code="ABCDEF", name="Bar")
    screen = Client()
    screen.cookies["display"] = "ABCDEF"
    assert code_on(screen) != "ABCDEF"


@pytest.mark.parametrize("show", Display.Show.values)
def test_every_view_by_its_own_address(event: Event, show: str) -> None:
    page = words(Client().get(reverse("display", args=[event.pk]), {"show": show}))
    assert f"show={show}" in page
    assert ("hall-list" in page) == (show != "clock")


@pytest.mark.parametrize("role", [Role.DEALER, Role.DESK, Role.AUDITOR])
def test_only_the_floor_chooses_and_speaks(event: Event, role: Role) -> None:
    user = make_user("Other", role=role, series=event.series)
    status = 200 if role == Role.AUDITOR else 403
    assert signed_in(user).get(reverse("displays", args=[event.pk])).status_code == status
    for command, given in (
        (displays.say_message, {"text": "Hello"}),
        (displays.pair_display, {"code": "ABCDEF", "name": ""}),
    ):
        with pytest.raises(NotAllowed):
            command(actor=user, on=event.pk, **given)


def test_queries_do_not_grow_with_screens_messages_and_players() -> None:
    counts = []
    for size in (1, 3):
        event = make_event()
        make_hall(event, [3 * size] * size)
        event.refresh_from_db()
        actor = make_director(event.series)
        for number in range(size):
            code = "ABCD" + "WXYZ"[size] + "WXYZ"[number]
            displays.pair_display(actor=actor, on=event.pk, code=code, name="")
            displays.say_message(actor=actor, on=event.pk, text="Words")
        client = signed_in(actor)
        found = []
        for address in (
            reverse("displays", args=[event.pk]),
            reverse("display", args=[event.pk]) + "?show=tables",
            reverse("display", args=[event.pk]) + "?show=names",
        ):
            with CaptureQueriesContext(connection) as made:
                client.get(address)
            found.append(len(made))
        counts.append(found)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 19


def test_a_day_that_a_screen_shows_is_not_taken_away_under_it(event: Event) -> None:
    director = make_director(event.series)
    paired = displays.pair_display(actor=director, on=event.pk, code="ABCDEF", name="Bar").result["display"]
    late = START + dt.timedelta(days=400)
    added = add_day(actor=director, on=event.pk, label="Day 2", starts_at=late, kind="later")
    show = {"actor": director, "on": event.pk, "display_id": paired, "show": Display.Show.CLOCK}
    displays.show_on_display(**show, day_id=added.result["day"])
    entry = JournalEntry.objects.get(stream=event.stream_key, seq=added.seq)
    with pytest.raises(Refused, match=r"“Bar” shows: clock”.* came after it"):
        undo(actor=director, entry_id=entry.pk)
    displays.show_on_display(**show)
    undo(actor=director, entry_id=entry.pk)
    assert not event.days.filter(pk=added.result["day"]).exists()
