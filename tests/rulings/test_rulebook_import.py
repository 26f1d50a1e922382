"""Importing a rulebook: read as it is, shown and mended before anything is kept, and back without a difference."""

import contextlib
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from accounts.permissions import Role
from rulings.documents import MOST_BYTES, BadDocument, read_document
from rulings.domain.rule_diff import carry_keys
from rulings.domain.rule_import import import_document
from rulings.domain.rule_text import RuleText as Text
from rulings.domain.rule_text import to_markdown
from rulings.draft_reads import draft_page
from rulings.import_reads import known_rules, recognise
from rulings.models import RulebookVersion, RuleChange
from series.models import Series
from tests.factories import make_user
from tests.rulings.books import Book, make_bare_series, make_editor, make_published, signed_in

pytestmark = pytest.mark.django_db
HERE = Path(__file__).parent
OWN_SHAPE = (HERE / "domain" / "organiser_document.txt").read_text("utf-8")
ORGANISERS_OWN = HERE.parents[2] / "shared" / "house-rules.txt"


def word(paragraphs: list[tuple[str, str | None]]) -> bytes:
    """A Word document of (text, style) paragraphs."""
    document, out = Document(), io.BytesIO()
    for text, style in paragraphs:
        document.add_paragraph(text, style=style)
    document.save(out)
    return out.getvalue()


