"""The rulebook that ships: complete, in our own words, and holding every rule that the calculators cite."""

import ast
import re
from pathlib import Path

import pytest

import rulings.domain
from rulings.domain.penalties import OFFENCES
from rulings.domain.rule_check import check_rules
from rulings.domain.rule_import import import_document
from rulings.domain.rule_text import RuleText, parse_markdown, sort_key, to_markdown

ROOT = Path(__file__).parents[3]
HOUSE = ROOT / "rulings" / "rulebook" / "house.md"
ORGANISERS_OWN = ROOT.parent / "shared" / "house-rules.txt"
SECTIONS = {
    "Opening": "1",
    "Betting Procedures": "2",
    "Blinds": "16",
    "Chips": "23",
    "Killing a Hand / Dead Hands": "27",
    "Verbal Discussion": "34",
    "Exposing Cards": "39",
    "Multi-table rules": "45",
    "Miscellaneous Rules": "52",
    "Supplement": "S1",
}


@pytest.fixture(scope="module")
def house() -> list[RuleText]:
    return parse_markdown(HOUSE.read_text(encoding="utf-8"))


def test_all_numbers_are_there_in_order(house: list[RuleText]) -> None:
    lettered = {9: ["9", "9a", "9b"], 28: ["28a", "28b"], 35: ["35a", "35b", "35c"]}
    numbers = [rule.number for rule in house if not rule.supplement]
    assert numbers == [number for count in range(1, 55) for number in lettered.get(count, [str(count)])]
    supplement = [rule.number for rule in house if rule.supplement]
    assert supplement == [f"S{count}" for count in range(1, len(supplement) + 1)]
    assert sorted((rule.number for rule in house), key=sort_key) == [rule.number for rule in house]


def test_sections_begin_where_the_house_begins_them(house: list[RuleText]) -> None:
    firsts: dict[str, str] = {}
    for rule in house:
        firsts.setdefault(rule.section, rule.number)
    assert firsts == SECTIONS
    assert all(rule.supplement == (rule.section == "Supplement") for rule in house)


def test_it_can_be_published_as_it_is(house: list[RuleText]) -> None:
    assert check_rules(house) == []
    assert to_markdown(house, title="House rules") == HOUSE.read_text(encoding="utf-8")


def test_sources_are_named_with_edition_and_number(house: list[RuleText]) -> None:
    for rule in house:
        if "TDA" in rule.text:
            assert rule.supplement
            assert re.search(r"\. \(TDA 20(24|26), (rule \d+|RP-\d+)\)$", rule.text), rule.number


def test_nobody_is_a_he_or_a_she(house: list[RuleText]) -> None:
    gendered = re.compile(r"\b(he|him|his|she|her|hers|himself|herself)\b", re.IGNORECASE)
    assert [rule.number for rule in house if gendered.search(rule.text)] == []


def test_every_rule_the_calculators_cite_exists(house: list[RuleText]) -> None:
    cited = {rule for offence in OFFENCES for rule in offence.rules}
    for module in Path(rulings.domain.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                cited.update(re.findall(r"^(?:S?[1-9][0-9]?[a-c]?)$", node.value))
    assert {"9a", "35b", "41", "S7", "S21"} <= cited
    assert cited <= {rule.number for rule in house}


@pytest.mark.skipif(not ORGANISERS_OWN.exists(), reason="the organiser's document does not lie beside the project")
def test_no_run_of_seven_words_is_the_organisers(house: list[RuleText]) -> None:
    theirs = import_document(ORGANISERS_OWN.read_text(encoding="utf-8")).rulebook
    runs = {run for rule in theirs for run in _runs_of_words(rule.text)}
    assert runs
    assert {run for rule in house for run in _runs_of_words(rule.text)} & runs == set()


def _runs_of_words(text: str, length: int = 7) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}
