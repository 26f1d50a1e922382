from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulings.domain.rule_place import next_number, place_for
from rulings.domain.rule_text import RuleText

RULES = [RuleText(section, str(number), "") for number, section in enumerate("AABBBC", start=1)]


@pytest.mark.parametrize(
    ("section", "after", "place"),
    [
        ("A", None, 0),
        ("B", None, 2),
        ("B", 2, 3),
        ("C", 5, 6),
        ("A", 4, 2),  # of another section: to the end of its own
        ("New", 0, 2),  # a new section begins where that of the rule before it ends
        ("New", None, 6),
    ],
)
def test_a_rule_is_placed_with_its_section(section: str, after: int | None, place: int) -> None:
    assert place_for(RULES, section, after) == place


@given(st.data())
def test_sections_hold_together_wherever_a_rule_goes(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from("ABCD"), unique=True, max_size=4))
    rules = [RuleText(name, "1", "") for name in names for _ in range(data.draw(st.integers(1, 3)))]
    section = data.draw(st.sampled_from("ABCDE"))
    after = data.draw(st.none() | st.integers(0, len(rules) - 1)) if rules else None
    place = place_for(rules, section, after)
    placed = [rule.section for rule in [*rules[:place], RuleText(section, "2", ""), *rules[place:]]]
    assert sum(one != other for one, other in pairwise(placed)) + 1 == len(set(placed))


@pytest.mark.parametrize(
    ("numbers", "following"),
    [([], "1"), (["9", "9a"], "10"), (["54", "S99"], "55"), (["S1"], "1"), (["9", "100"], "101")],
)
def test_the_next_number_follows_the_house_rules(numbers: list[str], following: str) -> None:
    assert next_number(numbers) == following
