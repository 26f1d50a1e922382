"""Rules and events: the pinned version, the director's note, notices on public pages, and what a player missed."""

import datetime as dt

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Role
from journal import guard
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from rulings.commands import note_rules_change
from rulings.event_reads import changes_since, rules_of_event
from rulings.models import RulesNote
from series.commands.people import register
from series.models import Event, Player, Registration
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in
from tests.factories import add_players, make_director, make_event, make_series, make_user
from tests.rulings.books import Book, signed_in

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


def in_an_hour() -> dt.datetime:
    return timezone.now() + HOUR


# --- the pinned version -----------------------------------------------------------------------------------------------


def make_players(book: Book, **fields: object) -> tuple[Event, object]:
    director = make_director(book.series)
    event = make_event(book.series, **fields)
    add_players(event, 2, director)
    return event, director


def test_an_event_pins_the_version_in_force_at_its_start_though_the_worker_is_late() -> None:
    book, begins = Book(), in_an_hour()
    event, director = make_players(book)
    book.reword("25", "Swaps are fine.", begins)
    with time_machine.travel(begins, tick=False):
        start_clock(actor=director, on=event.pk)
    event.refresh_from_db()
    assert event.rulebook_version == book.version(2)


def test_a_sign_up_accepts_what_is_in_force_at_its_instant() -> None:
    book, begins = Book(), in_an_hour()
    event, director = make_players(book, starts_at=begins + HOUR)
    book.reword("25", "Swaps are fine.", begins)
    with time_machine.travel(begins, tick=False):
        add_players(event, 1, director, paid=False)
    accepted = Registration.objects.order_by("pk").values_list("rulebook_version__number", flat=True)
    assert list(accepted) == [1, 1, 2]


def test_rules_that_come_into_force_during_an_event_never_alter_the_pinned_version() -> None:
    book = Book()
    event, director = make_players(book)
    start_clock(actor=director, on=event.pk)
    book.reword("25", "Swaps are fine.")
    event.refresh_from_db()
    assert event.rulebook_version == book.version(1)
    rules = rules_of_event(event)
    assert (rules.pinned.number, rules.newer.number, rules.needs_note) == (1, 2, True)
    note_rules_change(actor=director, on=event.pk, version_id=book.version(2).pk, text=" We play on by version 1. ")
    event.refresh_from_db()
    rules = rules_of_event(event)
    assert event.rulebook_version == book.version(1)
    assert [note.text for note in rules.notes] == ["We play on by version 1."]
    assert not rules.needs_note
    entry = JournalEntry.objects.filter(stream=event.stream_key).latest("seq")
    assert (entry.verb, entry.rulebook_version) == ("rulebook.note", 1)
    book.reword("1", "Be kind.")
    assert rules_of_event(event).needs_note  # a newer version needs a note of its own


def test_a_note_is_about_rules_that_came_into_force_during_the_event() -> None:
    book = Book()
    event, director = make_players(book)
    pinned = book.version(1).pk
    with pytest.raises(Refused, match="not running"):
        note_rules_change(actor=director, on=event.pk, version_id=pinned, text="Words.")
    start_clock(actor=director, on=event.pk)
    with pytest.raises(Refused, match="No other rules"):
        note_rules_change(actor=director, on=event.pk, version_id=pinned, text="Words.")
    version = book.reword("25", "Swaps are fine.", in_an_hour())
    with pytest.raises(Refused, match="No other rules"):
        note_rules_change(actor=director, on=event.pk, version_id=version.pk, text="Words.")
    with time_machine.travel(version.effective_from), pytest.raises(Refused) as refused:
        note_rules_change(actor=director, on=event.pk, version_id=version.pk, text=" ")
    assert refused.value.field == "text"
    assert not RulesNote.objects.exists()


@pytest.mark.parametrize("role", [role for role in Role if role != Role.DIRECTOR])
def test_only_the_director_writes_the_note(role: str) -> None:
    book = Book()
    event, director = make_players(book)
    start_clock(actor=director, on=event.pk)
    version = book.reword("25", "Swaps are fine.")
    with pytest.raises(NotAllowed):
        note_rules_change(
            actor=make_user(role=role, series=book.series), on=event.pk, version_id=version.pk, text="No."
        )


# --- notices ----------------------------------------------------------------------------------------------------------


def test_event_pages_give_notice_between_announcement_and_force() -> None:
    book = Book()
    event = make_event(book.series)
    book.draft()
    book.change("9a", number="10")
    book.remove("25")
    book.announce(in_an_hour())
    slug = book.series.slug
    where = [reverse("event", args=[event.pk]), reverse("schedule", args=[slug]), reverse("rulebook", args=[slug])]
    notice = "Version 2 then replaces the present rules: 1 removed, 1 renumbered."
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
