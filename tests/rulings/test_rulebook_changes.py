"""The public changelog: what changed and why, any two versions, a rule's history, the feed, notices, and what a player
missed."""

import datetime as dt
import re
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from rulings.change_reads import changes_of, compare
from rulings.commands import withdraw
from rulings.domain.rule_diff import apply_diff
from rulings.version_reads import versions_of
from tests.factories import make_user
from tests.rulings.books import Book, make_bare_series, signed_in

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


def rows(page: str) -> dict[str, str]:
    """Each changed rule of a page by its number, as words with its marks."""
    found = re.findall(r'<article class="rule change" id="rule-(\w+)">(.*?)</article>', page, re.DOTALL)
    return {number: re.sub(r"<(?!/?(?:ins|del)\b)[^>]+>", " ", html) for number, html in found}


# --- pages ------------------------------------------------------------------------------------------------------------


def test_a_version_says_what_it_changed_word_by_word_and_why(book: Book) -> None:
    page = get(book, "rule_changes", 2)
    assert "What changed in version 2" in page
    assert "Short raises." in page
    shown = rows(page)
    assert list(shown) == ["9a", "9b"]
    assert "Half a raise<ins> or more</ins> is a raise." in shown["9a"]
    assert "Why: Dealers read it in two ways." in shown["9a"]
    assert "Ngaire" in shown["9a"]
    assert "<ins>Less is a call.</ins>" in shown["9b"]
    assert "2 unchanged" in page
    assert "<del>No swaps.</del>" in rows(get(book, "rule_changes", 3))["25"]
    assert "was rule 9b" in rows(get(book, "rule_changes", 4))["10"]


def test_the_first_version_changed_nothing(book: Book) -> None:
    page = get(book, "rule_changes", 1)
    assert "The first version" in page
    assert rows(page) == {}


def test_all_versions_are_listed_with_their_state_and_what_they_changed(book: Book) -> None:
    page = get(book, "rulebook_versions")
    lines = re.findall(r"Version (\d)</b> <span class=\"tag \w*\">([\w ]+)<", page)
    assert lines == [("4", "announced"), ("3", "in force"), ("2", "superseded"), ("1", "superseded")]
    for words in ("1 renumbered", "1 removed", "1 new", "1 reworded"):
        assert words in page
    for kind in ("pdf", "md", "json"):
        assert reverse(f"rulebook_{kind}", args=[book.series.slug, 2]) in page


def test_a_withdrawn_version_stays_listed_with_the_reason(book: Book) -> None:
    withdraw(actor=book.editor, on=book.series.pk, version_id=book.version(4).pk, reason="A mistake in it.")
    assert "Withdrawn: A mistake in it." in get(book, "rulebook_versions")
    assert "A mistake in it." in get(book, "rule_changes", 4)
    assert "withdrawn before it came into force" in get(book, "rulebook_version", 4)


def test_any_two_versions_are_compared_with_the_reasons_of_every_step_between(book: Book) -> None:
    page = get(book, "rules_compare", **{"from": 1, "to": 4})
    shown = rows(page)
    assert list(shown) == ["9a", "25", "10"]
    assert "Why (version 2): Dealers read it in two ways." in shown["9a"]
    assert "new" in shown["10"]
    assert "Why (version 4): It stands alone." in shown["10"]
    assert "<del>No swaps.</del>" in shown["25"]
    assert rows(get(book, "rules_compare", **{"from": 4, "to": 1})) == shown  # the older one comes first
    assert "No difference" in get(book, "rules_compare", **{"from": 2, "to": 2})


def test_side_by_side_shows_the_deletions_left_and_the_insertions_right(book: Book) -> None:
    shown = rows(get(book, "rules_compare", view="side", **{"from": 1, "to": 2}))["9a"]
    before, after = shown.split("After")
    assert "Half a raise is a raise." in re.sub("</?del>", "", before)
    assert "ins" not in before
    assert "Half a raise<ins> or more</ins> is a raise." in after


@pytest.mark.parametrize("query", [{"from": 1, "to": 9}, {"from": "x"}, {"to": 5}])
def test_there_is_nothing_to_compare_with_a_version_that_is_not_there(book: Book, query: dict) -> None:
    assert Client().get(reverse("rules_compare", args=[book.series.slug]), query).status_code == 404


def test_without_being_asked_the_two_newest_are_compared(book: Book) -> None:
    assert "From version 3 to version 4" in get(book, "rules_compare")


def test_the_computed_difference_leads_from_the_old_to_the_new_words(book: Book) -> None:
    versions = versions_of(book.series.pk)
    for new in versions.lines:
        for row in changes_of(new, versions).rows:
            old, words = row.change.old, row.change.new
            assert apply_diff(old.text if old else "", row.pieces) == (words.text if words else "")


def test_a_version_reads_the_same_for_ever_under_its_own_address(book: Book) -> None:
    page = get(book, "rulebook_version", 1)
    assert "Half a raise is a raise." in page
    assert "No swaps." in page
    assert "These rules were replaced." in page
    assert "announced and do not hold yet" in get(book, "rulebook_version", 4)
    assert Client().get(reverse("rulebook_version", args=[book.series.slug, 9])).status_code == 404


