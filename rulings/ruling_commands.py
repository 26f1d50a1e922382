"""Recording what the floor decided, and appeals to the director."""

from collections.abc import Collection
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from rulings.models import RulebookVersion, RuleText, Ruling, RulingPlayer
from rulings.models.rulings import OWN_HAND, is_own_hand
from rulings.penalty_commands import Asked, penalise
from rulings.ruling_reads import rulebook_of
from series.models import Day, Entry, Event
from tables.commands.payouts import check_field_undone
from tables.models import Table

DISCRETION = "1"


@command(Event, "ruling.record", permission=Permission.RULE, after_undo=check_field_undone)
def record_ruling(
    tx: Tx[Event],
    *,
    facts: str,
    decision: str,
    basis: str,
    rule_id: int | None = None,
    day_id: int | None = None,
    table: int | None = None,
    hand: int | None = None,
    entry_ids: Collection[int] = (),
    sealed_check: str = "",
    calculation: dict[str, Any] | None = None,
    penalty: Asked | None = None,
) -> dict[str, Any]:
    """Write down a decision with the rule and the version of the rulebook that the event goes by at this minute.

    `basis` is `Ruling.Basis.RULE` with `rule_id`, or `DISCRETION` with the command's `reason` (house rule 1).
    `calculation` is the answer of a calculator as plain JSON. `penalty` is given with it, for the same facts; its
    player is one of those concerned. Result: `ruling`, `number`, and `penalty`, its number or None.

    Raises:
        NotAllowed: the actor is no person.
        Refused: a player named is the one who rules; the reason is missing; rule, day, table or a player is unknown; or
            the penalty is refused (see `penalty_commands.give_penalty`).
    """
    event, ruler = tx.subject, tx.actor.pk
    if ruler is None:
        raise NotAllowed("Only a person rules.")
    concerned = {*entry_ids, penalty.entry_id} if penalty else set(entry_ids)
    entries = tx.lock(Entry.objects.filter(event=event, pk__in=concerned).exclude(status=Entry.Status.VOID))
    if len(entries) < len(concerned):
        raise Refused("One of these players is not in the event.", field="players")
    if is_own_hand(tx.actor, [entry.pk for entry in entries]):
        raise Refused(OWN_HAND, field="players", code="own_hand")
    day = _day(event, day_id)
    _check_table(event, day, table)
    version = rulebook_of(event)
    text = _rule(version, rule_id) if basis == Ruling.Basis.RULE else None
    if text is None and not tx.reason:
        raise Refused("A decision by discretion needs its reason.", field="reason")
    last = Ruling.objects.filter(event=event).order_by("-number").first()
    ruling = tx.add(
        Ruling(
            event=event,
            day=day,
            number=last.number + 1 if last else 1,
            at=tx.at,
            table=table,
            hand=hand,
            facts=_words(facts, "facts", "Say what happened."),
            basis=basis,
            rule_id=text.rule_id if text else None,
            rulebook_version=version,
            reason="" if text else tx.reason,
            decision=_words(decision, "decision", "Say what was decided."),
            decided_by_id=ruler,
            calculation=calculation,
            sealed_check=sealed_check,
        )
    )
    tx.add_all([RulingPlayer(ruling=ruling, entry=entry) for entry in entries])
    given = penalise(tx, penalty, facts=facts, ruling=ruling)[0].number if penalty else None
    tx.rule = text.number if text else DISCRETION
    tx.rulebook_version = version.number if version else None
    where = " at table {table}" if table is not None else ""
    whom = ": {players}" if entries else ""
    also = "; penalty {penalty} given" if given else ""
    words = "Ruling {number}" + where + whom + also
    tx.say(words, number=ruling.number, table=table, players=entries, penalty=given)
    return {"ruling": ruling.pk, "number": ruling.number, "penalty": given}


@command(Event, "ruling.appeal", permission=Permission.RULE)
def ask_appeal(tx: Tx[Event], *, ruling_id: int, grounds: str = "") -> dict[str, Any]:
    """Note that a player takes a ruling to the director.

    Raises:
        Refused: the ruling was withdrawn, or an appeal was asked already.
    """
    ruling = _ruling(tx, ruling_id)
    if ruling.appeal != Ruling.Appeal.NONE:
        raise Refused("An appeal against this ruling was asked already.", code="appealed")
    tx.change(ruling, appeal=Ruling.Appeal.ASKED, appeal_grounds=grounds.strip(), appeal_asked_at=tx.at)
    tx.say("Appeal asked against ruling {number}", number=ruling.number)
    return {"ruling": ruling.pk}


@command(Event, "ruling.decide_appeal", permission=Permission.DIRECT)
def decide_appeal(tx: Tx[Event], *, ruling_id: int, upheld: bool, note: str) -> dict[str, Any]:
    """Decide an appeal, with the director's note. The one who made the ruling does not decide on it.

    Raises:
        Refused: no appeal waits, the note is missing, or the actor made the ruling or is one of its players.
    """
    ruling = _ruling(tx, ruling_id)
    if ruling.appeal != Ruling.Appeal.ASKED:
        raise Refused("No appeal against this ruling waits for a decision.", code="no_appeal")
    if ruling.decided_by_id == tx.actor.pk:
        raise Refused("You made this ruling: somebody else decides the appeal.", code="own_ruling")
    ruling.refuse_own_hand(tx.actor)
    outcome = Ruling.Appeal.UPHELD if upheld else Ruling.Appeal.OVERTURNED
    tx.change(
        ruling,
        appeal=outcome,
        appeal_note=_words(note, "note", "Say why."),
        appeal_decided_by_id=tx.actor.pk,
        appeal_decided_at=tx.at,
    )
    tx.say("Ruling {number} {outcome}", number=ruling.number, outcome=outcome.label)
    return {"ruling": ruling.pk}


def _ruling(tx: Tx[Event], ruling_id: int) -> Ruling:
    ruling = tx.lock_one(Ruling, "There is no such ruling.", pk=ruling_id, event=tx.subject)
    tx.expect_unchanged(ruling)
    if ruling.withdrawn:
        raise Refused("This ruling was withdrawn.", code="withdrawn")
    return ruling


def _day(event: Event, day_id: int | None) -> Day | None:
    days = list(event.days.all())
    if day_id is None:
        return days[0] if len(days) == 1 else None
    found = next((day for day in days if day.pk == day_id), None)
    if found is None:
        raise Refused("There is no such day in this event.", field="day")
    return found


def _check_table(event: Event, day: Day | None, number: int | None) -> None:
    tables = Table.objects.filter(day=day) if day else Table.objects.filter(day__event=event)
    if number is not None and not tables.filter(number=number).exists():
        raise Refused(f"There is no table {number} in this event.", field="table")


def _rule(version: RulebookVersion | None, rule_id: int | None) -> RuleText:
    """The rule as the version states it."""
    if rule_id is None:
        raise Refused("Choose the rule, or rule by discretion.", field="rule")
    text = version.texts.filter(rule_id=rule_id).first() if version else None
    if text is None:
        raise Refused("The rulebook of this event has no such rule.", field="rule")
    return text


def _words(text: str, field: str, missing: str) -> str:
    words = text.strip()
    if not words:
        raise Refused(missing, field=field)
    return words
