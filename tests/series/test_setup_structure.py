"""The blind structure: the command, the editor with and without JavaScript, ready-made, copied and imported ones."""

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal.chain import verify
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from series.commands.opening import open_event, set_structure
from series.domain.structure import AnteType, Break, Item
from series.domain.structure import Level as L
from series.domain.structure_csv import write_csv
from series.domain.structure_templates import build
from series.forms.structure import CELLS, StructureForm
from series.models import Event, Level
from series.reads.setup import items_of, timetable
from tests.factories import PASSWORD, make_director, make_event, make_running_event, make_series, make_user

pytestmark = pytest.mark.django_db
ITEMS: tuple[Item, ...] = (
    L(20, 25, 50),
    L(20, 50, 100),
    Break(10, (25,)),
    L(20, 100, 200, 200, AnteType.BIG_BLIND),
    L(20, 200, 400, 100, AnteType.EACH, (100,)),
)


def make_draft(levels: int = 0, **fields: Any) -> Event:
    return make_event(status=Event.Status.DRAFT, levels=levels, **fields)


def stored(event: Event) -> tuple[Item, ...]:
    return items_of(list(event.levels.all()))


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [0, 2, 9])
def test_a_structure_replaces_whatever_was_there_and_reads_back_the_same(levels):
    event = make_draft(levels)
    done = set_structure(actor=make_director(event.series), on=event.pk, items=ITEMS)
    assert stored(event) == ITEMS
    assert list(event.levels.values_list("position", "number")) == [(0, 1), (1, 2), (2, None), (3, 3), (4, 4)]
    assert done.result["levels"] == 4
    assert not list(verify())


def test_the_same_structure_again_writes_nothing():
    event = make_draft()
    director = make_director(event.series)
    set_structure(actor=director, on=event.pk, items=ITEMS)
    assert set_structure(actor=director, on=event.pk, items=ITEMS).seq is None
    assert JournalEntry.objects.count() == 1


def test_an_error_is_refused_with_its_row_and_warnings_are_given_back():
    event = make_draft()
    director = make_director(event.series)
    with pytest.raises(Refused, match=r"Row 3, level 2: A blind is lower") as refused:
        set_structure(actor=director, on=event.pk, items=(L(20, 50, 100), Break(10), L(20, 25, 50)))
    assert refused.value.code == "blinds_fall"
    with pytest.raises(Refused, match="no level"):
        set_structure(actor=director, on=event.pk, items=())
    done = set_structure(actor=director, on=event.pk, items=(L(20, 25, 50), L(20, 25, 50), L(20, 50, 100)))
    assert done.result["warnings"] == ["flat_step"]


def test_a_running_event_keeps_its_structure():
    event, director = make_running_event(4)
    before = stored(event)
    with pytest.raises(Refused, match="is running"):
        set_structure(actor=director, on=event.pk, items=ITEMS)
    assert stored(event) == before


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_nobody_but_a_director_sets_a_structure(role):
    event = make_draft()
    with pytest.raises(NotAllowed):
        set_structure(actor=make_user(role=role, series=event.series), on=event.pk, items=ITEMS)


def test_an_editor_who_saw_an_older_structure_overwrites_nothing():
    event = make_draft()
    director = make_director(event.series)
    set_structure(actor=director, on=event.pk, expected_version=0, items=ITEMS)
    with pytest.raises(Stale):
        set_structure(actor=director, on=event.pk, expected_version=0, items=ITEMS[:2])
    assert stored(event) == ITEMS


