"""Writing the next version: nothing shows until it is announced, every change says why, sections hold together."""

from importlib import import_module

import pytest
from django.utils import timezone

from accounts.permissions import Role
from journal.commands import VERBS
from journal.errors import NotAllowed, Refused, Stale
from journal.models import JournalEntry
from rulings import reads
from rulings.domain.rule_diff import ChangeKind
from rulings.draft_commands import (
    ImportedRule,
    discard_draft,
    explain_changes,
    import_rules,
    start_draft,
)
from rulings.draft_reads import draft_page
from rulings.draft_rule_commands import add_rule, adopt_rule, change_rule, remove_rule, restore_rule
from rulings.models import Rule, RulebookVersion, RuleChange, RuleText
from tests.factories import make_user
from tests.rulings.books import Book, make_bare_series, make_editor, make_published

pytestmark = pytest.mark.django_db


@pytest.fixture
def book() -> Book:
    made = Book()
    made.draft()
    return made


def draft_kinds(book: Book) -> dict[str, list[str]]:
    """The changed rules of the draft by number, with their kinds."""
    page = draft_page(book.series.pk, timezone.now())
    assert page.changes is not None
    return {row.number: [tag.kind for tag in row.kinds] for row in page.changes.rows}


# --- beginning and ending ---------------------------------------------------------------------------------------------


def test_a_draft_begins_as_the_version_in_force_and_nobody_else_sees_it(book: Book) -> None:
    assert book.texts(2) == book.texts(1)
    assert [row.rule_id for row in book.version(2).texts.all()] == [row.rule_id for row in book.version(1).texts.all()]
    book.change("25", "Everything may be swapped.")
    assert reads.rulebook(book.series.pk, number=2) is None
    assert "swapped" not in str(reads.rulebook(book.series.pk))


def test_there_is_one_draft_at_a_time(book: Book) -> None:
    with pytest.raises(Refused, match="There is a draft already"):
        book.draft()


def test_a_draft_can_begin_from_an_older_version() -> None:
    book = Book()
    book.reword("25", "Swaps are fine.")
    start_draft(actor=book.editor, on=book.series.pk, version_id=book.version(1).pk)
    assert book.texts(3) == book.texts(1)
    assert draft_kinds(book) == {"25": ["reworded"]}


def test_a_draft_cannot_begin_from_a_version_of_another_series() -> None:
    other, book = Book(), Book()
    with pytest.raises(Refused, match="no such version"):
        start_draft(actor=book.editor, on=book.series.pk, version_id=other.version(1).pk)


def test_a_first_draft_begins_with_the_rules_that_come_with_the_site() -> None:
    series = make_bare_series()
    start_draft(actor=make_editor(series), on=series.pk)
    assert RuleText.objects.filter(version__series=series, number="S21", supplement=True).exists()
    assert RulebookVersion.objects.get(series=series).status == "draft"


def test_a_discarded_draft_leaves_its_number_and_its_keys_free(book: Book) -> None:
    book.add("26", "New.")
    discard_draft(actor=book.editor, on=book.series.pk)
    assert not RulebookVersion.objects.filter(status="draft").exists()
    assert not Rule.objects.filter(key="rule-26").exists()
    book.draft()
    book.add("26", "New again.")
    assert book.rule("26").rule.key == "rule-26"
    assert book.version(2).status == "draft"


# --- one rule ---------------------------------------------------------------------------------------------------------


def test_a_rule_is_reworded_with_its_reason_and_author(book: Book) -> None:
    book.change("9a", "Half of a raise is a raise.", reason="Said shorter.")
    change = RuleChange.objects.get()
    assert (change.reason, change.author, change.clarified) == ("Said shorter.", book.editor, False)
    assert draft_kinds(book) == {"9a": ["reworded"]}
    entry = JournalEntry.objects.filter(stream=book.series.stream_key).latest("seq")
    assert (entry.verb, entry.reason) == ("rulebook.rule_change", "Said shorter.")


def test_clarified_is_the_editors_choice_over_reworded(book: Book) -> None:
    book.change("9a", "Half of a raise is a raise.", clarified=True)
    assert draft_kinds(book) == {"9a": [ChangeKind.CLARIFIED]}
    book.change("9a", number="10", clarified=True)
    assert draft_kinds(book)["10"] == ["clarified", "renumbered"]


def test_clarified_says_nothing_where_the_words_stay(book: Book) -> None:
    book.change("9a", number="10", clarified=True)
    assert draft_kinds(book) == {"10": ["renumbered"]}


def test_a_changed_rule_needs_a_reason_and_an_unchanged_one_does_not(book: Book) -> None:
    book.change("9a", reason="")
    with pytest.raises(Refused) as refused:
        book.change("9a", "Other words.", reason="  ")
    assert refused.value.field == "reason"
    assert draft_kinds(book) == {}


