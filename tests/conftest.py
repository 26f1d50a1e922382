"""What all tests share."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from django.db import connection
from django.db.backends.base.operations import BaseDatabaseOperations
from servestatic.middleware import ServeStaticMiddleware

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


@pytest.fixture(autouse=True, scope="session")
def _static_files_are_listed_once() -> Iterator[None]:
    """Every test client makes the middleware anew: listing all files each time would take a fifth of the tests."""
    list_files = ServeStaticMiddleware.add_files_from_finders
    first: list[ServeStaticMiddleware] = []

    def as_the_first(self: ServeStaticMiddleware) -> None:
        if not first:
            list_files(self)
            first.append(self)
        self.files, self.directories = first[0].files, first[0].directories

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ServeStaticMiddleware, "add_files_from_finders", as_the_first)
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: the event loop that a browser leaves in this thread refuses Django's test client."""
    items.sort(key=lambda item: "browser_name" in getattr(item, "fixturenames", ()))


def chromium() -> str | None:
    """The path of a Chromium: named by CHROMIUM, or one of the usual names."""
    usual = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CHROMIUM") or next((path for name in usual if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium. Without one browser tests are skipped, or fail where they are required."""
    path = chromium()
    if path is None:
        reason = "no Chromium on this machine: install one, or name it by CHROMIUM"
        if os.environ.get("E2E_REQUIRED") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    arguments = [
        "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--disable-quic",
    ]  # fmt: skip
    return {**browser_type_launch_args, "executable_path": path, "args": arguments}


@pytest.fixture(scope="session", autouse=True)
def _queries_beside_a_browser() -> Iterator[None]:
    """A browser keeps an event loop in this thread, in which Django would refuse to ask the database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield
