"""Bounties of an event: who won how many, what is owed and paid, and whose is still nobody's.

Whoever is left at the end keeps their own bounty and what nobody was named for (a disqualification, a stack given up),
so that the account is empty once all are paid.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet, Sum

from series.domain.entries import bounty_shares
from series.domain.names import fold
from series.models import Entry, Event, LedgerLine
from tables.models import BountyPayment, Bust, Knockout

MOST_HITS = 12


@dataclass(frozen=True)
class Winner:
    """Bounties of one player, in cents. `busted`: how many they had a part in; `kept`: what the end of the event gave
    them; `last_entry`: key of the entry played last. `name` is public."""

    player_id: int
    last_entry: int
    name: str
    busted: int
    won_cents: int
    kept_cents: int
    paid_cents: int

    @property
    def total_cents(self) -> int:
        return self.won_cents + self.kept_cents

    @property
    def owed_cents(self) -> int:
        return self.total_cents - self.paid_cents


def bounty_winners(event: Event, players: Collection[int] | None = None) -> dict[int, Winner]:
    """Who has bounties, by the player's key, the most first; with `players`, of those alone. Three queries, six once
    the event is over; none without bounties in it."""
    if not event.rules.bounty_cents:
        return {}
    knockouts = Knockout.objects.filter(event=event, taken_back=False)
    payments = BountyPayment.objects.filter(event=event, taken_back=False)
    kept: dict[int, int] = {}
    if event.status == Event.Status.FINISHED:
        lines = event.ledger.filter(account=LedgerLine.Account.BOUNTY, item__in=LedgerLine.ENTERING)
        nobodys = -_sum(lines, "amount_cents") - _sum(knockouts, "cents")
        left = event.entries.filter(status__in=Entry.STILL_IN).order_by("pk").values_list("player", flat=True)
        kept = bounty_shares(max(0, nobodys), list(dict.fromkeys(left)))  # one may have bagged in two flights
    if players is not None:
        knockouts, payments = knockouts.filter(hunter__player__in=players), payments.filter(entry__player__in=players)
        kept = {pk: cents for pk, cents in kept.items() if pk in players}
    won: dict[int, int] = defaultdict(int)
    busted: dict[int, int] = defaultdict(int)
    for hunter, cents in knockouts.values_list("hunter__player", "cents"):
        won[hunter] += cents
        busted[hunter] += 1
    paid: dict[int, int] = defaultdict(int)
    for player, cents in payments.values_list("entry__player", "cents"):
        paid[player] += cents
    people = {*won, *paid, *kept}
    rows = event.entries.filter(player__in=people).exclude(status=Entry.Status.VOID).order_by("number")
    last = {entry.player_id: entry for entry in rows.select_related("player")}
    found = [
        Winner(pk, entry.pk, entry.player.public_name, busted[pk], won[pk], kept.get(pk, 0), paid[pk])
        for pk, entry in last.items()
    ]
    return {one.player_id: one for one in sorted(found, key=lambda one: (-one.total_cents, fold(one.name)))}


def _sum(rows: QuerySet[Any], column: str) -> int:
    return rows.aggregate(total=Sum(column))["total"] or 0


def paid_bounties(event: Event) -> set[int]:
    """Keys of the players who were paid bounties. One query."""
    payments = BountyPayment.objects.filter(event=event, taken_back=False)
    return set(payments.values_list("entry__player", flat=True))


@dataclass(frozen=True)
class Unnamed:
    """Somebody who is out and whose bounty nobody was named for yet."""

    entry_id: int
    name: str
    table: int


def unnamed(event: Event) -> list[Unnamed]:
    """Those whose bounty waits for a name, the latest first. One query."""
    busts = Bust.objects.filter(entry__event=event).exclude(entry__knocked_out_by__taken_back=False)
    rows = busts.order_by("-pk").values_list("entry_id", "entry__player__public_name", "table")
    return [Unnamed(*row) for row in rows]


def may_have_busted(event: Event, victim: Bust, words: str) -> list[Entry]:
    """Who may have won a bounty: by name, or without words those who sit at the table now or went out there."""
    others = event.entries.exclude(status=Entry.Status.VOID).exclude(pk=victim.entry_id).select_related("player")
    if words.strip():
        wanted = fold(words).split()
        rows = others.order_by("player__name_folded", "number")
        return [one for one in rows if all(word in fold(one.player.public_name) for word in wanted)][:MOST_HITS]
    here = others.filter(seat__table__number=victim.table, seat__table__day=victim.elimination.day_id)
    return list(here.order_by("seat__number"))


def knockouts_of(entry_id: int) -> list[Knockout]:
    """Who was named for this bounty. One query."""
    return list(Knockout.objects.filter(victim=entry_id, taken_back=False).select_related("hunter__player"))
