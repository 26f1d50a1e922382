"""What all pages of the staff of an event do alike."""

import re
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.urls import get_resolver, reverse

from series.models import Event
from series.reads.pages import PAGES, SERIES_PAGES
from tables.commands.floor import confirm_move, order_move
from tables.models import Move, Seat
from tests.factories import make_director, make_event, make_running_event
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, signed_in, words

pytestmark = pytest.mark.django_db

REFUSED = [  # a button that every such page has, sent without what it is about
    ("bags", (), "gather", ""),
    ("bounties", (), "name", ""),
    ("purchases", (), "addon", ""),
    ("hand_for_hand", (), "finished", "board"),
    ("dealer", (1,), "finished", "dealer"),
    ("action_clock", (1,), "call", "action"),
]


@pytest.mark.parametrize(("name", "args", "do", "part"), REFUSED)
def test_a_refusal_is_said_once_on_a_page_and_in_a_part_of_it(name: str, args: tuple[int, ...], do: str, part: str):
    event = make_event()
    make_hall(event, (4, 4))
    client = signed_in(make_director(event.series))

    def press(**headers: str) -> HttpResponse:
        address = reverse(name, args=[event.pk, *args])
        return client.post(address, {"do": do, "command_id": uuid.uuid4()}, headers=headers)

    for refused in [press(), *([press(**{"HX-Request": "true", "HX-Target": part})] if part else [])]:
        said = list(refused.context["messages"])
        assert refused.status_code == 422
        assert said
        assert words(refused).count('<div class="notice error"') == len(said)


def staff_addresses(event: Event, **others: Any) -> Iterator[tuple[str, str]]:
    """Name and address of every page under /staff/ that event, series and these others lead to."""
    known = {"event_id": event.pk, "slug": event.series.slug} | others
    names = get_resolver().reverse_dict
    for name in filter(lambda name: isinstance(name, str), names):
        for ways, *_ in names.getlist(name):
            for address, asks in ways:
                if address.startswith("staff/") and set(asks) <= known.keys():
                    yield name, reverse(name, kwargs={ask: known[ask] for ask in asks})


def test_no_id_stands_twice_on_a_page():
    """A label and a link lead to the first of two fields with one id: into another form."""
    terms = {"rebuys": 1, "rebuy_chips": 1_000, "bounty_cents": 1_000}
    event, director = make_running_event(12, seats_per_table=8, entry_rules=terms)
    moved = entries_at(event, 1)[0]
    free = Seat.objects.filter(table__number=2, entry=None).first().number
    order_move(actor=director, on=event.pk, entry_id=moved.pk, table=2, seat=free, reason="Asked by the floor")
    confirm_move(actor=director, on=event.pk, move_id=Move.objects.get().pk)
    client = signed_in(director)
    places = {"number": 1, "player_id": moved.player_id, "day_id": event.days.get().pk, "entry_id": moved.pk}
    pages = [
        *staff_addresses(event, **places),
        ("one seat", reverse("table", args=[event.pk, 2]) + f"?seat={free}"),
        ("one player", reverse("desk", args=[event.pk]) + f"?player={moved.player_id}"),
    ]
    opened, twice = set(), {}
    for name, address in pages:
        response = client.get(address)
        if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
            continue
        opened.add(name)
        ids = Counter(re.findall(r'\sid="([^"]*)"', words(response)))
        twice |= {f"{name}: {one}": count for one, count in ids.items() if count > 1}
    assert twice == {}
    of_the_bars = {page.name for page in PAGES + SERIES_PAGES if not page.by_query and not page.bags}
    of_the_bars.remove("rulebook")  # everybody reads it
    assert of_the_bars | {"table", "one seat", "one player", "series_player"} <= opened
