"""Receipts: what one taking, refund or prize was for, as it is printed."""

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from series.models import Event, LedgerLine, Player

Account, Item = LedgerLine.Account, LedgerLine.Item


@dataclass(frozen=True)
class Share:
    """A part of the amount, in cents, and where it went or came from."""

    words: str
    cents: int


@dataclass(frozen=True)
class Receipt:
    """One receipt. `kind`: `taken`, `refund` or `paid`; `cents` is never below nothing. `answers` is the number of the
    receipt that a refund gives back, or that a taking takes again; `answered_by` of the one that answered this one."""

    line: LedgerLine
    kind: str
    title: str
    cents: int
    shares: Sequence[Share]
    name: str
    answers: int | None
    answered_by: int | None

    @property
    def number(self) -> int | None:
        return self.line.receipt


def _receipts(event: Event, lines: Sequence[LedgerLine]) -> list[Receipt]:
    parts: dict[tuple[uuid.UUID, dt.datetime], list[Share]] = {}
    words, items = dict(Account.choices), dict(Item.choices)
    others = LedgerLine.objects.filter(posting__in={line.posting for line in lines}).exclude(account=Account.TILL)
    order = list(Account)
    for part in sorted(others, key=lambda part: order.index(Account(part.account))):
        parts.setdefault((part.posting, part.at), []).append(
            Share(str(words[part.account]).capitalize(), -part.amount_cents)
        )
    found = []
    for line in lines:
        given, prize = line.amount_cents < 0, line.item == Item.PAYOUT
        kind = "taken" if not given else "paid" if prize or line.reverses_id is None else "refund"
        item = str(items[line.item])
        answer = getattr(line, "reversed_by", None)
        found.append(
            Receipt(
                line=line,
                kind=kind,
                title=f"{item} given back" if kind == "refund" or (prize and not given) else item,
                cents=abs(line.amount_cents),
                shares=[
                    Share(share.words, -share.cents if given else share.cents)
                    for share in parts.get((line.posting, line.at), [])
                ],
                name=line.entry.player.name if line.entry else line.note,
                answers=line.reverses.receipt if line.reverses else None,
                answered_by=answer.receipt if answer else None,
            )
        )
    return found


def receipt(event: Event, number: int, player: Player | None = None) -> Receipt | None:
    """One receipt of an event; with a player, only if it is theirs. Two queries."""
    lines = event.ledger.filter(account=Account.TILL, receipt=number)
    if player is not None:
        lines = lines.filter(entry__player=player)
    rows = lines.select_related("entry__player", "by", "till", "reverses", "reversed_by")
    return next(iter(_receipts(event, list(rows[:1]))), None)


def receipts_of(event: Event, player: Player) -> list[Receipt]:
    """All receipts of a player in an event, in their order. Two queries."""
    lines = event.ledger.filter(account=Account.TILL, receipt__isnull=False, entry__player=player)
    rows = lines.select_related("entry__player", "by", "till", "reverses", "reversed_by").order_by("receipt")
    return _receipts(event, list(rows))
