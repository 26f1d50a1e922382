"""The staff's first page and the forms for series, events and days."""

import datetime as dt
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Permission, Role
from journal import guard
from series.commands.events import change_event
from series.models import Event, Series
from series.reads.setup import staff_home
from tests.factories import (
    PASSWORD,
    add_players,
    make_director,
    make_event,
    make_running_event,
    make_series,
    make_user,
)

pytestmark = pytest.mark.django_db
START = dt.datetime(2027, 6, 5, 6, 30, tzinfo=dt.UTC)
EVENT = {
    "name": "Main",
    "starts_at": "2027-06-05T18:30",
    "buy_in_cents": "$220",
    "fee_cents": "30.00",
    "starting_stack": "20,000",
    "chips": "25, 100, 500",
    "seats_per_table": "9",
    "capacity": "90",
    "late_reg_level": "",
    "max_reentries": "1",
    "minimum_age": "",
    "seat_at_buy_in": "on",
}
SERIES = {
    "name": "Winter Series",
    "slug": "",
    "venue": "Harbour Hall",
    "zone": "Pacific/Auckland",
    "currency": "nzd",
    "minimum_age": "18",
    "venue_kind": "hall",
    "contact": "",
    "about": "",
}


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(email=user.email, password=PASSWORD)
    return client


def post(client: Client, page: str, /, *args: Any, **data: Any) -> Any:
    return client.post(reverse(page, args=args), {"command_id": str(uuid.uuid4())} | data)


# --- who may look -----------------------------------------------------------------------------------------------------


def pages(event: Event) -> list[str]:
    return [
        reverse("series_setup", args=[event.series.slug]),
        reverse("event_setup", args=[event.pk]),
        reverse("structure", args=[event.pk]),
        reverse("structure_csv", args=[event.pk]),
        reverse("day_new", args=[event.pk]),
        reverse("day_setup", args=[event.pk, event.days.get().pk]),
    ]


