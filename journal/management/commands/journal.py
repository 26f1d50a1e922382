from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from journal import chain, guard
from journal.models import JournalEntry


class Command(BaseCommand):
    help = "journal verify: proves that no entry of the journal was altered, added or lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["verify"])
        parser.add_argument("--stream", help="one stream only, such as event:3")

    def handle(self, *args: Any, **options: Any) -> None:
        problems = [f"the trigger {name} is missing: run migrate" for name in guard.missing_triggers()]
        problems += chain.verify(options["stream"])
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"The journal does not hold: {len(problems)} problem(s).")
        entries = JournalEntry.objects.filter(stream=options["stream"]) if options["stream"] else JournalEntry.objects
        self.stdout.write(f"The journal holds: {entries.count()} entries, chain and triggers intact.")
