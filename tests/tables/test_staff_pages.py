"""What all pages of the staff of an event do alike."""

import uuid

import pytest
from django.http import HttpResponse
from django.urls import reverse

from tests.factories import make_director, make_event
from tests.tables.hall import make_hall
from tests.tables.pages import signed_in, words

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
