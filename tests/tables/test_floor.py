"""The floor page: who sees what, every button with and without JavaScript, and what is refused."""

import datetime as dt
import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from series.models import Entry, Event
from tables.models import Clock, Elimination, Seat, Table
from tables.reads.standings import standings
from tests.factories import add_players, make_director, make_event, make_running_event, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at, floor_url, press, signed_in, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def running() -> tuple[Event, Client]:
    event, director = make_running_event(12, seats_per_table=6)
    return event, signed_in(director)


# --- who sees what ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "status", "buttons"),
    [
        (Role.DIRECTOR, 200, {"pause", "bust"}),
        (Role.FLOOR, 200, {"pause", "bust"}),
        (Role.DEALER, 200, set()),
        (Role.DESK, 403, set()),
        (Role.AUDITOR, 200, set()),
        (Role.EDITOR, 403, set()),
    ],
)
def test_each_role_sees_its_part(running: tuple[Event, Client], role: str, status: int, buttons: set[str]):
    event, _ = running
    client = signed_in(make_user("Ana", role=role, series=event.series))
    response = client.get(floor_url(event) + f"?out={entries_at(event, 1)[0].pk}")
    assert response.status_code == status
    assert {do for do in ("pause", "bust") if f'name="do" value="{do}"' in words(response)} == buttons


def test_strangers_are_asked_to_sign_in_and_other_series_keep_out(running: tuple[Event, Client]):
    event, _ = running
    assert Client().get(floor_url(event)).status_code == 302
    other = make_event()
    assert signed_in(make_director(other.series)).get(floor_url(event)).status_code == 403


def test_a_dealer_cannot_bust_by_a_forged_form(running: tuple[Event, Client]):
    event, _ = running
    client = signed_in(make_user("Ana", role=Role.DEALER, series=event.series))
    assert press(client, event, "bust", out=entries_at(event, 1)[0].pk).status_code == 403
    assert not Elimination.objects.exists()


# --- parts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["clock", "todo", "bust", "tables", "recent", "field"])
def test_each_part_comes_alone(running: tuple[Event, Client], part: str):
    event, client = running
    response = client.get(floor_url(event), headers={"HX-Request": "true", "HX-Target": part})
    assert response.status_code == 200
    assert f'id="{part}"' in words(response)
    assert "<html" not in words(response)
    assert words(response).count("<section") >= 1


def test_the_parts_name_the_tables_whose_changes_they_show(running: tuple[Event, Client]):
    event, client = running
    page = words(client.get(floor_url(event)))
    assert f'data-live="event:{event.pk}"' in page
    assert page.count("data-live-on=") == 5


# --- busts -----------------------------------------------------------------------------------------------------------


def test_a_player_goes_out_by_a_plain_form_and_comes_back_by_undo(running: tuple[Event, Client]):
    event, client = running
    out = entries_at(event, 1)[0]
    response = press(client, event, "bust", out=out.pk)
    assert response.status_code == 303
    assert Entry.objects.get(pk=out.pk).status == Entry.Status.OUT
    page = words(client.get(response["Location"]))
    assert f"{out.player.public_name} is out" in page
    assert "/staff/undo/" in page
    entry = client.get(response["Location"]).context["done"]
    undone = client.post(reverse("undo", args=[entry.id]), {"command_id": uuid.uuid4(), "next": floor_url(event)})
    assert undone.status_code == 303
    assert Entry.objects.get(pk=out.pk).status == Entry.Status.PLAYING


def test_two_of_one_table_are_ranked_by_their_stacks(running: tuple[Event, Client]):
    event, client = running
    small, large = entries_at(event, 1)[:2]
    page = words(client.get(floor_url(event) + f"?out={small.pk}&out={large.pk}"))
    assert f'name="stack_{small.pk}"' in page
    response = press(
        client,
        event,
        "bust",
        out=[small.pk, large.pk],
        **{f"stack_{small.pk}": "4,000", f"stack_{large.pk}": "9000"},
    )
    assert response.status_code == 303
    assert [(place.entry_id, place.best) for place in standings(event)] == [(large.pk, 11), (small.pk, 12)]


