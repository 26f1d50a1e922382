"""Season points: what a finish is worth by the series' own formula, and who leads.

No rule says how points are given. They are integers in hundredths of a point, never less than nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from series.domain.formula import FormulaError, parsed, reckon

MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Finish:
    """How one entry finished, and of what event. Money in cents."""

    place: int
    entries: int
    players: int
    buy_in_cents: int = 0
    fee_cents: int = 0
    prize_cents: int = 0
    pool_cents: int = 0
    paid: int = 0

    @property
    def values(self) -> dict[str, Decimal]:
        """By the names of a formula."""
        money = {
            name: Decimal(getattr(self, f"{name}_cents")).scaleb(-2) for name in ("buy_in", "fee", "prize", "pool")
        }
        return money | {name: Decimal(getattr(self, name)) for name in ("place", "entries", "players", "paid")}


@lru_cache(maxsize=50_000)
def points(formula: str, finish: Finish) -> int:
    """What a finish is worth by a formula, in hundredths of a point, half a hundredth rounded up; at least nothing.

    >>> points("100 * sqrt(entries) / place", Finish(place=3, entries=50, players=45))
    23570

    Raises:
        FormulaError: the formula cannot be read, or has no value for this finish.
    """
    value = reckon(formula, finish.values)
    if abs(value) > MOST_POINTS:
        raise FormulaError(f"this gives more than {MOST_POINTS:,} points.", 1)
    return max(0, int((value * 100).to_integral_value(ROUND_HALF_UP)))


def shared_points(formula: str, finish: Finish, worst: int) -> int:
    """What each of those is worth who share the places from that of `finish` to `worst`: the mean, in hundredths.

    Raises FormulaError as `points` does.
    """
    each = [points(formula, replace(finish, place=place)) for place in range(finish.place, worst + 1)]
    return (2 * sum(each) + len(each)) // (2 * len(each))


def check(formula: str) -> None:
    """Try a formula on finishes of small and large fields, free and dear.

    Raises FormulaError: it cannot be read, or has no value for one of them, which is named.
    """
    parsed(formula)
    for entries in (1, 2, 9, 50, 200, 1_000):
        for cents in (0, 2_500, 110_000):
            for place in sorted({1, 2, min(3, entries), entries // 2 + 1, entries} & set(range(1, entries + 1))):
                try:
                    points(formula, sample(place, entries, cents))
                except FormulaError as error:
                    words = str(error).partition(": ")[2]
                    raise FormulaError(f"for place {place:,} of {entries:,}: {words}", error.at) from error


def sample(place: int, entries: int, buy_in_cents: int) -> Finish:
    """A finish of an event that pays 12 % of its entries, half of its pool to the first, for trying formulas."""
    pool, paid = entries * buy_in_cents, max(1, (entries * 12 + 50) // 100)
    prize = pool if paid == 1 and place == 1 else pool // (2 * place) if place <= paid else 0
    return Finish(place, entries, entries, buy_in_cents, buy_in_cents // 10, prize, pool, paid)


@dataclass(frozen=True)
class Scored:
    """What one event gave somebody, in hundredths of a point; `counts` if it is among their best."""

    event: int
    best: int
    worst: int
    points: int
    counts: bool = True


@dataclass(frozen=True)
class Standing:
    """One line of a leaderboard: `rank` is shared by equal totals; points in hundredths; the events as they were."""

    rank: int
    shared: bool
    player: int
    points: int
    scored: tuple[Scored, ...]


def leaderboard(results: Mapping[int, Sequence[Scored]], best: int | None = None) -> tuple[Standing, ...]:
    """Who leads. `results`: by player, what each entry gave them; of several entries in one event the best one counts,
    and of all events the `best` (None: all). Players without a point are left out.
    """
    lines = []
    for player, scored in results.items():
        of_events: dict[int, Scored] = {}
        for one in scored:
            kept = of_events.get(one.event)
            if kept is None or (one.points, -one.best) > (kept.points, -kept.best):
                of_events[one.event] = one
        order = sorted(of_events.values(), key=lambda one: -one.points)
        counting = {one.event for one in order[:best]}
        shown = tuple(replace(one, counts=one.event in counting) for one in of_events.values())
        total = sum(one.points for one in shown if one.counts)
        if total:
            lines.append((total, player, shown))
    lines.sort(key=lambda line: -line[0])
    ranks: dict[int, int] = {}
    for index, (total, _, _) in enumerate(lines, start=1):
        ranks.setdefault(total, index)
    equal = Counter(total for total, _, _ in lines)
    return tuple(Standing(ranks[total], equal[total] > 1, player, total, shown) for total, player, shown in lines)


def format_points(hundredths: int, *, exact: bool = False) -> str:
    """Hundredths of a point as "1,234.5", or as "1,234.50" if `exact`."""
    whole, rest = divmod(hundredths, 100)
    if exact:
        return f"{whole:,}.{rest:02}"
    return f"{whole:,}{f'.{rest:02}'.rstrip('0') if rest else ''}"
