from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from series.models import LedgerLine, Series
from series.reads.ledger import problems_of_series


class Command(BaseCommand):
    help = "ledger verify: proves that every cent of every series is where it should be."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["verify"])

    def handle(self, *args: Any, **options: Any) -> None:
        found = [f"{series}: {problem}" for series in Series.objects.all() for problem in problems_of_series(series)]
        for problem in found:
            self.stderr.write(problem)
        if found:
            raise CommandError(f"The ledger does not hold: {len(found)} problem(s).")
        self.stdout.write(f"The ledger holds: {LedgerLine.objects.count()} lines, every posting adds up.")
