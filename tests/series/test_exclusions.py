"""Exclusions: every door refuses, nobody but a director reads whom and why, a player's own cannot be shortened."""

import datetime as dt
import json
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal.actors import Visitor
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry, RowChange
from journal.undo import undo
from series.commands.exclusions import change_exclusion, exclude, exclude_self, lift_exclusion
from series.commands.people import register, sign_up
from series.models import Entry, Event, Exclusion, Organiser, Player, Registration
from tables.commands.entries import buy_in, reenter
from tables.commands.floor import bust
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user
from tests.tables.at_the_desk import card, form, pay, send

pytestmark = pytest.mark.django_db

BORN = dt.date(1990, 1, 1)
REFER = "Refer to the tournament director"


@pytest.fixture
def event() -> Event:
    return make_event(make_series(contact="td@example.nz"))


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def shut_out(event: Event, director: User, name: str = "Jo Smith", **given: Any) -> Exclusion:
    values = {"name": name, "birth_date": BORN, "until": None, "why": "stole chips"} | given
    return Exclusion.objects.get(pk=exclude(actor=director, on=event.series_id, **values).result["exclusion"])


def sign_up_as(event: Event, name: str) -> None:
    version = event.series.rulebook_versions.get().pk
    given = {"day_id": None, "birth_date": BORN, "email": "jo@example.nz", "phone": "", "rulebook_version_id": version}
    sign_up(actor=Visitor(), on=event.pk, name=name, **given)


def test_every_door_refuses_also_a_new_record_in_another_series(event: Event, director: User) -> None:
    other = make_event()
    held = register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN).result["registration"]
    shut_out(event, director)
    with pytest.raises(Refused, match=REFER):
        buy_in(actor=director, on=event.pk, registration_id=held, method="cash", id_kind="passport")
    with pytest.raises(Refused, match=REFER):
        register(actor=make_director(other.series), on=other.pk, name="  jo SMITH ", birth_date=BORN)
    with pytest.raises(Refused, match="Please speak to the organiser") as refused:
        sign_up_as(other, "Jö Smith")
    assert "director" not in refused.value.message
    assert (Entry.objects.count(), Player.objects.count()) == (0, 1)
    register(actor=make_director(other.series), on=other.pk, name="Jo Smith", birth_date=BORN.replace(year=1991))


def test_no_re_entry_either() -> None:
    event, director = make_running_event(4, max_reentries=1)
    entry = event.entries.order_by("pk")[0]
    bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    shut_out(event, director, entry.player.name)
    with pytest.raises(Refused, match=REFER):
        reenter(actor=director, on=event.pk, player_id=entry.player_id, method="cash")
    assert event.entries.count() == 4


def test_the_public_hears_whom_to_write_to(event: Event, director: User, client: Client) -> None:
    shut_out(event, director)
    given = {
        "name": "Jo Smith", "birth_date": "1/1/1990", "contact": "jo@example.nz", "rules": "on", "privacy": "on",
        "rules_version": event.series.rulebook_versions.get().pk,
    }  # fmt: skip
    response = client.post(reverse("sign_up", args=[event.pk]), form(**given))
    assert response.status_code == 422
    page = response.content.decode()
    assert "We cannot take this registration. Please write to td@example.nz." in page
    assert "exclu" not in page
    assert "stole chips" not in page


