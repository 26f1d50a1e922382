"""Amounts and names as the sentences of the calculators show them."""

from collections.abc import Iterable


def chips(amount: int) -> str:
    """Return an amount of chips with thousands parted: 12,500."""
    return f"{amount:,}"


def listed(names: Iterable[object]) -> str:
    """Return the names as one phrase: "A", "A and B", "A, B and C"."""
    *others, last = [str(name) for name in names]
    return f"{', '.join(others)} and {last}" if others else last
