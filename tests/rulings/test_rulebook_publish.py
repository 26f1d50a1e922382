"""From draft to superseded: instants decide, the worker follows, and nothing published is ever edited."""

import datetime as dt
from collections.abc import Callable

import pytest
import time_machine
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.permissions import Role
from journal.actors import Visitor
from journal.chain import verify
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from rulings import mail_commands, reads, tasks
from rulings.commands import (
    CALENDAR,
    announce,
    bring_into_force,
    content_hash,
    publish_starting_rulebook,
    withdraw,
)
from rulings.draft_commands import ImportedRule, discard_draft, explain_changes, import_rules, start_draft
from rulings.draft_rule_commands import add_rule, adopt_rule, change_rule, remove_rule, restore_rule
from rulings.models import RulebookVersion, RuleChange, RuleText
from rulings.version_reads import versions_of
from series.reads.public import rules_in_force
from tests.factories import make_director, make_user
from tests.rulings.books import Book

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)


def in_an_hour() -> dt.datetime:
    return timezone.now() + HOUR


def states(book: Book, at: dt.datetime | None = None) -> dict[int, str]:
    return {line.number: line.state.value for line in versions_of(book.series.pk, at).lines}


# --- announcing -------------------------------------------------------------------------------------------------------


def test_an_announced_version_is_public_and_does_not_hold_yet() -> None:
    book, begins = Book(), in_an_hour()
    version = book.reword("25", "Swaps are fine.", begins)
    assert (version.status, version.effective_from, version.previous) == ("announced", begins, book.version(1))
    assert (version.announced_by, version.content_hash) == (book.editor, content_hash(book.texts(2)))
    assert states(book) == {1: "in_force", 2: "announced"}
    assert reads.rulebook(book.series.pk).version.number == 1
    assert reads.rulebook(book.series.pk, number=2).total == 3
    change = RuleChange.objects.get()
    assert (change.kinds, change.reason, change.author) == (["reworded"], "Because.", book.editor)


def test_at_its_instant_it_holds_whether_or_not_a_worker_is_there() -> None:
    book, begins = Book(), in_an_hour()
    book.reword("25", "Swaps are fine.", begins)
    with time_machine.travel(begins - dt.timedelta(microseconds=1), tick=False):
        assert reads.in_force(book.series.pk).number == rules_in_force(book.series).number == 1
    with time_machine.travel(begins, tick=False):
        assert states(book) == {1: "superseded", 2: "in_force"}
        assert reads.in_force(book.series.pk).number == rules_in_force(book.series).number == 2
        assert "Swaps are fine" in reads.rule(book.series.pk, "25").rule.html
        assert versions_of(book.series.pk).by_number(1).until == begins
    assert book.version(2).status == "announced"  # no worker has come by


def test_the_worker_carries_it_out_once_and_not_before() -> None:
    book, begins = Book(), in_an_hour()
    book.reword("25", "Swaps are fine.", begins)
    assert bring_into_force(actor=CALENDAR, on=book.series.pk).seq is None
    with time_machine.travel(begins, tick=False):
        assert bring_into_force(actor=CALENDAR, on=book.series.pk).result["number"] == 2
        assert bring_into_force(actor=CALENDAR, on=book.series.pk).seq is None
    assert (book.version(1).status, book.version(2).status) == ("superseded", "in_force")
    entry = JournalEntry.objects.latest("pk")
    assert (entry.verb, entry.actor_name, entry.at) == ("rulebook.in_force", "the calendar", begins)
    assert not list(verify())


def test_the_sweep_waits_for_an_instant_within_the_second() -> None:
    book = Book()
    book.reword("25", "Swaps are fine.", timezone.now() + dt.timedelta(seconds=0.4))
    tasks.sweep()
    version = book.version(2)
    assert version.status == "in_force"
    entry = JournalEntry.objects.get(verb="rulebook.in_force")
    assert dt.timedelta(0) <= entry.at - version.effective_from < dt.timedelta(seconds=0.3)


def test_the_sweep_leaves_what_comes_later() -> None:
    book = Book()
    book.reword("25", "Swaps are fine.", in_an_hour())
    tasks.sweep()
    assert book.version(2).status == "announced"


def test_published_at_once_it_holds_at_once() -> None:
    book = Book()
    book.reword("25", "Swaps are fine.")
    assert (book.version(1).status, book.version(2).status) == ("superseded", "in_force")


def test_a_late_worker_does_not_hold_up_the_next_announcement() -> None:
    book, begins = Book(), in_an_hour()
    book.reword("25", "Swaps are fine.", begins)
    with time_machine.travel(begins + HOUR, tick=False):
        version = book.reword("1", "Be kind.", begins + 2 * HOUR)
    assert version.previous == book.version(2)
    assert book.version(2).status == "in_force"


@pytest.mark.parametrize("late", [dt.timedelta(0), dt.timedelta(seconds=1)])
def test_an_instant_that_has_passed_is_refused(late: dt.timedelta) -> None:
    book = Book()
    book.draft()
    book.change("25", "Swaps are fine.")
    with time_machine.travel(timezone.now(), tick=False), pytest.raises(Refused) as refused:
        book.announce(timezone.now() - late)
    assert refused.value.field == "effective_from"
    assert states(book) == {1: "in_force", 2: "draft"}


