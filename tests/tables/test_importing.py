"""Players from a spreadsheet: looked at row by row, registered by the same command as at the desk; and written out."""

import datetime as dt
import io
import re
import uuid
import zipfile
from contextlib import suppress
from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from accounts.models import User
from accounts.permissions import Role
from journal import guard
from journal.models import Journaled, JournalEntry, RowChange, Sealed
from series.commands.people import register
from series.domain.player_file import TableError, read_rows
from series.models import Event, Exclusion, Player, Registration, SeriesPlayer
from series.spreadsheets import MOST_BYTES, MOST_ROWS, read_table
from tests.factories import add_players, make_director, make_event, make_series, make_user

TODAY = dt.date(2026, 7, 1)
CSV = "Name,Date of birth,E-mail,Mobile\nHēmi Parata,5/6/2000,hemi@example.nz,021 555 0101\nMia Paraone,1990-01-02,,\n"


@pytest.fixture
def event(db: None) -> Event:
    return make_event(name="Main")


@pytest.fixture
def director(event: Event) -> User:
    return make_director(event.series)


def xlsx(*rows: Any) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        CSV.encode(),
        CSV.encode("utf-8-sig"),
        CSV.encode("utf-16"),
        CSV.replace(",", ";").encode(),
        CSV.replace(",", "\t").replace("\n", "\r\n").encode(),
        CSV.encode() + b",,,\n\n",
        xlsx(
            ["Name", "DOB", "Email", "Phone"],
            ["Hēmi Parata", dt.date(2000, 6, 5), "hemi@example.nz", "021 555 0101"],
            [None, None, None, None],
            ["Mia Paraone", "2/1/1990", None, None],
        ),
    ],
)
def test_files_are_read_as_people_have_them(content: bytes) -> None:
    rows = read_rows(read_table(content), TODAY)
    assert [(row.name, row.birth_date, row.email, row.phone, row.problem) for row in rows] == [
        ("Hēmi Parata", dt.date(2000, 6, 5), "hemi@example.nz", "021 555 0101", ""),
        ("Mia Paraone", dt.date(1990, 1, 2), "", "", ""),
    ]


def test_first_and_last_names_and_numbers_are_understood() -> None:
    content = xlsx(["First name", "Surname", "Born", "Cell"], ["Zoë", "Smith", "5.6.2000", 215550101.0])
    rows = read_rows(read_table(content), TODAY)
    assert (rows[0].name, rows[0].phone) == ("Zoë Smith", "215550101")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "The file is empty."),
        (b"Name,Email\nA,b", "one called Birth date is missing"),
        (b"Born,Email\nA,b", "one called Name is missing"),
        (b"Name,Born\n", "only headings"),
        (b"\x00\x01\x02", "neither a CSV"),
        (b"PK\x03\x04 broken", "cannot be read"),
        (b"x" * (MOST_BYTES + 1), "too large"),
        (("Name,Born\n" + "A,1/1/1990\n" * (MOST_ROWS + 1)).encode(), "too many rows"),
    ],
)
def test_what_cannot_be_read_is_said(content: bytes, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_rows(read_table(content), TODAY)


def test_a_spreadsheet_that_swells_is_not_opened() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * 50_000_000)
    assert len(out.getvalue()) < MOST_BYTES
    with pytest.raises(TableError, match="too large"):
        read_table(out.getvalue())


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (["", "1/1/1990"], "The name is missing."),
        (["x" * 81, "1/1/1990"], "too long"),
        (["þ" * 41, "1/1/1990"], "too long"),
        (["A", ""], "The birth date is missing."),
        (["A", "31/2/1990"], "There is no such day"),
        (["A", "1/1/2999"], "lies in the future"),
        (["A", "soon"], "Write the birth date as day/month/year"),
        (["A"], "The birth date is missing."),
    ],
)
def test_what_is_wrong_with_a_row_stands_beside_it(row: list[str], problem: str) -> None:
    assert problem in read_rows([["Name", "Born"], row], TODAY)[0].problem


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reading(content: bytes) -> None:
    for begin in (b"", b"Name,Born\n", b"PK\x03\x04"):
        with suppress(TableError):
            assert read_rows(read_table(begin + content), TODAY)


# --- the pages --------------------------------------------------------------------------------------------------------


def look(client: Client, event: Event, content: bytes | str, where: object = None, status: int = 200) -> str:
    sent = content if isinstance(content, bytes) else content.encode()
    response = client.post(
        reverse("players_import", args=[event.series.slug]),
        {
            "do": "read",
            "where": str(where or event.days.get().pk),
            "file": SimpleUploadedFile("people.csv", sent),
            "command_id": str(uuid.uuid4()),
        },
    )
    assert response.status_code == status
    return response.content.decode()


