"""Writing the next version of a rulebook: the draft, which nobody but the rules editors sees.

Each changed rule carries its reason and author from the moment it is changed. None of this can be undone from the
journal, which would reach into a version published meanwhile; a rule is put back instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from rulings.commands import add_texts, add_version, draft_of
from rulings.domain.rule_text import NUMBER, tidy
from rulings.domain.rule_text import RuleText as Text
from rulings.draft_reads import base_of, starting_rules, unexplained
from rulings.models import Rule, RulebookVersion, RuleChange, RuleText
from series.models import Series

MOST_RULES = 500
LONGEST_RULE = 8000


@dataclass(frozen=True)
class ImportedRule:
    """A rule of an import. `rule_id`: the rule it continues, None for a new one."""

    number: str
    section: str
    text: str
    rule_id: int | None = None


def checked_text(number: str, section: str, text: str) -> Text:
    """A rule with its number, section and words tidied; an empty text is allowed in a draft.

    Raises:
        Refused: at field `number`, `section` or `text`.
    """
    number, section, text = number.strip(), " ".join(section.split()), tidy(text)
    number = number[:1].upper() + number[1:].lower() if number[:1] in ("s", "S") else number.lower()
    if len(number) > 6 or not NUMBER.fullmatch(number):
        raise Refused("Write a number like 9, 9a or S3.", field="number")
    if not section or len(section) > 80:
        raise Refused("Name the section, in 80 characters at most.", field="section")
    if len(text) > LONGEST_RULE:
        raise Refused(f"This is too long: {LONGEST_RULE:,} characters at most.", field="text")
    return Text(section, number, text, number.startswith("S"))


@command(Series, "rulebook.draft", permission=Permission.EDIT_RULES, undoable=False)
def start_draft(tx: Tx[Series], *, version_id: int | None = None) -> dict[str, Any]:
    """Begin the next version with the rules of a published one: by default that announced, else that in force; with the
    rules that come with the site if there is none.

    Raises:
        Refused: there is a draft already, or no such version.
    """
    _refuse_second_draft(tx)
    published = RulebookVersion.objects.filter(series=tx.subject).published()
    source = published.filter(pk=version_id).first() if version_id else base_of(tx.subject.pk, tx.at)
    if version_id and source is None:
        raise Refused("There is no such version.", code="missing")
    texts: list[tuple[Text, int | None]]
    if source:
        texts = [(row.as_text, row.rule_id) for row in source.texts.all()]
        tx.say("Draft of the next rulebook begun from version {number}", number=source.number)
    else:
        texts = [(text, None) for text in starting_rules()]
        tx.say("Draft of a rulebook begun from the starting rules")
    version = add_version(tx, texts)
    return {"version": version.pk, "number": version.number}


def _refuse_second_draft(tx: Tx[Series]) -> None:
    if RulebookVersion.objects.filter(series=tx.subject, status=RulebookVersion.Status.DRAFT).exists():
        raise Refused("There is a draft already: go on with that one.", code="has_draft")


@command(Series, "rulebook.discard", permission=Permission.EDIT_RULES, undoable=False)
def discard_draft(tx: Tx[Series]) -> dict[str, Any]:
    """Throw the draft away. Nobody but the editors has seen it, and its number is given again."""
    draft = draft_of(tx)
    for change in tx.lock(draft.changes.all()):
        tx.remove(change)
    for row in tx.lock(draft.texts.all()):
        tx.remove(row)
    tx.remove(draft)
    forget_unused_rules(tx)
    tx.say("Draft of version {number} discarded", number=draft.number)
    return {}


def forget_unused_rules(tx: Tx[Series]) -> None:
    """Free the keys of rules that no version has: they were written in a draft and taken out of it again."""
    for rule in tx.lock(Rule.objects.filter(series=tx.subject).exclude(pk__in=_used(tx.subject))):
        tx.remove(rule)


def _used(series: Series) -> models.QuerySet[RuleText, int]:
    return RuleText.objects.filter(version__series=series).values_list("rule_id", flat=True)


def explain(tx: Tx[Series], draft: RulebookVersion, rule: Rule, reason: str, *, clarified: bool = False) -> None:
    """Keep why a rule differs from the version before, and who says so."""
    found = tx.lock(RuleChange.objects.filter(version=draft, rule=rule))
    values = {"reason": reason, "clarified": clarified, "author_id": tx.actor.pk}
    if found:
        tx.change(found[0], **values)
    elif reason:
        tx.add(RuleChange(version=draft, rule=rule, **values))


def required_reason(tx: Tx[Series], *, needed: bool) -> str:
    if needed and not tx.reason:
        raise Refused("Say why: everybody reads it beside the change.", field="reason")
    return tx.reason


@command(Series, "rulebook.explain", permission=Permission.EDIT_RULES, undoable=False)
def explain_changes(tx: Tx[Series], *, rule_id: int | None = None, clarified: bool = False) -> dict[str, Any]:
    """Give one changed rule, or all that have none yet, the command's `reason`. Result: `rules`, how many got it.

    Raises:
        Refused: no draft, or no reason.
    """
    draft = draft_of(tx)
    reason = required_reason(tx, needed=True)
    if rule_id is None:
        keys = unexplained(draft, base_of(tx.subject.pk, tx.at))
        rules = list(Rule.objects.filter(series=tx.subject, key__in=keys))
    else:
        rules = list(Rule.objects.filter(series=tx.subject, pk=rule_id))
    for rule in rules:
        explain(tx, draft, rule, reason, clarified=clarified)
    tx.say("Reason given for {count} changed rules of the draft", count=len(rules))
    return {"rules": len(rules)}


@command(Series, "rulebook.import", permission=Permission.EDIT_RULES, undoable=False)
def import_rules(tx: Tx[Series], *, rules: Sequence[ImportedRule]) -> dict[str, Any]:
    """Make these rules the draft, in place of what it holds; a draft is begun if there is none. Rules keep their
    permanent keys by `rule_id`. The command's `reason`, if any, is given to every changed rule that has none yet.

    Raises:
        Refused: no rules, too many, a bad number or section (the message names the rule), or one rule continued twice.
    """
    if not rules:
        raise Refused("There is no rule in this document.", code="empty")
    if len(rules) > MOST_RULES:
        raise Refused(f"A rulebook has {MOST_RULES} rules at most.", code="too_many")
    continued = [rule.rule_id for rule in rules if rule.rule_id is not None]
    known = set(Rule.objects.filter(series=tx.subject, pk__in=continued).values_list("pk", flat=True))
    if len(set(continued)) < len(continued) or not known.issuperset(continued):
        raise Refused("A rule of the present rulebook can be continued by one rule only.", code="twice")
    texts = [(_imported(rule), rule.rule_id) for rule in rules]
    drafts = tx.lock(RulebookVersion.objects.filter(series=tx.subject, status=RulebookVersion.Status.DRAFT))
    if drafts:
        draft = drafts[0]
        for row in tx.lock(draft.texts.all()):
            tx.remove(row)
        add_texts(tx, draft, texts)
        forget_unused_rules(tx)
    else:
        draft = add_version(tx, texts)
    if tx.reason:
        for rule in Rule.objects.filter(series=tx.subject, key__in=unexplained(draft, base_of(tx.subject.pk, tx.at))):
            explain(tx, draft, rule, tx.reason)
    tx.say("{count} rules imported into the draft of version {number}", count=len(texts), number=draft.number)
    return {"version": draft.pk, "number": draft.number}


def _imported(rule: ImportedRule) -> Text:
    try:
        return checked_text(rule.number, rule.section, rule.text)
    except Refused as refusal:
        raise Refused(f"Rule {rule.number or '?'}: {refusal.message}", code="bad_rule") from refusal
