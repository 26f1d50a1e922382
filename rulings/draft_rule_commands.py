"""Changing one rule of the draft: its words, number and place; adding, taking out, putting back, adopting."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from rulings.commands import draft_of, new_rules
from rulings.domain.rule_place import next_number, place_for
from rulings.draft_commands import MOST_RULES, checked_text, explain, forget_unused_rules, required_reason
from rulings.draft_reads import base_of
from rulings.models import RulebookVersion, RuleChange, RuleText
from series.models import Series


def _rows(tx: Tx[Series], draft: RulebookVersion) -> list[RuleText]:
    return sorted(tx.lock(draft.texts.select_related("rule")), key=lambda row: row.position)


def _row(rows: Sequence[RuleText], rule_id: int) -> RuleText:
    for row in rows:
        if row.rule_id == rule_id:
            return row
    raise Refused("The draft has no such rule.", code="missing")


def _order(tx: Tx[Series], rows: Sequence[RuleText]) -> None:
    tx.change_all([(row, {"position": position}) for position, row in enumerate(rows) if row.position != position])


def _place(others: Sequence[RuleText], section: str, after: int | None) -> int:
    """Where a rule goes among the `others`. `after`: the rule that it follows, None for the first of its section."""
    at = next((index for index, row in enumerate(others) if row.rule_id == after), None)
    if after is not None and at is None:
        raise Refused("Choose where the rule stands.", field="after")
    return place_for([row.as_text for row in others], section, at)


@command(Series, "rulebook.rule_change", permission=Permission.EDIT_RULES, undoable=False)
def change_rule(
    tx: Tx[Series],
    *,
    rule_id: int,
    number: str,
    section: str,
    text: str,
    after: int | None,
    clarified: bool = False,
) -> dict[str, Any]:
    """Reword, renumber or move one rule of the draft. `after`: the rule it follows, None for the first of its section.
    The command's `reason` is published with the change; `clarified` says that the new words mean the same.

    Raises:
        Refused: at a field; no draft, no such rule, or a rule that differs from the version before has no reason.
        Stale: somebody changed this rule meanwhile.
    """
    draft = draft_of(tx)
    rows = _rows(tx, draft)
    row = _row(rows, rule_id)
    tx.expect_unchanged(row)
    wanted = checked_text(number, section, text)
    others = [other for other in rows if other is not row]
    place = _place(others, wanted.section, after)
    base = base_of(tx.subject.pk, tx.at)
    before = base.texts.filter(rule=row.rule).first() if base else None
    same = before is not None and before.as_text == wanted and rows.index(row) == place
    reason = required_reason(tx, needed=base is not None and not same)
    tx.change(row, number=wanted.number, section=wanted.section, text=wanted.text, supplement=wanted.supplement)
    _order(tx, [*others[:place], row, *others[place:]])
    if reason:
        explain(tx, draft, row.rule, reason, clarified=clarified and bool(before and before.text != wanted.text))
    tx.say("Rule {number} of the draft changed", number=row.number)
    return {"rule": rule_id}


@command(Series, "rulebook.rule_add", permission=Permission.EDIT_RULES, undoable=False)
def add_rule(tx: Tx[Series], *, number: str, section: str, text: str, after: int | None) -> dict[str, Any]:
    """Add a rule to the draft, with the command's `reason`. Result: `rule`.

    Raises:
        Refused: at a field; or there is no draft.
    """
    draft = draft_of(tx)
    rows = _rows(tx, draft)
    if len(rows) >= MOST_RULES:
        raise Refused(f"A rulebook has {MOST_RULES} rules at most.", code="too_many")
    wanted = checked_text(number, section, text)
    place = _place(rows, wanted.section, after)
    reason = required_reason(tx, needed=base_of(tx.subject.pk, tx.at) is not None)
    rule = new_rules(tx, [wanted.number])[0]
    row = tx.add(
        RuleText(
            version=draft,
            rule=rule,
            position=place,
            number=wanted.number,
            section=wanted.section,
            text=wanted.text,
            supplement=wanted.supplement,
        )
    )
    _order(tx, [*rows[:place], row, *rows[place:]])
    explain(tx, draft, rule, reason)
    tx.say("Rule {number} added to the draft", number=row.number)
    return {"rule": rule.pk}


@command(Series, "rulebook.rule_remove", permission=Permission.EDIT_RULES, undoable=False)
def remove_rule(tx: Tx[Series], *, rule_id: int) -> dict[str, Any]:
    """Take a rule out of the draft, with the command's `reason`. A supplement rule is dropped in the same way.

    Raises:
        Refused: no draft, no such rule, or no reason.
    """
    draft = draft_of(tx)
    rows = _rows(tx, draft)
    row = _row(rows, rule_id)
    tx.expect_unchanged(row)
    base = base_of(tx.subject.pk, tx.at)
    had = base is not None and base.texts.filter(rule=row.rule).exists()
    reason = required_reason(tx, needed=had)
    tx.remove(row)
    _order(tx, [other for other in rows if other is not row])
    if had:
        explain(tx, draft, row.rule, reason)
    else:
        for change in tx.lock(RuleChange.objects.filter(version=draft, rule=row.rule)):
            tx.remove(change)
        forget_unused_rules(tx)
    tx.say("Rule {number} taken out of the draft", number=row.number)
    return {}


@command(Series, "rulebook.rule_restore", permission=Permission.EDIT_RULES, undoable=False)
def restore_rule(tx: Tx[Series], *, rule_id: int) -> dict[str, Any]:
    """Put a rule of the draft back as the version before has it: words, number, section and place.

    Raises:
        Refused: no draft, or the version before does not have that rule.
    """
    draft = draft_of(tx)
    rows = _rows(tx, draft)
    base = base_of(tx.subject.pk, tx.at)
    old = list(base.texts.all()) if base else []
    at = next((index for index, row in enumerate(old) if row.rule_id == rule_id), None)
    if at is None:
        raise Refused("The version before does not have this rule.", code="missing")
    was = old[at]
    row = next((row for row in rows if row.rule_id == rule_id), None)
    values = {"number": was.number, "section": was.section, "text": was.text, "supplement": was.supplement}
    if row is None:
        row = tx.add(RuleText(version=draft, rule_id=rule_id, position=0, **values))
    else:
        tx.change(row, **values)
    others = [other for other in rows if other is not row]
    present = {other.rule_id for other in others}
    after = next((before.rule_id for before in reversed(old[:at]) if before.rule_id in present), None)
    place = 1 + [other.rule_id for other in others].index(after) if after else 0
    _order(tx, [*others[:place], row, *others[place:]])
    for change in tx.lock(RuleChange.objects.filter(version=draft, rule=rule_id)):
        tx.remove(change)
    tx.say("Rule {number} of the draft put back as it was", number=was.number)
    return {"rule": rule_id}


@command(Series, "rulebook.adopt", permission=Permission.EDIT_RULES, undoable=False)
def adopt_rule(tx: Tx[Series], *, rule_id: int, section: str, number: str = "") -> dict[str, Any]:
    """Make a rule of the supplement a house rule: it goes to the end of a section under a house number, by default the
    next one. The command's `reason` is published. Result: `number`.

    Raises:
        Refused: at a field; no draft, or the rule is none of the supplement.
    """
    draft = draft_of(tx)
    rows = _rows(tx, draft)
    row = _row(rows, rule_id)
    tx.expect_unchanged(row)
    if not row.supplement:
        raise Refused("This is a house rule already.", code="adopted")
    wanted = checked_text(number or next_number(other.number for other in rows), section, row.text)
    if wanted.supplement:
        raise Refused("A house rule has a number without S.", field="number")
    reason = required_reason(tx, needed=base_of(tx.subject.pk, tx.at) is not None)
    others = [other for other in rows if other is not row]
    own = [other for other in others if other.section == wanted.section]
    house = [other for other in others if not other.supplement]
    place = _place(others, wanted.section, (own or house or others)[-1].rule_id if others else None)
    said = row.number
    tx.change(row, number=wanted.number, section=wanted.section, supplement=False)
    _order(tx, [*others[:place], row, *others[place:]])
    explain(tx, draft, row.rule, reason)
    tx.say("Rule {old} of the supplement adopted as rule {number}", old=said, number=row.number)
    return {"number": row.number}
