"""The pages of the money: the sheet, the ledger, tills and receipts, for every role, with odd input, in few queries."""

import csv
import datetime as dt
import io
import uuid
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal.models import JournalEntry
from journal.undo import undo
from series.commands.options import change_options
from series.commands.people import register
from series.commands.tills import open_till
from series.domain.options import Options
from series.models import Entry, Event, LedgerLine, Player, Till
from tables.commands.entries import buy_in
from tables.commands.floor import close_entries
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return make_event()


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


@pytest.fixture
def client(director: User) -> Client:
    return signed_in(director)


def pages(event: Event) -> list[str]:
    """Every page of the money but the receipts."""
    slug = event.series.slug
    return [
        *(reverse(f"event_{page}", args=[event.pk]) for page in ("money", "money_csv", "ledger", "ledger_csv")),
        *(reverse(f"series_{page}", args=[slug]) for page in ("money", "money_csv", "ledger", "ledger_csv")),
        reverse("tills", args=[slug]),
    ]


def send(client: Client, url: str, **sent: Any) -> HttpResponse:
    return client.post(url, {"command_id": uuid.uuid4()} | sent)


def rows_of(response: HttpResponse) -> list[list[str]]:
    return list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))


# --- who sees what ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", Role.values)
def test_who_may_look(event: Event, director: User, role: str):
    add_players(event, 1, director)
    till = open_till(actor=director, on=event.series_id, total_cents=100).result["till"]
    staff = signed_in(make_user(role=role, series=event.series))
    sees = role in (Role.DIRECTOR, Role.DESK, Role.AUDITOR)
    urls = [
        *pages(event),
        reverse("till", args=[event.series.slug, Till.objects.get(pk=till).number]),
        reverse("receipt", args=[event.pk, 1]),
    ]
    for url in urls:
        assert staff.get(url).status_code == (200 if sees else 403), url
        assert signed_in(make_director(make_series())).get(url).status_code == 403, url
        assert Client().get(url).status_code == 302, url


def test_an_empty_event_says_so(event: Event, client: Client):
    for url in pages(event):
        assert client.get(url).status_code == 200
    assert "No money has moved" in words(client.get(reverse("event_money", args=[event.pk])))
    assert "No lines" in words(client.get(reverse("event_ledger", args=[event.pk])))


@pytest.mark.parametrize(
    "query",
    [
        "day=2026-13-45", "day=9999-12-31", "day=0001-01-01", "page=-7", "page=x", "receipt=" + "9" * 40,
        "receipt=12345678901", "account=gold", "item=<b>", "till=" + "1" * 30, "till=common", "by=0", "side=both",
        "method=%00",
    ],
)  # fmt: skip
def test_odd_addresses_are_no_errors(event: Event, director: User, client: Client, query: str):
    add_players(event, 1, director)
    for url in pages(event):
        assert client.get(f"{url}?{query}").status_code == 200, (url, query)
    assert client.get(reverse("receipt", args=[event.pk, 999_999_999_999_999_999_999])).status_code == 404


def test_queries_do_not_grow(event: Event, director: User, client: Client):
    def counted(url: str) -> int:
        client.get(url)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(url).status_code == 200
        return len(queries)

    found = []
    for _ in range(3):
        staff = make_user(role=Role.DESK, series=event.series)
        open_till(actor=staff, on=event.series_id, total_cents=100)
        add_players(event, 1, staff)
        found.append({url: counted(url) for url in pages(event)})
    assert found[0] == found[2]


# --- the sheet --------------------------------------------------------------------------------------------------------
def test_the_sheet_is_signed_and_goes_stale(event: Event, director: User, client: Client):
    add_players(event, 2, director)
    url = reverse("event_money", args=[event.pk])
    page = words(client.get(url))
    assert "$500.00" in page
    assert "not reconciled yet" in page
    lines = LedgerLine.objects.count()
    assert send(client, url, do="sign", lines=lines - 1).status_code == 422
    assert send(client, url, do="sign", lines=lines, note="Counted").status_code == 303
    page = words(client.get(url))
    assert "“Counted”" in page
    assert "money moved" not in page
    add_players(event, 1, director)
    assert "money moved since" in words(client.get(url))
    today = timezone.localdate(timezone=event.series.tz).isoformat()
    assert "not reconciled yet" in words(client.get(f"{url}?day={today}"))  # a day is another statement than the whole
    whole = reverse("series_money", args=[event.series.slug])
    assert send(client, whole, do="sign", lines=LedgerLine.objects.count()).status_code == 303
    assert send(client, url, do="sign", lines="many").status_code == 422
    assert send(client, url, do="dance").status_code == 200