class Import:
    """The pages of an import, as an editor without JavaScript uses them."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.client = signed_in(make_editor(series))
        self.where = reverse("rules_import", args=[series.slug])

    def read(self, text: str = "", file: bytes | None = None, name: str = "rules.txt") -> Any:
        sent: dict[str, Any] = {"do": "read", "text": text}
        if file is not None:
            sent["file"] = SimpleUploadedFile(name, file)
        return self.client.post(self.where, sent)

    def fields(self, response: Any) -> dict[str, str]:
        """Every field of the preview with its value, as a browser would send it back."""
        rows = response.context["rows"]
        sent = {"form-TOTAL_FORMS": str(len(rows.forms)), "form-INITIAL_FORMS": str(rows.initial_form_count())}
        for form in rows.forms:
            for field in form:
                if field.value() not in (None, False):
                    sent[field.html_name] = str(field.value())
        hidden = {field.html_name: field.value() for field in response.context["keep_form"].hidden_fields()}
        return sent | {name: value for name, value in hidden.items() if value}

    def send(self, fields: dict[str, str], do: str = "keep", reason: str = "Imported.") -> Any:
        return self.client.post(self.where, fields | {"do": do, "reason": reason})

    def draft(self) -> list[Text]:
        return [row.as_text for row in RulebookVersion.objects.get(series=self.series, status="draft").texts.all()]


# --- preview ----------------------------------------------------------------------------------------------------------


def test_the_preview_shows_what_was_recognised_and_keeps_nothing() -> None:
    page = Import(make_bare_series())
    response = page.read(OWN_SHAPE)
    assert response.status_code == 200
    html = response.content.decode()
    for section in ("Opening", "Betting Procedures", "Blinds", "Odds and ends", "Supplement"):
        assert f"<h2>{section}</h2>" in html
    assert "15 rules in 5 sections" in html
    assert "Rule 17 seems to be cut off" in html
    assert "The opening says the same twice" in html
    assert not RulebookVersion.objects.exists()


def test_what_was_cut_off_is_mended_and_kept() -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read(OWN_SHAPE))
    name = next(key for key, value in fields.items() if value.endswith("small pot and..."))
    done = page.send(fields | {name: "What was posted is a pot of its own."})
    assert done.status_code == 303
    assert {text.number: text.text for text in page.draft()}["17"] == "What was posted is a pot of its own."


def test_rules_are_left_out_added_and_renumbered_in_the_preview() -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read("Betting\n\n2. One.\n\n3. Two.\n\n4. Four.\n"))
    spare = int(fields["form-TOTAL_FORMS"]) - 1
    mended = {"form-0-drop": "on", "form-1-number": "30", f"form-{spare}-number": "31"}
    mended |= {f"form-{spare}-section": "Betting", f"form-{spare}-text": "Not recognised."}
    assert page.send(fields | mended).status_code == 303
    house = [(text.number, text.text) for text in page.draft() if not text.supplement]
    assert house == [("30", "Two."), ("4", "Four."), ("31", "Not recognised.")]


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ({"form-0-number": "two"}, "Write a number like 9, 9a or S3."),
        ({"form-0-section": " "}, "This field is required."),
        ({"form-0-text": ""}, "This field is required."),
    ],
)
def test_what_is_wrong_is_said_at_its_rule_and_nothing_typed_is_lost(mistake: dict, said: str) -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read("Betting\n\n2. One.\n\n3. Two.\n"))
    response = page.send(fields | {"form-1-text": "My own words."} | mistake)
    assert response.status_code == 422
    html = response.content.decode()
    assert said in html
    assert "My own words." in html
    assert not RulebookVersion.objects.exists()


def test_looking_again_checks_the_mended_rules_and_keeps_nothing() -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read("Betting\n\n2. One.\n\n3. See rule 77.\n"))
    response = page.send(fields, do="look")
    assert "Rule 3 refers to rule 77, which does not exist." in response.content.decode()
    assert not RulebookVersion.objects.exists()
    fine = page.send(fields | {"form-1-text": "See rule 2."}, do="look").content.decode()
    assert "rule 77" not in fine


def test_one_present_rule_is_continued_by_one_row() -> None:
    book = Book()
    page = Import(book.series)
    fields = page.fields(page.read(to_markdown(book.texts(1))))
    response = page.send(fields | {"form-1-continues": fields["form-0-continues"]})
    assert response.status_code == 422
    assert "Another rule of this list is that one already." in response.content.decode()


def test_the_present_rule_is_named_by_its_number_and_a_wrong_number_is_said() -> None:
    book = Book()
    page = Import(book.series)
    fields = page.fields(page.read("General\n\n40. Nothing like any rule there is.\n"))
    assert not fields["form-0-continues"]
    response = page.send(fields | {"form-0-continues": "77"})
    assert response.status_code == 422
    assert "There is no such rule now." in response.content.decode()
    assert page.send(fields | {"form-0-continues": "9A"}).status_code == 303
    assert RulebookVersion.objects.get(status="draft").texts.get(number="40").rule.key == "rule-9a"


def test_a_rule_that_was_taken_for_two_is_put_together_again() -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read("Betting\n\n9. A clock of 60 seconds and\n\n10. more is given.\n\n11. Three.\n"))
    response = page.send(fields, do="join-1")
    assert response.status_code == 200
    assert not RulebookVersion.objects.exists()
    assert page.send(page.fields(response)).status_code == 303
    house = [(text.number, text.text) for text in page.draft() if not text.supplement]
    assert house == [("9", "A clock of 60 seconds and 10. more is given."), ("11", "Three.")]


@pytest.mark.parametrize("do", ["look", "add-3", "join-1"])
def test_other_doubts_stay_when_one_is_mended(do: str) -> None:
    page = Import(make_published())
    document = "Betting\n\n9. A clock of\n\n10. seconds. It is given.\n\n17\n\n11. What was...\n\n14. Four.\n"
    response = page.send(page.fields(page.read(document)), do=do)
    html = response.content.decode()
    assert "Rule 11 seems to be cut off." in html
    assert "Rules 12 to 13 are missing before rule 14." in html
    assert "Left out as a page number: 17" in html
    assert html.count("supplement, stays") == 21
    fields = page.fields(response)
    cut = next(name for name, value in fields.items() if value == "What was...")
    again = page.send(fields | {cut: "What was posted."}, do="look").content.decode()
    assert "Rule 11 seems to be cut off." not in again
    assert "Left out as a page number: 17" in again


def test_a_document_in_markdown_may_have_its_rules_in_any_order() -> None:
    page = Import(make_bare_series())
    response = page.send(page.fields(page.read("## Betting\n\n**9.** Nine.\n\n**3.** Cut...\n")), do="look")
    assert [form.row.problems for form in response.context["rows"].forms][:2] == [(), ("rule 3 seems to be cut off",)]


def test_a_number_that_a_removed_rule_left_names_the_rule_that_has_it_now() -> None:
    book = Book()
    book.draft()
    book.remove("25")
    book.change("9a", number="25")
    known = known_rules(book.series.pk, timezone.now())
    assert (known.named("25"), known.named("rule-25")) == ("rule-9a", "rule-25")


def test_rules_that_were_taken_for_one_are_parted_where_they_stand() -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read("Betting\n\n2. One. 3, Two.\n\n4. Four.\n"))
    fields = page.fields(page.send(fields | {"form-0-text": "One."}, do="add-0"))
    assert fields["form-1-section"] == "Betting"
    assert page.send(fields).status_code == 303, "a row left empty is no rule"
    fields |= {"form-1-number": "3", "form-1-text": "Two."}
    fields = page.fields(page.send(fields, do="add-1"))
    fields |= {"form-2-number": "3a", "form-2-text": "Two and a half."}
    assert page.send(fields).status_code == 303
    house = [(text.number, text.text) for text in page.draft() if not text.supplement]
    assert house == [("2", "One."), ("3", "Two."), ("3a", "Two and a half."), ("4", "Four.")]


@pytest.mark.parametrize("do", ["join-0", "join-99", "add-99"])
def test_a_place_that_is_none_changes_nothing(do: str) -> None:
    page = Import(make_bare_series())
    fields = page.fields(page.read("Betting\n\n2. One.\n\n3. Two.\n"))
    after = page.fields(page.send(fields, do=do))
    before, now = (
        {name: value for name, value in sent.items() if value and not name.endswith(("FORMS", "-drop"))}
        for sent in (fields, after)
    )
    assert now == before


def test_what_the_checker_says_stands_at_its_rule() -> None:
    page = Import(make_bare_series())
    html = page.read("Betting\n\n2. One.\n\n3. See rule 77.\n").content.decode()
    row = html[html.index('id="row-1"') : html.index('id="row-2"')]
    assert "<details" in html[: html.index('id="row-1"')]
    assert "Rule 3 refers to rule 77" in row
    assert " open>" in row[: row.index("<summary")]


def test_a_rule_too_long_is_said_before_anybody_keeps_it() -> None:
    html = Import(make_bare_series()).read("Betting\n\n2. " + "See rule 31. " * 4000).content.decode()
    assert "Rule 2 is too long: 8,000 characters at most." in html
    assert "refers to rule 31" not in html


def test_rules_are_known_again_by_their_words_whatever_their_numbers() -> None:
    book = Book()
    page = Import(book.series)
    response = page.read("General\n\n4. Half a raise is a raise.\n\n5. Always be fair.\n\n9a. A new thing entirely.\n")
    html = response.content.decode()
    assert "3 rules in 1 section: 2 continue a present rule, 1 is new." in re.sub(r"\s+", " ", html)
    assert "would be taken out:</b> rule 25" in html
    assert page.send(page.fields(response)).status_code == 303
    changes = draft_page(book.series.pk, timezone.now()).changes
    assert {row.key: [tag.kind for tag in row.kinds] for row in changes.rows} == {
        "rule-9a": ["moved", "renumbered"],
        "rule-1": ["reworded", "renumbered"],
        "rule-9a-2": ["new"],
        "rule-25": ["removed"],
    }
    assert set(RuleChange.objects.values_list("reason", flat=True)) == {"Imported."}


def test_the_supplement_stays_when_a_document_does_not_speak_of_it() -> None:
    page = Import(make_published())
    response = page.read("Betting\n\n2. One.\n")
    assert "supplement, stays" in response.content.decode()
    page.send(page.fields(response))
    kept = [text.number for text in page.draft() if text.supplement]
    assert kept == [f"S{number}" for number in range(1, 22)]


def test_a_document_with_a_supplement_of_its_own_replaces_ours() -> None:
    page = Import(make_published())
    page.send(page.fields(page.read("Betting\n\n2. One.\n\nMore\n\nS1. Our own default.\n")))
    assert [text.number for text in page.draft()] == ["2", "S1"]


def test_an_import_replaces_the_draft_and_its_rules_keep_their_keys() -> None:
    book = Book()
    book.draft()
    book.add("26", "Only in the draft.", section="Chips")
    page = Import(book.series)
    page.send(page.fields(page.read("Chips\n\n27. Only in the draft.\n\n28. Be fair.\n")))
    rules = RulebookVersion.objects.get(status="draft").texts.select_related("rule")
    assert [(row.number, row.rule.key) for row in rules] == [("27", "rule-26"), ("28", "rule-1")]


@pytest.mark.parametrize(("text", "said"), [("", "Choose a file, or paste the rules."), ("  \n", "Choose a file")])
def test_nothing_is_no_document(text: str, said: str) -> None:
    response = Import(make_bare_series()).read(text)
    assert response.status_code == 422
    assert said in response.content.decode()


def test_a_text_without_rules_is_shown_and_cannot_be_kept_as_many_rules() -> None:
    page = Import(make_bare_series())
    html = page.read("Only words, no rule at all.").content.decode()
    assert "There is no numbered rule here" in html


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.DIRECTOR, Role.EDITOR)])
def test_only_directors_and_rules_editors_import(role: str) -> None:
    book = Book()
    client = signed_in(make_user(role=role, series=book.series))
    where = reverse("rules_import", args=[book.series.slug])
    assert client.get(where).status_code == 403
    assert client.post(where, {"do": "read", "text": "2. One."}).status_code == 403
    assert Client().get(where).status_code == 302


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_files_in_any_usual_encoding(encoding: str) -> None:
    text = "Betting\n\n2. Chips – “released” – count.\n"
    assert read_document(text.encode(encoding)).lstrip("\ufeff") == text


def test_a_word_document_with_typed_numbers() -> None:
    content = word([("Welcome.", None), ("Betting", "Heading 1"), ("2. One.", None), ("9a. Half.", None)])
    page = Import(make_bare_series())
    page.send(page.fields(page.read(file=content, name="rules.docx")))
    house = [(text.section, text.number, text.text) for text in page.draft() if not text.supplement]
    assert house == [("Opening", "1", "Welcome."), ("Betting", "2", "One."), ("Betting", "9a", "Half.")]


def test_a_word_document_whose_numbers_word_counts_itself() -> None:
    numbered = [("First.", "List Number"), ("Second:", "List Number"), ("a point", "List Bullet")]
    content = word([("Betting", "Heading 1"), *numbered, ("Third.", "List Number")])
    found = import_document(read_document(content))
    assert [(rule.number, rule.text) for rule in found.rules] == [
        ("1", "First."), ("2", "Second:\n\n- a point"), ("3", "Third."),
    ]  # fmt: skip


def test_a_word_table_with_the_numbers_in_a_column_of_their_own() -> None:
    document, out = Document(), io.BytesIO()
    table = document.add_table(2, 2)
    for row, cells in zip(table.rows, (("2.", "One."), ("3.", "Two.")), strict=True):
        row.cells[0].text, row.cells[1].text = cells
    document.save(out)
    found = import_document(read_document(out.getvalue()))
    assert [(rule.number, rule.text) for rule in found.rules] == [("2", "One."), ("3", "Two.")]


def test_a_word_document_cannot_reach_other_files(tmp_path: Path) -> None:
    secret, out = tmp_path / "secret.txt", io.BytesIO()
    secret.write_text("the password")
    content = word([("2. One.", None)])
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as target:
        for part in source.infolist():
            data = source.read(part)
            if part.filename == "word/document.xml":
                declared = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]><w:document'.encode()
                data = data.replace(b"<w:document", declared, 1).replace(b"One.", b"One&e; more.")
            target.writestr(part, data)
    text = read_document(out.getvalue())
    assert "2. One" in text
    assert "password" not in text


def packed(size: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("word/document.xml", b"0" * size)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x" * (MOST_BYTES + 1), "too large"),
        (packed(50_000_000), "too large"),
        (packed(10), "cannot be read"),
        (b"PK\x03\x04 broken", "cannot be read"),
        (b"\x00\x01\x02", "not a text file"),
        (b"", "no text"),
        (word([]), "no text"),
    ],
    ids=["large", "bomb", "no word", "broken", "binary", "empty", "empty word"],
)
def test_a_file_that_is_no_document_is_refused_in_plain_words(content: bytes, said: str) -> None:
    with pytest.raises(BadDocument, match=said):
        read_document(content)


@given(st.binary(max_size=200))
def test_no_file_breaks_the_reader(content: bytes) -> None:
    with contextlib.suppress(BadDocument):
        assert read_document(content).strip()


def test_a_bad_file_is_refused_beside_its_field() -> None:
    response = Import(make_bare_series()).read(file=b"PK\x03\x04 broken", name="rules.docx")
    assert response.status_code == 422
    assert "This Word document cannot be read." in response.content.decode()


# --- there and back ---------------------------------------------------------------------------------------------------


def round_trip(document: str, *, supplement: bool = True) -> list[Text]:
    """Import, announce, export, and import what was exported: the rules, after it changed nothing."""
    series = make_bare_series()
    page = Import(series)
    first = page.read(document)
    fields = page.fields(first)
    if not supplement:
        kept_rows = [form.prefix for form in first.context["rows"].forms if form.row and form.row.kept]
        fields |= {f"{prefix}-drop": "on" for prefix in kept_rows}
    page.send(fields)
    announce = reverse("rules_announce", args=[series.slug])
    assert page.client.post(announce, {"when": "now"}).status_code == 303
    kept = [row.as_text for row in RulebookVersion.objects.get(series=series).texts.all()]
    exported = Client().get(reverse("rulebook_md", args=[series.slug, 1])).content.decode()
    again = page.read(exported)
    known = known_rules(series.pk, timezone.now())
    assert carry_keys(known.texts, import_document(exported).rulebook) == list(known.texts)
    found = recognise(import_document(exported), known)
    assert (found.gone, found.general) == ((), ())
    assert all(row.same_words and row.was == row.number for row in found.rows)
    assert page.send(page.fields(again)).status_code == 303
    assert page.draft() == kept
    changes = draft_page(series.pk, timezone.now()).changes
    assert changes is not None
    assert changes.rows == ()
    return kept


def test_there_and_back_without_a_difference() -> None:
    kept = round_trip(OWN_SHAPE, supplement=False)
    assert kept == import_document(OWN_SHAPE).rulebook


def test_there_and_back_of_text_that_looks_like_structure() -> None:
    tricky = "1. # not a heading\n\n2. Stars **bold** and\n\n- one\n- two\n\n3. A line\n\n## no heading either.\n"
    kept = round_trip(tricky, supplement=False)
    assert kept[0].text == "# not a heading"


@pytest.mark.skipif(not ORGANISERS_OWN.exists(), reason="the organiser's own document does not lie beside the project")
def test_the_organisers_own_document_there_and_back() -> None:
    kept = round_trip(ORGANISERS_OWN.read_text("utf-8"))
    house = [text.number for text in kept if not text.supplement]
    plain = [str(number) for number in range(1, 55) if number not in (28, 35)]
    assert sorted(house) == sorted([*plain, "9a", "9b", "28a", "28b", "35a", "35b", "35c"])
    sections = list(dict.fromkeys(text.section for text in kept))
    assert sections[:3] == ["Opening", "Betting Procedures", "Blinds"]
    assert len(sections) == 10
