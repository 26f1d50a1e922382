"""Publishing the rulebook of a series: announced, in force at an instant, superseded by the next version.

Nothing published is ever edited: what changes is a new version. Writing one is in `rulings.draft_commands`.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from accounts.permissions import Permission
from journal.actors import System
from journal.commands import Tx, command
from journal.errors import Refused
from rulings.change_reads import kinds_of, texts_of
from rulings.domain.rule_check import check_rules
from rulings.domain.rule_diff import compare_versions
from rulings.domain.rule_text import RuleText as Text
from rulings.domain.rule_text import key_for, to_markdown
from rulings.draft_reads import starting_rules
from rulings.models import Rule, RulebookVersion, RulesLetter, RulesNote, RuleText, Subscriber
from series.models import Event, Series

Status = RulebookVersion.Status
RUN_BY_SWEEP = "bring_rules_into_force"
CALENDAR = System("the calendar", frozenset({RUN_BY_SWEEP}))


def content_hash(texts: Sequence[Text]) -> str:
    """SHA-256, in hex, of the rulebook as Markdown."""
    return hashlib.sha256(to_markdown(texts).encode()).hexdigest()


def add_version(tx: Tx[Series], texts: Sequence[tuple[Text, int | None]], *, note: str = "") -> RulebookVersion:
    """Write the next version of a rulebook, a draft, from texts with the primary key of the rule each belongs to. A
    text without one is a new rule and gets a permanent key.
    """
    last = RulebookVersion.objects.filter(series=tx.subject).order_by("-number").first()
    version = tx.add(RulebookVersion(series=tx.subject, number=last.number + 1 if last else 1, note=note))
    add_texts(tx, version, texts)
    return version


def add_texts(tx: Tx[Series], version: RulebookVersion, texts: Sequence[tuple[Text, int | None]]) -> None:
    """Write the rules of a draft that has none, in their order."""
    new = iter(new_rules(tx, [text.number for text, rule_id in texts if rule_id is None]))
    tx.add_all(
        [
            RuleText(
                version=version,
                rule_id=next(new).pk if rule_id is None else rule_id,
                position=position,
                number=text.number,
                section=text.section,
                text=text.text,
                supplement=text.supplement,
            )
            for position, (text, rule_id) in enumerate(texts)
        ]
    )


def new_rules(tx: Tx[Series], numbers: Sequence[str]) -> list[Rule]:
    """A new rule for each number, under a key that was never given."""
    if not numbers:
        return []
    taken = set(Rule.objects.filter(series=tx.subject).values_list("key", flat=True))
    rules = []
    for number in numbers:
        key = key_for(number, taken=taken)
        taken.add(key)
        rules.append(Rule(series=tx.subject, key=key))
    return tx.add_all(rules)


@command(Series, "rulebook.start", permission=Permission.EDIT_RULES, undoable=False)
def publish_starting_rulebook(tx: Tx[Series]) -> dict[str, Any]:
    """Publish the rules that come with the site as version 1, in force at once.

    Raises:
        Refused: the series has a rulebook already.
    """
    if RulebookVersion.objects.filter(series=tx.subject).exists():
        raise Refused("This series has a rulebook already.", code="has_rulebook")
    texts = starting_rules()
    version = add_version(tx, [(text, None) for text in texts], note="The rules to start from.")
    tx.change(
        version,
        status=Status.IN_FORCE,
        effective_from=tx.at,
        content_hash=content_hash(texts),
        announced_at=tx.at,
        announced_by_id=tx.actor.pk,
    )
    tx.say("Rulebook version {number} published, in force from now", number=version.number)
    return {"version": version.pk, "number": version.number}


def draft_of(tx: Tx[Series]) -> RulebookVersion:
    """The draft of the series, locked.

    Raises:
        Refused: there is none. What is published is never edited.
    """
    rows = tx.lock(RulebookVersion.objects.filter(series=tx.subject, status=Status.DRAFT))
    if not rows:
        raise Refused("There is no draft. What is published stays as it is: start a new version.", code="no_draft")
    return rows[0]


@command(Series, "rulebook.announce", permission=Permission.EDIT_RULES, undoable=False)
def announce(tx: Tx[Series], *, effective_from: dt.datetime | None, note: str = "") -> dict[str, Any]:
    """Publish the draft, to come into force at an instant, or at once without one. Subscribers get mail.

    Result: `version`, `number`.

    Raises:
        Refused: no draft, another version is announced, the instant has passed, the checker found a fault, nothing
            differs from the version in force, or a changed rule has no reason.
    """
    draft = draft_of(tx)
    tx.expect_unchanged(draft)
    _carry_out_due(tx)
    if other := RulebookVersion.objects.filter(series=tx.subject, status=Status.ANNOUNCED).first():
        raise Refused(
            f"Version {other.number} is announced and not yet in force. Wait for it, or cancel its announcement.",
            code="announced",
        )
    if effective_from is not None and effective_from <= tx.at:
        raise Refused("This instant has passed.", field="effective_from")
    previous = RulebookVersion.objects.filter(series=tx.subject).in_force(tx.at).first()
    texts = [row.as_text for row in draft.texts.all()]
    _check(texts)
    if previous:
        _freeze_changes(tx, draft, previous)
    tx.change(
        draft,
        status=Status.ANNOUNCED,
        effective_from=effective_from or tx.at,
        note=note.strip(),
        content_hash=content_hash(texts),
        previous=previous,
        announced_at=tx.at,
        announced_by_id=tx.actor.pk,
    )
    confirmed = Subscriber.objects.filter(series=tx.subject, confirmed_at__isnull=False, left_at__isnull=True)
    _write_to(tx, confirmed, draft, RulesLetter.Kind.ANNOUNCED)
    if effective_from is None:
        _carry_out_due(tx)
        tx.say("Rulebook version {number} published, in force from now", number=draft.number)
    else:
        local = effective_from.astimezone(tx.subject.tz)
        words = f"{local:%A} {local.day} {local:%B %Y, %H:%M}"
        tx.say("Rulebook version {number} announced, in force from {when}", number=draft.number, when=words)
    return {"version": draft.pk, "number": draft.number}


def _check(texts: Sequence[Text]) -> None:
    if not texts:
        raise Refused("The draft has no rules.", code="findings")
    findings = check_rules(texts)
    if findings:
        more = f" And {len(findings) - 1} more." if len(findings) > 1 else ""
        raise Refused(f"{findings[0].message}{more} Mend this first.", code="findings")


def _freeze_changes(tx: Tx[Series], draft: RulebookVersion, previous: RulebookVersion) -> None:
    """Write how each rule changed, and forget the reasons given for rules that in the end did not."""
    before, after = texts_of(previous, draft)
    rows = {row.rule.key: row for row in tx.lock(draft.changes.select_related("rule"))}
    missing, found = [], set()
    for change in compare_versions(before, after):
        row = rows.get(change.key)
        kinds = kinds_of(change, clarified=bool(row and row.clarified))
        if not kinds:
            continue
        found.add(change.key)
        if row is None or not row.reason:
            text = change.new or change.old
            missing.append(text.number if text else change.key)
        else:
            tx.change(row, kinds=kinds, clarified="clarified" in kinds)
    if missing:
        one = len(missing) == 1
        raise Refused(
            f"Say why {'rule' if one else 'rules'} {', '.join(missing)} {'changes' if one else 'change'}.",
            code="no_reason",
        )
    if not found:
        raise Refused(f"Nothing differs from version {previous.number}.", code="no_change")
    for key in rows.keys() - found:
        tx.remove(rows[key])


def _write_to(tx: Tx[Series], whom: Iterable[Subscriber], version: RulebookVersion, kind: str) -> None:
    tx.add_all([RulesLetter(subscriber=who, kind=kind, version=version, at=tx.at) for who in whom])


def _carry_out_due(tx: Tx[Series]) -> RulebookVersion | None:
    """Bring the announced version into force if its instant has come; that version, or None if nothing was due."""
    status = (Status.ANNOUNCED, Status.IN_FORCE)
    rows = tx.lock(RulebookVersion.objects.filter(series=tx.subject, status__in=status))
    due = [row for row in rows if row.status == Status.ANNOUNCED and row.effective_from and row.effective_from <= tx.at]
    if not due:
        return None
    for row in rows:
        if row.status == Status.IN_FORCE:
            tx.change(row, status=Status.SUPERSEDED)
    return tx.change(due[0], status=Status.IN_FORCE)


@command(Series, "rulebook.in_force", permission=RUN_BY_SWEEP, undoable=False)
def bring_into_force(tx: Tx[Series]) -> dict[str, Any]:
    """Carry out what the instants say already: the announced version is in force, the one before it superseded. Does
    nothing if nothing is due.
    """
    version = _carry_out_due(tx)
    if version is None:
        return {}
    tx.say("Rulebook version {number} came into force", number=version.number)
    return {"version": version.pk, "number": version.number}


@command(Series, "rulebook.withdraw", permission=Permission.EDIT_RULES, undoable=False)
def withdraw(tx: Tx[Series], *, version_id: int) -> dict[str, Any]:
    """Cancel an announcement before the version is in force. It stays readable as withdrawn; who got
    mail about it gets another. The command's `reason` is published.

    Raises:
        Refused: no reason, or it is in force already or was never announced.
    """
    version = tx.lock_one(RulebookVersion, "There is no such version.", pk=version_id, series=tx.subject)
    if version.status != Status.ANNOUNCED or version.effective_from is None or version.effective_from <= tx.at:
        raise Refused("Only an announcement that is not yet in force can be cancelled.", code="in_force")
    if not tx.reason:
        raise Refused("Say why.", field="reason")
    tx.change(version, status=Status.WITHDRAWN, withdrawn_at=tx.at, withdrawn_reason=tx.reason)
    for letter in tx.lock(RulesLetter.objects.filter(version=version, sent_at__isnull=True)):
        tx.remove(letter)
    know = Subscriber.objects.filter(left_at__isnull=True, letters__version=version)
    _write_to(tx, know, version, RulesLetter.Kind.WITHDRAWN)
    tx.say("Announcement of rulebook version {number} cancelled", number=version.number)
    return {"version": version.pk}


@command(Event, "rulebook.note", permission=Permission.DIRECT, undoable=False)
def note_rules_change(tx: Tx[Event], *, version_id: int, text: str) -> dict[str, Any]:
    """Tell the players of a running event what a version means that came into force meanwhile. The event keeps the
    version it started with.

    Raises:
        Refused: the event is not running, that version is not the one in force, or the event is played by it.
    """
    event = tx.subject
    if event.status != Event.Status.RUNNING or event.rulebook_version is None:
        raise Refused("The event is not running.", code="status")
    current = RulebookVersion.objects.filter(series=event.series_id).in_force(tx.at).first()
    if current is None or current.pk != version_id or current.pk == event.rulebook_version_id:
        raise Refused("No other rules have come into force during this event.", code="no_change")
    if not text.strip():
        raise Refused("Write what the players should know.", field="text")
    tx.add(RulesNote(event=event, version=current, text=text.strip(), author_id=tx.actor.pk, at=tx.at))
    tx.rulebook_version = event.rulebook_version.number
    tx.say("Note to the players on rulebook version {number}", number=current.number)
    return {"version": current.pk}
