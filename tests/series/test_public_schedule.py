"""The schedule of a series."""

import datetime as dt

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Role
from series.models import Event
from tests.factories import add_players, make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db


def test_events_stand_under_their_date_in_the_zone_of_the_series(client: Client) -> None:
    series = make_series(zone="Pacific/Auckland")
    make_event(series, name="Night", starts_at=dt.datetime(2027, 7, 4, 11, 30, tzinfo=dt.UTC))  # 23:30 on Sunday
    make_event(series, name="Next", starts_at=dt.datetime(2027, 7, 4, 12, 30, tzinfo=dt.UTC))  # 00:30 on Monday
    page = client.get(reverse("schedule", args=[series.slug])).content.decode()
    sunday, night, monday, after = (page.index(words) for words in ("Sunday 4 July", "Night", "Monday 5 July", "Next"))
    assert sunday < night < monday < after
    assert "$220 + $30" in page
    assert "500 of 500 places left" in page


def test_drafts_and_unpublished_series_are_for_staff_alone(client: Client) -> None:
    series = make_series()
    make_event(series, name="Secret Shootout", status=Event.Status.DRAFT)
    hidden = make_series(published=False)
    assert "Secret Shootout" not in client.get(reverse("schedule", args=[series.slug])).content.decode()
    assert client.get(reverse("schedule", args=[hidden.slug])).status_code == 404
    client.force_login(make_user(role=Role.AUDITOR, series=series))
    assert "Secret Shootout" in client.get(reverse("schedule", args=[series.slug])).content.decode()
    assert client.get(reverse("schedule", args=[hidden.slug])).status_code == 404


def test_the_number_of_queries_does_not_grow(client: Client) -> None:
    series = make_series()
    director = make_director(series)
    counts = []
    for more in (1, 2):
        for _ in range(more):
            add_players(make_event(series), 2, director)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("schedule", args=[series.slug])).status_code == 200
        counts.append(len(queries))
    assert counts == [5, 5]
