"""How an answer is compared with a case's `expect`."""

import json
from typing import Any

# Lists that stand for a set: their order does not matter, their members and how often each stands there do.
SETS = frozenset({"eligible", "errors", "problems", "sits_out", "warnings"})


def differences(expect: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """Return one line per difference; an empty list means the case is met.

    Only keys present in `expect` are compared, also in the records of a list (the hands, the pots). A map
    whose keys are seats, players or places is compared whole. True is not 1, and 1.0 is not 1. With
    `tolerance_cents` in `expect` each of the `amounts` may be off by so much, their sum by nothing.
    """
    got = json.loads(json.dumps(answer))
    expect = dict(expect)
    tolerance = expect.pop("tolerance_cents", 0)
    if tolerance and _within(expect["amounts"], got.get("amounts"), tolerance):
        del expect["amounts"]
    return list(_record(expect, got, at=""))


def _record(expect: dict[str, Any], got: Any, at: str):
    if not isinstance(got, dict):
        yield f"{at or 'answer'}: expected an object, got {got!r}"
        return
    for key, wanted in expect.items():
        place = f"{at}.{key}" if at else key
        if key not in got:
            yield f"{place}: expected {wanted!r}, the answer has no such key"
        elif key in SETS and isinstance(got[key], list):
            if _as_set(wanted) != _as_set(got[key]):
                yield f"{place}: expected the members {wanted!r}, got {got[key]!r}"
        elif isinstance(wanted, list) and any(isinstance(item, dict) for item in wanted):
            yield from _records(wanted, got[key], place)
        elif json.dumps(wanted, sort_keys=True) != json.dumps(got[key], sort_keys=True):
            yield f"{place}: expected {wanted!r}, got {got[key]!r}"


def _records(expect: list[Any], got: Any, at: str):
    if not isinstance(got, list) or len(got) != len(expect):
        yield f"{at}: expected {len(expect)} items, got {got!r}"
        return
    for index, (wanted, item) in enumerate(zip(expect, got, strict=True)):
        yield from _record(wanted, item, f"{at}[{index}]")


def _as_set(values: list[Any]) -> list[str]:
    return sorted(json.dumps(value) for value in values)


def _within(expect: list[int], got: Any, tolerance: int) -> bool:
    return (
        isinstance(got, list)
        and len(got) == len(expect)
        and all(type(amount) is int for amount in got)
        and sum(got) == sum(expect)
        and all(abs(a - b) <= tolerance for a, b in zip(expect, got, strict=True))
    )
