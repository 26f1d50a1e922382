"""The table from which prizes are paid: every prize, who has it, and how it was paid or why it is not."""

from dataclasses import dataclass

from series.domain.names import fold
from series.models import Event, LedgerLine, Payout, Player, PrizeHold
from series.reads.prizes import Prizes
from tables.reads.penalties import disqualified
from tables.reads.standings import Placed, Standings, standings_of


@dataclass(frozen=True)
class PayoutLine:
    """One place with a prize: who has it (None: still being played for) and how it was paid (None: not yet).

    Without a player `best` to `worst` are places with the same prize of `cents` each. `name` stands for `placed` where
    a deal gave somebody still playing a share; `receipt` is the number under which it was paid. `differs`: the amount
    paid is not the prize as it stands now, because a place changed afterwards. `disqualified`: the director decides
    about the prize. `hold`: it is in dispute.
    """

    best: int
    worst: int
    cents: int
    placed: Placed | None
    payout: Payout | None = None
    disqualified: bool = False
    hold: PrizeHold | None = None
    name: str = ""
    receipt: int | None = None

    @property
    def differs(self) -> bool:
        return self.payout is not None and self.payout.amount_cents != self.cents

    @property
    def shared(self) -> bool:
        """Several players of one hand share these places."""
        return self.placed is not None and self.best != self.worst

    @property
    def held(self) -> bool:
        return self.payout is None and (self.disqualified or self.hold is not None)

    @property
    def total_cents(self) -> int:
        return self.cents if self.placed or self.name else self.cents * (self.worst - self.best + 1)


@dataclass(frozen=True)
class PayoutTable:
    """All prizes of an event, in cents, and whether they are exactly the pool. `paid_cents` has been handed out, and
    `held_cents` waits for the director."""

    lines: list[PayoutLine]
    prizes: Prizes
    deal_broken: bool

    @property
    def pool_cents(self) -> int:
        return self.prizes.pool_cents

    @property
    def total_cents(self) -> int:
        return sum(line.total_cents for line in self.lines)

    @property
    def adds_up(self) -> bool:
        return self.total_cents == self.pool_cents

    @property
    def paid_cents(self) -> int:
        return sum(line.payout.amount_cents for line in self.lines if line.payout)

    @property
    def paid_count(self) -> int:
        return sum(line.payout is not None for line in self.lines)

    @property
    def held_cents(self) -> int:
        return sum(line.cents for line in self.lines if line.held)

    @property
    def held_count(self) -> int:
        return sum(line.held for line in self.lines)

    @property
    def to_pay_cents(self) -> int:
        return self.total_cents - self.paid_cents

    def named(self, words: str) -> list[PayoutLine]:
        """The lines of players whose public name has all these words, in any order; all lines without words."""
        wanted = fold(words).split() if words.strip() else []
        if not wanted:
            return self.lines
        return [
            line
            for line in self.lines
            if line.placed and all(f" {word}" in f" {fold(line.placed.name)}" for word in wanted)
        ]


def payout_table(event: Event) -> PayoutTable:
    """Every prize of an event as the locked prizes, the ledger and the places stand now. Eleven queries."""
    now = standings_of([event])[event.pk]
    rows = event.payouts.filter(taken_back=False).select_related("entry__player", "paid_by")
    paid = {payout.entry_id: payout for payout in rows}
    holds = {
        hold.entry_id: hold
        for hold in event.prize_holds.filter(standing=True).select_related("entry__player", "held_by")
    }
    kept = event.ledger.filter(item=LedgerLine.Item.PAYOUT, account=LedgerLine.Account.TILL, reverses__isnull=True)
    receipts = dict(kept.filter(reversed_by__isnull=True).values_list("entry", "receipt"))
    out = disqualified(event)
    lines = _open_lines(now)
    for place in now.placed:
        if not (place.prize_cents or place.entry_id in paid or place.entry_id in holds):
            continue
        entry = place.entry_id
        lines.append(
            PayoutLine(
                place.best,
                place.worst,
                place.prize_cents,
                place,
                paid.get(entry),
                entry in out,
                holds.get(entry),
                receipt=receipts.get(entry),
            )
        )
    return PayoutTable(lines, now.prizes, now.deal_broken)


def prizes_of_player(event: Event, player: Player) -> list[PayoutLine]:
    """What a player has won in the event, paid or not. Eleven queries."""
    lines = payout_table(event).lines
    return [line for line in lines if line.placed and line.placed.player_id == player.pk and (line.cents or line.held)]


def _open_lines(now: Standings) -> list[PayoutLine]:
    """The prizes still being played for: equal ones in one line, or the shares of a deal and what is left of it."""
    decided = min((place.best for place in now.placed), default=max(len(now.playing), len(now.prizes.amounts)) + 1)
    deal, shares = now.prizes.deal, now.prizes.shares
    if deal and not now.deal_broken:
        lines = [
            PayoutLine(1, decided - 1, shares[entry.pk], None, name=entry.player.public_name)
            for entry in sorted(now.playing, key=lambda entry: -shares[entry.pk])
            if entry.pk not in now.by_entry
        ]
        if deal.left_cents and decided > 1:
            lines.insert(0, PayoutLine(1, 1, deal.left_cents, None))
        return lines
    lines = []
    for place, cents in enumerate(now.prizes.amounts[: decided - 1], start=1):
        if lines and lines[-1].cents == cents:
            lines[-1] = PayoutLine(lines[-1].best, place, cents, None)
        else:
            lines.append(PayoutLine(place, place, cents, None))
    return lines
