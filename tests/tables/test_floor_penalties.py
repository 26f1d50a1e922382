"""What the floor sees of penalties and chips: who is away, two taps to a penalty, a table that is off, a held prize."""

import re
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
from journal import guard
from journal.errors import Refused
from rulings.penalty_commands import give_penalty
from series.models import Day, Entry, Event, Payout
from tables.commands.chips import count_chips, forfeit_chips
from tables.commands.clock import jump_clock
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.models import ChipLine, Penalty
from tables.reads.chips import in_play
from tests.factories import make_director, make_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, floor_url, press, signed_in, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall() -> tuple[Event, Day, User]:
    event = make_event()
    day = make_hall(event, (6, 5))
    return event, day, make_director(event.series)


def give(actor: User, entry: Entry, **given: Any) -> Penalty:
    sent = {"offence": "abuse", "facts": "Shouted."} | given
    done = give_penalty(actor=actor, on=entry.event_id, entry_id=entry.pk, **sent)
    return Penalty.objects.get(pk=done.result["penalty"])


def table_url(event: Event, number: int, query: str = "") -> str:
    return reverse("table", args=[event.pk, number]) + query


def send(client: Client, address: str, **sent: Any) -> HttpResponse:
    return client.post(address, {"command_id": uuid.uuid4()} | sent)


# --- penalties --------------------------------------------------------------------------------------------------------
def test_two_taps_lead_from_the_table_to_a_penalty(hall: tuple[Event, Day, User]):
    event, day, director = hall
    client = signed_in(director)
    assert f'href="?day={day.pk}&amp;seat=4#seat"' in words(client.get(table_url(event, 1)))
    link = reverse("penalty_new", args=[event.pk]) + f"?entry={entries_at(event, 1)[3].pk}"
    assert link in words(client.get(table_url(event, 1, "?seat=4")))
    assert client.get(link).status_code == 200


def test_who_is_away_is_shown_at_the_table_and_on_the_floor(hall: tuple[Event, Day, User]):
    event, _, director = hall
    client = signed_in(director)
    away = entries_at(event, 1)[3]
    assert "away on a penalty" not in words(client.get(floor_url(event)))
    give(director, away, sanction="missed_hands", count=3)
    assert words(client.get(floor_url(event))).count("away on a penalty") == 1
    table = words(client.get(table_url(event, 1, "?seat=4")))
    assert "penalty: 3 of 3 hands left" in table
    assert "Away on a penalty: 3 of 3 hands left" in table
    assert "post blinds and antes" in table
    assert "Away on a penalty" not in words(client.get(table_url(event, 1, "?seat=5")))


def test_a_dealer_counts_a_missed_hand_but_is_offered_no_penalty(hall: tuple[Event, Day, User]):
    event, _, director = hall
    penalty = give(director, entries_at(event, 1)[3], sanction="missed_hands", count=3)
    client = signed_in(make_user("Aroha", role=Role.DEALER, series=event.series))
    page = words(client.get(table_url(event, 1, "?seat=4")))
    assert "One hand missed" in page
    assert "Penalty…" not in page
    assert send(client, table_url(event, 1), do="missed", at=4, penalty_id=penalty.pk).status_code == 303
    assert send(client, table_url(event, 1), do="missed", at=4, penalty_id=penalty.pk, redeal="on").status_code == 303
    penalty.refresh_from_db()
    assert (penalty.hands_done, penalty.redeals) == (1, 1)


@pytest.mark.parametrize("count", [1, 3])
def test_penalties_cost_the_floor_no_more_queries(hall: tuple[Event, Day, User], count: int):
    event, _, director = hall
    client = signed_in(director)
    client.get(table_url(event, 1))
    with CaptureQueriesContext(connection) as before:
        client.get(table_url(event, 1))
    for entry in entries_at(event, 1)[:count]:
        give(director, entry, sanction="missed_hands", count=2)
    with CaptureQueriesContext(connection) as after:
        client.get(table_url(event, 1))
    assert len(after) == len(before)


