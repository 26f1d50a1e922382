"""The calculators' pages: wrong and unfinished inputs, what answers say, what is filled in and for whom."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.permissions import Role
from journal import guard
from rulings.views_calculators import CALCULATORS
from series.models import Event
from tables.commands.clock import jump_clock, start_clock
from tables.domain.table import MOST_SEATS
from tables.models import Seat, Table
from tests.factories import add_players, make_director, make_event, make_series, make_user
from tests.rulings.calculator_pages import Fields, Page, ask
from tests.tables.hall import make_hall, seat_players

pytestmark = pytest.mark.django_db


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
    ("pots", "fold_order", "4, 13", "from 1 to 12"),
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
        dealt_in = {str(seat): entry for seat, entry in row.chairs.exclude(entry=None).values_list("number", "entry")}
        Table.objects.filter(pk=row.pk).update(button=1, small_blind=2, big_blind=3, dealt_in=dealt_in)
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


def test_who_called_and_is_no_more_in_is_pointed_out(client: Client) -> None:
    sent = {"live": [1, 2], "button": 1, "last_aggressor": 2, "last_caller": 9}
    assert ask(client, "showdown", sent).context["answer"].warnings == ("Seat 9 is not among those still in.",)
    assert ask(client, "showdown", sent | {"last_caller": 1}).context["answer"].warnings == ()


def test_who_posts_what_is_answered_at_once_where_the_table_told_it(client: Client, table: tuple[Event, Table]) -> None:
    event, row = table
    client.force_login(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    address, fields = reverse("calculator", args=["blinds"]), at_the_table(event, row)
    at_once = 'submit, load"'
    known = client.get(address, fields).content.decode()
    assert at_once in known
    assert at_once not in client.get(address).content.decode()
    checked = Page(known).checked
    sent = {name: checked[name][0] for name in ("button", "small_blind", "big_blind")}
    sent |= {"occupied": checked["occupied"], "seats": row.seats, "count": 3, "answer": 1}
    answered = client.get(address, fields | sent)
    assert answered.context["answer"].headline.startswith("Button 2")
    assert at_once not in answered.content.decode()


def test_a_table_of_twelve_is_calculated_as_it_stands(client: Client) -> None:
    event = make_event()
    day = make_hall(event, [3])
    seat_players(day, 9, range(1, MOST_SEATS + 1), seats=MOST_SEATS, last=(1, 2, 3))
    client.force_login(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    address, at = reverse("calculator", args=["blinds"]), {"event": event.pk, "table": 9}
    known = Page(client.get(address, at).content.decode())
    sent = {name: known.checked[name][0] for name in ("button", "small_blind", "big_blind")}
    sent |= {"occupied": known.checked["occupied"], "seats": known.typed["seats"], "count": 1, "left_1": "11, 12"}
    answered = ask(client, "blinds", at | sent)
    assert not Page(answered.content.decode()).errors
    assert answered.context["answer"]


def test_before_the_first_hand_the_blinds_filled_in_lead_to_it(client: Client, table: tuple[Event, Table]) -> None:
    event, row = table
    client.force_login(make_user("Wiremu", role=Role.FLOOR, series=event.series))
    fields = at_the_table(event, row)
    first, small, big, *_ = row.chairs.exclude(entry=None).order_by("number").values_list("number", flat=True)
    told = {"button": first, "small_blind": small, "big_blind": big}
    with guard.writing():
        Table.objects.filter(pk=row.pk).update(**told, dealt_in={})
    known = Page(client.get(reverse("calculator", args=["blinds"]), fields).content.decode()).checked
    sent = {name: known[name][0] for name in told} | {"occupied": known["occupied"], "seats": row.seats, "count": 1}
    answer = ask(client, "blinds", fields | sent).context["answer"]
    assert answer.headline == f"Button {first}, small blind {small}, big blind {big}"
    with guard.writing():
        row.chairs.filter(number=first).update(entry=None)
    known = Page(client.get(reverse("calculator", args=["blinds"]), fields).content.decode()).checked
    assert not known.get("button")


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
