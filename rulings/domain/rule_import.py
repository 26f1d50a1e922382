"""Reading a rulebook as its organiser wrote it, or as it was pasted.

The document opens with unnumbered paragraphs and bullet points; then come headings and numbered rules ("9a.
..."), with blank lines, blanks and line ends anywhere. What looks wrong is kept and reported, for an editor
to mend.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rulings.domain.rule_text import NUMBER, BadRulebook, Problem, RuleText, is_rule, parse_markdown, sort_key, tidy

OPENING = "Opening"
WITHOUT_HEADING = "Rules"

# Up to three digits, so that a year does not open a rule; "9 a.m." and "1.5" do not either.
_NUMBERED = re.compile(r"(S?)([1-9][0-9]{0,2}) ?([A-Za-z]?) ?[.)](?=\s|$|[A-Z\"'“‘(])\s*(.*)")
_BULLET = re.compile(r"(?:[•·▪◦●*–-])\s+(.+)")
_PAGE = re.compile(r"(?:page )?[0-9]{1,3}(?: (?:of|/) [0-9]{1,3})?", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;][)\"'”’]*$")
_HEADING_LENGTH = 60
_LIKELY_STEP = 3


@dataclass(frozen=True)
class Imported:
    """What was recognised: the unnumbered opening, the numbered rules, and what an editor should look at.

    `in_order`: its numbers should follow each other. Markdown may hold its rules in any order.
    """

    preamble: str
    rules: tuple[RuleText, ...]
    problems: tuple[Problem, ...]
    in_order: bool = True

    @property
    def rulebook(self) -> list[RuleText]:
        """The rules with the opening as rule 1, unless a rule of the document has that number."""
        if not self.preamble or any(rule.number == "1" for rule in self.rules):
            return list(self.rules)
        return [RuleText(OPENING, "1", self.preamble), *self.rules]


@dataclass
class _Draft:
    """A rule while its lines are being collected; number "" is the opening."""

    section: str
    number: str
    line: int
    lines: list[str] = field(default_factory=list)

    def text(self) -> str:
        return tidy("\n".join(_joined(self.lines)))


def import_document(text: str) -> Imported:
    """Return what `text` holds: an organiser's document, or Markdown if rules are written like that.

    Problems name the line (from 1) and the rule: numbers that are missing, twice or out of order, empty
    rules, rules that end in mid-sentence, repeated paragraphs and page numbers left out. Never raises.
    """
    raw = [_spaced(line) for line in text.lstrip("\ufeff").splitlines()]
    if any(is_rule(line) for line in raw):
        try:
            rules = tuple(parse_markdown(text.lstrip("\ufeff")))
        except BadRulebook as error:
            return Imported("", (), error.problems, in_order=False)
        return Imported("", rules, tuple(_cut_off(rules)), in_order=False)
    drafts, problems = _collect(raw)
    opening, *numbered = drafts
    preamble, repeated = _once(opening.text())
    rules = tuple(
        RuleText(draft.section, draft.number, draft.text(), draft.number.startswith("S")) for draft in numbered
    )
    if repeated:
        problems.append(Problem(1, "the opening says the same twice; it is kept once"))
    if not rules:
        problems.append(Problem(1, 'there is no numbered rule here; a rule starts like "9a. "'))
    lines = [draft.line for draft in numbered]
    problems += _order(rules, lines)
    problems += _cut_off(rules, lines)
    return Imported(preamble, rules, tuple(sorted(problems, key=lambda problem: problem.line)))


def doubts(rules: Sequence[RuleText], *, in_order: bool) -> list[Problem]:
    """Return what `import_document` would say of these rules, after an editor mended them.

    A problem's line is the place of the rule among them (from 0). Nothing is said of the unnumbered opening.
    """
    read = {place: rule for place, rule in enumerate(rules) if (rule.section, rule.number) != (OPENING, "1")}
    found: list[Problem] = []
    if in_order:
        numbered = {place: rule for place, rule in read.items() if NUMBER.fullmatch(rule.number)}
        found += _order(tuple(numbered.values()), list(numbered))
    return [*found, *_cut_off(tuple(read.values()), list(read))]


def _collect(lines: list[str]) -> tuple[list[_Draft], list[Problem]]:
    """Return the opening and the rules with their lines, and the lines that were left out."""
    drafts = [_Draft(OPENING, "", 1)]
    problems: list[Problem] = []
    section = WITHOUT_HEADING
    after_gap = True
    for index, line in enumerate(lines):
        if _PAGE.fullmatch(line):
            problems.append(Problem(index + 1, f"left out as a page number: {line}"))
        elif (found := _numbered(line)) and (after_gap or _follows(found[0], drafts[-1].number)):
            drafts.append(_Draft(section, found[0], index + 1, [found[1]]))
        elif _is_heading(lines, index):
            section, line = line.rstrip(": "), ""
        else:
            drafts[-1].lines.append(line)
        after_gap = not line
    return drafts, problems


def _numbered(line: str) -> tuple[str, str] | None:
    match = _NUMBERED.fullmatch(line)
    if match is None:
        return None
    supplement, digits, letter, text = match.groups()
    return f"{supplement}{digits}{letter.lower()}", text


def _follows(number: str, last: str) -> bool:
    """Return whether `number` is a likely next one: a wrapped line may begin with any number."""
    if not last:
        return True
    supplement, digits, _ = sort_key(number)
    return sort_key(last) < sort_key(number) and (supplement, digits) <= (
        supplement,
        sort_key(last)[1] + _LIKELY_STEP,
    )


def _is_heading(lines: list[str], index: int) -> bool:
    """Return whether a short line, no sentence, stands right before a rule and after a finished text."""
    line = lines[index]
    if not line or len(line) > _HEADING_LENGTH or _BULLET.fullmatch(line) or not line[0].isupper():
        return False
    if _SENTENCE_END.search(line.rstrip(":")):
        return False
    following = next((after for after in lines[index + 1 :] if after), "")
    before = lines[index - 1] if index else ""
    return _numbered(following) is not None and (not before or _SENTENCE_END.search(before) is not None)


def _spaced(line: str) -> str:
    """Return the line with single blanks, and words put together again that a line end had parted."""
    line = " ".join(line.split())
    line = re.sub(r" ([,.;:!?])", r"\1", line)
    return re.sub(r"(\w-\w+-) (?=\w)", r"\1", line)


def _joined(lines: list[str]) -> Iterator[str]:
    """Yield the lines with wrapped ones put together; a bullet point becomes an item of a Markdown list."""
    paragraph = ""
    for line in [*lines, ""]:
        bullet = _BULLET.fullmatch(line)
        if line and not bullet:
            paragraph = f"{paragraph} {line}" if paragraph else line
            continue
        if paragraph:
            yield paragraph
        paragraph = f"- {bullet[1]}" if bullet else ""
        if not bullet:
            yield ""


def _once(text: str) -> tuple[str, bool]:
    """Return the text with every paragraph once, and whether one was left out."""
    paragraphs = text.split("\n\n")
    kept = list(dict.fromkeys(paragraphs))
    return "\n\n".join(kept), len(kept) < len(paragraphs)


def _order(rules: tuple[RuleText, ...], lines: list[int]) -> Iterator[Problem]:
    """Yield what is odd about the numbers."""
    seen: set[str] = set()
    last = (False, 0, "")
    for rule, line in zip(rules, lines, strict=True):
        here = sort_key(rule.number)
        if rule.number in seen:
            yield Problem(line, f"rule {rule.number} is there twice", rule.number)
        elif here < last:
            yield Problem(line, f"rule {rule.number} is out of order", rule.number)
        elif last[1] and here[0] == last[0] and here[1] > last[1] + 1:
            first, final = last[1] + 1, here[1] - 1
            missing = f"rule {first} is" if first == final else f"rules {first} to {final} are"
            yield Problem(line, f"{missing} missing before rule {rule.number}", rule.number)
        seen.add(rule.number)
        last = max(last, here)


def _cut_off(rules: tuple[RuleText, ...], lines: list[int] | None = None) -> Iterator[Problem]:
    """Yield the rules that are empty or end in mid-sentence."""
    for index, rule in enumerate(rules):
        line = lines[index] if lines else 1
        last = rule.text.rpartition("\n")[2]
        if not rule.text:
            yield Problem(line, f"rule {rule.number} is empty", rule.number)
        elif re.search(r"(\.\.\.|…)$", last) or not (last.startswith("- ") or _SENTENCE_END.search(last)):
            yield Problem(line, f"rule {rule.number} seems to be cut off", rule.number)