def test_the_timetable_gives_times_of_day_and_the_stack_in_big_blinds():
    event = make_draft()
    rows = timetable(ITEMS, event.starts_at, 10_000)
    assert [(row.starts_at - event.starts_at).seconds // 60 for row in rows] == [0, 20, 40, 50, 70]
    assert [row.level for row in rows] == [1, 2, None, 3, 4]
    assert [str(row.stack_in_big_blinds) for row in rows] == ["200", "100", "None", "50", "25"]


# --- reading rows -----------------------------------------------------------------------------------------------------


def typed(*rows: dict[str, str], chips: tuple[int, ...] = (25, 100, 500)) -> StructureForm:
    data = QueryDict(mutable=True)
    for row in rows:
        for cell in CELLS:
            data.appendlist(cell, row.get(cell, {"kind": "level", "ante_type": "none"}.get(cell, "")))
    return StructureForm.typed(data, Event(chips=list(chips)))


def test_rows_are_read_with_thousands_and_empty_rows_and_minutes_filled_in():
    form = typed(
        {"minutes": "20", "small_blind": "500", "big_blind": "1,000"},
        {},
        {"small_blind": "1 000", "big_blind": "2,000", "ante": "2000", "ante_type": "big_blind"},
        {"kind": "break", "minutes": "10", "removed": "25, 100"},
        {"small_blind": "2500", "big_blind": "5000", "ante_type": "each"},
    )
    assert form.is_valid(), form.errors
    assert form.items == (
        L(20, 500, 1_000),
        L(20, 1_000, 2_000, 2_000, AnteType.BIG_BLIND),
        Break(10, (25, 100)),
        L(20, 2_500, 5_000),
    )


def test_what_cannot_be_read_is_said_beside_its_cell_and_kept():
    form = typed({"minutes": "20", "small_blind": "abc", "big_blind": "50"}, {"small_blind": "50", "big_blind": "100"})
    assert not form.is_valid()
    assert form.rows[0].small_blind == "abc"
    assert "whole number" in form.rows[0].errors["small_blind"]
    assert not form.rows[1].errors
    assert form.items == ()


def test_what_makes_no_sense_is_said_beside_its_row_also_after_an_empty_one():
    form = typed(
        {"minutes": "20", "small_blind": "50", "big_blind": "100"}, {}, {"small_blind": "25", "big_blind": "50"}
    )
    assert not form.is_valid()
    assert "lower than in the level before" in form.rows[2].errors[""]


@pytest.mark.parametrize(
    "row",
    [
        {"minutes": "20", "small_blind": "25", "big_blind": "50", "removed": "1,000"},
        {"minutes": "9999", "small_blind": "25", "big_blind": "50"},
        {"minutes": "20", "small_blind": "25"},
        {"small_blind": "25", "big_blind": "50"},
        {"minutes": "20"},
    ],
)
def test_a_row_that_is_half_there_is_an_error(row):
    form = typed(row)
    assert not form.is_valid()
    assert form.rows[0].errors


# --- the page ---------------------------------------------------------------------------------------------------------


def director_of(event: Event) -> Client:
    client = Client()
    client.login(email=make_director(event.series).email, password=PASSWORD)
    return client


def rows_of(items: tuple[Item, ...]) -> dict[str, list[str]]:
    form = StructureForm.of(items, Event(chips=[25, 100, 500]))
    return {cell: [getattr(row, cell) for row in form.rows] for cell in CELLS}


def post(client: Client, event: Event, do: str, items: tuple[Item, ...] = ITEMS, **more: Any) -> Any:
    headers = more.pop("headers", {})
    data = rows_of(items) | {"do": do, "command_id": str(uuid.uuid4()), "version": str(event.seq)} | more
    return client.post(reverse("structure", args=[event.pk]), data, headers=headers)


def test_the_editor_saves_and_goes_on():
    event = make_draft()
    response = post(director_of(event), event, "save")
    assert (response.status_code, response["Location"]) == (303, reverse("event_setup", args=[event.pk]))
    assert stored(event) == ITEMS


def test_an_unusual_structure_is_saved_and_shown_again_with_its_explanations():
    event = make_draft()
    client = director_of(event)
    response = post(client, event, "save", (L(20, 25, 50), L(20, 25, 50), L(20, 75, 125)))
    assert (response.status_code, response["Location"]) == (303, reverse("structure", args=[event.pk]))
    page = client.get(response["Location"]).content.decode()
    assert "3 things in it are unusual" in page
    assert "The big blind is usually twice the small blind." in page


@pytest.mark.parametrize("htmx", [False, True])
@pytest.mark.parametrize(
    ("do", "kinds"),
    [
        ("add:level", "llblll"),
        ("add:break", "llbllb"),
        ("insert:2:level", "lllbll"),
        ("insert:0:break", "bllbll"),
        ("remove:2", "llll"),
        ("remove:99", "llbll"),
        ("check", "llbll"),
        ("nonsense", "llbll"),
    ],
)
def test_buttons_change_the_rows_and_write_nothing(htmx, do, kinds):
    event = make_draft()
    response = post(director_of(event), event, do, headers={"HX-Request": "true"} if htmx else {})
    assert response.status_code == 200
    assert "".join(row.kind[0] for row in response.context["form"].rows) == kinds
    assert (b"<!doctype" in response.content) is not htmx
    assert response.content.count(b'id="timetable"') == 1
    assert not event.levels.exists()


def test_the_timetable_alone_is_refreshed_while_typing():
    event = make_draft()
    response = post(director_of(event), event, "preview", headers={"HX-Request": "true"})
    assert b'id="timetable"' in response.content
    assert b'id="structure"' not in response.content
    assert b"100 \xe2\x80\x93 200" in response.content


def test_what_is_wrong_comes_back_with_what_was_typed():
    event = make_draft()
    response = post(director_of(event), event, "save", small_blind=["25", "oops", "", "100", "200"])
    assert response.status_code == 422
    assert b'value="oops"' in response.content
    assert not event.levels.exists()


def test_a_stale_save_keeps_the_rows_and_the_next_save_wins():
    event = make_draft()
    client = director_of(event)
    set_structure(actor=make_director(event.series), on=event.pk, items=ITEMS[:2])
    response = post(client, event, "save")
    assert response.status_code == 409
    assert b"This changed while you looked" in response.content
    event.refresh_from_db()
    assert f'name="version" value="{event.seq}"'.encode() in response.content
    assert stored(event) == ITEMS[:2]
    assert post(client, event, "save").status_code == 303
    assert stored(event) == ITEMS


@pytest.mark.parametrize("template", ["turbo", "regular", "deep"])
def test_a_ready_made_structure_fills_the_rows_and_saves(template):
    event = make_draft(starting_stack=20_000, chips=[25, 100, 500, 1_000, 5_000])
    client = director_of(event)
    where = {"from": "template", "template": template, "hours": "5", "entries": "60"}
    response = client.get(reverse("structure", args=[event.pk]), where)
    items = build(template, 20_000, 5, event.chips, entries=60)
    assert response.context["form"].items == items
    assert b"Not saved yet" in response.content
    assert not event.levels.exists()
    assert post(client, event, "save", items).status_code == 303
    assert stored(event) == items


def test_a_ready_made_structure_that_cannot_be_says_why():
    event = make_draft(starting_stack=100, chips=[25])
    where = {"from": "template", "template": "deep", "hours": "5", "entries": "60"}
    response = director_of(event).get(reverse("structure", args=[event.pk]), where)
    assert response.status_code == 422
    assert b"too large for a starting stack" in response.content


def test_another_event_s_structure_is_copied_only_from_a_series_one_sets_up():
    event = make_draft()
    director = make_director(event.series)
    source, foreign = make_event(event.series), make_event(make_series())
    client = Client()
    client.login(email=director.email, password=PASSWORD)
    where = reverse("structure", args=[event.pk])
    assert client.get(where, {"from": "event", "event": source.pk}).context["form"].items == stored(source)
    refused = client.get(where, {"from": "event", "event": foreign.pk})
    assert refused.status_code == 422
    assert refused.context["form"].items == ()


def test_a_csv_file_fills_the_rows_and_the_download_is_read_back():
    event = make_draft()
    client = director_of(event)
    where = reverse("structure", args=[event.pk])
    file = SimpleUploadedFile("structure.csv", write_csv(ITEMS).encode("utf-8-sig"), "text/csv")
    response = client.post(where, {"do": "import", "file": file})
    assert response.context["form"].items == ITEMS
    assert not event.levels.exists()
    set_structure(actor=make_director(event.series), on=event.pk, items=ITEMS)
    download = client.get(reverse("structure_csv", args=[event.pk]))
    assert download["Content-Type"] == "text/csv; charset=utf-8"
    pasted = client.post(where, {"do": "import", "text": download.content.decode("utf-8-sig")})
    assert pasted.context["form"].items == ITEMS


def test_every_wrong_line_of_a_csv_file_is_named_beside_the_field():
    event = make_draft()
    text = "Minutes,Small blind,Big blind\n20,25,50\n20,x,100\n,100,200\n"
    response = director_of(event).post(reverse("structure", args=[event.pk]), {"do": "import", "text": text})
    assert response.status_code == 422
    assert [said.split(":")[0] for said in response.context["import_form"].errors["text"]] == ["Line 3", "Line 4"]
    assert b"20,x,100" in response.content


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "Choose a file"), (b"\xff\xfe\x00", "not a text file"), (b"x" * 100_001, "too large")],
)
def test_a_file_that_is_no_structure_is_refused(content, said):
    event = make_draft()
    given = {"do": "import"} | ({"file": SimpleUploadedFile("s.csv", content)} if content else {})
    response = director_of(event).post(reverse("structure", args=[event.pk]), given)
    assert response.status_code == 422
    assert said in str(response.context["import_form"].errors)