def hidden(page: str) -> dict[str, str]:
    """What the preview sends back."""
    found = {}
    for name in ("where", "batch", "people"):
        tag = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)
        assert tag
        found[name] = unescape(tag[1])
    return found | {"do": "keep", "command_id": str(uuid.uuid4())}


def keep(client: Client, event: Event, given: dict[str, str]) -> str:
    response = client.post(reverse("players_import", args=[event.series.slug]), given)
    assert response.status_code == 200
    return response.content.decode()


def everything() -> dict[str, int]:
    models = [model for model in apps.get_models() if issubclass(model, Journaled)]
    return {model._meta.label: model._default_manager.count() for model in [*models, JournalEntry, RowChange, Sealed]}


def test_people_are_looked_at_then_registered_once(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    before = everything()
    page = look(client, event, CSV)
    assert "2 new" in page
    assert everything() == before
    given = hidden(page)
    assert "2 taken" in keep(client, event, given)
    assert {row.player.name for row in event.registrations.select_related("player")} == {"Hēmi Parata", "Mia Paraone"}
    kept = everything()
    again = keep(client, event, given)
    assert "0 taken" in again
    assert "2 were there already" in again
    assert "2 there already" in look(client, event, CSV)
    assert everything() == kept


def test_each_row_says_what_becomes_of_it(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    other = make_event(event.series)
    register(actor=director, on=other.pk, name="Hēmi Parata", birth_date=dt.date(2000, 6, 5))
    register(actor=director, on=other.pk, name="Zoë Smith", birth_date=dt.date(1980, 1, 1))
    with guard.writing():
        Exclusion.objects.create(
            name="Bad Penny", name_folded="bad penny", birth_date=dt.date(1970, 1, 1), reason="Stole chips",
            from_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        )  # fmt: skip
    young = dt.datetime.now(dt.UTC).date().replace(day=1) - dt.timedelta(days=17 * 365)
    table = (
        "Name,Born,Email\nhemi parata,5/6/2000,\nZoe Smith,2/2/1990,\nNew One,1/1/1990,wrong@\n"
        f"Too Young,{young.isoformat()},young@example.nz\nBad Penny,1/1/1970,\n"
        "Mia,1/1/1990,\nmia,1/1/1990,\n,1/1/1990,\n"
    )
    page = look(client, event, table)
    for words in (
        "1 known",
        "1 to decide",
        "1 new",
        "5 cannot be taken",
        "not complete",
        "Too young for Main",
        "The same person as in line 7.",
        "The name is missing.",
        "Refer to the tournament director.",
    ):
        assert words in page
    assert "Stole" not in page
    zoe = Player.objects.get(name="Zoë Smith")
    given = hidden(page) | {"who-3": str(zoe.pk)}
    done = keep(client, event, given)
    assert "3 taken" in done
    assert event.registrations.filter(player=zoe).exists()
    assert Player.objects.count() == 3
    assert not Player.objects.filter(name__in=["Too Young", "Bad Penny", "New One"]).exists()
    assert not Sealed.objects.filter(value="young@example.nz").exists()


@pytest.mark.parametrize(("who", "players"), [("new", 2), ("skip", 1), ("", 1), ("99999", 1)])
def test_somebody_alike_is_decided_by_a_person(
    client: Client, event: Event, director: User, who: str, players: int
) -> None:
    client.force_login(director)
    register(actor=director, on=make_event(event.series).pk, name="Zoë Smith", birth_date=dt.date(1980, 1, 1))
    page = look(client, event, "Name,Born\nZoe Smith,2/2/1990\n")
    keep(client, event, hidden(page) | {"who-2": who})
    assert Player.objects.count() == players


def test_the_list_of_a_series_needs_no_event(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    elsewhere = make_event(make_series())
    held = register(
        actor=make_director(elsewhere.series), on=elsewhere.pk, name="Hēmi Parata", birth_date=dt.date(2000, 6, 5)
    ).result
    young = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=17 * 365)
    page = look(client, event, CSV + f"Too Young,{young.isoformat()},,\n", "list")
    assert "Not 18 yet" in page
    assert "2 taken" in keep(client, event, hidden(page))
    assert SeriesPlayer.objects.count() == 2
    assert SeriesPlayer.objects.filter(player=held["player"]).exists()
    assert not Registration.objects.filter(event=event).exists()
    listed = client.get(reverse("series_players", args=[event.series.slug])).content.decode()
    assert "Hēmi Parata" in listed
    assert "Mia Paraone" in listed
    assert "Too Young" not in listed


def test_closed_and_full_are_so_for_the_import_too(client: Client, director: User, event: Event) -> None:
    client.force_login(director)
    small = make_event(event.series, capacity=1, name="Small")
    done = keep(client, small, hidden(look(client, small, CSV)))
    assert "1 taken" in done
    assert "This event is full." in done
    page = look(client, small, CSV.replace("Mia", "Ana"))
    with guard.writing():
        Event.objects.filter(pk=small.pk).update(status=Event.Status.CANCELLED)
    response = client.post(reverse("players_import", args=[event.series.slug]), hidden(page))
    assert response.status_code == 422
    assert Registration.objects.filter(event=small).count() == 1


@pytest.mark.parametrize(
    "people",
    [
        *("", "x", "[]", "[1]", "[[1]]", '[["a","b","c","d","e"]]', "{}", '{"a": 1}', "null", "[" * 5000),
        r'[[2, "Half \ud800 a sign", "1990-01-01", "", ""]]',
        r'[[2, "A \u0000 sign", "1990-01-01", "", ""]]',
    ],
)
def test_rows_that_come_back_damaged_are_refused(client: Client, event: Event, director: User, people: str) -> None:
    client.force_login(director)
    given = hidden(look(client, event, CSV)) | {"people": people}
    response = client.post(reverse("players_import", args=[event.series.slug]), given)
    assert response.status_code == 422
    assert not Player.objects.exists()


def test_a_file_that_is_none_is_said_beside_its_field(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    assert "cannot be read" in look(client, event, b"PK\x03\x04 broken", status=422)
    assert "Select a valid choice" in look(client, event, CSV, "99999999999999999999", status=422)
    nothing = client.post(reverse("players_import", args=[event.series.slug]), {"do": "read"})
    assert nothing.status_code == 422
    assert "Choose a file." in nothing.content.decode()


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [
        (Role.DIRECTOR, 200, 200),
        (Role.FLOOR, 200, 200),
        (Role.DESK, 200, 200),
        (Role.AUDITOR, 200, 403),
        (Role.DEALER, 403, 403),
        (Role.EDITOR, 403, 403),
    ],
)
def test_who_may(client: Client, event: Event, role: str, reads: int, writes: int) -> None:
    client.force_login(make_user(role=role, series=event.series))
    exports = [reverse(name, args=[event.series.slug]) for name in ("players_csv", "players_xlsx")]
    exports += [reverse(name, args=[event.pk]) for name in ("entries_csv", "entries_xlsx")]
    for address in exports:
        assert client.get(address).status_code == reads
    assert client.get(reverse("players_import", args=[event.series.slug])).status_code == writes
    client.force_login(make_user(role=role, series=make_series()))
    for address in exports:
        assert client.get(address).status_code == 403


# --- writing ----------------------------------------------------------------------------------------------------------

DANGEROUS = ("=1+1", "+64 21 555", "-2+3", "@SUM(A1)", '=HYPERLINK("http://evil")', "\tTab", "|calc")


def test_no_spreadsheet_executes_what_is_written(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    for number, name in enumerate(DANGEROUS):
        register(actor=director, on=event.pk, name=name + " Ann", birth_date=dt.date(1990, 1, 1 + number))
    response = client.get(reverse("players_csv", args=[event.series.slug]))
    text = response.content.decode("utf-8-sig")
    assert "players-" in response["Content-Disposition"]
    assert not re.search(r'(^|,)"?[=+\-@|\t]', text, re.MULTILINE)
    assert "1+1 Ann" in text
    book = load_workbook(io.BytesIO(client.get(reverse("players_xlsx", args=[event.series.slug])).content))
    cells = [cell for row in book.active.iter_rows() for cell in row if isinstance(cell.value, str)]
    assert "=1+1 Ann" in {cell.value for cell in cells}
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells)


def test_players_survive_the_way_out_and_in(client: Client, event: Event, director: User) -> None:
    client.force_login(director)
    for name in ("Łukasz Nowak", "Ngāti Whātua", "Fa'afoi O’Connor"):
        register(actor=director, on=event.pk, name=name, birth_date=dt.date(1990, 1, 1), email="a@example.nz")
    for kind in ("csv", "xlsx"):
        rows = read_rows(read_table(client.get(reverse(f"players_{kind}", args=[event.series.slug])).content), TODAY)
        assert {row.name for row in rows} == {"Łukasz Nowak", "Ngāti Whātua", "Fa'afoi O’Connor"}
        assert {row.birth_date for row in rows} == {dt.date(1990, 1, 1)}
        assert not any(row.problem for row in rows)


def test_entries_are_written_with_seats_and_places(client: Client, event: Event, director: User) -> None:
    add_players(event, 2, director)
    client.force_login(director)
    book = load_workbook(io.BytesIO(client.get(reverse("entries_xlsx", args=[event.pk])).content))
    rows = list(book.active.iter_rows(values_only=True))
    assert len(rows) == 3
    assert rows[1][4] == "playing"
    assert isinstance(rows[1][5], int)
    assert isinstance(rows[1][6], int)