def test_it_ends_when_it_says(event: Event, director: User) -> None:
    now = dt.datetime(2026, 7, 1, 0, 0, tzinfo=dt.UTC)
    with time_machine.travel(now, tick=False) as clock:
        event = make_event(event.series, starts_at=now + dt.timedelta(days=30))
        shut_out(event, director, until=now + dt.timedelta(days=2))
        clock.move_to(now + dt.timedelta(days=2, seconds=-1))
        with pytest.raises(Refused, match=REFER):
            register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)
        clock.move_to(now + dt.timedelta(days=2))
        register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "ß" * 41}, "name"),
        ({"why": ""}, "why"),
        ({"until": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}, "until"),
    ],
)
def test_what_cannot_be(event: Event, director: User, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        shut_out(event, director, **given)
    assert refused.value.field == field
    assert not Exclusion.objects.exists()


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.AUDITOR, Role.DEALER, Role.EDITOR])
def test_for_directors_alone(event: Event, director: User, client: Client, role: str) -> None:
    row = shut_out(event, director)
    user = make_user(role=role, series=event.series)
    with pytest.raises(NotAllowed):
        shut_out(event, user)
    with pytest.raises(NotAllowed):
        change_exclusion(actor=user, on=event.series_id, exclusion_id=row.pk, until=None, why="x")
    with pytest.raises(NotAllowed):
        lift_exclusion(actor=user, on=event.series_id, exclusion_id=row.pk, why="x")
    client.force_login(user)
    assert client.get(reverse("exclusions", args=[event.series.slug])).status_code == 403
    assert client.get(reverse("exclusion", args=[event.series.slug, row.pk])).status_code == 403


def test_the_journal_says_neither_whom_nor_why(event: Event, director: User) -> None:
    shut_out(event, director)
    entry = JournalEntry.objects.get(verb="exclusion.add")
    kept = json.dumps([entry.text, entry.facts, entry.result, entry.reason, list(RowChange.objects.values("after"))])
    assert "An exclusion was recorded" in kept
    assert "Smith" not in kept
    assert "stole" not in kept
    assert "1990" not in kept
    undo(actor=director, entry_id=entry.pk)
    register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)


def test_changed_and_lifted(event: Event, director: User) -> None:
    row = shut_out(event, director)
    end = dt.datetime.now(dt.UTC) + dt.timedelta(days=5)
    change_exclusion(actor=director, on=event.series_id, exclusion_id=row.pk, until=end, why="other words")
    row.refresh_from_db()
    assert (row.until, row.reason) == (end, "other words")
    with pytest.raises(Refused, match="Say why"):
        lift_exclusion(actor=director, on=event.series_id, exclusion_id=row.pk, why=" ")
    lift_exclusion(actor=director, on=event.series_id, exclusion_id=row.pk, why="a mistake")
    register(actor=director, on=event.pk, name="Jo Smith", birth_date=BORN)
    with pytest.raises(Refused, match="lifted already"):
        lift_exclusion(actor=director, on=event.series_id, exclusion_id=row.pk, why="again")


# --- pages ------------------------------------------------------------------------------------------------------------


def test_a_director_excludes_changes_and_lifts(event: Event, director: User, client: Client) -> None:
    client.force_login(director)
    page = reverse("exclusions", args=[event.series.slug])
    bad = client.post(page, form(name="Jo Smith", birth_date="30/2/1990", until="nonsense", why=""))
    assert bad.status_code == 422
    assert "There is no such day in the calendar." in bad.content.decode()
    assert client.post(page, form(name="J", birth_date="1.1.90", until="9999-12-31", why="x")).status_code == 422
    assert not Exclusion.objects.exists()
    assert client.post(page, form(name="Jo Smith", birth_date="1.1.90", until="2099-02-03", why="x")).status_code == 303
    row = Exclusion.objects.get()
    assert row.until.astimezone(event.series.tz) == dt.datetime(2099, 2, 4, tzinfo=event.series.tz)
    assert "Jo Smith" in client.get(page).content.decode()
    one = reverse("exclusion", args=[event.series.slug, row.pk])
    assert 'value="2099-02-03"' in client.get(one).content.decode()
    assert client.post(one, form(until="", why="still")).status_code == 303
    assert client.post(one, form(do="lift", why="")).status_code == 422
    assert client.post(one, form(do="lift", why="an error")).status_code == 303
    assert not Exclusion.objects.in_force(dt.datetime.now(dt.UTC)).exists()
    assert "lifted" in client.get(page).content.decode()
    assert client.get(reverse("exclusion", args=[event.series.slug, 10**12])).status_code == 404