def test_an_auditor_looks_and_cannot_touch():
    event = make_event()
    auditor = make_user(role=Role.AUDITOR, series=event.series)
    client = Client()
    client.login(email=auditor.email, password=PASSWORD)
    page = client.get(reverse("structure", args=[event.pk]))
    assert page.status_code == 200
    assert b"Save the structure" not in page.content
    assert post(client, event, "save").status_code == 403
    assert event.levels.count() == 4


def test_a_running_event_shows_its_structure_without_buttons():
    event, director = make_running_event(2)
    client = Client()
    client.login(email=director.email, password=PASSWORD)
    assert b"Save the structure" not in client.get(reverse("structure", args=[event.pk])).content


def test_the_page_asks_as_often_for_one_level_as_for_many(django_assert_num_queries):
    for levels in (1, 3):
        event = make_event(levels=levels, late_reg_level=1)
        client = director_of(event)
        with django_assert_num_queries(8):
            client.get(reverse("structure", args=[event.pk]))
        assert Level.objects.filter(event=event).count() == levels


# --- what the terms of the event say of it ----------------------------------------------------------------------------
TERMS = {
    "rebuys": 1, "rebuy_chips": 1_000, "rebuy_until": 2, "addons": 1, "addon_chips": 1_000, "addon_break": 2,
    "reentry_until": 3,
}  # fmt: skip


