import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.rule_text import (
    BadRulebook,
    RuleText,
    key_for,
    parse_markdown,
    sort_key,
    tidy,
    to_markdown,
)

numbers = st.from_regex(r"S?[1-9][0-9]{0,2}[a-z]?", fullmatch=True)
lines = st.lists(
    st.sampled_from(["## Blinds", "# x", "**9a.** text", "\\## odd", "\\\\**1.** x", "", "- item", "  deep", "a word"])
    | st.text(max_size=12)
).map("\n".join)
sections = st.sampled_from(["Blinds", "Killing a Hand / Dead Hands", "C#"])
rules = st.lists(
    st.builds(
        lambda section, number, text: RuleText(section, number, tidy(text), number.startswith("S")),
        sections,
        numbers,
        lines,
    ),
    min_size=1,
)


@given(rules=rules, title=st.sampled_from(["", "House rules"]))
def test_markdown_reads_back_without_a_difference(rules: list[RuleText], title: str) -> None:
    assert parse_markdown(to_markdown(rules, title=title)) == rules


def test_rules_are_read_with_section_and_number() -> None:
    text = "# Title\n\n## Blinds\n\n**16.** First.\nSame paragraph.\n\nSecond.\n\n**S1.** Ours.\n\n"
    text += "## Chips\n**23.**\n"
    assert parse_markdown(text) == [
        RuleText("Blinds", "16", "First.\nSame paragraph.\n\nSecond."),
        RuleText("Blinds", "S1", "Ours.", supplement=True),
        RuleText("Chips", "23", ""),
    ]


def test_everything_wrong_is_told_with_its_line() -> None:
    with pytest.raises(BadRulebook) as error:
        parse_markdown("## Blinds\n\nstray\n\n**16.** First.\n\n### Small\n\n# Late title\n")
    assert [(problem.line, problem.message) for problem in error.value.problems] == [
        (3, "this text belongs to no rule: stray"),
        (7, "a section starts with '## ', not with '### '"),
        (9, "a section starts with '## ', not with '# '"),
    ]


def test_a_text_without_a_rule_is_no_rulebook() -> None:
    with pytest.raises(BadRulebook, match="there is no rule here"):
        parse_markdown("# Title\n\n## Blinds\n")


def test_numbers_sort_as_people_read_them() -> None:
    order = ["2", "9", "9a", "9b", "10", "28a", "28b", "54", "S1", "S2", "S10"]
    assert sorted(random.Random(7).sample(order, len(order)), key=sort_key) == order


@pytest.mark.parametrize("wrong", ["", "a", "0", "9A", "9ab", "s1", "1.", "9 a"])
def test_what_is_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="not a rule number"):
        sort_key(wrong)


@given(taken=st.lists(numbers))
def test_a_key_is_never_given_twice(taken: list[str]) -> None:
    keys: set[str] = set()
    for number in taken:
        key = key_for(number, taken=keys)
        assert key not in keys
        assert key.startswith(f"rule-{number.lower()}")
        keys.add(key)


def test_keys_are_readable() -> None:
    assert key_for("9a") == "rule-9a"
    assert key_for("S1") == "rule-s1"
    assert key_for("9a", taken={"rule-9a", "rule-9a-2"}) == "rule-9a-3"
