"""Every vector of the calculators' kinds through the page's own form: nothing is lost between page and rules."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from rulings.views_calculators import CALCULATORS
from tests.factories import make_director, make_event, make_series
from tests.rulings.calculator_pages import Fields, Page, ask
from tests.vectors.compare import differences
from tests.vectors.loading import Case, load

pytestmark = pytest.mark.django_db

CASES = load(Path(os.environ.get("VECTORS_DIR") or Path(__file__).parents[1] / "vectors" / "cases"))


def players(given: dict[str, Any], *groups: Any) -> dict[str, int]:
    """A seat for each player named."""
    return {name: seat for seat, name in enumerate(dict.fromkeys(name for group in groups for name in group), start=1)}


def plus(amounts: list[int]) -> str:
    return " + ".join(f"{amount:,}" for amount in amounts)


def wager(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    amounts = {name: given[name] for name in ("big_blind", "to_match", "last_raise", "total")}
    maybe = {name: given[name] for name in ("already_in", "stack", "declared") if given.get(name) is not None}
    stacks = {name: plus(given[name]) for name in ("chips", "motions") if given.get(name)}
    return "wager", amounts | maybe | stacks | ({"all_in": "on"} if given.get("all_in") else {}), None


def min_raise(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    lines = {f"to_{number}": wager["to"] for number, wager in enumerate(given["wagers"], start=1)}
    return "raise", {"street": given["street"], "big_blind": given["big_blind"], **lines}, None


def reopen(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    blinds = given.get("blinds") or {}
    seats = players(given, blinds, [action["player"] for action in given["actions"]], [given["asks"]])
    fields: Fields = {"street": given["street"], "big_blind": given["big_blind"], "asks": seats[given["asks"]]}
    for (name, amount), (seat, chips) in zip(blinds.items(), (("sb_seat", "sb"), ("bb_seat", "bb")), strict=False):
        fields |= {seat: seats[name], chips: amount}
    for number, action in enumerate(given["actions"], start=1):
        fields |= {f"seat_{number}": seats[action["player"]], f"to_{number}": f"{action['to']:,}"}
    return "raise", fields, None


def pots(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    seats = players(given, given["contributions"])
    fields: Fields = {f"in_{seats[name]}": f"{amount:,}" for name, amount in given["contributions"].items()}
    for state, key in (("folded", "folded"), ("killed", "killed"), ("absent", "forfeited")):
        fields |= {f"state_{seats[name]}": state for name in given.get(key) or ()}
    names = {seat: name for name, seat in seats.items()}

    def told(outcome: dict[str, Any]) -> dict[str, Any]:
        return {
            "pots": [
                {"amount": pot["amount"], "eligible": [names[seat] for seat in pot["eligible"]]}
                for pot in outcome["pots"]
            ],
            "returned": {names[seat]: amount for seat, amount in outcome["returned"].items()},
        }

    return "pots", fields | ({"dead": given["dead"]} if given.get("dead") else {}), told


def split(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    fields: Fields = {"button": given["button"], "unit": given["unit"]}
    for number, pot in enumerate(given["pots"], start=1):
        fields |= {f"pot_{number}": pot["amount"], f"win_{number}": pot["winners"]}
    return "split", fields, None


def showdown(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    fields: Fields = {"button": given["button"], "live": given["live"]}
    for name in ("last_aggressor", "last_caller"):
        fields[name] = "" if given.get(name) is None else given[name]
    return "showdown", fields | ({"all_in": "on"} if given["all_in"] else {}), None


def button(given: dict[str, Any]) -> tuple[str, Fields, Any]:
    fields: Fields = {"seats": given["seats"], "occupied": given["occupied"], **given["last"]}
    fields["count"] = len(given["hands"])
    for number, hand in enumerate(given["hands"], start=1):
        fields |= {f"left_{number}": ", ".join(map(str, hand["busted"]))}
        fields |= {f"came_{number}": ", ".join(map(str, hand["arrived"]))}
    return "blinds", fields, None


KINDS = {
    "wager": wager,
    "min_raise": min_raise,
    "reopen": reopen,
    "pots": pots,
    "split": split,
    "showdown": showdown,
    "button": button,
}


@pytest.mark.parametrize("case", [case for case in CASES if case.kind in KINDS], ids=lambda case: case.id)
def test_nothing_is_lost_between_page_and_rules(client: Client, case: Case) -> None:
    kind, fields, told = KINDS[case.kind](case.given)
    if policy := case.given.get("policy"):  # how a series reads the rules is an option of the series
        seats = case.given.get("seats", 9)
        event = make_event(make_series(options=policy), seats_per_table=seats)
        client.force_login(make_director(event.series))
        fields["event"] = event.pk
    response = ask(client, kind, fields)
    page = Page(response.content.decode())
    for name, value in fields.items():
        assert name in page.names, f"the page has no field {name}"
        values = value if isinstance(value, list) else [value]
        if page.checked.get(name):
            assert sorted(page.checked[name]) == sorted(map(str, values))
    answer = response.context["answer"]
    assert answer is not None, page.errors
    found = told(answer.outcome) if told else answer.outcome
    assert not differences(case.expect, found)
    assert answer.rules
    assert answer.why.endswith(".")
    assert answer.headline in response.content.decode().replace("&#x27;", "'")


def test_every_kind_of_the_calculators_has_vectors() -> None:
    assert {case.kind for case in CASES} >= KINDS.keys()
    assert {KINDS[case.kind](case.given)[0] for case in CASES if case.kind in KINDS} == CALCULATORS.keys()
