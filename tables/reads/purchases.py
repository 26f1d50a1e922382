"""Rebuys and add-ons as pages offer them: who can take one now, who owes one, who had theirs."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from series.domain.entries import Stage, why_no_addon, why_no_rebuy
from series.domain.names import fold
from series.models import Day, Entry, Event, Purchase
from tables.reads.clock import stage_of

MOST_SHOWN = 40


@dataclass(frozen=True)
class Offer:
    """What one entry can buy now. `owes`: a rebuy was declared and is to be paid. `had`: rebuys and add-ons so far."""

    rebuy: bool = False
    addon: bool = False
    owes: bool = False
    had_rebuys: int = 0
    had_addons: int = 0

    @property
    def anything(self) -> bool:
        return self.rebuy or self.addon or self.owes


def sells(event: Event) -> bool:
    """Whether the event has rebuys or add-ons at all, and is being played."""
    return event.status == Event.Status.RUNNING and bool(event.rules.rebuys or event.rules.addons)


def offers(event: Event, day: Day, entry_ids: Sequence[int], now: dt.datetime) -> dict[int, Offer]:
    """What each of these entries of a day can buy now. Three queries; none, and nothing, where nothing is sold."""
    if not sells(event) or not entry_ids:
        return {}
    return _offers(event, stage_of(day, now), entry_ids)


def _offers(event: Event, stage: Stage, entry_ids: Sequence[int]) -> dict[int, Offer]:
    rules = event.rules
    had: dict[int, list[Purchase]] = defaultdict(list)
    rows = Purchase.objects.filter(entry__in=entry_ids).exclude(status=Purchase.Status.TAKEN_BACK)
    for row in rows:
        had[row.entry_id].append(row)
    found = {}
    for pk in entry_ids:
        rebuys = sum(row.kind == Purchase.Kind.REBUY for row in had[pk])
        addons = len(had[pk]) - rebuys
        owes = any(row.status == Purchase.Status.DECLARED for row in had[pk])
        found[pk] = Offer(
            rebuy=not owes and not why_no_rebuy(rules, stage, rebuys),
            addon=not why_no_addon(rules, stage, addons),
            owes=owes,
            had_rebuys=rebuys,
            had_addons=addons,
        )
    return found


@dataclass(frozen=True)
class Buyer:
    """A player on the list of rebuys and add-ons."""

    entry_id: int
    name: str
    table: int
    seat: int
    offer: Offer


@dataclass(frozen=True)
class BuyersPage:
    """The list: who owes a declared rebuy first, then by table and seat. `why_no_rebuy` and `why_no_addon` say why
    nobody can buy one now; empty if somebody can. `sold`: numbers of rebuys and add-ons; `more`: not all are shown."""

    buyers: list[Buyer]
    more: bool
    why_no_rebuy: str
    why_no_addon: str
    sold_rebuys: int
    sold_addons: int
    players: int


def buyers(event: Event, day: Day, words: str, now: dt.datetime) -> BuyersPage:
    """Seated players of a day, by name or by table ("7") or table and seat ("7 4"). Five queries."""
    stage = stage_of(day, now)
    rows = Entry.objects.filter(day=day, status=Entry.Status.PLAYING, seat__isnull=False)
    seated = list(
        rows.order_by("seat__table__number", "seat__number").values_list(
            "pk", "player__name", "player__name_folded", "seat__table__number", "seat__number"
        )
    )
    found = _offers(event, stage, [row[0] for row in seated])
    wanted = fold(words).split()
    numbers = [int(word) for word in wanted if word.isdecimal() and len(word) < 10]
    hits = []
    for pk, name, folded, table, seat in seated:
        if numbers and len(numbers) == len(wanted) <= 2:
            fits = [table, seat][: len(numbers)] == numbers
        else:
            fits = all(folded.startswith(word) or f" {word}" in folded for word in wanted)
        if fits:
            hits.append(Buyer(pk, name, table, seat, found[pk]))
    paid = event.purchases.filter(status=Purchase.Status.PAID).order_by()
    sold = dict(paid.values_list("kind").annotate(n=Count("pk")))
    hits.sort(key=lambda buyer: not buyer.offer.owes)
    return BuyersPage(
        buyers=hits[:MOST_SHOWN],
        more=len(hits) > MOST_SHOWN,
        why_no_rebuy=why_no_rebuy(event.rules, stage, 0),
        why_no_addon=why_no_addon(event.rules, stage, 0),
        sold_rebuys=sold.get(Purchase.Kind.REBUY, 0),
        sold_addons=sold.get(Purchase.Kind.ADDON, 0),
        players=len(seated),
    )
