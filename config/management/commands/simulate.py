import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.simulated_flights import Flights
from config.simulated_satellite import Satellite
from config.simulation import Simulation, Violation
from journal import chain


class Command(BaseCommand):
    help = "Play a whole event through the commands and check every promise after each; fails at the first violation."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--entries", type=int, default=500)
        parser.add_argument("--seed", type=int, default=7)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["entries"] < 3:
            raise CommandError("A tournament needs at least three entries here.")
        started = time.perf_counter()
        simulation = Simulation(options["entries"], options["seed"], self.stdout.write)
        try:
            tally = simulation.run()
            flights = Flights(simulation)
            flights.run()
            satellite = Satellite(simulation)
            satellite.run()
        except Violation as violation:
            raise CommandError(f"VIOLATION {violation}") from violation
        events = (simulation.event, flights.event, satellite.event, satellite.target)
        broken = [problem for event in events for problem in chain.verify(event.stream_key)]
        if broken:
            raise CommandError(f"VIOLATION {broken[0]}")
        self.stdout.write(
            f"OK {options['entries']} entries, {tally.commands} commands, {tally.undone} undone: "
            f"{tally.commands / tally.seconds:.0f} commands per second, slowest {tally.slowest * 1000:.0f} ms "
            f"({tally.slowest_name}); {simulation.hands}; {simulation.extras}; {simulation.deals}; "
            f"{flights}, {flights.deals}; {satellite}; "
            f"{time.perf_counter() - started:.0f} s with all checks"
        )
