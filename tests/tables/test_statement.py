"""The statement of an event: its sums agree with ledger and payouts, it freezes once and for all, page, PDF and CSV."""

import csv
import io
import uuid

import pytest
from django.db import connection
from django.db.utils import DatabaseError
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry, RowChange
from journal.undo import undo
from series.commands.gambling import add_cost, add_goods, set_series_terms
from series.models import Event, EventStatement, Player
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import hold_prize, pay_out
from tables.commands.statement import freeze_statement
from tables.domain.statement import Document, Section
from tables.reads.payouts import payout_table
from tables.reads.statement import statement
from tests.factories import make_director, make_event, make_running_event, make_user
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db


def over(players: int = 3, **fields: object) -> tuple[Event, User]:
    """An event that ended, its first prize not paid yet."""
    event, director = make_running_event(players, **fields)
    close_entries(actor=director, on=event.pk)
    for entry in event.entries.order_by("pk")[: players - 1]:
        bust(actor=director, on=event.pk, entry_ids=[entry.pk])
    return Event.objects.select_related("series").get(pk=event.pk), director


def now(event: Event) -> Document:
    return statement(Event.objects.select_related("series").get(pk=event.pk), timezone.now())


def section(document: Document, title: str) -> Section:
    return next(found for found in document.sections if found.title == title)


def value(document: Document, title: str, name: str) -> object:
    return next(row[-1] for row in section(document, title).rows if row[0] == name)


def test_the_sums_are_those_of_ledger_and_payouts_and_the_net_follows():
    event, director = over()
    add_cost(actor=director, on=event.pk, what="Hall", amount_cents=4_050, receipt="R-17")
    document = now(event)
    assert value(document, "Taken from players", "Taken") == 3 * 25_000
    assert value(document, "Prize pool", "Prize pool") == payout_table(event).pool_cents == 3 * 22_000
    assert value(document, "Prize pool", "Sum of the prizes") == payout_table(event).total_cents
    assert value(document, "Net to the purpose", "Net") == 3 * 3_000 - 4_050
    lines = section(document, "Net to the purpose").rows
    assert sum(int(cents) for _, cents in lines[:-1]) == lines[-1][1]
    assert value(document, "Chips issued and removed", "In play at the end") == 30_000
    assert value(document, "Age checks", "18 or older, proven") == 3
    assert value(document, "Entries", "Entries") == 3


def test_an_overlay_is_the_organiser_s_and_not_taken_from_the_net():
    event, _ = over(guarantee_cents=100_000)
    document = now(event)
    assert value(document, "Prize pool", "Made up to the guarantee") == 100_000 - 3 * 22_000
    assert value(document, "Net to the purpose", "Net") == 3 * 3_000


def test_a_staff_share_leaves_less_and_still_adds_up():
    event, _ = over(staff_kind="entry", staff_amount=1_000)
    document = now(event)
    assert value(document, "Net to the purpose", "Staff share") == -3_000
    assert value(document, "Net to the purpose", "Net") == 3 * 3_000


def test_prizes_stand_with_real_names_and_how_they_were_paid():
    event, director = over()
    with guard.writing():
        Player.objects.update(public_name="Somebody")
    winner = event.entries.get(status="playing")
    pay_out(actor=director, on=event.pk, entry_id=winner.pk, method="cash")
    row = section(now(event), "Prizes by recipient").rows[0]
    assert row[1] == winner.player.name
    assert row[2] == row[3]
    assert "cash" in str(row[4])
    assert "Mere" in str(row[4])


def test_a_withheld_prize_is_named_with_its_reason():
    event, director = over()
    winner = event.entries.get(status="playing")
    hold_prize(actor=director, on=event.pk, entry_id=winner.pk, why="No ID yet")
    (row,) = section(now(event), "Withheld prizes").rows
    assert row[1:] == (winner.player.name, row[2], "No ID yet")
    assert section(now(event), "Prizes by recipient").rows[0][-1] == "withheld"


# --- freezing ---------------------------------------------------------------------------------------------------------
def test_it_is_frozen_once_the_event_is_over_and_again_only_if_something_changed():
    running, director = make_running_event(3)
    with pytest.raises(Refused, match="once the event is over"):
        freeze_statement(actor=director, on=running.pk)
    event, director = over()
    first = freeze_statement(actor=director, on=event.pk).result
    with pytest.raises(Refused, match="Nothing changed since statement 1"):
        freeze_statement(actor=director, on=event.pk)
    add_cost(actor=director, on=event.pk, what="Trestles", amount_cents=1, receipt="1")
    second = freeze_statement(actor=director, on=event.pk).result
    assert (first["number"], second["number"]) == (1, 2)
    assert first["fingerprint"] != second["fingerprint"]
    kept = EventStatement.objects.get(number=1)
    assert (kept.fingerprint, "Trestles" in str(kept.content)) == (first["fingerprint"], False)


