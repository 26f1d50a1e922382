"""Places and prizes as their pages show them: the public results, and the table from which prizes are paid."""

from dataclasses import dataclass

from series.models import Entry, Event, Payout
from series.reads.money import prize_pool_cents
from series.reads.prizes import prizes
from tables.reads.penalties import disqualified
from tables.reads.standings import Placed, standings


@dataclass(frozen=True)
class ResultLine:
    """One entry that has its place. `again`: which entry of the same player it was, from 2 on."""

    placed: Placed
    again: int | None


@dataclass(frozen=True)
class Results:
    """Everybody who has a place, best first; `winner` is the first of them once the event is over."""

    lines: list[ResultLine]
    winner: Placed | None
    playing: int
    entries: int


def results(event: Event) -> Results:
    """The places of an event so far. Seven queries."""
    placed = standings(event)
    numbers = dict(event.entries.filter(number__gt=1).values_list("pk", "number"))
    counted = event.entries.exclude(status=Entry.Status.VOID)
    playing = counted.filter(status=Entry.Status.PLAYING).count()
    over = event.status == Event.Status.FINISHED
    return Results(
        lines=[ResultLine(place, numbers.get(place.entry_id)) for place in placed],
        winner=placed[0] if over and placed and placed[0].best == 1 else None,
        playing=0 if over else playing,
        entries=counted.count(),
    )


@dataclass(frozen=True)
class PayoutLine:
    """One place with a prize: who has it (None: still being played for) and how it was paid (None: not yet).

    Without a player `best` to `worst` are places with the same prize of `cents` each. `differs`: the amount paid is not
    the prize as it stands now, because a place changed afterwards. `held`: the player was disqualified, so the director
    decides about the prize.
    """

    best: int
    worst: int
    cents: int
    placed: Placed | None
    payout: Payout | None
    held: bool = False

    @property
    def differs(self) -> bool:
        return self.payout is not None and self.payout.amount_cents != self.cents


@dataclass(frozen=True)
class PayoutTable:
    """All prizes of an event, in cents, and whether they are exactly the pool. `paid_cents` has been handed out."""

    lines: list[PayoutLine]
    pool_cents: int
    total_cents: int
    paid_cents: int
    paid_count: int

    @property
    def adds_up(self) -> bool:
        return self.total_cents == self.pool_cents

    @property
    def to_pay_cents(self) -> int:
        return self.total_cents - self.paid_cents


def payout_table(event: Event) -> PayoutTable:
    """Every prize of an event as the ledger and the places stand now. Twelve queries."""
    amounts = prizes(event)
    paid = {
        payout.entry_id: payout
        for payout in event.payouts.filter(taken_back=False).select_related("entry__player", "paid_by")
    }
    placed = [place for place in standings(event) if place.prize_cents or place.entry_id in paid]
    held = disqualified(event)
    decided = min((place.best for place in placed), default=len(amounts) + 1)
    lines = _open_lines(amounts[: decided - 1])
    lines += [
        PayoutLine(place.best, place.worst, place.prize_cents, place, paid.get(place.entry_id), place.entry_id in held)
        for place in placed
    ]
    return PayoutTable(
        lines=lines,
        pool_cents=prize_pool_cents(event),
        total_cents=sum(line.cents * (1 if line.placed else line.worst - line.best + 1) for line in lines),
        paid_cents=sum(payout.amount_cents for payout in paid.values()),
        paid_count=len(paid),
    )


def _open_lines(amounts: tuple[int, ...]) -> list[PayoutLine]:
    """The places still being played for, those with the same prize in one line."""
    lines: list[PayoutLine] = []
    for place, cents in enumerate(amounts, start=1):
        if lines and lines[-1].cents == cents:
            lines[-1] = PayoutLine(lines[-1].best, place, cents, None, None)
        else:
            lines.append(PayoutLine(place, place, cents, None, None))
    return lines
