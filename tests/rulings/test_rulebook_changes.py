"""The public changelog: what changed and why, any two versions, a rule's history, the feed, notices, and what a player
missed."""

import datetime as dt
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from rulings.change_reads import changes_of, compare
from rulings.commands import note_rules_change, withdraw
from rulings.domain.rule_diff import apply_diff
from rulings.event_reads import changes_since
from rulings.version_reads import versions_of
from series.commands.people import register
from series.models import Event, Player
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in
from tests.factories import add_players, make_director, make_event, make_series, make_user
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


# --- notices ----------------------------------------------------------------------------------------------------------


def test_event_pages_give_notice_between_announcement_and_force(book: Book) -> None:
    event = make_event(book.series)
    where = [
        reverse("event", args=[event.pk]),
        *(reverse(n, args=[book.series.slug]) for n in ("schedule", "rulebook")),
    ]
    notice = "Version 4 then replaces the present rules: 1 renumbered."
    for page in where:
        assert notice in Client().get(page).content.decode()
    with time_machine.travel(timezone.now() + 2 * HOUR):
        for page in where:
            assert notice not in Client().get(page).content.decode()


def test_no_notice_without_an_announcement() -> None:
    event = make_event(Book().series)
    assert "New rules from" not in Client().get(reverse("event", args=[event.pk])).content.decode()


def test_the_page_of_a_running_event_says_which_rules_hold_and_what_the_director_says() -> None:
    book = Book()
    event, director = make_event(book.series), make_director(book.series)
    add_players(event, 2, director)
    start_clock(actor=director, on=event.pk)
    where = reverse("event", args=[event.pk])
    assert "played by version" not in Client().get(where).content.decode()
    version = book.reword("1", "Be kind.")
    page = Client().get(where).content.decode()
    assert "This event is played by version 1 of the rules to its end." in page
    assert "note of the director is needed" not in page
    staff = signed_in(director)
    assert "note of the director is needed" in staff.get(where).content.decode()
    assert reverse("rules_note", args=[event.pk]) in staff.get(reverse("floor", args=[event.pk])).content.decode()
    note_rules_change(actor=director, on=event.pk, version_id=version.pk, text="We stay <kind>.")
    assert "We stay &lt;kind&gt;." in Client().get(where).content.decode()
    assert "note of the director is needed" not in staff.get(where).content.decode()
    with guard.writing():
        Event.objects.filter(pk=event.pk).update(status="finished")
    over = Client().get(where).content.decode()
    assert "We stay &lt;kind&gt;." in over
    assert "to its end" not in over


# --- what changed since my last event ---------------------------------------------------------------------------------


class Career:
    """A player who played an event under version 1 of a book, and holds a place in the next one."""

    def __init__(self, **fields: object) -> None:
        self.book = Book()
        self.director = make_director(self.book.series)
        self.first = make_event(self.book.series, name="Opener", starts_at=timezone.now() - 3 * HOUR)
        self.player = Player.objects.get(pk=add_players(self.first, 2, self.director)[0]["player"])
        start_clock(actor=self.director, on=self.first.pk)
        self.next = make_event(self.book.series, **{"starts_at": timezone.now() + 2 * HOUR} | fields)

    def enter_next(self) -> None:
        held = register(actor=self.director, on=self.next.pk, player_id=self.player.pk).result["registration"]
        buy_in(actor=self.director, on=self.next.pk, registration_id=held, method="cash", id_kind="passport")

    def page(self, event: Event) -> str:
        where = reverse("my_page", args=[self.player.token])
        return Client().get(where, {"event": event.pk}).content.decode()


def test_a_player_reads_what_changed_since_their_last_event() -> None:
    career = Career()
    career.enter_next()
    assert changes_since(career.player, career.next) is None
    career.book.reword("9a", "Half of a raise is a raise.")
    page = career.page(career.next)
    assert "What changed since your last event" in page
    assert "Since Opener, which was played by version 1" in page
    assert "Half<ins> of</ins> a raise is a raise." in page
    assert "Because." in page


def test_of_several_versions_the_whole_difference_is_shown_and_a_change_taken_back_is_not() -> None:
    career = Career()
    career.book.reword("9a", "Half of a raise is a raise.")
    career.book.reword("1", "Be kind.")
    career.book.reword("9a", "Half a raise is a raise.")
    found = changes_since(career.player, career.next)
    assert [row.number for row in found.changes.rows] == ["1"]


def test_an_event_after_the_instant_counts_the_coming_version_and_one_before_does_not() -> None:
    career = Career()
    career.book.reword("9a", "Half of a raise is a raise.", timezone.now() + HOUR)
    assert changes_since(career.player, career.next).changes.new.number == 2
    sooner = make_event(career.book.series, starts_at=timezone.now() + HOUR / 2)
    assert changes_since(career.player, sooner) is None


def test_a_running_event_counts_up_to_the_version_it_is_played_by() -> None:
    career = Career()
    career.enter_next()
    add_players(career.next, 1, career.director)
    start_clock(actor=career.director, on=career.next.pk)
    career.book.reword("9a", "Half of a raise is a raise.")
    career.next.refresh_from_db()
    assert changes_since(career.player, career.next) is None


def test_after_an_event_its_player_reads_what_changed_since() -> None:
    career = Career()
    with guard.writing():
        Event.objects.filter(pk=career.first.pk).update(status="finished", finished_at=timezone.now())
    career.first.refresh_from_db()
    assert "What changed since" not in career.page(career.first)
    career.book.reword("9a", "Half of a raise is a raise.")
    assert "What changed since your last event" in career.page(career.first)


def test_a_new_player_and_one_of_another_series_have_missed_nothing() -> None:
    career = Career()
    career.book.reword("9a", "Half of a raise is a raise.")
    newcomer = Player.objects.get(pk=add_players(career.next, 1, career.director)[0]["player"])
    assert changes_since(newcomer, career.next) is None
    other = make_event(make_series())
    assert changes_since(career.player, other) is None


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


def test_the_feed_asks_two_more_queries_for_each_version(django_assert_num_queries: Any) -> None:
    book = Book()
    for count in range(3):
        with django_assert_num_queries(3 + 2 * count):
            get(book, "rules_feed")
        book.reword("1", f"Words {count}.")


def test_comparing_asks_twice_whatever_lies_between(django_assert_num_queries: Any) -> None:
    book = Book()
    for count in range(4):
        book.reword("1", f"Words {count}.")
    versions = versions_of(book.series.pk)
    with django_assert_num_queries(2):
        found = compare(versions.lines[-1], versions.lines[0], versions)
        assert len(found.rows[0].whys) == 4
