"""Bounties: naming who busted a player, and paying them out of the account that every entry pays into."""

from collections.abc import Sequence
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from journal.models import JournalEntry
from series.commands.money import Account, Item, post
from series.domain.entries import bounty_shares
from series.domain.money import format_money
from series.models import Entry, Event
from tables.models import BountyPayment, Bust, Knockout
from tables.reads.bounties import bounty_winners, paid_bounties


def give_bounty(tx: Tx[Event], victim: Entry, hunter_ids: Sequence[int]) -> list[Entry]:
    """The bounty of somebody who is out goes to these entries, split evenly; who was named before is not any more.

    Raises:
        Refused: at `by`: no such entry, the victim themselves, or somebody was paid what they would lose.
    """
    rules = tx.subject.rules
    hunters = list(dict.fromkeys(hunter_ids))
    found = Entry.objects.filter(event=tx.subject, pk__in=hunters).exclude(status=Entry.Status.VOID)
    rows = {row.pk: row for row in found.select_related("player")}
    if victim.pk in hunters or len(rows) != len(hunters):
        raise Refused("Choose who busted them: players of this event.", field="by", code="no_hunter")
    take_bounty_back(tx, victim)
    shares = bounty_shares(rules.bounty_cents, hunters)
    tx.add_all(
        [
            Knockout(event=tx.subject, victim=victim, hunter=rows[pk], cents=cents, at=tx.at)
            for pk, cents in shares.items()
            if cents
        ]
    )
    refuse_overpaid(tx)
    return [rows[pk] for pk in hunters]


def take_bounty_back(tx: Tx[Event], victim: Entry) -> None:
    """Nobody has this bounty any more."""
    before = tx.lock(Knockout.objects.filter(victim=victim, taken_back=False))
    tx.change_all([(row, {"taken_back": True}) for row in before])


def refuse_overpaid(tx: Tx[Event], entry: JournalEntry | None = None) -> None:
    """Nobody has been paid more bounties than they have; also after an undo, by which an event may not be over yet.

    Raises:
        Refused: at `by`: somebody has.
    """
    tx.subject.refresh_from_db(fields=["status"])
    paid = paid_bounties(tx.subject)  # nobody yet when most go out
    for one in bounty_winners(tx.subject, paid).values() if paid else ():
        if one.owed_cents < 0:
            words = f"{one.name} has been paid bounties already: take that back first."
            raise Refused(words, field="by", code="paid")


@command(Event, "bounty.name", permission=Permission.RUN_FLOOR, after_undo=refuse_overpaid)
def name_hunters(tx: Tx[Event], *, entry_id: int, by: Sequence[int]) -> dict[str, Any]:
    """Say who busted a player: one, or several who split the pot. Nobody: the bounty stays for whoever wins the event.

    Raises:
        Refused: no bounties here, the player is not out, or at `by`.
    """
    if not tx.subject.rules.bounty_cents:
        raise Refused("This event has no bounties.", code="no_bounty")
    bust = tx.lock_one(Bust, "This player is not out.", entry=entry_id, entry__event=tx.subject)
    hunters = give_bounty(tx, bust.entry, by)
    if hunters:
        tx.say("{player} was busted by {hunters}", player=bust.entry.player, hunters=[one.player for one in hunters])
    else:
        tx.say("Nobody has the bounty of {player}", player=bust.entry.player)
    return {"entry": bust.entry_id}


@command(Event, "bounty.pay", permission=Permission.PAY_OUT)
def pay_bounties(tx: Tx[Event], *, player_id: int, method: str) -> dict[str, Any]:
    """Hand a player all bounties they have won and not been paid. Result: `cents`.

    Raises:
        Refused: nothing is owed, or at `method`.
    """
    winner = bounty_winners(tx.subject, [player_id]).get(player_id)
    if winner is None or winner.owed_cents <= 0:
        raise Refused("No bounty is owed to this player.", code="nothing_owed")
    entry = tx.lock_one(Entry, "There is no such player in this event.", pk=winner.last_entry, event=tx.subject)
    cents = winner.owed_cents
    post(tx, entry, method, {Account.TILL: -cents, Account.BOUNTY: cents}, item=Item.BOUNTY)
    tx.add(BountyPayment(event=tx.subject, entry=entry, cents=cents, method=method, at=tx.at, paid_by_id=tx.actor.pk))
    tx.say("{player} paid {cents} of bounties", player=entry.player, cents=format_money(cents))
    return {"cents": cents}
