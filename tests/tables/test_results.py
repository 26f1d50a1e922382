"""The public results and the payouts."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from series.models import Entry, Event, LedgerLine, Payout, Player
from tables.commands.floor import bust, close_entries
from tables.reads.payouts import payout_table
from tables.reads.results import results
from tests.factories import make_director, make_event, make_running_event, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db


def finished(players: int = 9, **fields: Any) -> tuple[Event, Client]:
    """An event that is over: the first two out together, everybody else one by one."""
    event, director = make_running_event(players, **fields)
    close_entries(actor=director, on=event.pk)
    first, second, *others = event.entries.order_by("pk").values_list("pk", flat=True)
    bust(actor=director, on=event.pk, entry_ids=[first, second])
    for entry in others[:-1]:
        bust(actor=director, on=event.pk, entry_ids=[entry])
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    return event, signed_in(director)


def pay(client: Client, event: Event, entry_id: int, method: str = "cash", **sent: Any) -> HttpResponse:
    headers = {"HX-Request": "true", "HX-Target": "payouts"} if sent.pop("htmx", False) else {}
    given = {"entry_id": entry_id, "method": method, "command_id": uuid.uuid4()} | sent
    return client.post(reverse("payouts", args=[event.pk]), given, headers=headers)


def test_places_ties_and_prizes_to_the_cent():
    event, _ = finished(9, payout_shares=[5000, 3000, 2000], payout_step_cents=1, buy_in_cents=11123)
    page = words(Client().get(reverse("results", args=[event.pk])))
    assert page.index("Winner") < page.index("Place</th>")
    winner = Entry.objects.get(event=event, status=Entry.Status.PLAYING)
    assert page.count(winner.player.public_name) == 2
    assert page.count("8–9") == 2
    assert "$500.53" not in page
    found = results(event)
    assert [line.placed.best for line in found.lines] == [1, 2, 3, 4, 5, 6, 7, 8, 8]
    assert sum(line.placed.prize_cents for line in found.lines) == 9 * 11123
    for line in found.lines[:3]:
        cents = line.placed.prize_cents
        assert f"${cents // 100:,}.{cents % 100:02}" in page


def test_results_while_it_is_played_say_how_many_are_left():
    event, director = make_running_event(9)
    bust(actor=director, on=event.pk, entry_ids=[event.entries.first().pk])
    page = words(Client().get(reverse("results", args=[event.pk])))
    assert "8 of 9" in page
    assert "Winner" not in page
    part = Client().get(reverse("results", args=[event.pk]), headers={"HX-Request": "true"})
    assert "<html" not in words(part)


def test_results_before_anybody_is_out():
    event = make_event()
    assert "No places yet" in words(Client().get(reverse("results", args=[event.pk])))


def test_public_pages_show_public_names_alone():
    event, _ = finished()
    with guard.writing():
        for player in Player.objects.all():
            Player.objects.filter(pk=player.pk).update(public_name=f"Guest {player.pk}")
    real = set(Player.objects.values_list("name", flat=True))
    for name in ("results", "seats", "clock", "display"):
        page = words(Client().get(reverse(name, args=[event.pk])))
        assert "Guest" in page
        assert not [one for one in real if one in page]
        assert "@example.nz" not in page
        assert "1990" not in page


def test_drafts_have_no_results_for_strangers():
    event = make_event(status=Event.Status.DRAFT)
    assert Client().get(reverse("results", args=[event.pk])).status_code == 404
    assert signed_in(make_director(event.series)).get(reverse("results", args=[event.pk])).status_code == 200


# --- payouts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "status", "may_pay"),
    [
        (Role.DIRECTOR, 200, True),
        (Role.DESK, 200, True),
        (Role.AUDITOR, 200, False),
        (Role.FLOOR, 403, False),
        (Role.DEALER, 403, False),
    ],
)
def test_who_sees_and_who_pays(role: str, status: int, may_pay: bool):
    event, _ = finished()
    client = signed_in(make_user("Ana", role=role, series=event.series))
    response = client.get(reverse("payouts", args=[event.pk]))
    assert response.status_code == status
    assert ('name="method"' in words(response)) == may_pay
    winner = Entry.objects.get(event=event, status=Entry.Status.PLAYING)
    assert pay(client, event, winner.pk).status_code == (303 if may_pay else 403)
    assert Payout.objects.exists() == may_pay


def test_every_prize_is_paid_once_and_the_sum_is_the_pool():
    event, client = finished(12)
    table = payout_table(event)
    assert (table.pool_cents, table.adds_up, table.paid_cents) == (12 * 22000, True, 0)
    for line, method in zip(table.lines, ("cash", "card", "transfer"), strict=True):
        response = pay(client, event, line.placed.entry_id, method, htmx=True)
        assert response.status_code == 200
        assert "<html" not in words(response)
        assert "The prize is paid." in words(response)
    after = payout_table(event)
    assert (after.to_pay_cents, after.paid_count) == (0, 3)
    assert [line.payout.method for line in after.lines if line.payout] == ["cash", "card", "transfer"]
    assert sum(LedgerLine.objects.filter(account="payouts").values_list("amount_cents", flat=True)) == 12 * 22000
    again = pay(client, event, table.lines[0].placed.entry_id)
    assert again.status_code == 422
    assert "has been paid already" in words(again)


def test_two_cashiers_pay_a_prize_once():
    event, client = finished()
    seen = event.seq
    winner = payout_table(event).lines[0].placed.entry_id
    assert pay(client, event, winner, version=seen).status_code == 303
    late = pay(client, event, winner, version=seen)
    assert late.status_code in (409, 422)
    assert Payout.objects.count() == 1


def test_nothing_is_paid_while_somebody_can_enter():
    event, director = make_running_event(9)
    bust(actor=director, on=event.pk, entry_ids=list(event.entries.values_list("pk", flat=True))[:-1])
    client = signed_in(director)
    page = words(client.get(reverse("payouts", args=[event.pk])))
    assert "Registration is open" in page
    assert 'name="method"' not in page
    entry = payout_table(event).lines[-1].placed
    response = pay(client, event, entry.entry_id if entry else 0)
    assert response.status_code == 422
    assert "once registration has closed" in words(response)


def test_places_still_played_for_are_in_the_table():
    event, director = make_running_event(9)
    table = payout_table(event)
    assert [(line.best, line.worst, line.placed) for line in table.lines] == [(1, 1, None), (2, 2, None), (3, 3, None)]
    assert table.adds_up
    assert "still playing" in words(signed_in(director).get(reverse("payouts", args=[event.pk])))


def test_an_event_without_entries_has_no_prizes_yet():
    event = make_event()
    page = words(signed_in(make_director(event.series)).get(reverse("payouts", args=[event.pk])))
    assert "No prizes yet" in page


def test_an_event_that_was_played_for_nothing_has_no_prizes():
    event, client = finished(3, buy_in_cents=0, fee_cents=0)
    page = words(client.get(reverse("payouts", args=[event.pk])))
    assert "Nothing was paid into the prize pool" in page
    assert "No prizes yet" not in page


def test_a_prize_that_changed_after_it_was_paid_is_marked():
    event, client = finished()
    line = payout_table(event).lines[0]
    pay(client, event, line.placed.entry_id)
    with guard.writing():
        Payout.objects.update(amount_cents=1)
    assert payout_table(event).lines[0].differs
    assert "the place changed" in words(client.get(reverse("payouts", args=[event.pk])))


@pytest.mark.parametrize("name", ["results", "payouts"])
def test_the_number_of_queries_does_not_grow_with_the_field(name: str):
    counts = []
    for players in (4, 12):
        event, client = finished(players, payout_shares=[6000, 3000, 1000])
        with CaptureQueriesContext(connection) as captured:
            assert client.get(reverse(name, args=[event.pk])).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
