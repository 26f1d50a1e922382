from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config import demo
from series.models import Organiser, Series


class Command(BaseCommand):
    help = "Load the demo series into an empty database, or (--show) print the log-ins of the demo's staff."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--show", action="store_true", help="print the log-ins, if this database holds the demo")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["show"]:
            if Series.objects.exists():
                raise CommandError("There are series in this database already; the demo goes into an empty one.")
            demo.Demo(self.stdout.write, timezone.now()).load()
        if Organiser.objects.filter(name=demo.ORGANISER).exists():
            self.stdout.write(f"Demo log-ins, all with the password {demo.PASSWORD}:")
            for log_in in demo.LOG_INS:
                self.stdout.write(f"  {log_in.email:<20} {log_in.job}")
