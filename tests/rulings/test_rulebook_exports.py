"""A version as a file: what is downloaded is what the fingerprint is of, and every rule is in it."""

import hashlib
import io
import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from accounts.permissions import Role
from rulings.domain.rule_text import parse_markdown
from rulings.models import RulebookVersion
from rulings.pdf import to_pdf
from tests.factories import make_user
from tests.rulings.books import Book, make_published, signed_in

pytestmark = pytest.mark.django_db


def download(book_or_series, kind: str, number: int = 1, client: Client | None = None) -> bytes:
    series = getattr(book_or_series, "series", book_or_series)
    response = (client or Client()).get(reverse(f"rulebook_{kind}", args=[series.slug, number]))
    assert response.status_code == 200
    assert response["Content-Disposition"] == f'attachment; filename="{series.slug}-rules-v{number}.{kind}"'
    return response.content


def pages(content: bytes) -> list[str]:
    return [re.sub(r"\s+", " ", page.extract_text()) for page in PdfReader(io.BytesIO(content)).pages]


def test_the_fingerprint_is_of_the_markdown_file_byte_by_byte() -> None:
    series = make_published()
    content = download(series, "md")
    version = RulebookVersion.objects.get(series=series)
    assert hashlib.sha256(content).hexdigest() == version.content_hash
    assert parse_markdown(content.decode()) == [row.as_text for row in version.texts.all()]
    assert version.content_hash in Client().get(reverse("rulebook", args=[series.slug])).content.decode()


def test_a_published_versions_file_never_changes() -> None:
    book = Book()
    before = {kind: download(book, kind) for kind in ("md", "pdf")}
    book.reword("1", "Be kind.", timezone.now() + timezone.timedelta(hours=1))
    assert {kind: download(book, kind) for kind in ("md", "pdf")} == before


def why(reason: str) -> dict[str, str]:
    return {"reason": reason, "author": "Ngaire"}


def test_json_has_every_rule_with_its_key_and_every_change_with_its_reason() -> None:
    book = Book()
    book.draft()
    book.change("9a", "Half is a raise.", clarified=True)
    book.remove("25", reason="Unused.")
    version = book.announce(note="Shorter.")
    found = json.loads(download(book, "json", 2))
    assert (found["version"], found["state"], found["sha256"]) == (2, "in_force", version.content_hash)
    assert found["effective_from"] == version.effective_from.isoformat()
    assert found["rules"] == [
        {"key": "rule-1", "number": "1", "section": "General", "text": "Be fair.", "supplement": False},
        {"key": "rule-9a", "number": "9a", "section": "General", "text": "Half is a raise.", "supplement": False},
    ]
    assert found["changed_from"] == 1
    assert found["changes"] == [
        {"key": "rule-9a", "number": "9a", "kinds": ["clarified"], "reasons": [why("Because.")]},
        {"key": "rule-25", "number": "25", "kinds": ["removed"], "reasons": [why("Unused.")]},
    ]  # fmt: skip
    assert "changes" not in json.loads(download(book, "json", 1))


def test_the_pdf_holds_every_rule_and_names_the_version_on_every_page() -> None:
    series = make_published(name="Takurua Series")
    found = pages(download(series, "pdf"))
    assert len(found) > 3
    whole = " ".join(found)
    version = RulebookVersion.objects.get(series=series)
    for text in version.texts.all():
        words = text.text.split()
        assert f"{text.number} {' '.join(words[:4])}" in whole
        assert " ".join(words[-2:]) in whole
    for number, page in enumerate(found, start=1):
        assert "Takurua Series rulebook · Version 1, in force" in page
        assert f"{number} / {len(found)}" in page
        assert version.content_hash in page


def test_the_pdf_writes_macrons_lists_and_suits() -> None:
    html = "<p>Ngāti “Tūhoe” – <strong>Łukasz</strong></p>\n<ul>\n<li>one ♠</li>\n<li>two</li>\n</ul>"
    made = to_pdf(title="Rūnanga", version="Version 3", fingerprint="f00", rules=[("Ngā ture", "9a", html)])
    page = pages(made)[0]
    for words in ("Rūnanga", "Ngā ture", "9a", "Ngāti “Tūhoe” – Łukasz", "one spades", "two", "Version 3", "f00"):
        assert words in page
    assert made == to_pdf(title="Rūnanga", version="Version 3", fingerprint="f00", rules=[("Ngā ture", "9a", html)])


def test_a_long_rule_runs_over_pages_without_losing_a_word() -> None:
    words = [f"word{number}" for number in range(3000)]
    rules = [("One", "1", f"<p>{' '.join(words)}</p>"), ("Two", "2", "<p>After it.</p>")]
    whole = " ".join(pages(to_pdf(title="Long", version="Version 1", fingerprint="", rules=rules)))
    assert all(f"{word} " in whole for word in words)
    assert "2 After it." in whole


def test_editors_download_their_draft_and_nobody_else() -> None:
    book = Book()
    book.draft()
    book.change("1", "Be kind.")
    where = reverse("rulebook_md", args=[book.series.slug, 2])
    assert b"Be kind." in signed_in(book.editor).get(where).content
    assert "draft" in pages(download(book, "pdf", 2, signed_in(book.editor)))[0]
    for client in (Client(), signed_in(make_user(role=Role.AUDITOR, series=book.series))):
        assert client.get(where).status_code == 404
