"""One thin adapter per kind of vector: `given` becomes a call of the domain, its answer a dict.

Write an adapter in the module of the app whose domain answers the kind:

    from tests.vectors.adapters import adapter

    @adapter("min_raise")
    def min_raise(given: dict) -> dict: ...

The answer is compared as JSON, so tuples may stand for lists and integers for keys. Missing keys of
`given`, and of its `policy`, mean the defaults of the vectors' README; reading them is the adapter's work,
judging is the domain's.
"""

from collections.abc import Callable
from typing import Any

Adapter = Callable[[dict[str, Any]], dict[str, Any]]

ADAPTERS: dict[str, Adapter] = {}


def adapter(kind: str) -> Callable[[Adapter], Adapter]:
    """Register the decorated function as the adapter of `kind`; a second one for it is a ValueError."""

    def register(function: Adapter) -> Adapter:
        if kind in ADAPTERS:
            raise ValueError(f"kind {kind!r} has two adapters")
        ADAPTERS[kind] = function
        return function

    return register
