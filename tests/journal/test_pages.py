"""The journal as a page, and the undo button."""

import datetime as dt
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal.models import JournalEntry
from journal.views import PAGE
from series.commands.altering import cancel_event
from series.commands.people import register, withdraw
from series.models import Entry, Event, Registration
from tables.commands.action_clock import call_clock
from tables.commands.entries import buy_in
from tables.commands.floor import confirm_move, order_move
from tests.factories import PASSWORD, add_players, make_director, make_event, make_series, make_user
from tests.tables.hall import make_hall
from tests.tables.pages import entries_at

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    assert client.login(email=user.email, password=PASSWORD)
    return client


def journal_of(event: Event) -> str:
    return reverse("event_journal", args=[event.pk])


def rows(response) -> list:
    return [row for _, of_day in response.context["days"] for row in of_day]


# --- the page ---------------------------------------------------------------------------------------------------------


def test_entries_are_shown_newest_first_in_plain_words_with_actor_reason_rule_and_the_millisecond():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 1, director, paid=False)
    cancel_event(actor=director, on=event.pk, reason="The hall is flooded.")
    response = signed_in(director).get(journal_of(event))
    page = response.content.decode()
    assert [entry.verb for entry, _ in rows(response)] == ["event.cancel", "registration.add"]
    player = Registration.objects.get().player
    assert f"{player.public_name} registered" in page
    assert "“The hall is flooded.”" in page
    assert "rule 54" in page
    assert "Mere" in page
    at = JournalEntry.objects.latest("pk").at.astimezone(event.series.tz)
    assert f"{at:%H:%M:%S}.{at.microsecond // 1000:03}" in page


def test_a_reason_with_markup_is_shown_as_text():
    event = make_event()
    director = make_director(event.series)
    cancel_event(actor=director, on=event.pk, reason="<script>alert(1)</script>")
    page = signed_in(director).get(journal_of(event)).content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("role", list(Role))
def test_the_journal_opens_for_those_trusted_to_read_it(role):
    event = make_event()
    client = signed_in(make_user(role=role, series=event.series))
    wanted = 200 if role in (Role.DIRECTOR, Role.FLOOR, Role.AUDITOR) else 403
    assert client.get(journal_of(event)).status_code == wanted
    assert client.get(reverse("series_journal", args=[event.series.slug])).status_code == wanted


def test_strangers_log_in_first_other_series_are_403_and_unknown_events_404():
    event = make_event()
    assert Client().get(journal_of(event)).status_code == 302
    assert signed_in(make_director(make_series())).get(journal_of(event)).status_code == 403
    owner = signed_in(make_user(owner=True))
    assert owner.get("/staff/events/999/journal/").status_code == 404
    assert owner.get("/staff/series/nowhere/journal/").status_code == 404


def test_an_event_without_entries_says_so():
    event = make_event()
    assert b"Nothing has happened yet" in signed_in(make_director(event.series)).get(journal_of(event)).content


def test_pages_follow_each_other_without_a_gap():
    event = make_event()
    director = make_director(event.series)
    add_players(event, PAGE + 3, director, paid=False)
    client = signed_in(director)
    first = client.get(journal_of(event))
    assert [entry.seq for entry, _ in rows(first)] == list(range(PAGE + 3, 3, -1))
    assert f"?before={first.context['before']}" in first.content.decode()
    second = client.get(journal_of(event), {"before": first.context["before"]})
    assert [entry.seq for entry, _ in rows(second)] == [3, 2, 1]
    assert second.context["before"] is None
    assert client.get(journal_of(event), {"before": "x"}).status_code == 200
    assert b"No older entries" in client.get(journal_of(event), {"before": "1"}).content


def test_the_page_asks_as_often_for_one_entry_as_for_many(django_assert_num_queries):
    for players in (1, 3):
        event = make_event()
        director = make_director(event.series)
        add_players(event, players, director, paid=False)
        client = signed_in(director)
        with django_assert_num_queries(11):
            client.get(journal_of(event))


def test_what_a_name_is_made_of_is_fetched_along_with_the_row(django_assert_num_queries):
    for players in (1, 3):
        event = make_event()
        director = make_director(event.series)
        make_hall(event, [4, 4])
        staying, *moved = entries_at(event, 1)
        for seat, entry in enumerate(moved[:players], 5):
            given = {"entry_id": entry.pk, "table": 2, "seat": seat, "reason": "Asked for it"}
            move = order_move(actor=director, on=event.pk, **given).result["move"]
            confirm_move(actor=director, on=event.pk, move_id=move)  # names a seat, whose name is also its table's
        call_clock(actor=director, on=event.pk, table=1, entry_id=staying.pk)  # an entry is called by its player
        if players > 1:
            call_clock(actor=director, on=event.pk, table=2, entry_id=entries_at(event, 2)[0].pk)
        client = signed_in(director)
        with django_assert_num_queries(14):
            page = client.get(journal_of(event)).content.decode()
        assert all(f"sits at table 2, seat {seat}" in page for seat in range(5, 5 + players))


