"""Rebuys, add-ons and late stacks: what is sold when, the ledgers of money and chips, the pages that sell."""

import datetime as dt

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from series.commands.events import change_event
from series.models import Day, Entry, Event, Purchase
from tables.commands.entries import reenter
from tables.commands.floor import bust
from tables.commands.hands import set_button
from tables.commands.purchases import add_on, declare_rebuy, rebuy
from tables.models import ChipLine, Seat
from tables.reads.chips import hall_chips, held_at, in_play
from tables.reads.standings import standings
from tests.factories import add_players, make_director, make_user
from tests.tables.at_the_desk import card, send
from tests.tables.buying import BREAK, LEVEL_3, TERMS, accounts, go_to, make_terms_event, running, undo_last
from tests.tables.pages import entries_at, press, signed_in, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall() -> tuple[Event, User, Day]:
    return running(8)


def expected_at(day: Day, table: int) -> int | None:
    rows = list(day.tables.filter(number=table))
    return held_at(day, rows)[rows[0].pk].chips


# --- rebuys -----------------------------------------------------------------------------------------------------------
def test_a_rebuy_goes_into_both_ledgers_and_is_answered_by_undo(hall):
    event, director, day = hall
    someone = entries_at(event, 1)[0]
    before = accounts(event)
    done = rebuy(actor=director, on=event.pk, entry_id=someone.pk, method="card", stack_confirmed=True)
    assert done.result["cents"] == 5000
    after = accounts(event)
    assert {name: after[name] - before[name] for name in after} == {"till": 5000, "prize_pool": -4000, "fee": -1000}
    assert in_play(day) == 90_000 == expected_at(day, 1)
    undo_last(director, event)
    assert accounts(event) == before
    assert in_play(day) == 80_000 == expected_at(day, 1)
    assert Purchase.objects.get().status == Purchase.Status.TAKEN_BACK


def test_the_stack_must_have_been_looked_at(hall):
    event, director, _ = hall
    with pytest.raises(Refused, match="10,000 chips or less") as refused:
        rebuy(actor=director, on=event.pk, entry_id=entries_at(event, 1)[0].pk, method="cash")
    assert refused.value.field == "stack_confirmed"


def test_no_more_rebuys_than_the_limit_and_none_after_the_level(hall):
    event, director, _ = hall
    first, second = entries_at(event, 1)[:2]
    for _ in range(2):
        rebuy(actor=director, on=event.pk, entry_id=first.pk, method="cash", stack_confirmed=True)
    with pytest.raises(Refused, match="has had its 2 rebuys"):
        rebuy(actor=director, on=event.pk, entry_id=first.pk, method="cash", stack_confirmed=True)
    go_to(event, director, BREAK)
    with pytest.raises(Refused, match="ended with level 2"):
        rebuy(actor=director, on=event.pk, entry_id=second.pk, method="cash", stack_confirmed=True)


def test_an_unknown_way_to_pay_and_an_entry_of_another_event_are_refused(hall):
    event, director, _ = hall
    someone = entries_at(event, 1)[0]
    with pytest.raises(Refused) as refused:
        rebuy(actor=director, on=event.pk, entry_id=someone.pk, method="cheque", stack_confirmed=True)
    assert refused.value.field == "method"
    other, other_director, _ = running(2)
    with pytest.raises(Refused, match="no such player"):
        rebuy(actor=other_director, on=other.pk, entry_id=someone.pk, method="cash", stack_confirmed=True)


def test_a_declared_rebuy_binds(hall):
    event, director, day = hall
    someone = entries_at(event, 1)[0]
    dealer = make_user("Deal", role=Role.DEALER, series=event.series)
    declare_rebuy(actor=dealer, on=event.pk, entry_id=someone.pk)
    assert in_play(day) == 80_000  # the chips come when they are paid
    with pytest.raises(Refused, match="has declared a rebuy"):
        bust(actor=director, on=event.pk, entry_ids=[someone.pk])
    with pytest.raises(Refused, match="already"):
        declare_rebuy(actor=dealer, on=event.pk, entry_id=someone.pk)
    with pytest.raises(NotAllowed):
        undo_last(dealer, event)
    go_to(event, director, LEVEL_3)  # it is owed however late it is paid
    rebuy(actor=director, on=event.pk, entry_id=someone.pk, method="cash")
    assert in_play(day) == 90_000
    bust(actor=director, on=event.pk, entry_ids=[someone.pk])


def test_whose_chips_are_gone_keeps_the_seat_by_rebuying_at_once(hall):
    event, director, _ = hall
    someone = entries_at(event, 1)[0]
    seat = Seat.objects.get(entry=someone)
    bust(actor=director, on=event.pk, entry_ids=[someone.pk])
    rebuy(actor=director, on=event.pk, entry_id=someone.pk, method="cash")
    assert Seat.objects.get(entry=someone) == seat
    assert Entry.objects.get(pk=someone.pk).status == Entry.Status.PLAYING
    assert standings(event) == []
    undo_last(director, event)
    assert [place.entry_id for place in standings(event)] == [someone.pk]
    assert not Seat.objects.filter(entry=someone).exists()