def test_every_page_asks_for_a_log_in_first():
    event = make_event()
    for address in [*pages(event), reverse("staff_home"), reverse("series_new")]:
        response = Client().get(address)
        assert response.status_code == 302, address
        assert response["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("role", list(Role))
def test_pages_open_for_those_who_set_up_or_read_the_journal(role):
    event = make_event()
    client = signed_in(make_user(role=role, series=event.series))
    wanted = 200 if role in (Role.DIRECTOR, Role.FLOOR, Role.AUDITOR) else 403
    for address in pages(event):
        assert client.get(address).status_code == wanted, address
    new_event = client.get(reverse("event_new", args=[event.series.slug]))
    assert new_event.status_code == (200 if role == Role.DIRECTOR else 403)
    assert client.get(reverse("series_new")).status_code == 403


def test_what_is_not_there_is_404():
    client = signed_in(make_user(owner=True))
    for address in (
        "/staff/series/nowhere/",
        "/staff/series/nowhere/events/new/",
        "/staff/events/999/setup/",
        "/staff/events/999/structure/",
        "/staff/events/999/days/new/",
    ):
        assert client.get(address).status_code == 404, address


def test_who_only_looks_sees_no_buttons():
    event = make_event(status=Event.Status.DRAFT)
    client = signed_in(make_user(role=Role.AUDITOR, series=event.series))
    page = client.get(reverse("event_setup", args=[event.pk])).content.decode()
    assert "fieldset disabled" in page.replace('class="stack" ', "")
    assert "Open for registration</button>" not in page
    assert post(client, "event_open", event.pk).status_code == 403
    assert post(client, "event_setup", event.pk, **EVENT).status_code == 403
    assert post(client, "series_publish", event.series.slug).status_code == 403


# --- the first page ---------------------------------------------------------------------------------------------------


def test_the_organiser_of_an_empty_site_is_told_where_to_begin():
    page = signed_in(make_user(owner=True)).get(reverse("staff_home")).content.decode()
    assert "Begin here" in page
    assert reverse("series_new") in page


def test_somebody_without_a_role_is_told_whom_to_ask():
    user = make_user("Hana")
    page = signed_in(user).get(reverse("staff_home")).content.decode()
    assert "You have no staff role yet" in page
    assert user.email in page


def next_of(user: User) -> str:
    (card,) = staff_home(user)
    (event,) = card.events
    return event.next.label if event.next else ""


def test_the_next_thing_to_do_follows_the_state_and_the_role():
    event = make_event(status=Event.Status.DRAFT, levels=0)
    series = event.series
    staff = {role: make_user(role=role, series=series) for role in Role}
    assert next_of(staff[Role.DIRECTOR]) == "Go on setting up"
    assert [next_of(staff[role]) for role in (Role.DESK, Role.DEALER, Role.EDITOR)] == ["", "", ""]
    with guard.writing():
        Event.objects.update(status=Event.Status.OPEN)
    assert [next_of(staff[role]) for role in (Role.DIRECTOR, Role.FLOOR, Role.DESK)] == ["Desk", "Desk", "Desk"]
    assert next_of(staff[Role.AUDITOR]) == "Floor"
    assert next_of(staff[Role.EDITOR]) == "Event page"
    with guard.writing():
        Event.objects.update(status=Event.Status.RUNNING)
    assert [next_of(staff[role]) for role in (Role.DIRECTOR, Role.FLOOR, Role.DEALER)] == ["Floor", "Floor", "Floor"]
    assert [next_of(staff[role]) for role in (Role.DESK, Role.AUDITOR)] == ["Desk", "Floor"]
    with guard.writing():
        Event.objects.update(status=Event.Status.FINISHED)
    assert [next_of(staff[role]) for role in (Role.DIRECTOR, Role.DESK)] == ["Payouts", "Payouts"]
    assert next_of(staff[Role.DEALER]) == "Results"


def test_a_complete_draft_says_that_it_can_open():
    event = make_event(status=Event.Status.DRAFT)
    assert next_of(make_director(event.series)) == "Open for registration"


def test_a_role_that_ended_and_another_series_show_nothing():
    mine, other = make_series(), make_series()
    make_event(other)
    user = make_director(mine)
    assert [card.series for card in staff_home(user)] == [mine]
    with guard.writing():
        user.staff_roles.update(active=False)
    assert staff_home(user) == []
    assert [card.series for card in staff_home(make_user(owner=True))] == [other, mine]


def test_running_events_stand_first_and_counts_are_right():
    event, director = make_running_event(3)
    add_players(event, 2, director, paid=False)
    make_event(event.series, status=Event.Status.DRAFT)
    make_event(event.series)
    (card,) = staff_home(director)
    assert [own.event.status for own in card.events] == ["running", "open", "draft"]
    assert (card.events[0].taken, card.events[0].held) == (3, 2)


def test_the_first_page_asks_as_often_for_one_event_as_for_many(django_assert_num_queries):
    director = make_user(owner=True)
    for events in (1, 3):
        series = make_series()
        for _ in range(events):
            add_players(make_event(series), events, director)
        client = signed_in(director)
        with django_assert_num_queries(9):
            client.get(reverse("staff_home"))
        with django_assert_num_queries(7):
            client.get(reverse("series_setup", args=[series.slug]))


# --- forms ------------------------------------------------------------------------------------------------------------


def test_from_nothing_to_an_open_event_by_forms_alone():
    client = signed_in(make_user(owner=True))
    made = post(client, "series_new", **SERIES)
    assert (made.status_code, made["Location"]) == (303, "/staff/series/winter-series/")
    assert b"Publish the starting rulebook" in client.get(made["Location"]).content
    assert post(client, "rulebook_start", "winter-series").status_code == 303
    made = post(client, "event_new", "winter-series", **EVENT)
    event = Event.objects.get()
    assert (made.status_code, made["Location"]) == (303, reverse("structure", args=[event.pk]))
    assert (event.starts_at, event.price_cents, event.starting_stack) == (START, 25_000, 20_000)
    refused = client.post(reverse("event_open", args=[event.pk]), follow=True)
    assert "Enter the blind structure" in refused.content.decode()
    rows = {"kind": "level", "minutes": "20", "small_blind": "25", "big_blind": "50"}
    post(client, "structure", event.pk, do="save", **rows, ante="", ante_type="none", removed="")
    post(client, "series_publish", "winter-series")
    opened = client.post(reverse("event_open", args=[event.pk]), follow=True)
    assert "Open for registration." in opened.content.decode()
    assert Event.objects.get().status == Event.Status.OPEN
    assert Series.objects.get().currency == "NZD"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "", "This field is required"),
        ("starts_at", "soon", "Enter a valid date/time"),
        ("starts_at", "2027-09-26T02:30", "couldn’t be interpreted"),  # the hour that daylight saving leaves out
        ("buy_in_cents", "lots", "not an amount"),
        ("starting_stack", "20.5", "whole number"),
        ("starting_stack", "20,010", "smallest chip"),
        ("chips", "25, many", "whole number"),
        ("minimum_age", "16", "between 18 and 99"),
        ("capacity", "1", "between 2 and 100,000"),
    ],
)
def test_a_wrong_field_comes_back_with_its_message_and_all_that_was_typed(field, value, said):
    series = make_series()
    response = post(signed_in(make_director(series)), "event_new", series.slug, **EVENT | {field: value})
    assert response.status_code == 422
    assert said in " ".join(response.context["form"].errors[field])
    page = response.content.decode()
    assert "$220" in page or field == "buy_in_cents"
    assert not Event.objects.exists()


