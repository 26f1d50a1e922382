"""The auditor reads every page of the staff and is offered no button that writes; new pages are looked at as well."""

import datetime as dt
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from accounts.permissions import Role
from series.models import Event, Player
from tables.commands.draws import freeze_draw
from tables.commands.floor import bust
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.pages import entries_at, floor_url, press, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

# pages that are nothing but a form; the desk of the rules editors, whose draft nobody else sees; who took a break from
# playing and the whole of a person's data, which are for directors alone
FORMS = {
    "series_new", "event_new", "penalty_new", "ruling_new", "rules_note",
    "rules_editor", "rules_draft_new", "rules_draft_rule", "rules_import", "rules_announce",
    "exclusions", "exclusion", "desk_born", "players_import", "player_data", "waiting_skip", "waiting_call",
}  # fmt: skip


class Buttons(HTMLParser):
    """The buttons of a page that post: inside a form that posts, or of such a form by its id."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.posting, self.found, self.ids = False, list[str](), set[str | None]()
        self.apart: list[tuple[str | None, str]] = []
        self.feed(html)
        self.found += [words for form, words in self.apart if form in self.ids]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        if tag == "form":
            self.posting = has.get("method") == "post"
            if self.posting:
                self.ids.add(has.get("id"))
        if tag == "button" and "disabled" not in has:
            words = str(has.get("aria-label") or has.get("value") or has.get("class"))
            if has.get("form"):
                self.apart.append((has.get("form"), words))
            elif self.posting:
                self.found.append(words)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.posting = False


def staff_pages() -> Iterator[tuple[str, list[str]]]:
    for pattern in get_resolver().url_patterns:
        for one in getattr(pattern, "url_patterns", []):
            if isinstance(one, URLPattern) and str(one.pattern).startswith("staff/") and one.name:
                yield one.name, list(one.pattern.converters)


@pytest.fixture
def event() -> Event:
    """Two tables being played, one player out, another of them without a seat."""
    event, director = make_running_event(12, seats_per_table=6, late_reg_level=4)
    bust(actor=director, on=event.pk, entry_ids=[entries_at(event, 2)[0].pk])
    return event


def args_of(event: Event, names: list[str]) -> list[Any]:
    known = {
        "event_id": event.pk,
        "slug": event.series.slug,
        "number": 1,
        "player_id": Player.objects.order_by("pk").values_list("pk", flat=True)[0],
        "entry_id": entries_at(event, 1)[0].pk,
        "day_id": event.days.get().pk,
    }
    return [known.get(name, 1) for name in names]


def test_every_page_of_the_staff_opens_for_the_auditor_without_a_button(event: Event):
    client = signed_in(make_user("Ana", role=Role.AUDITOR, series=event.series))
    opened = 0
    wrong = []
    for name, names in staff_pages():
        response = client.get(reverse(name, args=args_of(event, names)))
        if response.status_code not in ((403, 404) if name in FORMS else (200, 302, 404, 405)):
            wrong.append(f"{name}: {response.status_code}")
        elif response.status_code == 200 and "html" in response["Content-Type"]:
            opened += 1
            wrong += [f"{name}: {button}" for button in Buttons(response.content.decode()).found]
    assert wrong == []
    assert opened > 20


@pytest.mark.parametrize(
    ("name", "query"),
    [("table", "?seat=1"), ("table", "?set=button"), ("dealer", "?set=button"), ("dealer", "?set=button&hand=coming")],
)
def test_asking_for_a_form_shows_none(event: Event, name: str, query: str):
    client = signed_in(make_user("Ana", role=Role.AUDITOR, series=event.series))
    response = client.get(reverse(name, args=[event.pk, 1]) + query)
    assert response.status_code == 200
    assert Buttons(response.content.decode()).found == []
    director = signed_in(make_director(event.series))
    assert Buttons(director.get(reverse(name, args=[event.pk, 1]) + query).content.decode()).found


def test_a_hall_before_the_start_shows_no_button_either():
    event = make_event(starts_at=dt.datetime.now(dt.UTC) + dt.timedelta(hours=3), seat_at_buy_in=False)
    director = make_director(event.series)
    add_players(event, 3, director)
    client = signed_in(make_user("Ana", role=Role.AUDITOR, series=event.series))
    for frozen in (False, True):
        if frozen:
            freeze_draw(actor=director, on=event.pk)
        for name in ("floor", "staff_draws", "chairs", "displays", "break_tables"):
            response = client.get(reverse(name, args=[event.pk]))
            assert response.status_code == 200
            assert Buttons(response.content.decode()).found == [], name


def test_a_forged_button_of_the_auditor_is_refused(event: Event):
    client = signed_in(make_user("Ana", role=Role.AUDITOR, series=event.series))
    assert press(client, event, "pause").status_code == 403
    assert press(client, event, "bust", out=entries_at(event, 1)[0].pk).status_code == 403


def test_papers_of_the_auditor_do_not_open_the_player_s_own_page(event: Event):
    entry = entries_at(event, 1)[0]
    token = Player.objects.get(pk=entry.player_id).token
    where = reverse("seat_card", args=[event.pk, entry.pk])
    opened = "The player’s own page"
    assert opened in signed_in(make_director(event.series)).get(where).content.decode()
    page = signed_in(make_user("Ana", role=Role.AUDITOR, series=event.series)).get(where).content.decode()
    assert opened not in page
    assert token not in page


def test_the_desk_and_strangers_still_do_not_see_the_floor(event: Event):
    for role in (Role.DESK, Role.EDITOR):
        assert signed_in(make_user("Ana", role=role, series=event.series)).get(floor_url(event)).status_code == 403
    assert Client().get(floor_url(event)).status_code == 302