def test_after_the_next_hand_or_ten_minutes_it_is_too_late(hall):
    event, director, _ = hall
    first, second, _third = entries_at(event, 1)[:3]
    bust(actor=director, on=event.pk, entry_ids=[first.pk])
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=11)), pytest.raises(Refused, match="Too late"):
        rebuy(actor=director, on=event.pk, entry_id=first.pk, method="cash")
    set_button(actor=director, on=event.pk, table=1, button=Seat.objects.get(entry=second).number)
    with pytest.raises(Refused, match="Too late"):
        rebuy(actor=director, on=event.pk, entry_id=first.pk, method="cash")


def test_a_seat_that_is_taken_does_not_come_back(hall):
    event, director, _ = hall
    someone = entries_at(event, 1)[0]
    bust(actor=director, on=event.pk, entry_ids=[someone.pk])
    add_players(event, 2, director)  # the table is full again
    with pytest.raises(Refused, match="Somebody else has their seat"):
        rebuy(actor=director, on=event.pk, entry_id=someone.pk, method="cash")


# --- add-ons ----------------------------------------------------------------------------------------------------------
def test_the_add_on_is_sold_once_and_in_its_break(hall):
    event, director, day = hall
    someone = entries_at(event, 1)[0]
    with pytest.raises(Refused, match="in the break after level 2"):
        add_on(actor=director, on=event.pk, entry_id=someone.pk, method="cash")
    go_to(event, director, BREAK)
    add_on(actor=director, on=event.pk, entry_id=someone.pk, method="cash")
    assert accounts(event)["prize_pool"] == -(8 * 22_000 + 5_000)
    assert in_play(day) == 95_000
    assert hall_chips(day, BREAK).tables[0].expected == 95_000
    with pytest.raises(Refused, match="had its add-on"):
        add_on(actor=director, on=event.pk, entry_id=someone.pk, method="cash")


@pytest.mark.parametrize("role", [Role.FLOOR, Role.DEALER, Role.AUDITOR])
def test_only_who_takes_money_sells(hall, role):
    event, director, _ = hall
    user = make_user("Staff", role=role, series=event.series)
    someone = entries_at(event, 1)[0]
    with pytest.raises(NotAllowed):
        rebuy(actor=user, on=event.pk, entry_id=someone.pk, method="cash", stack_confirmed=True)
    go_to(event, director, BREAK)
    with pytest.raises(NotAllowed):
        add_on(actor=user, on=event.pk, entry_id=someone.pk, method="cash")


# --- stacks of late entries, and given up for a re-entry --------------------------------------------------------------
def test_late_entries_get_the_stack_of_their_level():
    event, director, day = running(4, {"late_stacks": [[2, 7_500]]}, late_reg_level=3)
    go_to(event, director, 1)
    late = add_players(event, 1, director)[0]
    assert late["stack"] == 7_500
    assert in_play(day) == 47_500 == expected_at(day, 1)


def test_re_entries_end_with_their_own_level():
    event, director, _ = running(4, {"reentry_until": 1}, late_reg_level=3)
    out = entries_at(event, 1)[0]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    go_to(event, director, 1)
    with pytest.raises(Refused, match="Re-entries ended with level 1"):
        reenter(actor=director, on=event.pk, player_id=out.player_id, method="cash")


def test_a_stack_given_up_leaves_play_and_has_no_place():
    event, director, day = running(6, {"forfeit": True})
    old = entries_at(event, 1)[0]
    with pytest.raises(Refused, match="still playing"):
        reenter(actor=director, on=event.pk, player_id=old.player_id, method="cash")
    reenter(actor=director, on=event.pk, player_id=old.player_id, method="cash", given_up=4_000)
    assert Entry.objects.get(pk=old.pk).status == Entry.Status.GIVEN_UP
    assert in_play(day) == 66_000 == expected_at(day, 1)
    assert ChipLine.objects.get(kind="given_up").chips == -4_000
    bust(actor=director, on=event.pk, entry_ids=[entries_at(event, 1)[1].pk])
    assert [place.best for place in standings(event)] == [6]  # seven entries, six of them with a place
    undo_last(director, event)
    undo_last(director, event)
    assert Entry.objects.get(pk=old.pk).status == Entry.Status.PLAYING
    assert in_play(day) == 60_000 == expected_at(day, 1)


@pytest.mark.parametrize("chips", [0, -1, 60_001])
def test_chips_given_up_must_be_possible(chips):
    event, director, _ = running(6, {"forfeit": True})
    old = entries_at(event, 1)[0]
    with pytest.raises(Refused) as refused:
        reenter(actor=director, on=event.pk, player_id=old.player_id, method="cash", given_up=chips)
    assert refused.value.field == "given_up"


# --- pages ------------------------------------------------------------------------------------------------------------
def page_of(event: Event) -> str:
    return reverse("purchases", args=[event.pk])