def test_the_buttons_of_the_pool(client: Client):
    event, director = make_running_event(3, guarantee_cents=100_000)
    client = signed_in(director)
    url = reverse("event_money", args=[event.pk])
    assert "posted when registration closes" in words(client.get(url))
    assert "Post overlay" not in words(client.get(url))
    assert send(client, url, do="settle").status_code == 422
    refused = send(client, url, do="add", cents="lots", source="", method="cash")
    assert refused.status_code == 422
    assert "This is not an amount" in words(refused)
    assert send(client, url, do="add", cents="500", source="Brewery", method="transfer").status_code == 303
    page = words(client.get(url))
    assert "Money added" in page
    assert "$160.00" not in page
    assert "$1,000 guaranteed" in page
    close_entries(actor=director, on=event.pk)
    assert "posted when" not in words(client.get(url))
    desk = signed_in(make_user(role=Role.DESK, series=event.series))
    assert "Add money" not in words(desk.get(url))
    assert send(desk, url, do="add", cents="1", source="x", method="cash").status_code == 403


def test_the_common_till_is_counted_on_the_sheet(event: Event, director: User, client: Client):
    add_players(event, 1, director)
    url = reverse("event_money", args=[event.pk])
    assert "Count the common till" in words(client.get(url))
    refused = send(client, url, do="count", total_cents="240")
    assert refused.status_code == 422
    assert "$10 less than the ledger says ($250)" in words(refused)
    assert send(client, url, do="count", total_cents="240", reason="Ten short").status_code == 303
    assert "Count the common till" not in words(client.get(url))


def test_sheet_and_ledger_as_csv(event: Event, director: User, client: Client):
    birth_date = dt.date(1990, 1, 1)
    held = register(actor=director, on=event.pk, name="=1+1 Zoë", birth_date=birth_date).result
    buy_in(actor=director, on=event.pk, registration_id=held["registration"], method="card", id_kind="passport")
    found = rows_of(client.get(reverse("event_ledger_csv", args=[event.pk])))
    assert len(found) == 4
    till = dict(zip(found[0], found[1], strict=True))
    assert (till["debit"], till["credit"], till["receipt"]) == ("250.00", "0.00", f"no. {event.number}-0001")
    assert till["player"] == "'=1+1 Zoë"
    assert sum(float(row[5]) - float(row[6]) for row in found[1:]) == 0
    sheet = rows_of(client.get(reverse("event_money_csv", args=[event.pk])))
    assert ["taken", "Taken", "0.00", "250.00", "0.00", "0.00", "250.00"] in sheet
    only = rows_of(client.get(reverse("event_ledger_csv", args=[event.pk]) + "?account=fee"))
    assert [row[4] for row in only[1:]] == ["fee"]


def test_every_total_of_the_sheet_leads_to_its_lines(event: Event, director: User, client: Client):
    add_players(event, 2, director)
    undo(actor=director, entry_id=JournalEntry.objects.latest("pk").pk)
    page = words(
        client.get(reverse("event_ledger", args=[event.pk]) + "?account=fee&item=buy_in&side=credit&method=cash")
    )
    assert "2 lines" in page
    assert "$60.00" in page
    assert "Prize pool" not in page.split("<tbody>")[1].split("</tbody>")[0]


def test_the_ledger_is_paged(event: Event, director: User, client: Client):
    add_players(event, 18, director)  # 54 lines
    url = reverse("event_ledger", args=[event.pk])
    assert "1 of 2" in words(client.get(url))
    second = words(client.get(url + "?page=2&account="))
    assert "2 of 2" in second
    assert second.count('<td data-label="When">') == 4


# --- tills ------------------------------------------------------------------------------------------------------------
def test_a_till_from_the_desk_and_back(event: Event):
    desk = signed_in(make_user("Ana", role=Role.DESK, series=event.series))
    assert "Open your till" in words(desk.get(reverse("desk", args=[event.pk])))
    tills = reverse("tills", args=[event.series.slug])
    refused = send(desk, f"{tills}?event={event.pk}")
    assert refused.status_code == 422
    assert "Write the total" in words(refused)
    opened = send(desk, f"{tills}?event={event.pk}", pieces_2000="5", pieces_10000="2")
    assert (opened.status_code, opened["Location"]) == (303, reverse("desk", args=[event.pk]))
    assert "Till 1" in words(desk.get(reverse("desk", args=[event.pk])))
    assert "open already" in words(send(desk, tills, total_cents="0"))
    till = reverse("till", args=[event.series.slug, 1])
    assert "$300.00" in words(desk.get(till))
    assert send(desk, till, do="drop", **{"drop-cents": "301"}).status_code == 422
    assert send(desk, till, do="drop", **{"drop-cents": "100"}).status_code == 303
    assert send(desk, till, do="top_up", **{"top_up-cents": "50"}).status_code == 303
    short = send(desk, till, do="close", total_cents="240")
    assert short.status_code == 422
    assert "Count again, or say why" in words(short)
    assert 'value="240"' in words(short)  # what was counted stays
    wrong = send(desk, till, do="close", total_cents="250", pieces_10000="2")
    assert "do not come to this total" in words(wrong)
    assert send(desk, till, do="close", pieces_10000="2", pieces_5000="1").status_code == 303
    assert "Counted and closed" in words(desk.get(till))


