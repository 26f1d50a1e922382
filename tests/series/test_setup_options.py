"""How a series reads its rules: every option on the page, who may change them, what is refused."""

import uuid
from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.options import change_options
from series.domain.options import Options, options_from, problems
from series.forms.options import OptionsForm
from series.models import Event, Series
from tests.factories import make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db


def page(client: Client, series: Series) -> str:
    response = client.get(reverse("series_options", args=[series.slug]))
    assert response.status_code == 200
    return response.content.decode()


def send(client: Client, series: Series, **values: Any) -> Any:
    """The form as it stands, with some of it changed; None leaves a field empty, as an unticked box is."""
    sent = {name: value for name, value in (asdict(options_from(series.options)) | values).items() if value is not None}
    sent = {name: "on" if value is True else value for name, value in sent.items() if value is not False}
    given = sent | {"command_id": uuid.uuid4(), "version": series.seq}
    return client.post(reverse("series_options", args=[series.slug]), given)


@pytest.fixture
def series() -> Series:
    return make_series()


@pytest.fixture
def director(series: Series) -> Client:
    client = Client()
    client.force_login(make_director(series))
    return client


def test_the_form_has_every_option_under_its_name_and_heading():
    names = {field.name for field in fields(Options)}
    assert set(OptionsForm.base_fields) == names
    assert {name for _, under in OptionsForm.SECTIONS for name in under} == names
    assert all(field.help_text for field in OptionsForm.base_fields.values())


def test_sent_back_as_shown_nothing_is_written(series: Series, director: Client):
    assert send(director, series).status_code == 303
    assert Series.objects.get().options == {}
    assert not JournalEntry.objects.exists()


def test_only_what_differs_is_kept_and_it_can_be_undone(series: Series, director: Client):
    response = send(director, series, dead_button="forward_2026", max_gap=2, multichip_test=False)
    assert response.status_code == 303
    series.refresh_from_db()
    assert series.options == {"dead_button": "forward_2026", "max_gap": 2, "multichip_test": False}
    assert options_from(series.options) == Options(dead_button="forward_2026", max_gap=2, multichip_test=False)
    entry = JournalEntry.objects.get()
    assert entry.facts["names"] == "multichip test, dead button, max gap"
    undo(actor=make_user(owner=True), entry_id=entry.pk)
    assert Series.objects.get().options == {}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max_gap": "0"}, "Write a number between 1 and 9."),
        ({"seconds_per_hand": "181"}, "Write a number between 0 and 180."),
        ({"dead_button": "random"}, "Select a valid choice"),
    ],
)
def test_a_wrong_value_is_said_beside_its_field(series: Series, director: Client, values: dict[str, Any], said: str):
    response = send(director, series, **values)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert Series.objects.get().options == {}


def test_every_door_refuses_what_cannot_be(series: Series):
    wrong = replace(Options(), old_button_minutes=0)
    assert set(problems(wrong)) == {"old_button_minutes"}
    assert set(problems(replace(Options(), cross_table="dice"))) == {"cross_table"}  # type: ignore[arg-type]
    with pytest.raises(Refused) as refused:
        change_options(actor=make_director(series), on=series.pk, options=wrong)
    assert refused.value.field == "old_button_minutes"


def test_who_looked_at_old_options_sees_how_they_stand(series: Series, director: Client):
    assert send(director, series, max_gap=2).status_code == 303
    response = send(director, series, max_gap=3)
    assert response.status_code == 409
    assert "This changed while you looked" in response.content.decode()
    assert response.context["form"]["max_gap"].value() == 2


@pytest.mark.parametrize(
    ("role", "status", "may_save"),
    [(Role.DIRECTOR, 200, True), (Role.AUDITOR, 200, False), (Role.FLOOR, 200, False), (Role.DEALER, 403, False)],
)
def test_each_role(series: Series, role: str, status: int, may_save: bool):
    user, client = make_user("Ana", role=role, series=series), Client()
    client.force_login(user)
    response = client.get(reverse("series_options", args=[series.slug]))
    assert response.status_code == status
    assert (">Save<" in response.content.decode()) == may_save
    if not may_save:
        with pytest.raises(NotAllowed):
            change_options(actor=user, on=series.pk, options=Options(max_gap=2))
        assert send(client, series, max_gap=2).status_code == 403


def test_a_running_event_is_a_warning(series: Series, director: Client):
    assert "a change holds at once" not in page(director, series)
    make_event(series, status=Event.Status.RUNNING)
    assert "a change holds at once" in page(director, series)
    with CaptureQueriesContext(connection) as captured:
        page(director, series)
    assert len(captured) <= 7