@pytest.mark.parametrize(
    ("role", "status", "button"),
    [
        (Role.DIRECTOR, 200, "Rebuy $50.00"),
        (Role.DESK, 200, "Rebuy $50.00"),
        (Role.FLOOR, 200, "Declares a rebuy"),
        (Role.DEALER, 200, "Declares a rebuy"),
        (Role.AUDITOR, 200, ""),
        (Role.EDITOR, 403, ""),
    ],
)
def test_each_role_sees_its_part(hall, role, status, button):
    event, _, _ = hall
    client = signed_in(make_user("Staff", role=role, series=event.series))
    response = client.get(page_of(event))
    assert response.status_code == status
    assert button in words(response)


def test_the_list_asks_as_much_of_the_database_for_nine_as_for_three():
    counts = []
    for players in (3, 9):
        event, director, _ = running(players)
        client = signed_in(director)
        client.get(page_of(event))
        with CaptureQueriesContext(connection) as asked:
            assert client.get(page_of(event)).status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_one_tap_sells_on_the_list_at_the_table_and_at_the_desk(hall):
    event, director, _ = hall
    client = signed_in(director)
    first, second, third = entries_at(event, 1)[:3]
    sent = {"do": "rebuy", "entry_id": first.pk, "method": "cash", "stack_confirmed": "on"}
    response = client.post(page_of(event) + "?pay=cash", sent)
    assert response.status_code == 303
    assert "rebought 10,000" in words(client.get(response["Location"]))
    seat = Seat.objects.get(entry=second)
    at_seat = words(client.get(reverse("table", args=[event.pk, 1]), {"seat": seat.number}))
    assert "Rebuy $50.00" in at_seat
    assert press(client, event, "rebuy", entry_id=second.pk, method="cash", stack_confirmed="on").status_code == 303
    assert "Rebuy $50.00, 10,000 chips" in card(client, event, third.player)
    refused = send(client, "desk_purchase", event, third.player, entry_id=third.pk, kind="rebuy", method="cash")
    assert refused.status_code == 422
    assert "Ask the floor or the dealer" in words(refused)
    send(
        client,
        "desk_purchase",
        event,
        third.player,
        entry_id=third.pk,
        kind="rebuy",
        method="cash",
        stack_confirmed="on",
    )
    assert Purchase.objects.filter(status="paid").count() == 3


def test_the_list_finds_by_name_and_by_seat_and_bears_odd_input(hall):
    event, director, _ = hall
    client = signed_in(director)
    someone = entries_at(event, 1)[2]
    seat = Seat.objects.get(entry=someone)
    for q in (someone.player.name, f"1 {seat.number}"):
        found = client.get(page_of(event), {"q": q}).context["page"].buyers
        assert [buyer.entry_id for buyer in found] == [someone.pk]
    for q in ("9" * 40, "%", "7 7 7", "٣"):
        assert client.get(page_of(event), {"q": q, "pay": "cheque", "day": "9" * 30}).status_code == 200
    odd = client.post(page_of(event), {"do": "rebuy", "entry_id": "9" * 30, "method": "cash"})
    assert odd.status_code in (409, 422)


def test_the_dealer_declares_from_the_dealers_page(hall):
    event, _, _ = hall
    dealer = signed_in(make_user("Deal", role=Role.DEALER, series=event.series))
    address = reverse("dealer", args=[event.pk, 1])
    someone = entries_at(event, 1)[0]
    assert "A player rebuys" in words(dealer.get(address))
    assert dealer.post(address, {"do": "declare_rebuy", "entry_id": someone.pk}).status_code == 303
    assert Purchase.objects.get().status == Purchase.Status.DECLARED


def test_the_desk_gives_a_stack_up(client: Client):
    event, director, _ = running(4, {"forfeit": True})
    desk = signed_in(director)
    someone = entries_at(event, 1)[0]
    assert "Give the stack up" in card(desk, event, someone.player)
    response = send(desk, "desk_give_up", event, someone.player, given_up="lots", method="cash")
    assert response.status_code == 422
    assert send(desk, "desk_give_up", event, someone.player, given_up="2,500", method="cash").status_code == 303
    assert Entry.objects.filter(player=someone.player).count() == 2


def test_the_public_page_says_what_can_be_bought(hall, client: Client):
    event, _, _ = hall
    page = words(client.get(reverse("event", args=[event.pk])))
    assert "up to 2, 10,000 chips, until the end of level 2" in page
    assert "one, 15,000 chips, in the break after level 2" in page


def test_an_add_on_needs_a_break_that_the_structure_has():
    event = make_terms_event({}, status=Event.Status.DRAFT)
    director = make_director(event.series)
    with pytest.raises(Refused, match="break after level 1, but no break comes there") as refused:
        change_event(actor=director, on=event.pk, entry_rules=TERMS | {"addon_break": 1})
    assert refused.value.field == "addon_break"
    change_event(actor=director, on=event.pk, entry_rules=TERMS)
    event.refresh_from_db()
    assert event.rules.addon_break == 2
