"""The pages of penalties: who reads them, giving one, counting, appeals; and that nobody else learns of any."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from config.live import PUBLIC
from journal.models import JournalEntry
from rulings.penalty_commands import appeal_penalty, give_penalty, publish_penalties
from series.models import Day, Entry, Event
from tables.models import Penalty
from tests.factories import make_director, make_event, make_running_event, make_user
from tests.rulings.calculator_pages import Page
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, signed_in, words

pytestmark = pytest.mark.django_db

FACTS, WITNESS = "Threw the cards at somebody.", "The waiter"


@pytest.fixture
def hall() -> tuple[Event, Day, User]:
    event = make_event()
    day = make_hall(event, (6, 5))
    return event, day, make_director(event.series)


def give(actor: User, entry: Entry, **given: Any) -> Penalty:
    sent = {"offence": "abuse", "facts": FACTS, "witness": WITNESS} | given
    done = give_penalty(actor=actor, on=entry.event_id, entry_id=entry.pk, **sent)
    return Penalty.objects.get(pk=done.result["penalty"])


def post(client: Client, address: str, **sent: Any) -> HttpResponse:
    return client.post(address, {"command_id": uuid.uuid4()} | sent)


def do(client: Client, penalty: Penalty, name: str, **sent: Any) -> HttpResponse:
    return post(client, reverse("penalty_do", args=[penalty.pk]), do=name, **sent)


def new_url(entry: Entry) -> str:
    return reverse("penalty_new", args=[entry.event_id]) + f"?entry={entry.pk}"


# --- giving -----------------------------------------------------------------------------------------------------------
def test_a_penalty_is_given_as_suggested_and_counted_on_its_page(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    give(director, someone)
    client = signed_in(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    page = words(client.get(new_url(someone)))
    assert "1 missed round, 1 before" in page
    assert "a verbal warning" in page
    response = post(client, new_url(someone), offence="abuse", sanction="suggested", facts=FACTS)
    penalty = Penalty.objects.latest("pk")
    assert (response.status_code, response["Location"]) == (303, reverse("penalty", args=[penalty.pk]))
    page = words(client.get(response["Location"]))
    for said in ("1 missed round", "6 of 6 hands left", FACTS, "Wiremu", "Blinds and antes are posted"):
        assert said in page
    assert do(client, penalty, "count").status_code == 303
    assert "5 of 6 hands left" in words(client.get(reverse("penalties", args=[event.pk])))
    assert do(client, penalty, "redeal").status_code == 303
    assert do(client, penalty, "redeal").status_code == 422
    penalty.refresh_from_db()
    assert penalty.hands_left == 6


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"offence": ""}, "This field is required"),
        ({"facts": ""}, "This field is required"),
        ({"sanction": "missed_hands"}, "between 1 and 99"),
        ({"sanction": "missed_rounds", "count": "2"}, "for the director"),
        ({"sanction": "disqualification", "chips": "500"}, "for the director"),
    ],
)
def test_what_is_wrong_is_told_and_what_was_typed_is_kept(
    hall: tuple[Event, Day, User], given: dict[str, str], said: str
):
    event, _, _ = hall
    client = signed_in(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    sent = {"offence": "abuse", "sanction": "suggested", "facts": FACTS, "witness": WITNESS} | given
    response = post(client, new_url(entries_at(event, 1)[0]), **sent)
    assert response.status_code == 422
    assert said in words(response)
    assert WITNESS in words(response)
    assert not Penalty.objects.exists()


def test_the_offence_in_the_address_is_chosen_already(hall: tuple[Event, Day, User]):
    event, _, director = hall
    client, address = signed_in(director), new_url(entries_at(event, 1)[0])
    page = client.get(address + "&offence=dodged_blinds").content.decode()
    assert Page(page).checked["offence"] == ["dodged_blinds"]
    assert "offence" not in Page(client.get(address + "&offence=flying").content.decode()).checked


def test_a_player_is_found_by_name(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 2)[2]
    client = signed_in(director)
    page = words(client.get(reverse("penalty_new", args=[event.pk]), {"find": someone.player.public_name}))
    assert f"?entry={someone.pk}" in page
    assert "Nobody of that name" in words(client.get(reverse("penalty_new", args=[event.pk]), {"find": "Xerxes"}))
    assert client.get(reverse("penalty_new", args=[event.pk]) + "?entry=999999").status_code == 404


def test_appeal_and_withdrawal(hall: tuple[Event, Day, User]):
    event, _, director = hall
    penalty = give(director, entries_at(event, 1)[0])
    floor, other = make_user("Wiremu", role=Role.FLOOR, series=event.series), make_director(event.series)
    assert do(signed_in(floor), penalty, "appeal", grounds="It slipped.").status_code == 303
    address = reverse("penalty", args=[penalty.pk])
    assert "Waits for a director" in words(signed_in(director).get(address))
    assert "Decide the appeal" in words(signed_in(other).get(address))
    assert do(signed_in(director), penalty, "decide", outcome="upheld", note="So.").status_code == 422
    assert do(signed_in(floor), penalty, "decide", outcome="upheld", note="So.").status_code == 403
    assert do(signed_in(other), penalty, "decide", outcome="upheld", note="").status_code == 422
    assert do(signed_in(other), penalty, "decide", outcome="upheld", note="Seen by all.").status_code == 303
    assert "Seen by all." in words(signed_in(floor).get(address))
    assert do(signed_in(floor), penalty, "withdraw", why="").status_code == 422
    assert do(signed_in(floor), penalty, "withdraw", why="A second look.").status_code == 303
    assert "A second look." in words(signed_in(floor).get(address))
    assert do(signed_in(floor), penalty, "dance").status_code == 404


def test_the_history_is_that_of_the_series(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    give(director, someone)
    address = reverse("penalty_history", args=[event.series.slug, someone.player_id])
    assert "Abuse of a player or of staff" in words(signed_in(director).get(address))
    foreign = make_event()
    elsewhere = reverse("penalty_history", args=[foreign.series.slug, someone.player_id])
    assert signed_in(make_director(foreign.series)).get(elsewhere).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_the_register_takes_the_same_queries_for_any_number(hall: tuple[Event, Day, User], count: int):
    event, _, director = hall
    for entry in entries_at(event, 1)[:count]:
        give(director, entry, sanction="missed_hands", count=2)
        give(director, entry)
    client = signed_in(director)
    address = reverse("penalties", args=[event.pk])
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    assert len(queries) == 7, [query["sql"] for query in queries]


# --- who learns of it -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("role", "reads", "gives"),
    [
        (Role.DIRECTOR, 200, 200),
        (Role.FLOOR, 200, 200),
        (Role.AUDITOR, 200, 403),
        (Role.DESK, 403, 403),
        (Role.DEALER, 403, 403),
        (Role.EDITOR, 403, 403),
    ],
)
def test_each_role(hall: tuple[Event, Day, User], role: str, reads: int, gives: int):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    penalty = give(director, someone)
    client = signed_in(make_user("Staff", role=role, series=event.series))
    for name, arguments in (
        ("penalties", [event.pk]),
        ("penalty", [penalty.pk]),
        ("penalty_history", [event.series.slug, someone.player_id]),
    ):
        assert client.get(reverse(name, args=arguments)).status_code == reads, name
    assert client.get(new_url(someone)).status_code == gives
    answer = do(client, penalty, "appeal")
    assert answer.status_code == (303 if gives == 200 else 403)


def test_staff_of_another_series_and_visitors_get_nothing(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    penalty = give(director, someone)
    stranger = signed_in(make_director(make_event().series))
    for address in (
        reverse("penalties", args=[event.pk]),
        reverse("penalty", args=[penalty.pk]),
        reverse("penalty_history", args=[event.series.slug, someone.player_id]),
        new_url(someone),
    ):
        assert stranger.get(address).status_code == 403
        assert Client().get(address).status_code == 302
    assert Client().get(reverse("penalty_summary", args=[event.series.slug])).status_code == 404


def test_no_public_page_and_no_live_message_tells_of_a_penalty():
    event, director = make_running_event(8)
    serving, gone = entries_at(event, 1)[:2]
    addresses = {
        name: reverse(name, args=arguments)
        for name, arguments in {
            "home": [],
            "schedule": [event.series.slug],
            "event": [event.pk],
            "seats": [event.pk],
            "clock": [event.pk],
            "display": [event.pk],
            "results": [event.pk],
            "draws": [event.pk],
            "rulebook": [event.series.slug],
            "my_page": [serving.player.token],
        }.items()
    }
    visitor = Client()
    before = {name: words(visitor.get(address)) for name, address in addresses.items()}
    penalty = give(director, serving, sanction="missed_rounds", count=1)
    appeal_penalty(actor=director, on=event.pk, penalty_id=penalty.pk, grounds="It slipped.")
    give(director, gone, sanction="disqualification", chips=500)
    told = ("away on a penalty", "hands left", "disqualif", FACTS, WITNESS, "It slipped", "Abuse of a player")
    for name, address in addresses.items():
        response = visitor.get(address)
        assert response.status_code == 200, name
        for said in told:
            assert words(response).lower().count(said.lower()) == before[name].lower().count(said.lower()), (name, said)
    touched = {label for entry in JournalEntry.objects.filter(verb__startswith="penalty") for label in entry.touches}
    assert "tables.penalty" in touched
    assert "tables.penalty" not in PUBLIC
    assert not any("chip" in label for label in PUBLIC)


def test_the_summary_is_numbers_alone_and_only_if_the_director_publishes_it(hall: tuple[Event, Day, User]):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    give(director, someone)
    address = reverse("penalty_summary", args=[event.series.slug])
    floor = signed_in(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    publish = reverse("penalties_publish", args=[event.series.slug])
    assert post(floor, publish, wanted="on").status_code == 403
    assert "Publish the numbers" not in words(floor.get(reverse("penalties", args=[event.pk])))
    response = post(signed_in(director), publish, wanted="on", event=event.pk)
    assert (response.status_code, response["Location"]) == (303, reverse("penalties", args=[event.pk]))
    page = words(Client().get(address))
    assert "Abuse of a player or of staff" in page
    for hidden in (someone.player.public_name, FACTS, WITNESS, event.name, "Mere"):
        assert hidden not in page
    publish_penalties(actor=director, on=event.series_id, wanted=False)
    assert Client().get(address).status_code == 404
