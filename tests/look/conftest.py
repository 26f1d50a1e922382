from collections.abc import Iterator

import pytest

from tests.look.server import serving, with_look_pages


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The address of a server with the pages of tests.look.urls."""
    with serving() as address:
        yield address


@pytest.fixture
def look_pages() -> Iterator[None]:
    with with_look_pages():
        yield