# --- the prize of who was disqualified --------------------------------------------------------------------------------
def test_the_prize_of_a_disqualified_player_waits_for_the_director():
    event = make_event(payout_shares=[6000, 4000])
    make_hall(event, (3,))
    director = make_director(event.series)
    desk = make_user("Tama", role=Role.DESK, series=event.series)
    first, second, third = entries_at(event, 1)
    bust(actor=director, on=event.pk, entry_ids=[first.pk])
    give(director, second, sanction="disqualification", chips=1_000)
    close_entries(actor=director, on=event.pk)
    address = reverse("payouts", args=[event.pk])
    assert "held for the director" in words(signed_in(desk).get(address))
    with pytest.raises(Refused, match="held for the director"):
        pay_out(actor=desk, on=event.pk, entry_id=second.pk, method="cash")
    pay_out(actor=desk, on=event.pk, entry_id=third.pk, method="cash")
    assert "held for the director" in words(signed_in(director).get(address))
    pay_out(actor=director, on=event.pk, entry_id=second.pk, method="cash")
    assert Payout.objects.filter(entry=second).count() == 1
    assert "held for the director" not in words(signed_in(desk).get(address))


# --- chips ------------------------------------------------------------------------------------------------------------
def chips_url(event: Event, query: str = "") -> str:
    return reverse("chips", args=[event.pk]) + query


def test_a_table_that_is_off_is_something_to_do(hall: tuple[Event, Day, User]):
    event, _, director = hall
    client = signed_in(director)
    count_chips(actor=director, on=event.pk, table=2, chips=49_000)
    page = words(client.get(floor_url(event)))
    assert "Table 2 is off" in page
    assert "1,000 chips too few" in page
    count_chips(actor=director, on=event.pk, table=2, chips=50_000)
    assert "is off" not in words(client.get(floor_url(event)))


