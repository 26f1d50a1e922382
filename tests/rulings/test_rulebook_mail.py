"""Mail about changed rules: only who confirmed gets it, and every mail can be ended by its link."""

import datetime as dt
import logging
import re
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from journal.actors import Visitor
from journal.chain import verify
from journal.errors import Refused
from journal.models import JournalEntry, RowChange
from rulings import tasks, views_mail
from rulings.commands import withdraw
from rulings.mail_commands import confirm, subscribe, unsubscribe
from rulings.models import RulesLetter, Subscriber
from tests.rulings.books import Book

pytestmark = pytest.mark.django_db
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)
MERE = "mere@example.nz"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


@pytest.fixture
def book() -> Book:
    return Book()


def ask(book: Book, email: str = MERE) -> Any:
    return Client().post(reverse("rules_mail", args=[book.series.slug]), {"email": email})


def subscribed(book: Book, email: str = MERE) -> Subscriber:
    """Somebody who asked and confirmed; the mail so far is sent and forgotten."""
    subscribe(actor=Visitor(), on=book.series.pk, email=email)
    who = Subscriber.objects.get(email=email, left_at=None)
    confirm(actor=Visitor(), on=book.series.pk, token=who.token)
    tasks.send_letters()
    mail.outbox.clear()
    return who


def link(kind: str) -> str:
    """The path of a link in the last mail."""
    return re.search(rf"http://testserver(/series/\S+/{kind}/)", mail.outbox[-1].body)[1]


# --- asking and confirming --------------------------------------------------------------------------------------------


def test_nothing_but_the_question_is_sent_before_the_link_is_pressed(book: Book) -> None:
    assert "Look into your mail." in ask(book).content.decode()
    tasks.send_letters()
    assert [(message.to, message.subject) for message in mail.outbox] == [
        ([MERE], f"Confirm mail about the rules of {book.series}")
    ]
    book.reword("1", "Be kind.")
    tasks.send_letters()
    assert len(mail.outbox) == 1


def test_looking_at_the_link_confirms_nothing_and_its_button_does(book: Book) -> None:
    ask(book)
    tasks.send_letters()
    where = link("confirm")
    assert "Yes, send me mail" in Client().get(where).content.decode()
    assert Subscriber.objects.get().confirmed_at is None
    assert "Confirmed." in Client().post(where).content.decode()
    assert Subscriber.objects.get().confirmed_at is not None
    assert "Confirmed." in Client().post(where).content.decode()


def test_who_confirmed_gets_mail_with_what_changes_and_why(book: Book) -> None:
    subscribed(book)
    book.draft()
    book.change("9a", "Half of a raise is a raise.", reason="Said <shorter>.")
    book.remove("25", reason="Nobody swaps.")
    book.announce(timezone.now() + HOUR, note="For the final.")
    tasks.send_letters()
    tasks.send_letters()
    [message] = mail.outbox
    assert message.to == [MERE]
    assert message.subject.startswith(f"New rules of {book.series} from ")
    for words in (
        "version 2 of the rules", "is announced and holds from", "For the final.", "9a (reworded)",
        "before: Half a raise is a raise.", "now: Half of a raise is a raise.", "Why: Said <shorter>.",
        "25 (removed)", "Why: Nobody swaps.", f"http://testserver{reverse('rule_changes', args=[book.series.slug, 2])}",
    ):  # fmt: skip
        assert words in message.body
    leave = f"http://testserver{link('leave')}"
    assert message.extra_headers["List-Unsubscribe"] == f"<{leave}>"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_subscribers_of_another_series_get_nothing(book: Book) -> None:
    subscribed(Book())
    book.reword("1", "Be kind.")
    tasks.send_letters()
    assert mail.outbox == []


def test_asking_again_sends_the_question_once_an_hour_and_tells_nobody_who_is_known(book: Book) -> None:
    answers = [ask(book).content, ask(book, "MERE@example.nz").content]
    tasks.send_letters()
    assert len(mail.outbox) == 1
    with time_machine.travel(timezone.now() + HOUR + dt.timedelta(seconds=1)):
        ask(book)
    tasks.send_letters()
    assert len(mail.outbox) == 2
    confirm(actor=Visitor(), on=book.series.pk, token=Subscriber.objects.get().token)
    answers.append(ask(book).content)
    tasks.send_letters()
    assert len(mail.outbox) == 2
    strip = [re.sub(rb'value="[\w-]+"', b"", answer) for answer in answers]
    assert strip[0] == strip[1] == strip[2]
    assert Subscriber.objects.count() == 1


@pytest.mark.parametrize("email", ["", "mere", "mere@", "a@b.nz\nBcc: c@d.nz"])
def test_what_is_no_address_is_refused_at_its_field(book: Book, email: str) -> None:
    response = ask(book, email)
    assert response.status_code == 422
    assert 'id="id_email_error"' in response.content.decode()
    with pytest.raises(Refused) as refused:
        subscribe(actor=Visitor(), on=book.series.pk, email=email)
    assert refused.value.field == "email"
    assert not Subscriber.objects.exists()