# --- who sees the button ----------------------------------------------------------------------------------------------


def test_the_button_is_shown_where_the_permission_of_the_verb_is_held_and_the_entry_stands():
    event = make_event()
    director = make_director(event.series)
    floor = make_user(role=Role.FLOOR, series=event.series)
    add_players(event, 1, director, paid=False)
    cancel_event(actor=director, on=event.pk, reason="Flood")

    def buttons(user: User) -> dict[str, bool]:
        return {entry.verb: may for entry, may in rows(signed_in(user).get(journal_of(event)))}

    assert buttons(director) == {"registration.add": True, "event.cancel": True}
    assert buttons(floor) == {"registration.add": True, "event.cancel": False}
    assert buttons(make_user(role=Role.AUDITOR, series=event.series)) == {
        "registration.add": False,
        "event.cancel": False,
    }
    client = signed_in(director)
    client.post(reverse("undo", args=[JournalEntry.objects.get(verb="event.cancel").pk]))
    assert buttons(director) == {"registration.add": True, "event.cancel": False, "undo": True}
    assert buttons(floor)["undo"] is False
    client.post(reverse("undo", args=[JournalEntry.objects.get(verb="undo").pk]))
    assert buttons(director)["redo"] is True
    assert buttons(floor)["redo"] is False


# --- undo -------------------------------------------------------------------------------------------------------------


def withdrawn(event: Event, actor: User) -> JournalEntry:
    """The entry of a player who gave the place back."""
    (held,) = add_players(event, 1, actor, paid=False)
    withdraw(actor=actor, on=event.pk, registration_id=held["registration"])
    return JournalEntry.objects.latest("pk")


def test_undo_takes_back_says_so_and_returns_to_where_the_button_was():
    event = make_event()
    director = make_director(event.series)
    entry = withdrawn(event, director)
    client = signed_in(director)
    back = journal_of(event) + "?before=9"
    response = client.post(reverse("undo", args=[entry.pk]), {"next": back, "reason": "Wrong person"})
    assert (response.status_code, response["Location"]) == (303, back)
    assert Registration.objects.get().status == Registration.Status.REGISTERED
    assert JournalEntry.objects.latest("pk").reason == "Wrong person"
    player = Registration.objects.get().player.public_name
    assert f"Undone: {player} gave the place back" in client.get(journal_of(event)).content.decode()


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_undo_never_leads_to_another_site(to):
    event = make_event()
    director = make_director(event.series)
    entry = withdrawn(event, director)
    response = signed_in(director).post(
        reverse("undo", args=[entry.pk]), {"next": to}, headers={"Referer": "https://evil.example/x"}
    )
    assert response["Location"] == journal_of(event)


def test_a_refused_undo_names_the_later_entry():
    event = make_event()
    director = make_director(event.series)
    held = register(actor=director, on=event.pk, name="Hēmi Parata", birth_date=dt.date(1990, 1, 1)).result
    entry = JournalEntry.objects.latest("pk")
    buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="cash", id_kind="passport")
    response = signed_in(director).post(reverse("undo", args=[entry.pk]), follow=True)
    page = response.content.decode()
    assert "Not undone" in page
    assert "Hēmi Parata bought in" in page
    assert Entry.objects.get().status == Entry.Status.PLAYING


def test_undo_needs_the_permission_of_what_is_undone_a_log_in_and_a_post():
    event = make_event()
    director = make_director(event.series)
    entry = withdrawn(event, director)
    where = reverse("undo", args=[entry.pk])
    assert signed_in(make_user(role=Role.AUDITOR, series=event.series)).post(where).status_code == 403
    assert Client().post(where).status_code == 302
    assert signed_in(director).get(where).status_code == 405
    assert signed_in(director).post(reverse("undo", args=[entry.pk + 99])).status_code == 404
    assert Registration.objects.get().status == Registration.Status.WITHDRAWN


def test_the_same_undo_form_twice_undoes_once_and_says_the_same():
    event = make_event()
    director = make_director(event.series)
    entry = withdrawn(event, director)
    client, form = signed_in(director), {"command_id": str(uuid.uuid4())}
    for _ in range(2):
        response = client.post(reverse("undo", args=[entry.pk]), form, follow=True)
        assert "Undone: " in response.content.decode()
    assert JournalEntry.objects.filter(undoes=entry).count() == 1
    again = client.post(reverse("undo", args=[entry.pk]), {"command_id": "nonsense"}, follow=True)
    assert "This was undone already" in again.content.decode()


def test_with_htmx_the_page_is_loaded_again_so_that_its_message_shows():
    event = make_event()
    director = make_director(event.series)
    entry = withdrawn(event, director)
    response = signed_in(director).post(
        reverse("undo", args=[entry.pk]), {"next": "/staff/"}, headers={"HX-Request": "true"}
    )
    assert response["HX-Redirect"] == "/staff/"