def test_counting_from_the_page(hall: tuple[Event, Day, User]):
    event, _, _ = hall
    client = signed_in(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    page = words(client.get(chips_url(event)))
    assert "110,000 in play" in page
    assert "should hold 60,000" in page
    assert send(client, chips_url(event), do="count", table=1, chips="60,500").status_code == 303
    page = words(client.get(chips_url(event)))
    assert "Table 1: 500 chips too many" in page
    headers = {"HX-Request": "true", "HX-Target": "counts"}
    sent = {"do": "count", "table": 1, "chips": "many", "command_id": uuid.uuid4()}
    assert client.post(chips_url(event), sent, headers=headers).status_code == 422


@pytest.mark.parametrize("part", ["counts", ""])
def test_a_wrong_count_is_said_beside_its_field_and_kept(hall: tuple[Event, Day, User], part: str):
    event, _, director = hall
    client = signed_in(director)
    headers = {"HX-Request": "true", "HX-Target": part} if part else {}
    wrong = client.post(chips_url(event), {"do": "count", "table": 2, "chips": "many"}, headers=headers)
    assert wrong.status_code == 422
    page = words(wrong)
    assert ("<main" in page) != bool(part)
    assert re.search(r'name="chips" value="many" aria-invalid="true" aria-describedby="chips-2-error" data-focus', page)
    assert re.search(r'id="chips-2-error">[^<]*whole number', page)
    assert page.count("aria-invalid") == 1
    gone = client.post(chips_url(event), {"do": "count", "table": 99, "chips": "50"}, headers=headers)
    assert gone.status_code == 422
    assert "99" in words(gone)
    assert "whole number" not in words(client.get(chips_url(event)))  # nor on a later page


def test_a_forfeit_that_empties_a_stack_leads_to_the_seat_to_bust(hall: tuple[Event, Day, User]):
    event, day, _ = hall
    client = signed_in(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    sent = {"do": "forfeit", "place": "1 4", "chips": "700", "reason": "In a pocket"}
    assert send(client, chips_url(event), **sent | {"place": "1 9"}).status_code == 422
    assert send(client, chips_url(event), **sent | {"reason": ""}).status_code == 422
    assert in_play(day) == 110_000
    assert send(client, chips_url(event), **sent)["Location"].startswith(chips_url(event))
    response = send(client, chips_url(event), **sent, whole_stack="on")
    assert response["Location"].startswith(table_url(event, 1, f"?day={day.pk}&seat=4"))
    page = words(client.get(response["Location"]))
    assert "has no chips left" in page
    assert f'name="out" value="{entries_at(event, 1)[3].pk}"' in page
    assert in_play(day) == 110_000 - 1_400


def test_only_the_director_corrects(hall: tuple[Event, Day, User]):
    event, day, director = hall
    sent = {"do": "correct", "table": "1", "more": "fewer", "chips": "500", "reason": "Never found"}
    floor = signed_in(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    assert "Correct the ledger" not in words(floor.get(chips_url(event)))
    assert send(floor, chips_url(event), **sent).status_code == 403
    assert send(signed_in(director), chips_url(event), **sent).status_code == 303
    assert in_play(day) == 109_500


@pytest.mark.parametrize(
    ("role", "status", "lines"),
    [
        (Role.DIRECTOR, 200, True),
        (Role.FLOOR, 200, True),
        (Role.AUDITOR, 200, True),
        (Role.DESK, 403, False),
        (Role.DEALER, 403, False),
    ],
)
def test_each_role(hall: tuple[Event, Day, User], role: str, status: int, lines: bool):
    event, _, director = hall
    someone = entries_at(event, 1)[0]
    forfeit_chips(actor=director, on=event.pk, entry_id=someone.pk, chips=500, reason="In a pocket")
    client = signed_in(make_user("Staff", role=role, series=event.series))
    response = client.get(chips_url(event))
    assert response.status_code == status
    assert ("In a pocket" in words(response)) == lines
    assert client.get(reverse("chip_race", args=[event.pk])).status_code == status


@pytest.mark.parametrize("sizes", [(4,), (6, 5, 4)])
def test_the_chips_page_takes_the_same_queries_for_any_number_of_tables(sizes: tuple[int, ...]):
    event = make_event()
    make_hall(event, sizes)
    director = make_director(event.series)
    for number, size in enumerate(sizes, start=1):
        count_chips(actor=director, on=event.pk, table=number, chips=size * 10_000)
        forfeit_chips(
            actor=director, on=event.pk, entry_id=entries_at(event, number)[0].pk, chips=100, reason="In a pocket"
        )
    client = signed_in(director)
    client.get(chips_url(event))
    with CaptureQueriesContext(connection) as queries:
        client.get(chips_url(event))
    assert len(queries) == 20, [query["sql"][:120] for query in queries]


def test_a_chip_race_is_worked_out_and_saved(hall: tuple[Event, Day, User]):
    event, day, director = hall
    client = signed_in(director)
    address = reverse("chip_race", args=[event.pk]) + f"?day={day.pk}&table=1"
    assert "How many of it each player holds" in words(client.get(address))
    held = {"old": 25, "new": 100, "held_1": 7, "held_2": 2, "held_3": 1, "only_3": "on"}
    query = "".join(f"&{name}={value}" for name, value in held.items())
    page = words(client.get(address + query))
    for said in ("2 chips raced", "gets 1 new chip, 3 cards in the race", "1 card in the race", "not raced out"):
        assert said in page
    assert not ChipLine.objects.filter(kind="colour_up").exists()
    assert send(client, address, **held, additional=1)["Location"] == chips_url(event, f"?day={day.pk}")
    # 3 + 2 + 1 left over are 150, two new chips are 200, and one more so that nobody is raced out
    assert in_play(day) == 110_000 + 150
    assert send(client, address, **held | {"new": 25}).status_code == 422
    assert client.get(reverse("chip_race", args=[event.pk]) + "?table=77").status_code == 404


def test_the_floor_still_answers_its_other_buttons(hall: tuple[Event, Day, User]):
    event, _, director = hall
    client = signed_in(director)
    assert press(client, event, "bust", part="bust", out=entries_at(event, 1)[0].pk).status_code == 200


def test_the_race_asks_for_the_chip_that_leaves_play_next(hall: tuple[Event, Day, User]):
    event, day, director = hall
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(chips=[25, 100, 500])
        first = event.levels.order_by("position").first()
        event.levels.filter(pk=first.pk).update(remove=[25])
    client, address = signed_in(director), reverse("chip_race", args=[event.pk]) + f"?day={day.pk}&table=1"
    assert client.get(address).context["form"].initial == {"old": 25, "new": 100}
    jump_clock(actor=director, on=event.pk, day_id=day.pk, position=1)
    assert client.get(address).context["form"].initial == {"old": 100, "new": 500}
