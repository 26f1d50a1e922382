"""The text of a rulebook: rules with display numbers in named sections, read from and written to Markdown.

The form is that of `rulings/rulebook/house.md`: an optional `# Title`, `## Section` headings, and each rule
as a paragraph that opens with its number in bold, `**9a.** text`. Further paragraphs belong to the rule
above.
"""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

NUMBER = re.compile(r"(S?)([1-9][0-9]*)([a-z]?)")
_RULE = re.compile(r"\*\*(S?[1-9][0-9]*[a-z]?)\.\*\*(?:[ \t]+(.*))?")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
# A line of a rule's own text that would read as structure carries a backslash in Markdown.
_STRUCTURE = re.compile(r"\\*(?:#{1,6}[ \t]|\*\*S?[1-9][0-9]*[a-z]?\.\*\*)")


@dataclass(frozen=True)
class Problem:
    """What an editor should look at: the line (from 1), what is wrong, and the number of the rule if any."""

    line: int
    message: str
    number: str = ""


class BadRulebook(ValueError):
    """The text is not a rulebook; `problems` says where and why."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"line {problem.line}: {problem.message}" for problem in self.problems))


@dataclass(frozen=True)
class RuleText:
    """One rule: its section, display number ("9a", "S3"), text, and whether it belongs to the supplement.

    The text is Markdown; paragraphs are parted by one empty line. The section is "" before the first heading.
    """

    section: str
    number: str
    text: str
    supplement: bool = False


def sort_key(number: str) -> tuple[bool, int, str]:
    """Return the key that puts display numbers in order: 2 < 9 < 9a < 9b < 10 < 28a < S1.

    Raises ValueError if `number` is no display number.
    """
    match = NUMBER.fullmatch(number)
    if match is None:
        raise ValueError(f"{number!r} is not a rule number")
    supplement, digits, letter = match.groups()
    return supplement != "", int(digits), letter


def key_for(number: str, *, taken: Container[str] = frozenset()) -> str:
    """Return the permanent key of a rule first published as `number`: "rule-9a", "rule-s1".

    A key is never given twice: if it is `taken`, the next one follows ("rule-9a-2"). Raises ValueError if
    `number` is no display number.
    """
    sort_key(number)
    first = key = f"rule-{number.lower()}"
    times = 1
    while key in taken:
        times += 1
        key = f"{first}-{times}"
    return key


def is_rule(line: str) -> bool:
    """Return whether a line of Markdown opens a rule."""
    return _RULE.fullmatch(line) is not None


def tidy(text: str) -> str:
    """Return `text` with one empty line between paragraphs and no blanks at the ends of lines."""
    lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines)


def parse_markdown(text: str) -> list[RuleText]:
    """Return the rules of a rulebook in Markdown, in the order of the text.

    Raises BadRulebook with every line that is neither title, section, rule nor text of a rule, and if there
    is no rule at all.
    """
    section = ""
    found: list[tuple[str, str, list[str]]] = []
    problems: list[Problem] = []
    body: list[str] | None = None
    for count, line in enumerate(text.splitlines(), start=1):
        line = line.rstrip()
        if rule := _RULE.fullmatch(line):
            body = [rule[2] or ""]
            found.append((section, rule[1], body))
        elif heading := _HEADING.fullmatch(line):
            level = len(heading[1])
            if level == 2:
                section, body = heading[2], None
            elif level > 2 or found or section:
                problems.append(Problem(count, f"a section starts with '## ', not with '{heading[1]} '"))
        elif body is not None:
            body.append(line[1:] if line.startswith("\\") and _STRUCTURE.match(line) else line)
        elif line:
            problems.append(Problem(count, f"this text belongs to no rule: {line[:40]}"))
    if not found and not problems:
        problems.append(Problem(1, "there is no rule here; a rule starts with its number, like '**9a.** '"))
    if problems:
        raise BadRulebook(problems)
    return [
        RuleText(section, number, tidy("\n".join(lines)), number.startswith("S")) for section, number, lines in found
    ]


def to_markdown(rules: Iterable[RuleText], *, title: str = "") -> str:
    """Return the rulebook in the Markdown that `parse_markdown` reads back without a difference."""
    blocks = [f"# {title}"] if title else []
    section = ""
    for rule in rules:
        if rule.section != section:
            section = rule.section
            blocks.append(f"## {section}")
        first, *rest = tidy(rule.text).split("\n")
        lines = [f"**{rule.number}.** {first}".rstrip()]
        lines += [f"\\{line}" if _STRUCTURE.match(line) else line for line in rest]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
