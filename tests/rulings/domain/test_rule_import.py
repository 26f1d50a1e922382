from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.rule_import import Imported, import_document
from rulings.domain.rule_text import RuleText, parse_markdown, to_markdown

HERE = Path(__file__).parent
ORGANISERS_OWN = HERE.parents[3] / "shared" / "house-rules.txt"


@pytest.fixture
def imported() -> Imported:
    """A document of the organiser's shape, with odd blanks and wrapped lines, as saved on Windows."""
    text = (HERE / "organiser_document.txt").read_text(encoding="utf-8")
    return import_document("\ufeff" + text.replace("\n", "\r\n"))


def test_the_opening_is_kept_once_with_its_bullet_points(imported: Imported) -> None:
    paragraphs = imported.preamble.split("\n\n")
    assert [paragraph[:12] for paragraph in paragraphs] == ["This is a fi", "We keep to t", "- The direct"]
    assert paragraphs[2].endswith("\n- Guests below the age of 18 stay outside.")
    assert imported.rulebook[0] == RuleText("Opening", "1", imported.preamble)
    assert imported.rulebook[1:] == list(imported.rules)


def test_sections_and_numbers_are_recognised(imported: Imported) -> None:
    assert [(rule.section, rule.number) for rule in imported.rules] == [
        *[("Betting Procedures", number) for number in ("2", "3", "9", "9a", "9b", "10", "13")],
        *[("Blinds", number) for number in ("16", "17", "18")],
        *[("Killing a Hand / Dead Hands", number) for number in ("28a", "28b", "35a")],
        ("Odds and ends", "54"),
    ]


def test_odd_spacing_and_wrapped_lines_are_mended(imported: Imported) -> None:
    texts = {rule.number: rule.text for rule in imported.rules}
    assert texts["2"] == "Chips count once they have left the hand."
    assert texts["9"] == "Raises are no smaller than the bet they answer."
    assert texts["13"].endswith("(the same holds for an all-in under-the-limit).")
    assert "It was not so before 2019. Since then" in texts["18"]
    assert texts["18"].endswith("play resumed at 9 a.m. on the second day.")
    assert texts["28a"] == "A called clock runs for a minute and 10. seconds more are counted aloud."
    assert texts["35a"] == (
        "Only the floor looks at a disclosed hand:\n\n- after the hand,\n- before the pot is pushed"
    )


def test_what_looks_wrong_is_reported_with_its_line(imported: Imported) -> None:
    found = [(problem.line, problem.number, problem.message) for problem in imported.problems]
    assert (1, "", "the opening says the same twice; it is kept once") in found
    assert (30, "17", "rule 17 seems to be cut off") in found
    assert (32, "", "left out as a page number: 3 of 5") in found
    assert (16, "9", "rules 4 to 8 are missing before rule 9") in found
    assert [number for _, number, message in found if "cut off" in message] == ["17"]


def test_faults_of_numbering_are_reported() -> None:
    found = import_document("2. One.\n\n2. Two.\n\n5. Five.\n\n4. Four.\n\n6.\n").problems
    assert [(problem.line, problem.message) for problem in found] == [
        (3, "rule 2 is there twice"),
        (5, "rules 3 to 4 are missing before rule 5"),
        (7, "rule 4 is out of order"),
        (9, "rule 6 is empty"),
    ]


def test_a_text_without_rules_is_all_opening() -> None:
    imported = import_document("Only words.")
    assert (imported.preamble, imported.rules) == ("Only words.", ())
    assert "no numbered rule" in imported.problems[0].message


def test_a_document_with_its_own_rule_1_keeps_it() -> None:
    imported = import_document("Welcome.\n\n1. First.\n")
    assert imported.rulebook == [RuleText("Rules", "1", "First.")]


def test_markdown_is_recognised_and_its_faults_are_reported() -> None:
    assert import_document("## Blinds\n\n**16.** First.\n").rules == (RuleText("Blinds", "16", "First."),)
    broken = import_document("## Blinds\n\nstray\n\n**16.** First.\n")
    assert broken.rules == ()
    assert broken.problems[0].line == 3


def test_import_export_import_makes_no_difference(imported: Imported) -> None:
    exported = to_markdown(imported.rulebook)
    assert parse_markdown(exported) == imported.rulebook
    assert import_document(exported).rulebook == imported.rulebook


@given(text=st.text(st.sampled_from("ab19S.) \n\t•#*A,")))
def test_no_text_makes_the_import_fail(text: str) -> None:
    imported = import_document(text)
    if imported.rules:
        assert parse_markdown(to_markdown(imported.rulebook)) == imported.rulebook


@pytest.mark.skipif(not ORGANISERS_OWN.exists(), reason="the organiser's document does not lie beside the project")
def test_the_organisers_own_document() -> None:
    imported = import_document(ORGANISERS_OWN.read_text(encoding="utf-8"))
    with_letters = {"9": ["9", "9a", "9b"], "28": ["28a", "28b"], "35": ["35a", "35b", "35c"]}
    expected = [number for count in range(2, 55) for number in with_letters.get(str(count), [str(count)])]
    assert [rule.number for rule in imported.rules] == expected
    firsts = {rule.section: rule.number for rule in reversed(imported.rules)}
    assert dict(reversed(firsts.items())) == {
        "Betting Procedures": "2",
        "Blinds": "16",
        "Chips": "23",
        "Killing a Hand / Dead Hands": "27",
        "Verbal Discussion": "34",
        "Exposing Cards": "39",
        "Multi-table rules": "45",
        "Miscellaneous Rules": "52",
    }
    assert imported.preamble.count("\n- ") == 2
    assert [(problem.number, problem.message) for problem in imported.problems] == [
        ("17", "rule 17 seems to be cut off")
    ]
    exported = to_markdown(imported.rulebook)
    assert import_document(exported).rulebook == imported.rulebook