def test_a_structure_players_were_told_of_keeps_the_add_ons_break_and_the_windows():
    event = make_event(entry_rules=TERMS)
    given: dict[str, Any] = {"actor": make_director(event.series), "on": event.pk}
    set_structure(**given, items=ITEMS)
    for items, words in (
        ([*ITEMS[:2], *ITEMS[3:]], "in the break after level 2, but no break comes there"),
        ([ITEMS[0], Break(10), *ITEMS[1:2], *ITEMS[3:]], "in the break after level 2, but no break comes there"),
        (ITEMS[:3], "until the end of level 3, but level 2 is the last one"),
    ):
        with pytest.raises(Refused, match=words) as refused:
            set_structure(**given, items=items)
        assert refused.value.code == "misplaced"
    assert stored(event) == ITEMS


def test_a_draft_may_go_on_without_the_break_but_does_not_open():
    event = make_draft(entry_rules=TERMS)
    director = make_director(event.series)
    done = set_structure(actor=director, on=event.pk, items=[L(20, 25, 50), L(20, 50, 100), L(20, 100, 200)])
    assert "addon_break" in done.result["warnings"]
    with pytest.raises(Refused, match="Structure and terms do not fit: The add-on"):
        open_event(actor=director, on=event.pk)
    set_structure(actor=director, on=event.pk, items=ITEMS)
    open_event(actor=director, on=event.pk)


def test_the_editor_marks_where_windows_end_and_explains_what_does_not_fit(client: Client):
    event = make_event(entry_rules=TERMS)
    client.force_login(make_director(event.series))
    set_structure(actor=make_director(event.series), on=event.pk, items=ITEMS)
    form = StructureForm.of(ITEMS, event)
    marks = [(row.number, row.marks) for row in form.numbered() if row.marks]
    assert marks == [(2, ("rebuys end", "late registration ends")), (None, ("add-on",)), (3, ("re-entries end",))]
    assert form.is_valid()
    form.remove(2)
    assert not form.is_valid()
    assert "no break comes there" in form.errors[0]
    page = client.get(reverse("structure", args=[event.pk])).content.decode()
    assert '<span class="tag info">rebuys end</span>' in page
    quiet = StructureForm.of(ITEMS[:2], Event(status=Event.Status.DRAFT, chips=[25, 100, 500], entry_rules=TERMS))
    assert quiet.is_valid()
    assert any("no break comes there" in warning for warning in quiet.warnings)
