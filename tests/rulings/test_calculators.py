"""The calculators' pages: every vector through the page's own form, wrong inputs, what is filled in and for whom."""

import json
import os
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from rulings.views_calculators import CALCULATORS
from series.models import Event
from tables.commands.clock import jump_clock, start_clock
from tables.models import Seat, Table
from tests.factories import add_players, make_director, make_event, make_series, make_user
from tests.vectors.compare import differences
from tests.vectors.loading import Case, load

pytestmark = pytest.mark.django_db

CASES = load(Path(os.environ.get("VECTORS_DIR") or Path(__file__).parents[1] / "vectors" / "cases"))
Fields = dict[str, Any]


class Page(HTMLParser):
    """The fields of a page, what stands beside them as errors, and the links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: dict[str, set[str]] = {}
        self.typed: dict[str, str] = {}
        self.checked: dict[str, list[str]] = {}
        self.errors: dict[str, str] = {}
        self.links: list[str] = []
        self._error = self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "input" and "name" in given:
            self.names.setdefault(given["name"], set()).add(given.get("value", ""))
            if given.get("type") not in ("checkbox", "radio"):
                self.typed[given["name"]] = given.get("value", "")
            elif "checked" in dict(attrs):
                self.checked.setdefault(given["name"], []).append(given.get("value", "on"))
        elif tag == "select":
            self._select = given["name"]
            self.names.setdefault(self._select, set())
        elif tag == "option":
            self.names[self._select].add(given.get("value", ""))
            if "selected" in dict(attrs):
                self.checked.setdefault(self._select, []).append(given.get("value", ""))
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])
        self._error = given["id"].removeprefix("error_") if given.get("id", "").startswith("error_") else self._error

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self._error = ""

    def handle_data(self, data: str) -> None:
        if self._error and data.strip():
            self.errors[self._error] = self.errors.get(self._error, "") + data.strip()


def ask(client: Client, kind: str, fields: Fields, **headers: str) -> Any:
    """The page of a calculator with these inputs, sent as its form sends them."""
    return client.get(reverse("calculator", args=[kind]), {"answer": "1", **fields}, headers=headers)


# --- the vectors -----------------------------------------------------------------------------------------------------


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


# --- wrong and unfinished inputs -------------------------------------------------------------------------------------

GOOD: dict[str, Fields] = {
    "wager": {"to_match": "500", "last_raise": "500", "big_blind": "200", "chips": "1,000 + 500", "already_in": "100"},
    "raise": {"street": "postflop", "big_blind": "100", "seat_1": "3", "to_1": "300", "asks": "4"},
    "pots": {"in_2": "12,500", "state_2": "all_in", "in_4": "2,000 + 500", "in_6": "58,000", "dead": "1,000"},
    "split": {"button": "3", "unit": "25", "pot_1": "725", "win_1": ["1", "4"]},
    "showdown": {"button": "3", "live": ["1", "4"], "last_aggressor": "4", "last_caller": "1"},
    "blinds": {
        "seats": "9", "occupied": ["1", "2", "5"], "button": "1", "small_blind": "2", "big_blind": "5", "count": "2"
    },
}  # fmt: skip
BAD = [
    ("wager", "to_match", "five", "whole number"),
    ("wager", "chips", "1,000 + x", "2,000 + 500"),
    ("wager", "big_blind", "0", "At least 1"),
    ("wager", "already_in", "900", "At most the price, 500"),
    ("wager", "total", "50", "100 was already in"),
    ("wager", "motions", "300", "These motions make 300, the chips pushed 1,500"),
    ("wager", "stack", "40", "100 of it is already in"),
    ("wager", "declared", "fold", "Select a valid choice"),
    ("raise", "big_blind", "-1", "whole number"),
    ("raise", "seat_1", "", "Which seat?"),
    ("raise", "seat_1", "11", "no seat 11"),
    ("pots", "in_4", "12.5", "2,000 + 500"),
    ("pots", "fold_order", "4", "Seat 4 is not marked as folded"),
    ("pots", "fold_order", "4, 12", "from 1 to 10"),
    ("pots", "fold_order", "four", "seat numbers"),
    ("split", "pot_1", "730", "Not payable in chips of 25"),
    ("split", "pot_1", "", "How much is in this pot?"),
    ("split", "win_1", [], "Who won this pot?"),
    ("split", "button", "12", "no seat 12"),
    ("showdown", "live", ["1", "11"], "no seat 11"),
    ("showdown", "button", "", "required"),
    ("blinds", "seats", "1", "Ensure"),
    ("blinds", "occupied", ["1", "2", "5", "10"], "only the seats 1 to 9"),
    ("blinds", "left_1", "7", "Nobody sits in seat 7 then"),
    ("blinds", "left_2", "1, 5", "Fewer than two"),
    ("blinds", "came_2", "5", "Seat 5 is taken"),
    ("blinds", "came_1", "10", "only the seats 1 to 9"),
    ("blinds", "count", "99", "Ensure"),
]


@pytest.mark.parametrize(("kind", "name", "value", "words"), BAD)
def test_wrong_input_is_told_beside_its_field_and_nothing_typed_is_lost(
    client: Client, kind: str, name: str, value: Any, words: str
) -> None:
    fields = GOOD[kind] | {name: value}
    response = ask(client, kind, fields)
    page = Page(response.content.decode())
    assert response.context["answer"] is None
    assert page.errors.keys() == {name}
    assert words in page.errors[name]
    for other, typed in fields.items():
        values = typed if isinstance(typed, list) else [typed]
        offered = page.names[other]  # what was never on the page cannot come back
        kept = [page.typed[other]] if other in page.typed else page.checked.get(other, [])
        wanted = [value for value in values if other in page.typed or value in offered]
        assert [value for value in kept if value] == [value for value in wanted if value], other


@pytest.mark.parametrize("kind", GOOD)
def test_good_inputs_have_an_answer(client: Client, kind: str) -> None:
    response = ask(client, kind, GOOD[kind])
    assert response.context["answer"] is not None
    assert not Page(response.content.decode()).errors


def test_a_contradiction_that_only_the_rules_know_is_told_in_words(client: Client) -> None:
    one_player = GOOD["blinds"] | {"occupied": ["1"], "small_blind": "1", "big_blind": "1", "count": "1"}
    response = ask(client, "blinds", one_player)
    assert "Fewer than two players are left." in response.content.decode()
    assert response.context["answer"] is None


def test_while_somebody_types_what_is_missing_is_no_error_yet(client: Client) -> None:
    response = ask(client, "wager", {"to_match": "500", "big_blind": "x"}, hx_request="true")
    text = response.content.decode()
    page = Page(text)
    assert "<html" not in text
    assert page.errors.keys() == {"big_blind"}
    assert 'id="error_to_match" hx-swap-oob="true"></div>' in text
    response = ask(client, "wager", {"to_match": "500", "big_blind": "200"}, hx_request="true")
    assert "Still to enter: Chips pushed, one by one" in response.content.decode()


def test_the_page_is_a_plain_form_whose_address_says_everything(client: Client) -> None:
    response = ask(client, "wager", GOOD["wager"])
    text = response.content.decode()
    assert '<form class="calculator" method="get" action="/calculators/wager/"' in text
    assert Page(text).names["answer"] == {"1"}
    assert "style=" not in text
    assert "<script>" not in text


def test_an_unknown_calculator_is_not_found(client: Client) -> None:
    assert client.get(reverse("calculator", args=["odds"])).status_code == 404


def test_all_calculators_are_listed(client: Client) -> None:
    links = Page(client.get(reverse("calculators")).content.decode()).links
    assert {reverse("calculator", args=[kind]) for kind in CALCULATORS} <= set(links)


# --- what the answers say --------------------------------------------------------------------------------------------


def test_in_is_out_and_pots_go_on_to_the_split(client: Client) -> None:
    fields = {"in_2": "12500", "state_2": "all_in", "in_4": "31000", "state_4": "all_in", "in_6": "58000"}
    response = ask(client, "pots", fields | {"in_7": "4000", "state_7": "folded"})
    text = response.content.decode()
    assert response.context["answer"].headline == "Pot 1 41,500 · Pot 2 37,000 · 27,000 back to 6"
    assert "105,500 in, 105,500 out" in text
    link = next(link for link in Page(text).links if link.startswith("/calculators/split/?"))
    assert "answer=" not in link
    split_page = client.get(link)
    page = Page(split_page.content.decode())
    assert (page.typed["pot_1"], page.typed["pot_2"]) == ("41,500", "37,000")
    assert page.names["win_1"] == {"2", "4", "6"}
    assert page.names["win_2"] == {"4", "6"}
    paid = ask(client, "split", {"pot_1": "41500", "for_1": "2,4,6", "win_1": ["2", "4"], "button": 1, "unit": 500})
    assert paid.context["answer"].outcome == {"awards": {"2": 21000, "4": 20500}}
    stranger = ask(client, "split", {"pot_1": "41500", "for_1": "2,4", "win_1": ["6"], "button": 1, "unit": 500})
    assert "no seat 6" in Page(stranger.content.decode()).errors["win_1"]


def test_a_pot_that_nobody_can_win_asks_for_the_order_of_folding(client: Client) -> None:
    fields = {f"in_{seat}": "100" for seat in (1, 2, 3)}
    fields |= {"state_1": "folded", "state_2": "folded", "state_3": "killed"}
    asked = ask(client, "pots", fields).context["answer"]
    assert "write the order of folding" in asked.why
    assert "folded last" not in asked.said[0]
    told = ask(client, "pots", fields | {"fold_order": "2, 1"}).context["answer"]
    assert told.said == ("Pot 1: 300 for seat 1, who folded last, once the floor confirms it.",)
    assert "S21" in told.rules


def test_a_call_that_is_still_to_come_is_pointed_out(client: Client) -> None:
    marked = {"in_1": "500", "state_1": "all_in", "in_2": "900", "state_2": "all_in", "in_3": "500"}
    assert "seat 3: mark" in ask(client, "pots", marked).context["answer"].warnings[0]
    assert not ask(client, "pots", {"in_1": "500", "in_2": "900"}).context["answer"].warnings


def test_price_and_raise_go_on_to_the_wager(client: Client) -> None:
    response = ask(client, "raise", {"street": "postflop", "big_blind": "100", "to_1": "300", "to_2": "700"})
    link = next(link for link in Page(response.content.decode()).links if link.startswith("/calculators/wager/?"))
    page = Page(client.get(link).content.decode())
    assert (page.typed["to_match"], page.typed["last_raise"], page.typed["big_blind"]) == ("700", "400", "100")


def test_posted_blinds_are_left_out_after_the_flop(client: Client) -> None:
    posted = {"sb_seat": "1", "sb": "50", "bb_seat": "2", "bb": "100", "big_blind": "100", "asks": "2"}
    preflop = ask(client, "raise", posted | {"street": "preflop", "seat_1": "3", "to_1": "300"})
    later = ask(client, "raise", posted | {"street": "postflop", "seat_1": "3", "to_1": "300"})
    assert preflop.context["answer"].outcome["to_call"] == 200
    assert later.context["answer"].outcome["to_call"] == 300


# --- what the table tells, and whom ----------------------------------------------------------------------------------


@pytest.fixture
def table() -> tuple[Event, Table]:
    """A table of an event with players, its button known, the clock at the first level."""
    event = make_event(name="Deep Stack", chips=[25, 100, 500])
    add_players(event, 4, make_director(event.series))
    row = Table.objects.get(day__event=event)
    with guard.writing():
        Table.objects.filter(pk=row.pk).update(button=1, small_blind=2, big_blind=3)
    return event, row


def at_the_table(event: Event, row: Table) -> Fields:
    return {"event": event.pk, "table": row.number}


def test_the_staff_finds_the_table_filled_in(client: Client, table: tuple[Event, Table]) -> None:
    event, row = table
    client.force_login(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    wager = Page(client.get(reverse("calculator", args=["wager"]), at_the_table(event, row)).content.decode())
    assert (wager.typed["big_blind"], wager.typed["to_match"]) == ("50", "50")
    assert wager.typed["table"] == str(row.number)
    split = Page(client.get(reverse("calculator", args=["split"]), at_the_table(event, row)).content.decode())
    assert (split.typed["unit"], split.checked["button"]) == ("25", ["1"])
    blinds = client.get(reverse("calculator", args=["blinds"]), at_the_table(event, row)).content.decode()
    taken = [str(seat.number) for seat in Seat.objects.filter(table=row, entry__isnull=False)]
    assert sorted(Page(blinds).checked["occupied"]) == sorted(taken)
    assert Page(blinds).checked["big_blind"] == ["3"]
    named = Seat.objects.filter(table=row, entry__isnull=False).first()
    pots = client.get(reverse("calculator", args=["pots"]), at_the_table(event, row)).content.decode()
    assert str(named.entry) in pots


def test_a_colour_up_makes_the_smallest_chip_larger(client: Client, table: tuple[Event, Table]) -> None:
    event, row = table
    with guard.writing():
        event.levels.filter(position=0).update(remove=[25])
        event.levels.update(small_blind=100, big_blind=200)
    director = make_director(event.series)
    client.force_login(director)
    fields = at_the_table(event, row)
    assert Page(client.get(reverse("calculator", args=["split"]), fields).content.decode()).typed["unit"] == "25"
    start_clock(actor=director, on=event.pk)
    jump_clock(actor=director, on=event.pk, day_id=row.day_id, position=1)
    assert Page(client.get(reverse("calculator", args=["split"]), fields).content.decode()).typed["unit"] == "100"


@pytest.mark.parametrize("who", ["visitor", "player", "staff of another series"])
def test_nobody_else_sees_the_table_but_the_readings_of_the_series_hold(
    client: Client, table: tuple[Event, Table], who: str
) -> None:
    event, row = table
    with guard.writing():
        event.series.options = {"overchip_is_call": False}
        event.series.save()
    if who != "visitor":
        role = {"role": Role.DIRECTOR, "series": make_series()} if who.startswith("staff") else {}
        client.force_login(make_user("Kiri", **role))
    for kind in CALCULATORS:
        text = client.get(reverse("calculator", args=[kind]), at_the_table(event, row)).content.decode()
        assert not any(str(seat.entry) in text for seat in Seat.objects.filter(table=row, entry__isnull=False))
        assert event.name not in text
        assert "Save as ruling" not in ask(client, kind, GOOD[kind] | at_the_table(event, row)).content.decode()
    over = {"to_match": "200", "big_blind": "200", "chips": "1,000"}
    assert ask(client, "wager", over).context["answer"].outcome["ruling"] == "call"
    assert ask(client, "wager", over | {"event": event.pk}).context["answer"].outcome["ruling"] == "raise"


def test_an_event_being_set_up_tells_nothing_to_visitors(client: Client) -> None:
    event = make_event(make_series(options={"overchip_is_call": False}), status=Event.Status.DRAFT)
    over = {"to_match": "200", "big_blind": "200", "chips": "1,000", "event": event.pk}
    assert ask(client, "wager", over).context["answer"].outcome["ruling"] == "call"


@pytest.mark.parametrize("event", ["x", "0", "99999999", "9" * 400, "-1", "１２"])
def test_an_event_that_is_none_is_no_error(client: Client, event: str) -> None:
    assert client.get(reverse("calculator", args=["pots"]), {"event": event, "table": event}).status_code == 200


def test_only_who_may_rule_is_offered_to_save(client: Client, table: tuple[Event, Table]) -> None:
    event, row = table
    fields = GOOD["wager"] | at_the_table(event, row)
    for role, offered in [(Role.FLOOR, True), (Role.DIRECTOR, True), (Role.DEALER, False), (Role.DESK, False)]:
        client.force_login(make_user("Aroha", role=role, series=event.series))
        assert ("Save as ruling" in ask(client, "wager", fields).content.decode()) is offered


def test_rules_lead_to_their_words(client: Client, table: tuple[Event, Table]) -> None:
    event, row = table
    client.force_login(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    half = {"to_match": "500", "last_raise": "500", "big_blind": "200", "total": "800"}
    text = ask(client, "wager", half | at_the_table(event, row)).content.decode()
    assert reverse("rule", args=[event.series.slug, "9a"]) in text  # the small rulebook of the tests has no rule 9
    assert reverse("rule", args=[event.series.slug, "9"]) not in Page(text).links


def test_a_page_takes_the_same_queries_for_one_and_for_four_players(
    client: Client, django_assert_num_queries: Any
) -> None:
    director = make_user("Mere", owner=True)
    client.force_login(director)
    for count in (1, 4):
        event = make_event()
        add_players(event, count, director)
        fields = GOOD["pots"] | at_the_table(event, Table.objects.get(day__event=event))
        client.get(reverse("calculators"))
        with django_assert_num_queries(10):
            ask(client, "pots", fields)


def test_saved_inputs_are_plain_json(client: Client) -> None:
    for kind, fields in GOOD.items():
        json.dumps(ask(client, kind, fields).context["answer"].outcome)