def test_moving_a_rule_keeps_sections_together(book: Book) -> None:
    book.change("1", section="Chips", after=book.rule("25").rule_id)
    assert book.numbers(2) == ["9a", "25", "1"]
    assert draft_kinds(book) == {"1": ["moved"]}
    book.change("1", section="Chips", after=None)
    assert book.numbers(2) == ["9a", "1", "25"]
    book.change("1", section="Penalties", after=book.rule("9a").rule_id)
    assert [(text.section, text.number) for text in book.texts(2)] == [
        ("General", "9a"), ("Penalties", "1"), ("Chips", "25"),
    ]  # fmt: skip


def test_rules_are_added_where_they_belong_under_a_new_key(book: Book) -> None:
    book.add("9b", "Less than half is a call.", after="9a")
    assert book.numbers(2) == ["1", "9a", "9b", "25"]
    assert book.rule("9b").rule.key == "rule-9b"
    assert draft_kinds(book) == {"9b": ["new"]}


def test_a_number_that_a_rule_had_before_gives_another_key(book: Book) -> None:
    book.change("9a", number="10")
    book.add("9a", "Quite another rule.")
    assert book.rule("10").rule.key == "rule-9a"
    assert book.rule("9a").rule.key == "rule-9a-2"


def test_a_rule_is_taken_out_and_put_back_where_it_was(book: Book) -> None:
    gone = book.rule("9a").rule_id
    book.remove("9a", reason="Gone.")
    assert book.numbers(2) == ["1", "25"]
    assert draft_kinds(book) == {"9a": ["removed"]}
    restore_rule(actor=book.editor, on=book.series.pk, rule_id=gone)
    assert book.texts(2) == book.texts(1)
    assert not RuleChange.objects.exists()


def test_a_changed_and_moved_rule_is_put_back_as_it_was(book: Book) -> None:
    book.change("1", "Be kind.", number="3", section="Chips", after=book.rule("25").rule_id)
    restore_rule(actor=book.editor, on=book.series.pk, rule_id=book.rule("3").rule_id)
    assert book.texts(2) == book.texts(1)


def test_a_new_rule_taken_out_again_leaves_nothing(book: Book) -> None:
    book.add("26", "New.")
    book.remove("26", reason="")
    assert draft_kinds(book) == {}
    assert not RuleChange.objects.exists()
    assert not Rule.objects.filter(key="rule-26").exists()
    with pytest.raises(Refused):
        restore_rule(actor=book.editor, on=book.series.pk, rule_id=99999)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"number": "nine"}, "number"),
        ({"number": "0"}, "number"),
        ({"number": ""}, "number"),
        ({"section": " "}, "section"),
        ({"section": "x" * 81}, "section"),
        ({"text": "x" * 8001}, "text"),
        ({"after": 99999}, "after"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(book: Book, given: dict, field: str) -> None:
    with pytest.raises(Refused) as refused:
        book.change("9a", **given)
    assert refused.value.field == field


def test_numbers_are_written_alike(book: Book) -> None:
    book.change("9a", number=" 9B ")
    book.add("s3", "A default.", section="Supplement")
    assert book.numbers(2) == ["1", "9b", "25", "S3"]
    assert book.rule("S3").supplement


def test_two_editors_do_not_overwrite_each_other(book: Book) -> None:
    book.series.refresh_from_db()
    seen = book.series.seq
    book.change("9a", "The first editor’s words.")
    row = book.rule("9a")
    with pytest.raises(Stale, match=r"Rule 9a of the draft changed"):
        change_rule(
            actor=book.editor, on=book.series.pk, expected_version=seen, reason="Mine.", rule_id=row.rule_id,
            number="9a", section="General", text="The second editor’s words.", after=None,
        )  # fmt: skip
    other = book.rule("25")
    change_rule(
        actor=book.editor, on=book.series.pk, expected_version=seen, reason="Elsewhere.", rule_id=other.rule_id,
        number="25", section="Chips", text="Another rule.", after=None,
    )  # fmt: skip
    assert "first editor" in book.rule("9a").text


# --- supplement -------------------------------------------------------------------------------------------------------


def test_a_rule_of_the_supplement_is_adopted_as_a_house_rule() -> None:
    series = make_published()
    editor = make_editor(series)
    start_draft(actor=editor, on=series.pk)
    draft = RulebookVersion.objects.get(status="draft")
    row = draft.texts.get(number="S7")
    done = adopt_rule(actor=editor, on=series.pk, rule_id=row.rule_id, section="Betting Procedures", reason="Agreed.")
    assert done.result == {"number": "55"}
    adopted = draft.texts.get(rule=row.rule_id)
    assert (adopted.number, adopted.section, adopted.supplement) == ("55", "Betting Procedures", False)
    betting = list(draft.texts.filter(section="Betting Procedures").values_list("number", flat=True))
    assert betting[-1] == "55"
    with pytest.raises(Refused, match="house rule already"):
        adopt_rule(actor=editor, on=series.pk, rule_id=row.rule_id, section="Chips", reason="Again.")


def test_adopting_takes_a_house_number_and_a_reason() -> None:
    book = Book([("General", "1", "Be fair."), ("Supplement", "S1", "A default.")])
    book.draft()
    given = {"actor": book.editor, "on": book.series.pk, "rule_id": book.rule("S1").rule_id, "section": "General"}
    with pytest.raises(Refused, match="without S"):
        adopt_rule(**given, number="S2", reason="Yes.")
    with pytest.raises(Refused, match="Say why"):
        adopt_rule(**given)
    adopt_rule(**given, number="7", reason="Yes.")
    assert book.numbers(2) == ["1", "7"]


# --- many rules -------------------------------------------------------------------------------------------------------


def test_one_reason_goes_to_all_changes_that_have_none(book: Book) -> None:
    rules = [ImportedRule("1", "General", "Be kind.", book.rule("1").rule_id), ImportedRule("2", "General", "New.")]
    import_rules(actor=book.editor, on=book.series.pk, rules=rules)
    book.change("1", "Be very kind.", reason="Own reason.")
    done = explain_changes(actor=book.editor, on=book.series.pk, reason="A new start.")
    assert done.result == {"rules": 3}
    reasons = dict(RuleChange.objects.values_list("rule__key", "reason"))
    assert reasons == {
        "rule-1": "Own reason.", "rule-2": "A new start.", "rule-9a": "A new start.", "rule-25": "A new start.",
    }  # fmt: skip


def test_an_import_without_a_draft_begins_one_and_keeps_the_keys() -> None:
    book = Book()
    rules = [ImportedRule("5", "All", "Be fair.", book.rule("1").rule_id), ImportedRule("9a", "All", "Quite new.")]
    import_rules(actor=book.editor, on=book.series.pk, rules=rules, reason="Rewritten.")
    assert [row.rule.key for row in book.version(2).texts.select_related("rule")] == ["rule-1", "rule-9a-2"]
    page = draft_page(book.series.pk, timezone.now())
    assert {row.key: [tag.kind for tag in row.kinds] for row in page.changes.rows} == {
        "rule-1": ["moved", "renumbered"], "rule-9a": ["removed"], "rule-25": ["removed"], "rule-9a-2": ["new"],
    }  # fmt: skip
    assert set(RuleChange.objects.values_list("reason", flat=True)) == {"Rewritten."}


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([], "no rule"),
        ([ImportedRule("x", "All", "Words.")], "Rule x: Write a number"),
        ([ImportedRule("1", "", "Words.")], "Rule 1: Name the section"),
        ([ImportedRule("1", "All", "Words.", 99999)], "continued by one rule only"),
        ([ImportedRule(str(number), "All", "Words.") for number in range(1, 502)], "500 rules at most"),
    ],
)
def test_an_import_that_is_no_rulebook_is_refused_whole(book: Book, rules: list, said: str) -> None:
    with pytest.raises(Refused, match=said):
        import_rules(actor=book.editor, on=book.series.pk, rules=rules)
    assert book.texts(2) == book.texts(1)


