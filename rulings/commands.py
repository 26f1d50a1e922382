"""Publishing the rulebook of a series. Nothing published is ever edited: what changes is a new version."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from rulings.domain.rule_text import RuleText as Text
from rulings.domain.rule_text import key_for, parse_markdown, to_markdown
from rulings.models import Rule, RulebookVersion, RuleText
from series.models import Series

STARTING_RULES = Path(__file__).parent / "rulebook" / "house.md"


def content_hash(texts: Sequence[Text]) -> str:
    """SHA-256, in hex, of the rulebook as Markdown."""
    return hashlib.sha256(to_markdown(texts).encode()).hexdigest()


def add_version(tx: Tx[Series], texts: Sequence[Text], *, note: str) -> RulebookVersion:
    """Write the next version of a rulebook, a draft. A rule with a new number gets a permanent key."""
    series = tx.subject
    last = RulebookVersion.objects.filter(series=series).order_by("-number").first()
    keys = dict(last.texts.values_list("number", "rule_id")) if last else {}
    taken = set(Rule.objects.filter(series=series).values_list("key", flat=True))
    new = [text.number for text in texts if text.number not in keys]
    rules = []
    for number in new:
        key = key_for(number, taken=taken)
        taken.add(key)
        rules.append(Rule(series=series, key=key))
    keys |= {number: rule.pk for number, rule in zip(new, tx.add_all(rules), strict=True)}
    version = tx.add(
        RulebookVersion(
            series=series, number=last.number + 1 if last else 1, note=note, content_hash=content_hash(texts)
        )
    )
    tx.add_all(
        [
            RuleText(
                version=version,
                rule_id=keys[text.number],
                position=position,
                number=text.number,
                section=text.section,
                text=text.text,
                supplement=text.supplement,
            )
            for position, text in enumerate(texts)
        ]
    )
    return version


@command(Series, "rulebook.start", permission=Permission.EDIT_RULES, undoable=False)
def publish_starting_rulebook(tx: Tx[Series]) -> dict[str, Any]:
    """Publish the rules that come with the site as version 1, in force at once.

    Raises:
        Refused: the series has a rulebook already.
    """
    if RulebookVersion.objects.filter(series=tx.subject).exists():
        raise Refused("This series has a rulebook already.", code="has_rulebook")
    version = add_version(tx, parse_markdown(STARTING_RULES.read_text("utf-8")), note="The rules to start from.")
    tx.change(version, status=RulebookVersion.Status.IN_FORCE, effective_from=tx.at)
    tx.say("Rulebook version {number} published, in force from now", number=version.number)
    return {"version": version.pk, "number": version.number}
