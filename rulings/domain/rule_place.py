"""Where a rule stands in a rulebook that is being written, so that sections hold together."""

from collections.abc import Iterable, Sequence

from rulings.domain.rule_text import RuleText, sort_key


def place_for(rules: Sequence[RuleText], section: str, after: int | None) -> int:
    """Return the index at which a rule of `section` is inserted after the rule at index `after` (None: as the first).

    A rule of a section that is there already never leaves it: after a rule of another section it goes to the
    end of its own. A new section begins where that of the rule before it ends.

    >>> place_for([RuleText("A", "1", ""), RuleText("A", "2", ""), RuleText("B", "3", "")], "C", 0)
    2
    """
    own = [index for index, rule in enumerate(rules) if rule.section == section]
    if after is None:
        return own[0] if own else len(rules)
    if rules[after].section == section:
        return after + 1
    if own:
        return own[-1] + 1
    neighbours = [index for index, rule in enumerate(rules) if rule.section == rules[after].section]
    return neighbours[-1] + 1


def next_number(numbers: Iterable[str]) -> str:
    """Return the number of a house rule that follows all of `numbers`; those of the supplement do not count.

    >>> next_number(["9", "9a", "54", "S21"])
    '55'
    """
    house = [digits for supplement, digits, _ in map(sort_key, numbers) if not supplement]
    return str(max(house, default=0) + 1)