def test_one_rule_is_not_continued_twice(book: Book) -> None:
    same = book.rule("1").rule_id
    rules = [ImportedRule("1", "All", "One.", same), ImportedRule("2", "All", "Two.", same)]
    with pytest.raises(Refused, match="one rule only"):
        import_rules(actor=book.editor, on=book.series.pk, rules=rules)


# --- who may ----------------------------------------------------------------------------------------------------------

WRITING = {
    start_draft: {},
    discard_draft: {},
    change_rule: {"rule_id": 1, "number": "1", "section": "A", "text": "T", "after": None},
    add_rule: {"number": "1", "section": "A", "text": "T", "after": None},
    remove_rule: {"rule_id": 1},
    restore_rule: {"rule_id": 1},
    adopt_rule: {"rule_id": 1, "section": "A"},
    explain_changes: {},
    import_rules: {"rules": [ImportedRule("1", "A", "T")]},
}


@pytest.mark.parametrize("command", list(WRITING), ids=lambda command: command.__name__)
@pytest.mark.parametrize("role", [Role.FLOOR, Role.DESK, Role.DEALER, Role.AUDITOR, None])
def test_only_directors_and_rules_editors_write(book: Book, role: str | None, command) -> None:
    actor = make_user(role=role, series=book.series if role else None)
    with pytest.raises(NotAllowed):
        command(actor=actor, on=book.series.pk, reason="Why not.", **WRITING[command])
    assert book.texts(2) == book.texts(1)


def test_an_editor_of_another_series_does_not_write_here(book: Book) -> None:
    with pytest.raises(NotAllowed):
        discard_draft(actor=Book().editor, on=book.series.pk)


def test_no_writing_of_rules_can_be_undone_from_the_journal() -> None:
    import_module("rulings.urls")  # every command is known then
    verbs = [spec for verb, spec in VERBS.items() if verb.startswith("rulebook.")]
    assert len(verbs) > 10
    assert not [spec.verb for spec in verbs if spec.undoable]