def test_two_of_different_tables_need_no_stack_and_share(running: tuple[Event, Client]):
    event, client = running
    pair = [entries_at(event, 1)[0].pk, entries_at(event, 2)[0].pk]
    assert "stack_" not in words(client.get(floor_url(event) + f"?out={pair[0]}&out={pair[1]}"))
    press(client, event, "bust", out=pair)
    assert {(place.best, place.worst) for place in standings(event)} == {(11, 12)}


def test_what_was_typed_survives_a_refusal(running: tuple[Event, Client]):
    event, client = running
    pair = entries_at(event, 1)[:2]
    response = press(
        client,
        event,
        "bust",
        part="bust",
        out=[entry.pk for entry in pair],
        **{f"stack_{pair[0].pk}": "lots", f"stack_{pair[1].pk}": "9000"},
    )
    assert response.status_code == 422
    assert 'value="lots"' in words(response)
    assert 'value="9000"' in words(response)
    assert "Write a whole number" in words(response)
    assert not Elimination.objects.exists()


def test_not_everybody_can_be_out(running: tuple[Event, Client]):
    event, client = running
    everybody = list(event.entries.values_list("pk", flat=True))
    response = press(client, event, "bust", out=everybody)
    assert response.status_code == 422
    assert "Somebody must be left" in words(response)
    assert words(response).count('name="out"') >= len(everybody)


def test_a_form_sent_twice_busts_once(running: tuple[Event, Client]):
    event, client = running
    out, once = entries_at(event, 1)[0].pk, uuid.uuid4()
    first = press(client, event, "bust", out=out, command_id=once)
    again = press(client, event, "bust", out=out, command_id=once)
    assert (first.status_code, again.status_code) == (303, 303)
    assert first["Location"] == again["Location"]
    assert Elimination.objects.count() == 1


@pytest.mark.parametrize("typed", ["1 2", "2", "zoe", "NGAIO tuhoe"])
def test_players_are_found_by_place_and_by_plain_letters(typed: str):
    event = make_event(seats_per_table=6)
    director = make_director(event.series)
    make_hall(event, (4, 4))
    client = signed_in(director)
    names = {"zoe": "Zoë", "NGAIO tuhoe": "Ngāio Tūhoe"}
    headers = {"HX-Request": "true", "HX-Target": "bust-hits"}
    response = client.get(floor_url(event), {"find": typed}, headers=headers)
    hits = re.findall(
        r'name="add" value="(\d+)"><span class="grow">([^<]+)</span><b[^>]+>T(\d+) seat (\d+)', words(response)
    )
    assert hits
    for _, name, table, seat in hits:
        if typed in names:
            assert name.startswith(names[typed])
        else:
            assert f"{table} {seat}".startswith(typed)
    assert "<section" not in words(response)


def test_enter_takes_the_only_hit_and_a_hit_is_added_to_those_chosen(running: tuple[Event, Client]):
    event, client = running
    first, second, third = entries_at(event, 1)[:3]
    spot = Seat.objects.get(entry=first)
    page = client.get(floor_url(event), {"find": f"1 {spot.number}"})
    assert [row.sitter.entry_id for row in page.context["chosen"]] == [first.pk]
    page = client.get(floor_url(event), {"out": [first.pk, second.pk], "add": third.pk})
    assert [row.sitter.entry_id for row in page.context["chosen"]] == [first.pk, second.pk, third.pk]
    page = client.get(floor_url(event), {"out": [first.pk, second.pk], "less": first.pk})
    assert [row.sitter.entry_id for row in page.context["chosen"]] == [second.pk]


# --- the clock -------------------------------------------------------------------------------------------------------


def test_pause_go_on_more_time_and_another_level(running: tuple[Event, Client]):
    event, client = running
    clock = Clock.objects.get(day__event=event)
    assert press(client, event, "pause", part="clock").status_code == 200
    clock.refresh_from_db()
    assert clock.status == "paused"
    remaining = clock.remaining
    press(client, event, "adjust", seconds=60)
    clock.refresh_from_db()
    assert clock.remaining == remaining + dt.timedelta(minutes=1)
    press(client, event, "resume")
    press(client, event, "jump", position=2)
    press(client, event, "pause_after", wanted="on")
    clock.refresh_from_db()
    assert (clock.status, clock.position, clock.pause_after) == ("running", 2, True)
    press(client, event, "pause_after")
    clock.refresh_from_db()
    assert not clock.pause_after


