from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def make_organiser(**kwargs: Any) -> None:
    """The organiser's row is made with the tables, before there is anybody who could ask for it by a command."""
    from journal import guard
    from series.models import Organiser

    with guard.writing():
        Organiser.objects.get_or_create(pk=1)


class SeriesConfig(AppConfig):
    name = "series"

    def ready(self) -> None:
        post_migrate.connect(make_organiser, sender=self, dispatch_uid="series.organiser")
