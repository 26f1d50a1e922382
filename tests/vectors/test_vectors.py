"""Every case of the vectors folder (VECTORS_DIR, or the cases beside this file), one test per case."""

import os
from pathlib import Path

import pytest

from tests.vectors.adapters import ADAPTERS, rulings, series, tables  # noqa: F401 - they register themselves
from tests.vectors.compare import differences
from tests.vectors.loading import Case, load

# Kinds whose part of the product is not written yet. Any other kind without an adapter fails.
STILL_TO_COME: frozenset[str] = frozenset()

CASES = load(Path(os.environ.get("VECTORS_DIR") or Path(__file__).parent / "cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    if case.kind not in ADAPTERS and case.kind in STILL_TO_COME:
        pytest.skip(f"kind {case.kind} is still to come")
    assert case.kind in ADAPTERS, f"kind {case.kind!r} has no adapter"
    answer = ADAPTERS[case.kind](case.given)
    found = differences(case.expect, answer)
    assert not found, "\n".join(found)