@pytest.mark.parametrize("value", ["-1", "1e9", "x", "9" * 40, "100001"])
def test_odd_counts_are_told(event: Event, client: Client, value: str):
    refused = send(client, reverse("tills", args=[event.series.slug]), pieces_2000=value)
    assert refused.status_code == 422
    assert not Till.objects.exists()


def test_anothers_till_is_for_the_director(event: Event, director: User, client: Client):
    open_till(actor=make_user("Ana", role=Role.DESK, series=event.series), on=event.series_id, total_cents=100)
    url = reverse("till", args=[event.series.slug, 1])
    other = signed_in(make_user(role=Role.DESK, series=event.series))
    assert "Close the till" not in words(other.get(url))
    assert send(other, url, do="close", total_cents="1").status_code == 403
    assert "This is the till of Ana" in words(client.get(url))
    assert send(client, url, do="close", total_cents="1").status_code == 303
    assert client.get(reverse("till", args=[event.series.slug, 99])).status_code == 404


def test_who_has_no_till_is_told_where_one_is_wanted(event: Event, director: User):
    change_options(actor=director, on=event.series_id, options=Options(till_required=True))
    desk = signed_in(make_user(role=Role.DESK, series=event.series))
    held = add_players(event, 1, director, paid=False)[0]
    url = reverse("desk_buy_in", args=[event.pk, held["player"]])
    seen = Event.objects.get(pk=event.pk).seq
    refused = send(desk, url, version=seen, registration=held["registration"], method="cash", id_kind="passport")
    assert refused.status_code == 422
    assert "Open your till first" in words(refused)
    assert not LedgerLine.objects.exists()


# --- receipts ---------------------------------------------------------------------------------------------------------
def test_a_player_prints_their_own_receipts_alone(event: Event, director: User):
    first, second = add_players(event, 2, director)
    undo(actor=director, entry_id=JournalEntry.objects.latest("pk").pk)
    mine, other = (Player.objects.get(pk=held["player"]) for held in (first, second))
    visitor = Client()
    page = words(visitor.get(reverse("my_receipts", args=[other.token, event.pk])))
    assert f"{event.number}-0002" in page
    assert f"{event.number}-0003" in page
    refund = visitor.get(reverse("my_receipt", args=[other.token, event.pk, 3]))
    assert f"gives back receipt {event.number}-0002" in words(refund)
    assert "noindex" in refund["X-Robots-Tag"]
    assert mine.birth_date.isoformat() not in words(refund)
    assert visitor.get(reverse("my_receipt", args=[mine.token, event.pk, 3])).status_code == 404
    assert visitor.get(reverse("my_receipts", args=[mine.token, make_event(event.series).pk])).status_code == 404
    assert visitor.get(reverse("my_receipts", args=["x" * 22, event.pk])).status_code == 404
    assert "My receipts" in words(visitor.get(reverse("my_page", args=[mine.token])))


def test_a_receipt_on_a_roll_and_on_a_sheet(event: Event, director: User, client: Client):
    held = add_players(event, 1, director)[0]
    url = reverse("receipt", args=[event.pk, 1])
    page = words(client.get(url))
    name = Entry.objects.get(pk=held["entry"]).player.name
    assert name in page
    assert "Paid, cash" in page
    assert "Mere" in page
    assert "ticket receipt sheet" not in page
    assert "ticket receipt sheet" in words(client.get(url + "?paper=a4"))
    assert client.get(reverse("receipt", args=[make_event(event.series).pk, 1])).status_code == 404
    assert "Receipts" in words(client.get(reverse("desk", args=[event.pk]) + f"?player={held['player']}"))
    auditor = signed_in(make_user(role=Role.AUDITOR, series=event.series))
    assert "on your phone" in page
    assert "on your phone" not in words(auditor.get(url))  # the way to a player's page is not the auditor's
