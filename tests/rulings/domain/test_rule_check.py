import pytest

from rulings.domain.rule_check import FindingKind, check_rules, find_references
from rulings.domain.rule_text import RuleText


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as rule 31 says", ["31"]),
        ("Rules 9a and 9b decide.", ["9a", "9b"]),
        ("see rules 45 to 48, or rule S3.", ["45", "48", "S3"]),
        ("rules 9, 9a, and 9b; rules 27–29; rule 28a/28b", ["9", "9a", "9b", "27", "29", "28a", "28b"]),
        ("A raise. (TDA 2024, rule 44)", []),
        ("(TDA 2024, rules 44 to 46) and rule 9a", ["9a"]),
        ("rule 44 of the TDA, but rule 9 of ours", ["9"]),
        ("Robert's Rules of Poker say so. Rule 9 does too.", ["9"]),
        ("TDA 2024 v1.0, rule 44, unlike rule 9", ["9"]),
        ("the rules of 2024", []),
        ("rule 1.5", []),
    ],
)
def test_references_are_found(text: str, numbers: list[str]) -> None:
    found = find_references(text)
    assert [reference.number for reference in found] == numbers
    assert [text[reference.start : reference.end] for reference in found] == numbers


def test_a_reference_to_a_rule_that_went_blocks_publishing() -> None:
    rules = [RuleText("A", "30", "See rule 31."), RuleText("A", "33", "See rule 30.")]
    (finding,) = check_rules(rules)
    assert (finding.kind, finding.number) == (FindingKind.BROKEN_REFERENCE, "30")
    assert finding.message == "Rule 30 refers to rule 31, which does not exist."


def test_a_number_without_letter_names_its_lettered_rules() -> None:
    rules = [RuleText("A", "28a", "One."), RuleText("A", "28b", "As in rule 28.")]
    assert check_rules(rules) == []


def test_duplicate_numbers_and_empty_rules_block_publishing() -> None:
    rules = [RuleText("A", "9", "One."), RuleText("A", "9", " "), RuleText("A", "10", "Two.")]
    assert [(finding.kind, finding.number) for finding in check_rules(rules)] == [
        (FindingKind.DUPLICATE_NUMBER, "9"),
        (FindingKind.DUPLICATE_NUMBER, "9"),
        (FindingKind.EMPTY_RULE, "9"),
    ]
