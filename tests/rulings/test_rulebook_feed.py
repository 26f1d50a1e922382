"""The Atom feed of a rulebook."""

import datetime as dt
import xml.etree.ElementTree as ET
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rulings.commands import withdraw
from tests.rulings.books import Book

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def book() -> Book:
    """Four versions: 2 rewords and adds, 3 removes, 4 is coming in an hour and renumbers."""
    made = Book()
    made.draft()
    made.change("9a", "Half a raise or more is a raise.", reason="Dealers read it in two ways.")
    made.add("9b", "Less is a call.", after="9a")
    made.announce(note="Short raises.")
    made.draft()
    made.remove("25", reason="Nobody swaps.")
    made.announce()
    made.draft()
    made.change("9b", number="10", reason="It stands alone.")
    made.announce(timezone.now() + HOUR)
    return made


def get(book: Book, name: str, *args: Any, client: Client | None = None, **query: Any) -> str:
    response = (client or Client()).get(reverse(name, args=[book.series.slug, *args]), query)
    assert response.status_code == 200
    return response.content.decode()


# --- feed -------------------------------------------------------------------------------------------------------------

ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_feed_is_valid_atom(book: Book) -> None:
    withdraw(actor=book.editor, on=book.series.pk, version_id=book.version(4).pk, reason="A <mistake> & more.")
    response = Client().get(reverse("rules_feed", args=[book.series.slug]))
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = ET.fromstring(response.content)
    assert feed.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert len(feed.findall(f"{ATOM}{name}")) == 1
        assert feed.findtext(f"{ATOM}{name}")
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == str(book.series)
    own = [link for link in feed.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert [link.get("href") for link in own] == [f"http://testserver{reverse('rules_feed', args=[book.series.slug])}"]
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "Version 4 of the rules is withdrawn", "Version 3 of the rules is in force",
        "Version 2 of the rules is superseded", "Version 1 of the rules is superseded",
    ]  # fmt: skip
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == 4
    for entry in entries:
        assert all(len(entry.findall(f"{ATOM}{name}")) == 1 for name in ("id", "title", "updated", "published"))
        for name in ("updated", "published"):
            assert dt.datetime.fromisoformat(entry.findtext(f"{ATOM}{name}")).tzinfo is not None
        link = entry.find(f"{ATOM}link")
        assert Client().get(link.get("href").removeprefix("http://testserver")).status_code == 200
        assert entry.find(f"{ATOM}summary").get("type") == "html"
    assert "Dealers read it in two ways." in entries[2].findtext(f"{ATOM}summary")
    assert "A &lt;mistake&gt; &amp; more." in entries[0].findtext(f"{ATOM}summary")
    newest = max(entry.findtext(f"{ATOM}updated") for entry in entries)
    assert feed.findtext(f"{ATOM}updated") == newest


def test_an_entry_is_new_again_when_its_version_comes_into_force(book: Book) -> None:
    def entry() -> ET.Element:
        return ET.fromstring(get(book, "rules_feed")).find(f"{ATOM}entry")

    before = entry()
    with time_machine.travel(timezone.now() + 2 * HOUR):
        after = entry()
    assert before.findtext(f"{ATOM}id") == after.findtext(f"{ATOM}id")
    assert before.findtext(f"{ATOM}updated") < after.findtext(f"{ATOM}updated")
    assert after.findtext(f"{ATOM}title") == "Version 4 of the rules is in force"


def test_the_feed_asks_two_more_queries_for_each_version(django_assert_num_queries: Any) -> None:
    book = Book()
    for count in range(3):
        with django_assert_num_queries(3 + 2 * count):
            get(book, "rules_feed")
        book.reword("1", f"Words {count}.")