def test_the_desk_sees_where_to_send_them_and_not_why(event: Event, director: User, client: Client) -> None:
    add_players(event, 2, director, paid=False)
    held = Registration.objects.order_by("pk")[0]
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert REFER not in card(client, event, held.player)
    shut_out(event, director, held.player.name)
    page = card(client, event, held.player)
    assert REFER in page
    assert "Take $" not in page
    assert "stole" not in page
    assert reverse("exclusions", args=[event.series.slug]) not in page
    assert pay(client, held).status_code == 422
    assert send(client, "desk_register", event, held.player).status_code == 422


def test_a_player_takes_a_break_and_cannot_shorten_it(event: Event, director: User, client: Client) -> None:
    add_players(event, 1, director, paid=False)
    held = Registration.objects.get()
    page = reverse("take_a_break", args=[held.player.token])
    assert page in client.get(reverse("my_page", args=[held.player.token])).content.decode()
    first = client.get(page).content.decode()
    assert "0800 664 262" in first
    assert "0800 53 00 00" in first
    for given in ({}, {"months": "6"}, {"months": "5", "sure": "on"}, {"months": "x", "sure": "on"}):
        assert client.post(page, form(**given)).status_code == 422
    assert not Exclusion.objects.exists()
    assert client.post(page, form(months="6", sure="on")).status_code == 303
    row = Exclusion.objects.get()
    assert row.by_player
    held.refresh_from_db()
    assert held.status == Registration.Status.WITHDRAWN
    assert "You are taking a break" in client.get(page).content.decode()
    assert "taking a break from playing" in client.get(reverse("my_page", args=[held.player.token])).content.decode()
    with pytest.raises(Refused, match=REFER):
        register(actor=director, on=event.pk, player_id=held.player_id)
    client.post(page, form(months="1", sure="on"))
    assert max(Exclusion.objects.values_list("until", flat=True)) == row.until
    assert row.until is not None
    earlier = row.until - dt.timedelta(days=1)
    with pytest.raises(Refused, match="only come later"):
        change_exclusion(actor=director, on=event.series_id, exclusion_id=row.pk, until=earlier, why="")
    later = row.until + dt.timedelta(days=1)
    change_exclusion(actor=director, on=event.series_id, exclusion_id=row.pk, until=later, why="")


def test_a_month_is_a_month_at_the_venue_also_across_daylight_saving(event: Event) -> None:
    held = register(actor=make_director(event.series), on=event.pk, name="Ana", birth_date=dt.date(1990, 1, 1)).result
    player = Player.objects.get(pk=held["player"])
    with time_machine.travel(dt.datetime(2027, 2, 28, 20, 0, tzinfo=dt.UTC), tick=False):  # 1 March, 9:00, summer time
        for months in (1, 3):
            exclude_self(actor=Visitor(), on=Organiser.objects.get().pk, token=player.token, months=months, sure=True)
    ends = [timezone.localtime(one.until) for one in Exclusion.objects.order_by("pk") if one.until]
    assert [f"{at:%-d %b %H:%M}" for at in ends] == ["1 Apr 09:00", "1 Jun 09:00"]


def test_a_wrong_link_excludes_nobody(event: Event, client: Client) -> None:
    assert client.get(reverse("take_a_break", args=["nobody"])).status_code == 404
    with pytest.raises(Refused):
        exclude_self(actor=Visitor(), on=Organiser.objects.get().pk, token="nobody", months=6, sure=True)


def test_help_lines_are_those_of_the_series(client: Client) -> None:
    event = make_event(make_series(help_lines="Local help: 09 555 0100"))
    page = client.get(reverse("event", args=[event.pk])).content.decode()
    assert '<a href="tel:095550100">09 555 0100</a>' in page
    assert "0800" not in page