def test_one_version_is_announced_at_a_time() -> None:
    book = Book()
    book.reword("25", "Swaps are fine.", in_an_hour())
    book.draft()
    assert book.texts(3) == book.texts(2)  # the next one goes on from what is announced
    book.change("1", "Be kind.")
    with pytest.raises(Refused, match="Version 2 is announced and not yet in force"):
        book.announce()


def test_without_a_change_there_is_nothing_to_announce() -> None:
    book = Book()
    book.draft()
    with pytest.raises(Refused, match="Nothing differs from version 1"):
        book.announce()


def test_a_changed_rule_without_a_reason_is_not_announced() -> None:
    book = Book()
    rules = [ImportedRule("1", "General", "Be kind.", book.rule("1").rule_id)]
    import_rules(actor=book.editor, on=book.series.pk, rules=rules)
    with pytest.raises(Refused, match=r"Say why rules 1, 9a, 25 change\."):
        book.announce()
    explain_changes(actor=book.editor, on=book.series.pk, reason="Fewer rules.")
    assert book.announce().number == 2


def test_reasons_of_rules_that_did_not_change_in_the_end_are_forgotten() -> None:
    book = Book()
    book.draft()
    book.change("25", "Swaps are fine.")
    book.change("1", "Be kind.")
    book.change("1", "Be fair.", reason="On second thought.")
    book.announce()
    assert list(RuleChange.objects.values_list("rule__key", flat=True)) == ["rule-25"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda book: book.change("1", "See rule 31."), "Rule 1 refers to rule 31, which does not exist"),
        (lambda book: book.change("9a", number="25"), "The number 25 is given to 2 rules"),
        (lambda book: book.change("1", ""), "Rule 1 has no text"),
        (lambda book: [book.change("1", "See rule 25."), book.remove("25")], "refers to rule 25"),
    ],
)
def test_the_checker_blocks_announcing(spoil: Callable[[Book], object], said: str) -> None:
    book = Book()
    book.draft()
    spoil(book)
    with pytest.raises(Refused, match=said):
        book.announce()
    assert states(book) == {1: "in_force", 2: "draft"}


def test_numbers_can_change_places_in_a_draft() -> None:
    book = Book()
    book.draft()
    book.change("9a", number="25")
    row = RuleText.objects.get(version=book.version(2), rule__key="rule-25")
    change_rule(
        actor=book.editor, on=book.series.pk, reason="Swapped.", rule_id=row.rule_id, number="9a", section="Chips",
        text=row.text, after=None,
    )  # fmt: skip
    book.announce()
    assert book.numbers(2) == ["1", "25", "9a"]


def test_somebody_elses_announcement_is_not_overtaken() -> None:
    book = Book()
    book.draft()
    book.change("25", "Swaps are fine.")
    book.series.refresh_from_db()
    seen = book.series.seq
    book.announce(in_an_hour())
    with pytest.raises(Refused, match="There is no draft"):
        announce(actor=book.editor, on=book.series.pk, effective_from=None)
    book.draft()
    book.change("1", "Be kind.")
    with pytest.raises((Stale, Refused)):
        announce(actor=book.editor, on=book.series.pk, effective_from=None, expected_version=seen)


# --- cancelling -------------------------------------------------------------------------------------------------------


def test_a_cancelled_announcement_stays_readable_and_keeps_its_number() -> None:
    book = Book()
    version = book.reword("25", "Swaps are fine.", in_an_hour())
    withdraw(actor=book.editor, on=book.series.pk, version_id=version.pk, reason="Too soon.")
    version.refresh_from_db()
    assert (version.status, version.withdrawn_reason) == ("withdrawn", "Too soon.")
    assert reads.rulebook(book.series.pk, number=2).version.state == "withdrawn"
    with time_machine.travel(timezone.now() + 2 * HOUR):
        assert reads.in_force(book.series.pk).number == 1
        assert bring_into_force(actor=CALENDAR, on=book.series.pk).seq is None
    start_draft(actor=book.editor, on=book.series.pk, version_id=version.pk)
    assert book.texts(3) == book.texts(2)


def test_only_what_is_coming_can_be_cancelled_and_only_with_a_reason() -> None:
    book = Book()
    version = book.reword("25", "Swaps are fine.", in_an_hour())
    with pytest.raises(Refused) as refused:
        withdraw(actor=book.editor, on=book.series.pk, version_id=version.pk)
    assert refused.value.field == "reason"
    with pytest.raises(Refused, match="not yet in force"):
        withdraw(actor=book.editor, on=book.series.pk, version_id=book.version(1).pk, reason="No.")
    with time_machine.travel(timezone.now() + HOUR), pytest.raises(Refused, match="not yet in force"):
        withdraw(actor=book.editor, on=book.series.pk, version_id=version.pk, reason="No.")  # the worker is late


# --- nothing published is edited --------------------------------------------------------------------------------------