def test_search_stays_within_the_version(book: Book) -> None:
    assert "1 of 3 rules hold" in get(book, "rulebook_version", 1, q="swaps")
    assert "No rule holds" in get(book, "rulebook", q="swaps")


# --- a rule -----------------------------------------------------------------------------------------------------------


def test_a_rule_has_its_history_newest_first(book: Book) -> None:
    page = get(book, "rule", "9a")
    steps = re.findall(r"<li>(.*?)</li>", page.split('class="history"')[1], re.DOTALL)
    assert len(steps) == 2
    assert "Version 2" in steps[0]
    assert "<ins> or more</ins>" in steps[0]
    assert "Dealers read it in two ways." in steps[0]
    assert "first published" in steps[1]


def test_the_permanent_key_finds_a_rule_under_any_number(book: Book) -> None:
    before = get(book, "rule", "rule-9b")
    assert "<h1>Rule 9b</h1>" in before
    assert reverse("rule", args=[book.series.slug, "rule-9b"]) in before
    with time_machine.travel(timezone.now() + 2 * HOUR):
        after = get(book, "rule", "rule-9b")
        assert "<h1>Rule 10</h1>" in after
        assert "as rule 9b" in after
        assert "<h1>Rule 10</h1>" in get(book, "rule", "9b")  # the number leads to the rule that had it last


def test_a_rule_that_went_is_shown_with_its_last_words(book: Book) -> None:
    page = get(book, "rule", "25")
    assert "version 3 took it out" in page
    assert "No swaps." in page
    assert "Nobody swaps." in page


def test_a_rule_that_comes_says_from_when(book: Book) -> None:
    withdraw(actor=book.editor, on=book.series.pk, version_id=book.version(4).pk, reason="No.")
    book.draft()
    book.add("60", "Coming soon.")
    book.announce(timezone.now() + HOUR)
    assert "is announced with version 5" in get(book, "rule", "rule-60")
    withdraw(actor=book.editor, on=book.series.pk, version_id=book.version(5).pk, reason="No.")
    assert "never came into force" in get(book, "rule", "rule-60")


@pytest.mark.parametrize("name", ["99", "rule-99", "versionsx", "s9"])
def test_what_was_never_a_rule_is_not_found(book: Book, name: str) -> None:
    assert Client().get(reverse("rule", args=[book.series.slug, name])).status_code == 404


# --- drafts and unpublished series ------------------------------------------------------------------------------------

PAGES = [
    ("rulebook", ()), ("rulebook_versions", ()), ("rule_changes", (1,)), ("rulebook_version", (1,)),
    ("rules_compare", ()), ("rules_feed", ()), ("rule", ("1",)), ("rulebook_md", (1,)), ("rulebook_json", (1,)),
    ("rulebook_pdf", (1,)), ("rules_mail", ()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), PAGES)
def test_an_unpublished_series_shows_its_rules_to_its_staff_alone(name: str, args: tuple) -> None:
    book = Book(published=False)
    where = reverse(name, args=[book.series.slug, *args])
    assert Client().get(where).status_code == 404
    assert signed_in(make_user("Hana")).get(where).status_code == 404
    assert signed_in(make_user(role=Role.DEALER, series=book.series)).get(where).status_code == 200


@pytest.mark.parametrize("name", ["rule_changes", "rulebook_version", "rulebook_md", "rulebook_json", "rulebook_pdf"])
def test_a_draft_is_nowhere_on_the_public_pages(name: str) -> None:
    book = Book()
    book.draft()
    book.add("26", "Secret words.")
    where = reverse(name, args=[book.series.slug, 2])
    for client in (Client(), signed_in(make_user(role=Role.FLOOR, series=book.series))):
        assert client.get(where).status_code == 404
    for page in ("rulebook_versions", "rulebook", "rules_feed", "rules_compare"):
        assert "Secret words" not in get(book, page)
        assert "Version 2" not in get(book, page)
    assert Client().get(reverse("rule", args=[book.series.slug, "rule-26"])).status_code == 404


@pytest.mark.parametrize("name", ["rulebook_versions", "rules_feed"])
def test_a_series_without_rules_has_its_pages_all_the_same(name: str) -> None:
    series = make_bare_series()
    assert Client().get(reverse(name, args=[series.slug])).status_code == 200
    assert Client().get(reverse("rules_compare", args=[series.slug])).status_code == 404


# --- how often it asks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "args", "queries"),
    [
        ("rulebook_versions", (), 4),
        ("rule_changes", (2,), 4),
        ("rules_compare", (), 4),
        ("rulebook_version", (2,), 4),
        ("rule", ("1",), 5),
    ],
)
def test_the_pages_ask_as_often_for_one_change_as_for_three(
    name: str, args: tuple, queries: int, django_assert_num_queries: Any
) -> None:
    for numbers in (("1",), ("1", "9a", "25")):
        book = Book()
        book.draft()
        for number in numbers:
            book.change(number, f"Words of {number}.")
        book.announce()
        with django_assert_num_queries(queries):
            get(book, name, *args)


def test_comparing_asks_twice_whatever_lies_between(django_assert_num_queries: Any) -> None:
    book = Book()
    for count in range(4):
        book.reword("1", f"Words {count}.")
    versions = versions_of(book.series.pk)
    with django_assert_num_queries(2):
        found = compare(versions.lines[-1], versions.lines[0], versions)
        assert len(found.rows[0].whys) == 4
