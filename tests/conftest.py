"""What all tests share."""

from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from django.db import connection
from django.db.backends.base.operations import BaseDatabaseOperations

from journal import guard

# how long an example takes depends on what else the machine does
hypothesis.settings.register_profile("steady", deadline=None)
hypothesis.settings.load_profile("steady")


@pytest.fixture(autouse=True, scope="session")
def _tests_may_empty_the_journal() -> Iterator[None]:
    """Lets Django empty all tables after a test that commits; otherwise the journal refuses."""
    flush = BaseDatabaseOperations.execute_sql_flush

    def flush_with_journal(self: BaseDatabaseOperations, sql_list: Any) -> None:
        if connection.vendor == "sqlite":  # PostgreSQL truncates, which no row trigger sees
            with connection.cursor() as cursor:
                for name in guard.trigger_names():
                    cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
        with guard.writing():
            flush(self, sql_list)
        guard.install_triggers()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseDatabaseOperations, "execute_sql_flush", flush_with_journal)
        yield
