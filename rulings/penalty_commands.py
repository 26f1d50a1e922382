"""Giving penalties, taking them back, appeals to the director (TDA 2024, rules 69 and 71; supplement S2 and S3)."""

from dataclasses import dataclass
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from rulings.domain import penalties as domain
from rulings.models import RuleText, Ruling
from rulings.models.rulings import is_own_hand
from rulings.penalty_reads import OFFENCES, policy_of, suggestion_for
from rulings.ruling_reads import rulebook_of
from series.models import Entry, Event, Series
from tables.commands.leaving import disqualify
from tables.commands.payouts import check_field_undone
from tables.models import Penalty, Seat

AS_SUGGESTED = "suggested"


@dataclass(frozen=True)
class Asked:
    """A penalty as it is asked for: of whom, for what, and a `Penalty.Sanction` with `count` hands or rounds, or what
    the ladder suggests. `chips`: the stack of who is disqualified."""

    entry_id: int
    offence: str
    sanction: str = AS_SUGGESTED
    count: int = 0
    severe: bool = False
    witness: str = ""
    chips: int | None = None


@command(Event, "penalty.give", permission=Permission.RULE, after_undo=check_field_undone)
def give_penalty(
    tx: Tx[Event],
    *,
    entry_id: int,
    offence: str,
    facts: str,
    sanction: str = AS_SUGGESTED,
    count: int = 0,
    severe: bool = False,
    witness: str = "",
    chips: int | None = None,
    ruling_id: int | None = None,
) -> dict[str, Any]:
    """Penalise a player (see `Asked`); `ruling_id` names the ruling it came from.

    A disqualified player still in is out at once, at the place of those left; `chips`, their stack, leaves play and the
    prize waits for the director. Ladder and limits are those of `rulings.domain.penalties`.
    Result: `penalty`, `number`, `said` (the sanction in words), `hands` to miss.

    Raises:
        NotAllowed: the actor is no person, or it is for the director.
        Refused: the actor played in the hand; unknown offence; no facts; a table is needed to count at; a
            disqualification without `chips`; the ruling is unknown, withdrawn or on others.
    """
    ruling = _ruling(tx, ruling_id, entry_id) if ruling_id is not None else None
    asked = Asked(entry_id, offence, sanction, count, severe, witness, chips)
    penalty, given = penalise(tx, asked, facts=facts, ruling=ruling)
    at_table = " at table {table}" if penalty.table is not None else ""
    tx.say("Penalty {number} given" + at_table, number=penalty.number, table=penalty.table)
    return {"penalty": penalty.pk, "number": penalty.number, "said": str(given), "hands": penalty.hands_total}


def penalise(tx: Tx[Event], asked: Asked, *, facts: str, ruling: Ruling | None) -> tuple[Penalty, domain.Penalty]:
    """Give a penalty inside a command that says it; raises as `give_penalty`."""
    event, ruler = tx.subject, tx.actor.pk
    if ruler is None:
        raise NotAllowed("Only a person rules.")
    entry = tx.lock_one(Entry, "There is no such player in this event.", pk=asked.entry_id, event=event)
    tx.expect_unchanged(entry)
    if entry.status == Entry.Status.VOID:
        raise Refused("This entry was taken back.", code="void")
    kind = OFFENCES.get(asked.offence)
    if kind is None:
        raise Refused("Choose what happened.", field="offence")
    if not facts.strip():
        raise Refused("Say what happened.", field="facts")
    seat = Seat.objects.filter(entry=entry).select_related("table").first()
    given = _sanction(tx, entry, kind, asked)
    players = Seat.objects.filter(table=seat.table, entry__isnull=False).count() if seat else 1
    if given.count and seat is None:
        raise Refused("Hands are missed at a table, and this player sits at none.", field="sanction")
    by_director = _require_allowed(tx, entry, seat, given, players)
    rule, version = _rule(event, kind)
    last = Penalty.objects.filter(event=event).order_by("-number").first()
    hands = given.hands(players)
    penalty = tx.add(
        Penalty(
            series=event.series,
            event=event,
            day=entry.day,
            player=entry.player,
            entry=entry,
            number=last.number + 1 if last else 1,
            at=tx.at,
            table=seat.table.number if seat else None,
            hand=seat.table.hand if seat else 0,
            players=players if seat else 0,
            offence=kind.code,
            severe=asked.severe,
            sanction=str(given.sanction),
            count=given.count,
            hands_total=hands,
            status=Penalty.Status.SERVING if hands else Penalty.Status.SERVED,
            by_director=by_director,
            rule_id=rule.rule_id if rule else None,
            rulebook_version=version,
            ruling=ruling,
            facts=facts.strip(),
            witness=asked.witness.strip()[:120],
            given_by_id=ruler,
        )
    )
    if given.sanction == domain.Sanction.DISQUALIFICATION and entry.status == Entry.Status.PLAYING:
        if asked.chips is None:
            raise Refused("Count the stack: these chips leave play.", field="chips", code="no_chips")
        disqualify(tx, entry.pk, asked.chips)
    tx.rule = kind.rules[0]
    tx.rulebook_version = version.number if version else None
    return penalty, given


