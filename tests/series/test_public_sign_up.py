"""Signing up on the public form: what it asks, whom it refuses, and that a refusal leaves nothing behind."""

import datetime as dt
import uuid
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from journal.errors import Refused
from journal.models import Journaled, JournalEntry, RowChange, Sealed
from rulings.models import RulebookVersion
from series.commands.people import register
from series.models import Day, Event, Letter, Player, Registration
from series.views import public
from tests.factories import make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2026, 7, 4, 0, 0, tzinfo=dt.UTC)  # noon on 4 July in Auckland


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    cache.clear()


def filled(event: Event, **changes: Any) -> dict[str, Any]:
    rules = RulebookVersion.objects.get(series=event.series, status="in_force")
    return {
        "command_id": str(uuid.uuid4()),
        "name": "Mārama Te Rangihīroa",
        "birth_date_day": "5",
        "birth_date_month": "6",
        "birth_date_year": "2000",
        "contact": "marama@example.nz",
        "rules": "on",
        "rules_version": str(rules.pk),
        "privacy": "on",
        "website": "",
    } | changes


def send(client: Client, event: Event, **changes: Any) -> Any:
    return client.post(reverse("sign_up", args=[event.pk]), filled(event, **changes))


def everything() -> dict[str, int]:
    """How many rows each table of the site's own holds."""
    models = [model for model in apps.get_models() if issubclass(model, Journaled)]
    return {model._meta.label: model._default_manager.count() for model in [*models, JournalEntry, RowChange, Sealed]}


def test_a_player_signs_up_and_lands_on_their_own_page(client: Client) -> None:
    event = make_event()
    response = send(client, event)
    registration = Registration.objects.get()
    player = registration.player
    assert response.status_code == 303
    assert response.url == reverse("my_page", args=[player.token])
    assert (player.name, player.birth_date, player.email) == (
        "Mārama Te Rangihīroa",
        dt.date(2000, 6, 5),
        "marama@example.nz",
    )
    assert registration.rulebook_version == RulebookVersion.objects.get()
    assert Letter.objects.get().registration == registration


@pytest.mark.parametrize(
    "written",
    [
        {"birth_date_day": "5/6/2000", "birth_date_month": "", "birth_date_year": ""},
        {"birth_date": "5/6/2000"},
        {"birth_date": "2000-06-05"},
        {"birth_date": "5.6.2000"},
        {"birth_date_day": " 05 ", "birth_date_month": "06", "birth_date_year": "2000"},
    ],
)
def test_birth_dates_are_understood_as_people_write_them(client: Client, written: dict[str, str]) -> None:
    send(client, make_event(), **written)
    assert Player.objects.get().birth_date == dt.date(2000, 6, 5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"birth_date_day": "31", "birth_date_month": "2"}, "There is no such day in the calendar."),
        ({"birth_date_year": "2999"}, "This birth date lies in the future."),
        ({"birth_date_year": "1850"}, "This birth date is over 120 years ago."),
        ({"birth_date_day": "", "birth_date_month": "", "birth_date_year": ""}, "Write your birth date."),
        ({"name": "   "}, "Write your name."),
        ({"name": "æ" * 41}, "letters such as æ or ß count as two"),
        ({"contact": "+" + "1" * 30}, "This phone number is too long: 30 characters at most."),
        ({"contact": ""}, "Write an e-mail address or a phone number, so that we can reach you."),
        ({"contact": "marama@"}, "This e-mail address is not complete."),
        ({"contact": "12"}, "Write a phone number, for example 021 555 1234, or an e-mail address."),
        ({"rules": ""}, "Please read and accept the rules."),
        ({"website": "http://spam.example"}, "This field stays empty."),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(client: Client, changes: dict[str, str], said: str) -> None:
    event = make_event()
    before = everything()
    response = send(client, event, **changes)
    page = response.content.decode()
    assert response.status_code == 422
    assert said in page
    kept = filled(event, **changes)
    for name in ("name", "contact", "birth_date_day", "birth_date_month", "birth_date_year"):
        if value := kept[name].strip():
            assert f'value="{value}"' in page
    assert everything() == before


def test_a_phone_number_is_contact_enough(client: Client) -> None:
    send(client, make_event(), contact="021 555 0101")
    assert (Player.objects.get().phone, Player.objects.get().email) == ("021 555 0101", "")
    assert not Letter.objects.exists()


def test_a_minor_is_refused_kindly_and_leaves_nothing(client: Client) -> None:
    with time_machine.travel(NOON, tick=False):
        event = make_event(starts_at=NOON + dt.timedelta(hours=6))
        before = everything()
        response = send(client, event, birth_date_day="5", birth_date_month="7", birth_date_year="2008")
        page = response.content.decode()
        assert response.status_code == 422
        assert "You need to be 18 or over on the day this event starts. We would love to see you once you are." in page
        assert 'value="Mārama Te Rangihīroa"' in page
        assert everything() == before
        # a day older is old enough
        assert send(client, event, birth_date_day="4", birth_date_month="7", birth_date_year="2008").status_code == 303


