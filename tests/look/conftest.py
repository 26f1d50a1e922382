import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.look.server import serving, with_look_pages

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--no-sandbox"]}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of a server with the pages of tests.look.urls."""
    with serving() as address:
        yield address


@pytest.fixture
def look_pages() -> Iterator[None]:
    with with_look_pages():
        yield