def _ruling(tx: Tx[Event], ruling_id: int, entry_id: int) -> Ruling:
    ruling = tx.lock_one(Ruling, "There is no such ruling.", pk=ruling_id, event=tx.subject)
    if ruling.withdrawn:
        raise Refused("This ruling was withdrawn.", field="ruling", code="withdrawn")
    if not ruling.parties.filter(entry=entry_id).exists():
        raise Refused("This ruling does not name the player.", field="ruling", code="other_players")
    return ruling


def _sanction(tx: Tx[Event], entry: Entry, kind: domain.Offence, asked: Asked) -> domain.Penalty:
    sanction, count = asked.sanction, asked.count
    if sanction == AS_SUGGESTED:
        return suggestion_for(tx.subject, entry.player_id, kind, at=tx.at, severe=asked.severe).penalty
    if sanction not in Penalty.Sanction.values:
        raise Refused("Choose the penalty.", field="sanction")
    sized = sanction in (Penalty.Sanction.MISSED_HANDS, Penalty.Sanction.MISSED_ROUNDS)
    if sized and not 1 <= count <= 99:
        raise Refused("Say how many: between 1 and 99.", field="count")
    return domain.Penalty(domain.Sanction(sanction), count if sized else 0)


def _require_allowed(tx: Tx[Event], entry: Entry, seat: Seat | None, given: domain.Penalty, players: int) -> bool:
    """Whether only the director may give it.

    Raises:
        NotAllowed, Refused: the actor may not.
    """
    policy = policy_of(tx.subject.series)
    ask: dict[str, Any] = {"players_at_table": players, "policy": policy}
    role = domain.Role.DIRECTOR if tx.actor.may(Permission.DIRECT, tx.subject) else domain.Role.FLOOR
    allowed = domain.may_give(given, role=role, own_hand=_played(tx, entry, seat), **ask)
    if not allowed.allowed:
        if role == domain.Role.FLOOR and domain.may_give(given, role=domain.Role.DIRECTOR, **ask).allowed:
            raise Refused(allowed.why, field="sanction", code="for_the_director")
        raise Refused(allowed.why, code="own_hand")
    return not domain.may_give(given, role=domain.Role.FLOOR, **ask).allowed


def _played(tx: Tx[Event], entry: Entry, seat: Seat | None) -> bool:
    """Whether the actor played in the hand: was dealt in, or sits there while nobody told who was."""
    people = {entry.pk}
    if seat:
        people |= set(seat.table.dealt_in.values()) or set(
            Seat.objects.filter(table=seat.table, entry__isnull=False).values_list("entry_id", flat=True)
        )
    return is_own_hand(tx.actor, list(people))