@pytest.mark.parametrize("status", [Event.Status.CANCELLED, Event.Status.FINISHED])
def test_closed_is_closed_for_form_and_desk_alike(client: Client, status: str) -> None:
    event = make_event(status=status)
    director = make_director(event.series)
    with pytest.raises(Refused) as refused:
        register(actor=director, on=event.pk, name="Hēmi Parata", birth_date=dt.date(1990, 1, 1))
    response = send(client, event)
    assert response.status_code == 422
    assert refused.value.message in response.content.decode()
    assert refused.value.message in client.get(reverse("sign_up", args=[event.pk])).content.decode()
    client.force_login(director)
    given = {"command_id": str(uuid.uuid4()), "name": "Hēmi Parata", "birth_date": "1/1/1990"}
    at_the_desk = client.post(reverse("desk_add", args=[event.pk]), given)
    assert at_the_desk.status_code == 422
    assert refused.value.message in at_the_desk.content.decode()
    assert not Player.objects.exists()


def test_late_registration_ends_at_its_instant(client: Client) -> None:
    event = make_event()
    with guard.writing():
        Day.objects.update(entries_close_at=dt.datetime.now(dt.UTC))
    assert "Registration for this event is closed." in send(client, event).content.decode()


def test_the_last_place_is_given_once(client: Client) -> None:
    event = make_event(capacity=1)
    assert send(client, event).status_code == 303
    response = send(client, event, name="Jack Wirihana", contact="jack@example.nz")
    assert response.status_code == 422
    assert "This event is full." in response.content.decode()
    assert "This event is full." in client.get(reverse("sign_up", args=[event.pk])).content.decode()
    assert Player.objects.count() == 1


def test_the_same_person_twice_is_refused(client: Client) -> None:
    event = make_event()
    send(client, event)
    response = send(client, event, name=" marama  te rangihiroa")
    assert response.status_code == 422
    assert "registered here already" in response.content.decode()
    assert Registration.objects.count() == 1


def test_a_form_sent_twice_holds_one_place(client: Client) -> None:
    event = make_event()
    form = filled(event)
    first, second = (client.post(reverse("sign_up", args=[event.pk]), form) for _ in range(2))
    assert first.status_code == second.status_code == 303
    assert first.url == second.url
    assert Registration.objects.count() == 1


def test_rules_changed_meanwhile_must_be_accepted_anew(client: Client) -> None:
    event = make_event()
    form = filled(event)
    with guard.writing():
        old = RulebookVersion.objects.get()
        RulebookVersion.objects.filter(pk=old.pk).update(status="superseded")
        new = RulebookVersion.objects.create(
            series=event.series, number=2, status="in_force", effective_from=dt.datetime.now(dt.UTC)
        )
    response = client.post(reverse("sign_up", args=[event.pk]), form)
    page = response.content.decode()
    assert response.status_code == 422
    assert "The rules were changed a moment ago." in page
    assert f'name="rules_version" value="{new.pk}"' in page
    assert page.count("checked") == 1  # the privacy page, which did not change
    assert not Player.objects.exists()


def test_without_published_rules_nobody_signs_up(client: Client) -> None:
    event = make_event()
    with guard.writing():
        RulebookVersion.objects.update(status="draft")
    page = client.get(reverse("sign_up", args=[event.pk])).content.decode()
    assert "The rules are not published yet." in page
    assert "Hold my place" not in page


def test_several_flights_are_a_choice(client: Client) -> None:
    event = make_event()
    with guard.writing():
        other = Day.objects.create(event=event, number=2, label="Flight B", starts_at=event.starts_at)
        Day.objects.create(event=event, number=3, label="Day 2", kind=Day.Kind.LATER, starts_at=event.starts_at)
    response = send(client, event)
    assert response.status_code == 422
    assert "Choose the day." in response.content.decode()
    assert "Day 2" not in response.content.decode()
    assert send(client, event, day=str(other.pk)).status_code == 303
    assert Registration.objects.get().day == other


def test_a_signed_in_player_is_known_the_second_time(client: Client) -> None:
    series = make_series()
    one, two = make_event(series), make_event(series)
    client.force_login(make_user("Aroha"))
    send(client, one)
    page = client.get(reverse("sign_up", args=[two.pk])).content.decode()
    assert "You sign up as <b>Mārama Te Rangihīroa</b>" in page
    assert 'name="birth_date_day"' not in page
    assert "2000" not in page
    rules = RulebookVersion.objects.get()
    given = {"command_id": str(uuid.uuid4()), "rules": "on", "rules_version": str(rules.pk), "privacy": "on"}
    assert client.post(reverse("sign_up", args=[two.pk]), given).status_code == 303
    assert Player.objects.count() == 1
    assert Registration.objects.count() == 2
    assert "You are signed up for this event." in client.get(reverse("sign_up", args=[two.pk])).content.decode()


def test_drafts_are_not_there_for_the_public_and_are_for_staff(client: Client) -> None:
    event = make_event(status=Event.Status.DRAFT)
    address = reverse("sign_up", args=[event.pk])
    assert client.get(address).status_code == 404
    assert client.post(address, filled(event)).status_code == 404
    client.force_login(make_user(role=Role.DESK, series=event.series))
    assert "Registration has not opened yet." in client.get(address).content.decode()
    client.force_login(make_user(role=Role.DESK, series=make_series()))
    assert client.get(address).status_code == 404


def test_a_machine_that_sends_without_end_is_stopped(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public, "MOST_SIGN_UPS", 2)
    event = make_event()
    answers = [send(client, event, contact="wrong").status_code for _ in range(3)]
    assert answers == [422, 422, 429]