def test_the_form_shows_an_event_as_it_can_be_typed_again():
    event = make_event(starts_at=START, status=Event.Status.DRAFT)
    client = signed_in(make_director(event.series))
    form = client.get(reverse("event_setup", args=[event.pk])).context["form"]
    shown = {name: "" if form[name].value() is None else form[name].value() for name in form.fields}
    assert shown["buy_in_cents"] == "220"
    assert shown["starts_at"].strftime("%Y-%m-%dT%H:%M") == "2027-06-05T18:30"
    typed = shown | {"starts_at": "2027-06-05T18:30", "late_reg_level": "2", "minimum_age": "", "seat_at_buy_in": "on"}
    before = Event.objects.values().get()
    assert post(client, "event_setup", event.pk, **typed).status_code == 303
    assert Event.objects.values().get() == before


def test_a_stale_event_form_answers_409_with_the_event_as_it_is():
    event = make_event(status=Event.Status.DRAFT, starts_at=START)
    director = make_director(event.series)
    change_event(actor=director, on=event.pk, name="Second", chips=(25, 100, 500))
    response = post(signed_in(director), "event_setup", event.pk, **EVENT | {"name": "Third", "version": "0"})
    assert response.status_code == 409
    page = response.content.decode()
    assert "This changed while you looked" in page
    assert 'value="Second"' in page
    assert 'name="version" value="1"' in page


def test_a_stale_series_form_answers_409_with_the_series_as_it_is():
    series = make_series()
    director = make_director(series)
    client = signed_in(director)
    assert (
        post(client, "series_setup", series.slug, **SERIES | {"slug": series.slug, "version": "0"}).status_code == 303
    )
    late = post(
        client, "series_setup", series.slug, **SERIES | {"slug": series.slug, "venue": "Elsewhere", "version": "0"}
    )
    assert late.status_code == 409
    assert b'value="Harbour Hall"' in late.content


