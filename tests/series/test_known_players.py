"""A player's key alone opens no door: commands name only players whom their series knows."""

import datetime as dt
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import Refused
from series.commands.people import correct_player, register, sight_id
from series.models import Event, IdCheck, Player, Registration, SeriesPlayer
from tests.factories import make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db
BORN = dt.date(1990, 1, 1)


@pytest.fixture
def here() -> Event:
    return make_event()


@pytest.fixture
def stranger() -> Player:
    """A player of another series."""
    elsewhere = make_event(make_series(name="Elsewhere"))
    held = register(actor=make_director(elsewhere.series), on=elsewhere.pk, name="Zoë Smith", birth_date=BORN).result
    return Player.objects.get(pk=held["player"])


def desk_of(event: Event) -> User:
    return make_user(role=Role.DESK, series=event.series)


def test_a_key_of_another_series_is_no_player_here(here: Event, stranger: Player) -> None:
    desk = desk_of(here)
    for attempt in (
        lambda: register(actor=desk, on=here.pk, player_id=stranger.pk),
        lambda: register(actor=desk, on=here.pk, player_id=stranger.pk, name="Zoë Smith"),
        lambda: register(actor=desk, on=here.pk, player_id=stranger.pk, name="Mia", birth_date=BORN),
        lambda: sight_id(actor=desk, on=here.pk, player_id=stranger.pk, kind="passport"),
        lambda: correct_player(actor=desk, on=here.pk, player_id=stranger.pk, name="Mine now", birth_date=BORN),
    ):
        with pytest.raises(Refused, match="There is no such player"):
            attempt()
    stranger.refresh_from_db()
    assert stranger.name == "Zoë Smith"
    assert not IdCheck.objects.exists()
    assert not Registration.objects.filter(event=here).exists()


def test_a_name_alone_opens_no_record_whose_birth_date_was_discarded(here: Event, stranger: Player) -> None:
    with guard.writing():
        Player.objects.filter(pk=stranger.pk).update(birth_date=None)
        IdCheck.objects.create(player=stranger, kind="passport", age=18, at=here.starts_at, checked_by=desk_of(here))
    desk = desk_of(here)
    with pytest.raises(Refused, match="There is no such player"):
        register(actor=desk, on=here.pk, player_id=stranger.pk, name="Zoë Smith")
    page = Client()
    page.force_login(desk)
    answer = page.post(
        reverse("desk_register", args=[here.pk, stranger.pk]), {"command_id": uuid.uuid4(), "name": "Zoë Smith"}
    )
    assert answer.status_code == 404
    assert not Registration.objects.filter(event=here).exists()


def test_who_says_name_and_birth_date_knows_the_person(here: Event, stranger: Player) -> None:
    register(actor=desk_of(here), on=here.pk, player_id=stranger.pk, name=" zoe  smith", birth_date=BORN)
    assert Registration.objects.get(event=here).player == stranger


def test_who_may_see_players_in_the_other_series_picks_them_there(here: Event, stranger: Player) -> None:
    both = desk_of(here)
    with guard.writing():
        both.staff_roles.create(series=stranger.registrations.get().event.series, role=Role.AUDITOR)
    register(actor=both, on=here.pk, player_id=stranger.pk)
    assert Registration.objects.get(event=here).player == stranger


def test_a_role_that_sees_no_players_picks_nobody(here: Event, stranger: Player) -> None:
    both = desk_of(here)
    with guard.writing():
        both.staff_roles.create(series=stranger.registrations.get().event.series, role=Role.DEALER)
    with pytest.raises(Refused, match="There is no such player"):
        register(actor=both, on=here.pk, player_id=stranger.pk)


def test_everybody_of_the_series_is_known_in_all_its_events(here: Event) -> None:
    desk = desk_of(here)
    other = make_event(here.series)
    held = register(actor=desk, on=other.pk, name="Mia Paraone", birth_date=BORN).result
    for command, given in ((register, {}), (sight_id, {"kind": "passport"})):
        command(actor=desk, on=here.pk, player_id=held["player"], **given)
    correct_player(actor=desk, on=here.pk, player_id=held["player"], name="Mia P", birth_date=BORN)
    assert Player.objects.get().name == "Mia P"


def test_the_list_of_a_series_is_known_too(here: Event, stranger: Player) -> None:
    with guard.writing():
        listed = SeriesPlayer.objects.create(
            series=here.series, player=stranger, at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        )
    sight_id(actor=desk_of(here), on=here.pk, player_id=stranger.pk, kind="passport")
    with guard.writing():
        SeriesPlayer.objects.filter(pk=listed.pk).update(removed=True)
    with pytest.raises(Refused, match="There is no such player"):
        sight_id(actor=desk_of(here), on=here.pk, player_id=stranger.pk, kind="passport")


@pytest.mark.parametrize("status", [Player.Status.MERGED, Player.Status.ERASED])
def test_records_that_are_no_more_open_no_door(here: Event, status: str) -> None:
    desk = desk_of(here)
    held = register(actor=desk, on=here.pk, name="Mia Paraone", birth_date=BORN).result
    other = make_event(here.series)
    with guard.writing():
        Player.objects.update(status=status)
    for attempt in (
        lambda: register(actor=desk, on=other.pk, player_id=held["player"]),
        lambda: register(actor=desk, on=other.pk, player_id=held["player"], name="Mia Paraone", birth_date=BORN),
        lambda: sight_id(actor=desk, on=here.pk, player_id=held["player"], kind="passport"),
        lambda: correct_player(actor=desk, on=here.pk, player_id=held["player"], name="X", birth_date=BORN),
    ):
        with pytest.raises(Refused, match="There is no such player"):
            attempt()
