from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class JournalConfig(AppConfig):
    name = "journal"

    def ready(self) -> None:
        from journal import guard

        connection_created.connect(guard.guard_connection, dispatch_uid="journal.guard")
        post_migrate.connect(guard.install_triggers, sender=self, dispatch_uid="journal.triggers")
