"""Deals of a simulated event: what few who are left agree on, and whether that is what they are paid."""

from itertools import pairwise
from typing import TYPE_CHECKING

from series.models import Deal, Entry
from tables.commands.deals import end_by_chips, make_deal, prizes_left, shares_of, take_deal_back
from tables.commands.prizes import lock_prizes
from tables.reads.standings import standings_of

if TYPE_CHECKING:
    from config.simulation import Simulation

MOST = 6  # players who make a deal


class Deals:
    """Of one simulated event: at most one deal that stands."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.shares: dict[int, int] = {}
        self.left_cents = 0

    def __str__(self) -> str:
        return f"a deal among {len(self.shares)}" if self.shares else "no deal"

    def play_on(self) -> None:
        """Among few, the first time: one by ICM that does not hold, then one that leaves something to the winner."""
        simulation = self.simulation
        if self.shares or not 2 <= len(simulation.stacks) <= MOST:
            return
        simulation.do(lock_prizes)
        self._agree(Deal.Method.ICM, 0)
        if simulation.random.random() < 0.5:
            simulation.undo_last()
        else:
            simulation.do(take_deal_back)
        now = standings_of([simulation.event])[simulation.event.pk]
        first, second = (*prizes_left(now), 0)[:2]
        self._agree(simulation.random.choice((Deal.Method.ICM, Deal.Method.CHIP_CHOP)), (first - second) // 2)

    def end_now(self) -> None:
        """Everything is divided by chips, and the event ends with places by them."""
        simulation = self.simulation
        simulation.do(lock_prizes)
        self._agree(Deal.Method.CHIP_CHOP, 0)
        simulation.do(end_by_chips)
        winner = max(simulation.stacks, key=simulation.stacks.__getitem__)
        simulation.stacks = {winner: sum(simulation.stacks.values())}

    def _agree(self, method: str, left_cents: int) -> None:
        simulation = self.simulation
        now = standings_of([simulation.event])[simulation.event.pk]
        stacks = dict(simulation.stacks)
        shares = shares_of(now, method, stacks, {}, left_cents)
        simulation.do(
            make_deal,
            method=method,
            stacks=stacks,
            amounts={},
            left_cents=left_cents,
            shown=Deal.Shown.AMOUNTS,
            agreed=frozenset(stacks),
            shares=shares,
        )
        divided = sum(shares.values()) + left_cents
        simulation.require(divided == sum(prizes_left(now)), f"the deal divides {divided} cents of other prizes")
        by_chips = [shares[entry] for entry in sorted(stacks, key=stacks.__getitem__)]
        # equal stacks may differ by the cent that is left over
        falls = any(more < less - 1 for less, more in pairwise(by_chips))
        simulation.require(not falls, "a larger stack gets a smaller share")
        self.shares, self.left_cents = shares, left_cents

    def check_paid(self, paid: dict[int, int]) -> None:
        """What each entry of the deal was paid, in cents, is its share, and the winner's what was left besides."""
        winner = Entry.objects.filter(event=self.simulation.event, status=Entry.Status.PLAYING).values_list("pk")
        for entry in {pk for (pk,) in winner} & self.shares.keys():
            self.shares[entry] += self.left_cents
        wrong = {entry for entry, cents in self.shares.items() if paid.get(entry, 0) != cents}
        self.simulation.require(not wrong, f"{len(wrong)} were not paid what the deal says")