def test_days_are_added_and_changed_and_refusals_stand_beside_the_field():
    event = make_event(status=Event.Status.DRAFT, starts_at=START)
    client = signed_in(make_director(event.series))
    assert client.get(reverse("day_new", args=[event.pk])).context["form"]["label"].value() == "Day 1B"
    refused = post(client, "day_new", event.pk, label="Day 1", starts_at="2027-06-06T18:30", kind="flight")
    assert (refused.status_code, list(refused.context["form"].errors)) == (422, ["label"])
    assert (
        post(client, "day_new", event.pk, label="Day 1B", starts_at="2027-06-06T18:30", kind="flight").status_code
        == 303
    )
    second = event.days.get(number=2)
    assert second.starts_at == START + dt.timedelta(days=1)
    assert (
        post(client, "day_setup", event.pk, second.pk, label="Sunday", starts_at="2027-06-06T17:30").status_code == 303
    )
    second.refresh_from_db()
    assert (second.label, second.starts_at) == ("Sunday", START + dt.timedelta(hours=23))


def test_cancelling_without_a_reason_comes_back_to_the_field():
    event = make_event()
    client = signed_in(make_director(event.series))
    refused = post(client, "event_cancel", event.pk, reason="")
    assert refused.status_code == 422
    assert "reason" in refused.context["cancel_form"].errors
    assert post(client, "event_cancel", event.pk, reason="Flood").status_code == 303
    assert Event.objects.get().status == Event.Status.CANCELLED


def test_a_series_is_hidden_and_refused_with_a_message():
    event = make_event()
    client = signed_in(make_director(event.series))
    refused = client.post(reverse("series_publish", args=[event.series.slug]), {"do": "hide"}, follow=True)
    assert "stays in sight" in refused.content.decode()
    post(client, "event_open", event.pk, do="close")
    post(client, "series_publish", event.series.slug, do="hide")
    assert not Series.objects.get().published


def test_the_event_page_asks_as_often_for_one_day_as_for_three(django_assert_num_queries):
    for days in (1, 3):
        event = make_event()
        director = make_director(event.series)
        with guard.writing():
            for number in range(2, days + 1):
                event.days.create(number=number, label=f"Day {number}", starts_at=event.starts_at)
        client = signed_in(director)
        with django_assert_num_queries(11):
            client.get(reverse("event_setup", args=[event.pk]))


def test_extra_permissions_open_what_the_role_alone_does_not():
    series = make_series()
    user = make_user(role=Role.DEALER, series=series)
    with guard.writing():
        user.staff_roles.update(also=[Permission.SET_UP])
    assert signed_in(user).get(reverse("event_new", args=[series.slug])).status_code == 200


def test_what_can_be_bought_beside_the_entry_is_set_up_in_its_section(client: Client):
    series = make_series()
    client = signed_in(make_director(series))
    terms = {
        "rebuys": "2", "rebuy_cents": "$50", "rebuy_chips": "10,000", "rebuy_until": "4",
        "late_stacks": "5: 15,000\nlevel 7 10000", "bounty_cents": "25", "best_stack": "on", "reentry_day": "next",
    }  # fmt: skip
    address = reverse("event_new", args=[series.slug])
    odd = client.post(address, EVENT | terms | {"late_stacks": "five: 1", "rebuy_chips": "10010"})
    assert odd.status_code == 422
    assert "Write a level and its chips" in odd.content.decode()
    wrong = client.post(address, EVENT | terms | {"rebuy_chips": "10010"})
    assert wrong.context["form"].errors["rebuy_chips"]
    assert '<details class="more" id="entry-rules" open>' in wrong.content.decode()
    assert client.post(address, EVENT | terms).status_code == 303
    event = Event.objects.get()
    assert (event.rules.rebuys, event.rules.rebuy_cents, event.rules.rebuy_until) == (2, 5000, 4)
    assert event.rules.late_stacks == ((5, 15_000), (7, 10_000))
    assert event.price_cents == 27_500
    page = client.get(reverse("event_setup", args=[event.pk])).content.decode()
    assert '<details class="more" id="entry-rules" open>' in page
    assert "5: 15,000" in page


def test_a_plain_event_keeps_that_section_closed():
    event = make_event()
    client = signed_in(make_director(event.series))
    page = client.get(reverse("event_setup", args=[event.pk])).content.decode()
    assert '<details class="more" id="entry-rules"><summary>' in page
