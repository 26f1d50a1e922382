"""The desk and the age: the birth date as understood, the venue's minimum, the reading of the rule, a closed event."""

import datetime as dt

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from journal.errors import Refused
from series.commands.people import register, sight_id
from series.models import Entry, Event, IdCheck, Player, Registration
from tables.commands.entries import buy_in
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user
from tests.tables.at_the_desk import HTMX, address, card

pytestmark = pytest.mark.django_db

EVENING = dt.datetime(2026, 7, 4, 8, 0, tzinfo=dt.UTC)  # Saturday 4 July, 20:00 in Auckland
AFTER_MIDNIGHT = dt.datetime(2026, 7, 4, 12, 30, tzinfo=dt.UTC)
BORN = dt.date(2008, 7, 5)


def born(client: Client, event: Event, text: str) -> str:
    response = client.get(reverse("desk_born", args=[event.pk]), {"birth_date": text}, headers=HTMX)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_what_is_typed_is_said_back(client: Client) -> None:
    with time_machine.travel(EVENING, tick=False):
        event = make_event()
        client.force_login(make_user(role=Role.DESK, series=event.series))
        for text in ("3.4.80", "3/4/1980", "3 4 80", "19800403"):
            assert "3 April 1980</b> · 46 on the day" in born(client, event, text)
        assert "too young" in born(client, event, "5.7.08")
        assert "no such day" in born(client, event, "30/2/2000")
        assert born(client, event, "") == ""
        assert born(client, event, "9" * 5000).startswith("Write the birth date")


def test_only_who_registers_players_asks_for_a_birth_date(client: Client) -> None:
    event = make_event()
    client.force_login(make_user(role=Role.DEALER, series=event.series))
    assert client.get(reverse("desk_born", args=[event.pk])).status_code == 403


def test_in_a_casino_everybody_is_20_and_an_id_seen_for_18_does_not_do(client: Client) -> None:
    hall = make_event()
    director = make_director(hall.series)
    casino = make_event(make_series(venue_kind="casino"))
    assert (hall.age_required, casino.age_required) == (18, 20)
    nineteen = (dt.datetime.now(dt.UTC) - dt.timedelta(days=19 * 366)).date()
    with pytest.raises(Refused, match="20 or over"):
        register(actor=make_director(casino.series), on=casino.pk, name="Jo", birth_date=nineteen)
    add_players(hall, 1, director)
    player = Player.objects.get()
    owner = make_user(owner=True)
    held = register(actor=owner, on=casino.pk, player_id=player.pk).result["registration"]
    with pytest.raises(Refused, match="Look at the player's ID first: it must show 20"):
        buy_in(actor=owner, on=casino.pk, registration_id=held, method="cash")
    buy_in(actor=owner, on=casino.pk, registration_id=held, method="cash", id_kind="passport")
    assert set(IdCheck.objects.values_list("age", flat=True)) == {18, 20}
    for page in ("event", "sign_up"):
        text = client.get(reverse(page, args=[casino.pk])).content.decode()
        assert "You must be 20 on the day the event starts: it is played in a casino" in text


@pytest.mark.parametrize("rule", ["at_start", "at_seating"])
def test_who_turns_18_at_midnight_enters_late_where_the_series_says_so(rule: str) -> None:
    with time_machine.travel(EVENING - dt.timedelta(hours=1), tick=False) as clock:
        series = make_series(options={"age_rule": rule})
        event = make_event(series, starts_at=EVENING, late_reg_level=None)
        director = make_director(series)
        with pytest.raises(Refused, match="18 or over"):
            register(actor=director, on=event.pk, name="Jo", birth_date=BORN)
        clock.move_to(AFTER_MIDNIGHT)
        if rule == "at_start":
            with pytest.raises(Refused, match="on the day this event starts"):
                register(actor=director, on=event.pk, name="Jo", birth_date=BORN)
            return
        held = register(actor=director, on=event.pk, name="Jo", birth_date=BORN).result["registration"]
        buy_in(actor=director, on=event.pk, registration_id=held, method="cash", id_kind="passport")
        assert Entry.objects.count() == 1


def test_a_series_may_refuse_who_is_too_young_today() -> None:
    with time_machine.travel(EVENING, tick=False):
        event = make_event(
            make_series(options={"early_registration": "refuse"}), starts_at=EVENING + dt.timedelta(days=9)
        )
        with pytest.raises(Refused, match="on the day you turn 18"):
            register(actor=make_director(event.series), on=event.pk, name="Jo", birth_date=BORN)


def test_no_id_proves_an_age_that_is_not_reached_yet() -> None:
    with time_machine.travel(EVENING, tick=False):
        event = make_event(starts_at=EVENING + dt.timedelta(days=9))
        director = make_director(event.series)
        held = register(actor=director, on=event.pk, name="Jo", birth_date=BORN).result
        with pytest.raises(Refused, match="18 or over"):
            sight_id(actor=director, on=event.pk, player_id=held["player"], kind="passport")
        assert not IdCheck.objects.exists()


def test_the_desk_hears_how_old_a_hospitality_card_may_be(client: Client) -> None:
    with time_machine.travel(EVENING, tick=False):
        event = make_event()
        client.force_login(make_user(role=Role.DESK, series=event.series))
        add_players(event, 1, make_director(event.series), paid=False)
        page = card(client, event, Registration.objects.get().player)
    assert "issued since 4 July 2016" in page
    assert "The ID says another date" in page


def test_the_desk_of_a_finished_event_says_first_that_it_is_closed(client: Client) -> None:
    event, _ = make_running_event(3)
    client.force_login(make_user(role=Role.DESK, series=event.series))
    page = client.get(address(event)).content.decode()
    assert "places left" in page
    assert "New player" in page

    with guard.writing():
        Event.objects.filter(pk=event.pk).update(status=Event.Status.FINISHED)
    for query in ({}, {"q": "Nobody Atall"}, {"new": "1"}):
        page = client.get(address(event), query).content.decode()
        assert "Registration for this event is closed." in page
        assert "left</span>" not in page
        assert "New player" not in page
        assert "Register for" not in page