def test_who_was_too_late_sees_how_it_stands_and_who_was_first(running: tuple[Event, Client]):
    event, client = running
    seen = Event.objects.get(pk=event.pk).seq
    press(client, event, "pause")
    for part in ("clock", ""):
        response = press(client, event, "pause", part=part, version=seen)
        assert response.status_code == 409
        assert "This changed while you looked: “Clock paused in level 1" in words(response)
        assert "by Mere" in words(response)
        assert 'value="resume"' in words(response)
        assert ("<html" in words(response)) == (not part)


def test_just_now_is_what_the_floor_did(running: tuple[Event, Client]):
    event, client = running
    press(client, event, "pause")
    add_players(event, 9, make_director(event.series))
    verbs = [said.verb for said, _ in client.get(floor_url(event)).context["recent"]]
    assert verbs[:2] == ["clock.pause", "clock.start"]
    assert not [verb for verb in verbs if verb.startswith(("registration.", "entry.buy_in", "player.", "event."))]


def test_an_answer_tells_the_other_parts_and_offers_undo(running: tuple[Event, Client]):
    event, client = running
    response = press(client, event, "pause", part="clock")
    assert response["HX-Trigger"] == "floor-changed"
    page = words(response)
    assert page.index('class="undo"') < page.index('id="clock"')  # in the flow, above the part that was pressed
    assert 'id="done" hx-swap-oob="delete"' in page
    assert "/staff/undo/" in words(response)


@pytest.mark.parametrize(
    ("do", "sent", "said"),
    [
        ("resume", {}, "The clock is not paused"),
        ("adjust", {"seconds": -9999}, "To end it now"),
        ("jump", {"position": 99}, "The structure has no item 100"),
        ("start", {}, "The clock has been started already"),
        ("adjust", {"seconds": "soon"}, "whole number"),
        ("arrived", {"move_id": 999}, "There is no move to confirm"),
        ("break", {"table": 77}, "Table 77 is not open"),
    ],
)
def test_a_button_that_cannot_be_carried_out_says_why(running: tuple[Event, Client], do: str, sent: dict, said: str):
    event, client = running
    response = press(client, event, do, part="clock", **sent)
    assert response.status_code == 422
    assert said in words(response)


def test_an_unknown_button_is_not_found(running: tuple[Event, Client]):
    event, client = running
    assert press(client, event, "launch").status_code == 404


# --- before the start ------------------------------------------------------------------------------------------------


def test_from_the_draw_to_the_start_of_the_clock():
    event = make_event(seat_at_buy_in=False)
    director = make_director(event.series)
    add_players(event, 11, director)
    client = signed_in(director)
    page = words(client.get(floor_url(event)))
    assert "<b>11 without a seat</b>" in page
    assert 'value="draw"' in page
    assert 'value="start"' not in page
    assert press(client, event, "draw", part="clock").status_code == 200
    assert Seat.objects.filter(entry__isnull=False).count() == 11
    assert 'value="start"' in words(client.get(floor_url(event)))
    assert press(client, event, "start").status_code == 303
    event.refresh_from_db()
    assert event.status == Event.Status.RUNNING


def test_tables_are_opened_before_anybody_comes():
    event = make_event()
    client = signed_in(make_director(event.series))
    assert press(client, event, "draw", tables=3).status_code == 303
    assert Table.objects.filter(day__event=event).count() == 3
    assert press(client, event, "draw", tables=0, part="clock").status_code == 422


def test_registration_is_closed(running: tuple[Event, Client]):
    event, client = running
    assert 'value="close_entries"' in words(client.get(floor_url(event)))
    assert press(client, event, "close_entries", part="field").status_code == 200
    assert event.days.get().entries_closed
    assert "Registration closed." in words(client.get(floor_url(event)))


def test_a_finished_event_leads_to_its_payouts(running: tuple[Event, Client]):
    event, client = running
    press(client, event, "close_entries")
    *others, _ = list(event.entries.values_list("pk", flat=True))
    press(client, event, "bust", out=others)
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    page = words(client.get(floor_url(event)))
    assert reverse("payouts", args=[event.pk]) in page
    assert 'value="pause"' not in page
