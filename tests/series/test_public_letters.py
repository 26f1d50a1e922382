"""The mail that confirms a held place."""

import datetime as dt

import pytest
from django.conf import settings

from series.commands.people import register
from series.letters import compose
from series.models import Letter, Player
from tests.factories import make_director, make_event, make_series

pytestmark = pytest.mark.django_db


def test_the_confirmation_says_when_where_and_how_to_go_on() -> None:
    starts_at = dt.datetime(2026, 12, 5, 5, 30, tzinfo=dt.UTC)
    event = make_event(make_series(name="O'Brien & Söhne", venue="Town Hall"), name="Deep <Stack>", starts_at=starts_at)
    register(
        actor=make_director(event.series),
        on=event.pk,
        name="Ngāio Tūhoe",
        birth_date=dt.date(1990, 5, 17),
        email="ngaio@example.nz",
    )
    subject, text = compose(Letter.objects.get())
    player = Player.objects.get()
    assert subject == "Your place in Deep <Stack>, Sat 5 Dec, 18:30"
    assert "Kia ora Ngāio Tūhoe," in text
    assert "O'Brien & Söhne" in text
    assert "Town Hall" in text
    assert "$250 at the desk" in text
    assert f"{settings.BASE_URL}/me/{player.token}/\n" in text
    assert f"{settings.BASE_URL}/series/{event.series.slug}/rules/" in text
    assert "1990" not in text