def _rule(event: Event, kind: domain.Offence) -> tuple[RuleText | None, Any]:
    """The first rule of the offence that the event's rulebook states, and the rulebook's version."""
    version = rulebook_of(event)
    texts = {text.number: text for text in version.texts.filter(number__in=kind.rules)} if version else {}
    return next((texts[number] for number in kind.rules if number in texts), None), version


def _standing(tx: Tx[Event], penalty_id: int) -> Penalty:
    penalty = tx.lock_one(Penalty, "There is no such penalty.", pk=penalty_id, event=tx.subject)
    tx.expect_unchanged(penalty)
    if penalty.status == Penalty.Status.WITHDRAWN:
        raise Refused("This penalty was withdrawn.", code="withdrawn")
    return penalty


@command(Event, "penalty.withdraw", permission=Permission.RULE)
def withdraw_penalty(tx: Tx[Event], *, penalty_id: int, why: str) -> dict[str, Any]:
    """A penalty no longer holds or counts for repeats. Who was disqualified stays out: that takes an undo.

    Raises:
        NotAllowed: the director gave it. Refused: no reason, withdrawn already, or it is the actor's own.
    """
    penalty = _standing(tx, penalty_id)
    penalty.require_ruler(tx)
    if not why.strip():
        raise Refused("Say why.", field="why")
    tx.change(penalty, status=Penalty.Status.WITHDRAWN, withdrawn_why=why.strip())
    tx.say("Penalty {number} withdrawn", number=penalty.number)
    return {"penalty": penalty.pk}


@command(Event, "penalty.appeal", permission=Permission.RULE)
def appeal_penalty(tx: Tx[Event], *, penalty_id: int, grounds: str = "") -> dict[str, Any]:
    """Note that the player takes a penalty to the director.

    Raises:
        Refused: withdrawn, or an appeal was asked already.
    """
    penalty = _standing(tx, penalty_id)
    if penalty.appeal != Penalty.Appeal.NONE:
        raise Refused("An appeal against this penalty was asked already.", code="appealed")
    tx.change(penalty, appeal=Penalty.Appeal.ASKED, appeal_grounds=grounds.strip(), appeal_asked_at=tx.at)
    tx.say("Appeal asked against penalty {number}", number=penalty.number)
    return {"penalty": penalty.pk}


@command(Event, "penalty.decide_appeal", permission=Permission.DIRECT)
def decide_penalty_appeal(tx: Tx[Event], *, penalty_id: int, upheld: bool, note: str) -> dict[str, Any]:
    """Decide an appeal, with the director's note. An overturned penalty is withdrawn.

    Raises:
        Refused: no appeal waits, the note is missing, or the actor gave the penalty or got it.
    """
    penalty = _standing(tx, penalty_id)
    if penalty.appeal != Penalty.Appeal.ASKED:
        raise Refused("No appeal against this penalty waits for a decision.", code="no_appeal")
    if penalty.given_by_id == tx.actor.pk:
        raise Refused("You gave this penalty: somebody else decides the appeal.", code="own_ruling")
    penalty.require_ruler(tx)
    if not note.strip():
        raise Refused("Say why.", field="note")
    outcome = Penalty.Appeal.UPHELD if upheld else Penalty.Appeal.OVERTURNED
    tx.change(
        penalty,
        appeal=outcome,
        appeal_note=note.strip(),
        appeal_decided_by_id=tx.actor.pk,
        appeal_decided_at=tx.at,
        status=penalty.status if upheld else Penalty.Status.WITHDRAWN,
    )
    tx.say("Penalty {number} {outcome}", number=penalty.number, outcome=outcome.label)
    return {"penalty": penalty.pk}


@command(Series, "penalties.publish", permission=Permission.DIRECT)
def publish_penalties(tx: Tx[Series], *, wanted: bool) -> dict[str, Any]:
    """Show everybody how many penalties of each kind there were in the series, or no longer."""
    tx.change(tx.subject, penalty_summary=wanted)
    tx.say("Summary of penalties published" if wanted else "Summary of penalties taken off the public pages")
    return {}
