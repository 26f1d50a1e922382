from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world import World, own_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with own_world(tmp_path) as made:
        yield made
