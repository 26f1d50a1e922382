"""Setting up a series: who may, what is refused, what stays once it was promised."""

import uuid
from typing import Any

import pytest

from accounts.permissions import Role
from journal.actors import Visitor
from journal.chain import verify
from journal.commands import Done
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from series.commands.setup import change_series, create_series, hide_series, publish_series
from series.models import Event, Organiser, Series
from tests.factories import add_players, make_director, make_event, make_series, make_user

pytestmark = pytest.mark.django_db
GOOD = {"name": "Winter  Series", "venue": "Harbour Hall, Wellington"}


def create(actor: Any = None, **values: Any) -> Done:
    return create_series(actor=actor or make_user(owner=True), on=Organiser.objects.get().pk, **GOOD | values)


def test_a_new_series_has_the_defaults_of_aotearoa_and_is_not_public():
    done = create()
    series = Series.objects.get(pk=done.result["series"])
    assert (series.name, series.slug, done.result["slug"]) == ("Winter Series", "winter-series", "winter-series")
    assert (series.zone, series.currency, series.minimum_age) == ("Pacific/Auckland", "NZD", 18)
    assert not series.published
    entry = JournalEntry.objects.get()
    assert (entry.stream, entry.verb) == (Organiser.objects.get().stream_key, "series.create")
    assert not list(verify())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "  "),
        ("name", "x" * 121),
        ("venue", ""),
        ("slug", "new"),
        ("slug", "!!!"),
        ("zone", "Mars/Olympus"),
        ("currency", "dollars"),
        ("currency", "N1D"),
        ("minimum_age", 17),
        ("minimum_age", 100),
    ],
)
def test_a_wrong_value_is_refused_at_its_field_and_nothing_is_written(field, value):
    with pytest.raises(Refused) as refused:
        create(**{field: value})
    assert refused.value.field == field
    assert not Series.objects.exists()
    assert not JournalEntry.objects.exists()


def test_a_macron_in_the_name_gives_a_plain_address():
    assert create(name="Ōtautahi Poker").result["slug"] == "otautahi-poker"


def test_two_series_cannot_share_an_address():
    create()
    with pytest.raises(Refused) as refused:
        create()
    assert (refused.value.field, refused.value.code) == ("slug", "slug_taken")


def test_only_the_organiser_creates_a_series():
    director = make_director(make_series())
    for actor in (director, make_user("Nobody"), Visitor()):
        with pytest.raises(NotAllowed):
            create(actor)


def test_the_same_form_sent_twice_creates_one_series():
    owner, command_id = make_user(owner=True), uuid.uuid4()
    first = create_series(actor=owner, on=Organiser.objects.get().pk, command_id=command_id, **GOOD)
    again = create_series(actor=owner, on=Organiser.objects.get().pk, command_id=command_id, **GOOD)
    assert again.repeated
    assert again.result == first.result
    assert Series.objects.count() == 1


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
@pytest.mark.parametrize(
    ("command", "values"), [(change_series, {"name": "Other"}), (publish_series, {}), (hide_series, {})]
)
def test_nobody_but_a_director_changes_a_series(role, command, values):
    series = make_series(published=False)
    with pytest.raises(NotAllowed):
        command(actor=make_user(role=role, series=series), on=series.pk, **values)
    assert not JournalEntry.objects.exists()


def test_a_director_of_another_series_changes_nothing_here():
    here, elsewhere = make_series(), make_series()
    with pytest.raises(NotAllowed):
        change_series(actor=make_director(elsewhere), on=here.pk, name="Ours now")


def test_only_what_is_named_changes():
    series = make_series()
    change_series(actor=make_director(series), on=series.pk, venue="Town Hall")
    after = Series.objects.get(pk=series.pk)
    assert (after.venue, after.name, after.slug) == ("Town Hall", series.name, series.slug)


def test_the_address_of_a_published_series_stays():
    series = make_series(published=True)
    with pytest.raises(Refused) as refused:
        change_series(actor=make_director(series), on=series.pk, slug="elsewhere")
    assert refused.value.field == "slug"


@pytest.mark.parametrize(
    ("field", "value"), [("zone", "UTC"), ("zone", "Pacific/Chatham"), ("currency", "AUD"), ("minimum_age", 20)]
)
def test_zone_currency_and_age_stay_once_somebody_registered(field, value):
    event = make_event()
    director = make_director(event.series)
    change_series(actor=director, on=event.series_id, **{field: value})
    change_series(actor=director, on=event.series_id, zone="Pacific/Auckland", currency="NZD", minimum_age=18)
    add_players(event, 1, director, paid=False)
    with pytest.raises(Refused) as refused:
        change_series(actor=director, on=event.series_id, **{field: value})
    assert (refused.value.field, refused.value.code) == (field, "fixed")


def test_a_form_that_saw_an_older_series_is_stale_and_names_the_later_entry():
    series = make_series()
    director = make_director(series)
    change_series(actor=director, on=series.pk, expected_version=0, venue="Town Hall")
    with pytest.raises(Stale, match=r"changed” by Mere"):
        change_series(actor=director, on=series.pk, expected_version=0, venue="Church Hall")
    assert Series.objects.get(pk=series.pk).venue == "Town Hall"


def test_a_series_is_published_and_hidden_again_but_not_under_a_running_event():
    series = make_series(published=False)
    director = make_director(series)
    publish_series(actor=director, on=series.pk)
    assert Series.objects.get(pk=series.pk).published
    hide_series(actor=director, on=series.pk)
    assert not Series.objects.get(pk=series.pk).published
    publish_series(actor=director, on=series.pk)
    make_event(series, status=Event.Status.OPEN)
    with pytest.raises(Refused, match="open for registration"):
        hide_series(actor=director, on=series.pk)
