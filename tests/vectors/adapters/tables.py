"""Adapters of the seating and clock kinds."""

from typing import Any

from tables.domain.draw import table_sizes
from tests.vectors.adapters import adapter


@adapter("draw")
def draw(given: dict[str, Any]) -> dict[str, Any]:
    sizes = table_sizes(given["entries"], given["seats_per_table"], **given.get("policy", {}))
    return {"tables": len(sizes), "sizes": sizes}