def test_what_was_frozen_cannot_be_altered_nor_deleted_nor_undone():
    event, director = over()
    freeze_statement(actor=director, on=event.pk)
    with guard.writing(), pytest.raises(DatabaseError):
        EventStatement.objects.update(fingerprint="0" * 64)


def test_undo_does_not_take_a_statement_away():
    event, director = over()
    freeze_statement(actor=director, on=event.pk)
    with pytest.raises(Refused):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="statement.freeze").pk)
    assert EventStatement.objects.count() == 1


def test_the_journal_keeps_no_real_name_of_a_statement():
    event, director = over()
    freeze_statement(actor=director, on=event.pk)
    winner = event.entries.get(status="playing").player
    entry = JournalEntry.objects.get(verb="statement.freeze")
    assert winner.name not in str(entry.result) + entry.text
    assert winner.name not in str(RowChange.objects.get(entry=entry).after)


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.DEALER, Role.EDITOR, Role.AUDITOR])
def test_only_who_sets_up_freezes(role: str):
    event, _ = over()
    with pytest.raises(NotAllowed):
        freeze_statement(actor=make_user("Ana", role=role, series=event.series), on=event.pk)


# --- pages and files --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("role", "status", "button"),
    [
        (Role.DIRECTOR, 200, True),
        (Role.DESK, 200, False),
        (Role.AUDITOR, 200, False),
        (Role.FLOOR, 403, False),
        (Role.DEALER, 403, False),
        (Role.EDITOR, 403, False),
    ],
)
def test_who_sees_money_reads_it(role: str, status: int, button: bool):
    event, _ = over()
    client = signed_in(make_user("Ana", role=role, series=event.series))
    response = client.get(reverse("event_statement", args=[event.pk]))
    assert response.status_code == status
    assert ("Freeze statement 1" in words(response)) == button
    for name in ("statement_pdf", "statement_csv"):
        assert client.get(reverse(name, args=[event.pk, 0])).status_code == status


def test_the_button_freezes_and_leads_to_what_was_frozen():
    event, director = over()
    client, where = signed_in(director), reverse("event_statement", args=[event.pk])
    answer = client.post(where, {"command_id": uuid.uuid4()})
    assert answer.status_code == 303
    page = words(client.get(answer["Location"]))
    assert EventStatement.objects.get().fingerprint in page
    assert "As it was frozen." in page
    assert "Nothing changed since statement 1" in words(client.get(where))
    assert client.post(where, {"command_id": uuid.uuid4()}).status_code == 303
    assert EventStatement.objects.count() == 1
    assert client.get(reverse("statement_frozen", args=[event.pk, 7])).status_code == 404
    other, _ = over()
    assert signed_in(make_director(other.series)).get(answer["Location"]).status_code == 403


def test_an_event_without_anything_has_a_statement():
    event = make_event(status=Event.Status.DRAFT)
    client = signed_in(make_director(event.series))
    assert "No prizes." in words(client.get(reverse("event_statement", args=[event.pk])))
    assert client.get(reverse("statement_pdf", args=[event.pk, 0])).content.startswith(b"%PDF")


def test_the_pdf_writes_macrons_and_its_fingerprint_on_every_page():
    event, director = over()
    set_series_terms(actor=director, on=event.series_id, operator="society", purpose="Ngā tamariki o Ōtākou")
    freeze_statement(actor=director, on=event.pk)
    row = EventStatement.objects.get()
    where = reverse("statement_pdf", args=[event.pk, 1])
    file = signed_in(director).get(where)
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(file.content)).pages]
    whole = " ".join(pages)
    assert "Ngā tamariki o Ōtākou" in whole
    assert event.entries.get(status="playing").player.name in whole
    assert all(row.fingerprint in page for page in pages)
    assert file.content == signed_in(director).get(where).content


def test_the_csv_adds_up_and_runs_no_formula():
    event, director = over()
    add_cost(actor=director, on=event.pk, what="=1+1", amount_cents=4_050, receipt="@R")
    add_goods(actor=director, on=event.pk, what="Cup", retail_cents=5_000)
    text = signed_in(director).get(reverse("statement_csv", args=[event.pk, 0])).content.decode()
    assert text.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    at = rows.index(["Net to the purpose"])
    amounts = [float(row[1]) for row in rows[at + 2 : at + 8]]
    assert sum(amounts[:-1]) == amounts[-1] == 90 - 40.5
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "@"))]


def test_as_many_queries_for_many_players_as_for_few():
    counts = []
    for players in (2, 4):
        event, director = over(players)
        for number in range(players):
            add_cost(actor=director, on=event.pk, what="Hall", amount_cents=1, receipt=str(number))
        client = signed_in(director)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("event_statement", args=[event.pk])).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