EDITS = {
    change_rule: {"number": "1", "section": "General", "text": "Edited.", "after": None},
    remove_rule: {},
    restore_rule: {},
    adopt_rule: {"section": "General"},
}


@pytest.mark.parametrize("begins", [None, HOUR])
@pytest.mark.parametrize("command", list(EDITS), ids=lambda command: command.__name__)
def test_no_command_edits_a_rule_of_a_published_version(command, begins: dt.timedelta | None) -> None:
    book = Book()
    book.reword("25", "Swaps are fine.", timezone.now() + begins if begins else None)
    before = [(row.pk, row.as_text, row.position) for row in RuleText.objects.all()]
    for number in ("1", "9a", "25"):
        rule_id = book.rule(number).rule_id
        with pytest.raises(Refused, match="What is published stays as it is"):
            command(actor=book.editor, on=book.series.pk, rule_id=rule_id, reason="Why.", **EDITS[command])
    assert [(row.pk, row.as_text, row.position) for row in RuleText.objects.all()] == before


def test_no_other_command_touches_a_published_version() -> None:
    book = Book()
    with pytest.raises(Refused, match="There is no draft"):
        discard_draft(actor=book.editor, on=book.series.pk)
    with pytest.raises(Refused, match="There is no draft"):
        explain_changes(actor=book.editor, on=book.series.pk, reason="Later.")
    with pytest.raises(Refused, match="There is no draft"):
        add_rule(actor=book.editor, on=book.series.pk, number="2", section="A", text="T", after=None, reason="Why.")
    with pytest.raises(Refused, match="has a rulebook already"):
        publish_starting_rulebook(actor=book.editor, on=book.series.pk)


STEPS = st.lists(
    st.sampled_from(
        ["draft", "discard", "reword", "add", "remove", "announce", "at once", "withdraw", "pass", "import"]
    ),
    min_size=4,
    max_size=14,
)


@settings(max_examples=15)
@given(STEPS)
def test_whatever_happens_published_versions_keep_their_words_and_numbers(steps: list[str]) -> None:
    book, now, published = Book(), timezone.now(), {}
    for count, step in enumerate(steps):
        now += dt.timedelta(minutes=1)
        with time_machine.travel(now, tick=False):
            try:
                _take(book, step, count, now)
            except Refused:
                continue
            for version in RulebookVersion.objects.filter(series=book.series).exclude(status="draft"):
                texts = tuple(row.as_text for row in version.texts.all())
                assert published.setdefault(version.number, texts) == texts
                assert content_hash(texts) == version.content_hash
            line = versions_of(book.series.pk).in_force
            assert line is not None
            assert line.row == reads.in_force(book.series.pk)


def _take(book: Book, step: str, count: int, now: dt.datetime) -> None:
    draft = RulebookVersion.objects.filter(series=book.series, status="draft").first()
    match step:
        case "draft":
            book.draft()
        case "discard":
            discard_draft(actor=book.editor, on=book.series.pk)
        case "reword" if draft and draft.texts.exists():
            book.change(draft.texts.first().number, f"Words {count}.")
        case "add":
            book.add(str(100 + count), f"New {count}.")
        case "remove" if draft and draft.texts.count() > 1:
            book.remove(draft.texts.last().number)
        case "announce":
            book.announce(now + dt.timedelta(minutes=2))
        case "at once":
            book.announce()
        case "withdraw":
            for version in RulebookVersion.objects.filter(series=book.series, status="announced"):
                withdraw(actor=book.editor, on=book.series.pk, version_id=version.pk, reason="No.")
        case "pass":
            book.carry_out()
        case "import":
            rules = [ImportedRule(str(count + 1), "All", f"Imported {count}.")]
            import_rules(actor=book.editor, on=book.series.pk, rules=rules, reason="Import.")


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", list(Role))
def test_directors_and_rules_editors_publish_and_nobody_else(role: str) -> None:
    book = Book()
    actor = make_user(role=role, series=book.series)
    book.draft()
    book.change("25", "Swaps are fine.")
    if role in (Role.DIRECTOR, Role.EDITOR):
        done = announce(actor=actor, on=book.series.pk, effective_from=in_an_hour())
        withdraw(actor=actor, on=book.series.pk, version_id=done.result["version"], reason="No.")
        return
    with pytest.raises(NotAllowed):
        announce(actor=actor, on=book.series.pk, effective_from=in_an_hour())
    version = book.announce(in_an_hour())
    with pytest.raises(NotAllowed):
        withdraw(actor=actor, on=book.series.pk, version_id=version.pk, reason="No.")
    assert states(book) == {1: "in_force", 2: "announced"}


def test_only_the_calendar_brings_rules_into_force_and_only_the_post_sends() -> None:
    book = Book()
    for actor in (book.editor, make_director(book.series), Visitor(), mail_commands.POST):
        with pytest.raises(NotAllowed):
            bring_into_force(actor=actor, on=book.series.pk)
    for actor in (book.editor, Visitor(), CALENDAR):
        with pytest.raises(NotAllowed):
            mail_commands.letters_sent(actor=actor, on=book.series.pk, sent=[1])
