"""What simulated players buy beside their entry, and what they give back."""

from typing import TYPE_CHECKING

from series.models import Entry
from tables.commands.entries import reenter
from tables.commands.purchases import add_on, declare_rebuy, rebuy
from tables.models import Seat

if TYPE_CHECKING:
    from config.simulation import Simulation


class Extras:
    """Rebuys, add-ons, stacks given up and entries given back of one simulated event."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.rebuys: dict[int, int] = {}
        self.addons: set[int] = set()
        self.given_up = self.refunded = 0

    def __str__(self) -> str:
        sold = f"{sum(self.rebuys.values())} rebuys, {len(self.addons)} add-ons"
        return f"{sold}, {self.given_up} stacks given up, {self.refunded} given back"

    def buy(self) -> None:
        """Somebody takes a rebuy, now and then declared first or taken back; somebody takes the add-on."""
        simulation, random = self.simulation, self.simulation.random
        rules = simulation.event.rules
        someone = random.choice(list(simulation.stacks))
        small = simulation.stacks[someone] <= simulation.event.starting_stack
        if small and self.rebuys.get(someone, 0) < rules.rebuys:
            declared = random.random() < 0.3
            if declared:
                simulation.do(declare_rebuy, entry_id=someone)
            simulation.do(rebuy, entry_id=someone, method=simulation.method(), stack_confirmed=True)
            if not declared and random.random() < 0.1:
                simulation.undo_last()
                return
            self._rebought(someone)
        other = random.choice(list(simulation.stacks))
        if other not in self.addons and random.random() < 0.3:
            simulation.do(add_on, entry_id=other, method=simulation.method())
            self.addons.add(other)
            simulation.stacks[other] += rules.addon_chips
            simulation.check_chips("add_on")

    def _rebought(self, entry: int) -> None:
        self.rebuys[entry] = self.rebuys.get(entry, 0) + 1
        stacks = self.simulation.stacks
        stacks[entry] = stacks.get(entry, 0) + self.simulation.event.rules.rebuy_chips
        self.simulation.check_chips("rebuy")

    def back_to_the_seat(self, entry: int) -> bool:
        """Half of those who may rebuy at once do so: whether this one has."""
        simulation = self.simulation
        may = self.rebuys.get(entry, 0) < simulation.event.rules.rebuys
        if not may or simulation.random.random() < 0.5:
            return False
        simulation.do(rebuy, entry_id=entry, method=simulation.method())
        self._rebought(entry)
        simulation.require(Seat.objects.filter(entry=entry).exists(), "who rebought at once lost the seat")
        return True

    def give_up_and_refund(self) -> None:
        """One player gives up a stack for a new one, and one entry is given back with what is left of its chips."""
        simulation = self.simulation
        first = Entry.objects.filter(pk__in=simulation.stacks, number=1).order_by("pk").last()
        if first is None or len(simulation.stacks) < 6:
            return
        chips = simulation.stacks.pop(first.pk)
        done = simulation.do(reenter, player_id=first.player_id, method=simulation.method(), given_up=chips)
        simulation.stacks[done["entry"]] = done["stack"]
        simulation.check_chips("reenter")
        self.given_up += 1
        clean = Entry.objects.filter(pk__in=simulation.stacks, knockouts__isnull=True).order_by("pk").first()
        if clean is not None:
            simulation.refund(clean.pk, simulation.stacks[clean.pk])
            self.refunded += 1