def test_a_machine_that_asks_for_many_is_stopped(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views_mail, "MOST_ASKS", 2)
    assert [ask(book, f"p{n}@example.nz").status_code for n in range(3)] == [200, 200, 429]
    assert Subscriber.objects.count() == 2


def test_a_link_older_than_a_week_confirms_nothing_and_the_address_is_forgotten(book: Book) -> None:
    ask(book)
    token = Subscriber.objects.get().token
    with time_machine.travel(timezone.now() + 7 * DAY + HOUR):
        with pytest.raises(Refused, match="older than a week"):
            confirm(actor=Visitor(), on=book.series.pk, token=token)
        tasks.sweep()
    who = Subscriber.objects.get()
    assert (who.email, who.left_at is None) == ("", False)
    assert not RulesLetter.objects.filter(sent_at=None).exists()


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_the_link_of_every_mail_ends_it_and_forgets_the_address(book: Book) -> None:
    subscribed(book)
    book.reword("1", "Be kind.")
    tasks.send_letters()
    where = link("leave")
    assert "No more mail" in Client().get(where).content.decode()
    assert Subscriber.objects.get().email == MERE
    assert "your address is deleted" in Client().post(where).content.decode()
    assert Subscriber.objects.get().email == ""
    book.reword("1", "Be fair.")
    tasks.send_letters()
    assert len(mail.outbox) == 1
    gone = Client().get(where)
    assert (gone.status_code, "used up" in gone.content.decode()) == (404, True)
    subscribed(book)  # and one can come back


def test_mail_programs_end_it_by_themselves(book: Book) -> None:
    who = subscribed(book)
    where = reverse("rules_mail_leave", args=[book.series.slug, who.token])
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(where, {"List-Unsubscribe": "One-Click"}).status_code == 200
    who.refresh_from_db()
    assert who.left_at is not None


def test_letters_not_yet_sent_to_who_leaves_are_not_sent(book: Book) -> None:
    who = subscribed(book)
    book.reword("1", "Be kind.")
    unsubscribe(actor=Visitor(), on=book.series.pk, token=who.token)
    tasks.send_letters()
    assert mail.outbox == []


def test_a_link_works_in_its_own_series_alone(book: Book) -> None:
    who, other = subscribed(book), Book()
    where = reverse("rules_mail_leave", args=[other.series.slug, who.token])
    assert Client().post(where).status_code == 404
    with pytest.raises(Refused):
        unsubscribe(actor=Visitor(), on=other.series.pk, token=who.token)


# --- withdrawn --------------------------------------------------------------------------------------------------------


def test_who_read_of_a_version_reads_that_it_is_withdrawn(book: Book) -> None:
    subscribed(book)
    version = book.reword("1", "Be kind.", timezone.now() + HOUR)
    tasks.send_letters()
    withdraw(actor=book.editor, on=book.series.pk, version_id=version.pk, reason="Too soon.")
    tasks.send_letters()
    assert "is withdrawn" in mail.outbox[-1].subject
    assert "Why: Too soon." in mail.outbox[-1].body
    assert len(mail.outbox) == 2


def test_who_did_not_read_of_it_yet_gets_no_mail_at_all(book: Book) -> None:
    subscribed(book)
    version = book.reword("1", "Be kind.", timezone.now() + HOUR)
    withdraw(actor=book.editor, on=book.series.pk, version_id=version.pk, reason="Too soon.")
    tasks.send_letters()
    assert mail.outbox == []


# --- sending ----------------------------------------------------------------------------------------------------------


def test_mail_that_fails_is_tried_again_and_not_for_ever(
    book: Book, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    subscribed(book)
    book.reword("1", "Be kind.")
    tries = []

    def no_network(message: Any) -> Any:
        tries.append(message)
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr("rulings.letters.EmailMessage.send", no_network)
        for _ in range(tasks.MOST_TRIES + 3):
            tasks.send_letters()
    assert len(tries) == tasks.MOST_TRIES
    tasks.send_letters()
    assert mail.outbox == []


def test_two_workers_do_not_send_the_same_mail(book: Book) -> None:
    subscribed(book)
    book.reword("1", "Be kind.")
    cache.add("posting-rules", True, 60)
    tasks.send_letters()
    assert mail.outbox == []


def test_one_round_is_one_entry_and_the_next_goes_on(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        subscribed(book, f"p{number}@example.nz")
    book.reword("1", "Be kind.")
    monkeypatch.setattr(tasks, "LETTERS_AT_ONCE", 2)
    tasks.send_letters()
    assert len(mail.outbox) == 2
    assert JournalEntry.objects.latest("pk").facts["count"] == 2
    tasks.send_letters()
    assert sorted(message.to[0] for message in mail.outbox) == [f"p{number}@example.nz" for number in range(3)]


def test_no_address_stands_in_the_journal(book: Book) -> None:
    who = subscribed(book)
    unsubscribe(actor=Visitor(), on=book.series.pk, token=who.token)
    for change in RowChange.objects.all():
        assert MERE not in f"{change.before}{change.after}"
    for entry in JournalEntry.objects.all():
        assert MERE not in f"{entry.text}{entry.facts}{entry.result}"
        assert who.token not in f"{entry.text}{entry.facts}{entry.result}"
    assert not list(verify())
