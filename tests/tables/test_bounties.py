"""Bounties: named on the bust or later, split, paid, and the account empty at the end."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from rulings.penalty_commands import give_penalty
from series.commands.altering import cancel_event
from series.models import Entry, Event
from series.reads.ledger import problems
from tables.commands.bounties import name_hunters, pay_bounties
from tables.commands.entries import reenter
from tables.commands.floor import bust, close_entries
from tables.commands.purchases import rebuy
from tables.commands.refunds import refund_entry
from tables.models import Knockout
from tables.reads.bounties import bounty_winners, unnamed
from tests.factories import make_user
from tests.tables.buying import TERMS, accounts, running, undo_last
from tests.tables.pages import entries_at, press, signed_in, words

pytestmark = pytest.mark.django_db
BOUNTY = {"bounty_cents": 5001}


def page_of(event: Event) -> str:
    return reverse("bounties", args=[event.pk])


def totals(event: Event) -> dict[int, int]:
    return {player: one.total_cents for player, one in bounty_winners(event).items()}


def test_the_bounty_is_part_of_the_price():
    event, _, _ = running(4, BOUNTY)
    assert accounts(event) == {
        "till": 4 * 30_000,
        "prize_pool": -88_000,
        "fee": -12_000,
        "bounty": -4 * 5001,
        "rounding": 4,
    }


def test_a_bounty_is_split_to_the_cent_and_comes_back_by_undo():
    event, director, _ = running(5, BOUNTY)
    out, first, second = entries_at(event, 1)[:3]
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[first.pk, second.pk])
    assert totals(event) == {first.player_id: 2501, second.player_id: 2500}
    undo_last(director, event)
    assert totals(event) == {}
    assert not Knockout.objects.filter(taken_back=False).exists()


def test_who_busted_somebody_may_be_named_later_and_put_right():
    event, director, _ = running(5, BOUNTY)
    out, first, second = entries_at(event, 1)[:3]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    assert [one.entry_id for one in unnamed(event)] == [out.pk]
    name_hunters(actor=director, on=event.pk, entry_id=out.pk, by=[first.pk])
    assert unnamed(event) == []
    name_hunters(actor=director, on=event.pk, entry_id=out.pk, by=[second.pk])
    assert totals(event) == {second.player_id: 5001}
    pay_bounties(actor=director, on=event.pk, player_id=second.player_id, method="cash")
    with pytest.raises(Refused, match="has been paid bounties already") as refused:
        name_hunters(actor=director, on=event.pk, entry_id=out.pk, by=[first.pk])
    assert refused.value.field == "by"


@pytest.mark.parametrize("by", [[0], [10**15], "victim"])
def test_only_a_player_of_the_event_can_have_busted_somebody_else(by):
    event, director, _ = running(4, BOUNTY)
    out = entries_at(event, 1)[0]
    with pytest.raises(Refused) as refused:
        bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[out.pk] if by == "victim" else by)
    assert refused.value.field == "by"
    assert Entry.objects.get(pk=out.pk).status == Entry.Status.PLAYING


def test_the_winner_keeps_their_own_and_what_is_nobodys_and_the_account_ends_empty():
    event, director, _ = running(4, BOUNTY)
    winner, *others = entries_at(event, 1)
    bust(actor=director, on=event.pk, entry_ids=[others[0].pk], by=[others[1].pk])
    bust(actor=director, on=event.pk, entry_ids=[others[1].pk])  # nobody named
    close_entries(actor=director, on=event.pk)
    bust(actor=director, on=event.pk, entry_ids=[others[2].pk], by=[winner.pk])
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
    assert totals(event) == {winner.player_id: 3 * 5001, others[1].player_id: 5001}
    for player in totals(event):
        pay_bounties(actor=director, on=event.pk, player_id=player, method="cash")
    assert "bounty" not in accounts(event)
    with pytest.raises(Refused, match="No bounty is owed"):
        pay_bounties(actor=director, on=event.pk, player_id=winner.player_id, method="cash")
    undo_last(director, event)
    assert accounts(event)["bounty"] < 0


def test_who_comes_back_by_a_rebuy_has_their_bounty_again():
    event, director, _ = running(4, TERMS | BOUNTY)
    out, hunter = entries_at(event, 1)[:2]
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[hunter.pk])
    rebuy(actor=director, on=event.pk, entry_id=out.pk, method="cash")
    assert totals(event) == {}


def test_an_entry_that_won_a_bounty_is_not_given_back_and_paid_ones_hold_the_event():
    event, director, _ = running(4, BOUNTY)
    out, hunter = entries_at(event, 1)[:2]
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[hunter.pk])
    with pytest.raises(Refused, match="won a bounty"):
        refund_entry(actor=director, on=event.pk, entry_id=hunter.pk, reason="x")
    pay_bounties(actor=director, on=event.pk, player_id=hunter.player_id, method="cash")
    with pytest.raises(Refused, match="Bounties have been paid"):
        cancel_event(actor=director, on=event.pk, reason="Fire")
    undo_last(director, event)
    assert cancel_event(actor=director, on=event.pk, reason="Fire").result["refunded_cents"] == 4 * 30_000


def test_a_reentry_given_back_leaves_the_bounties_that_were_paid():
    event, director, _ = running(6, BOUNTY, late_reg_level=2)
    hunter, victim = entries_at(event, 1)[:2]
    bust(actor=director, on=event.pk, entry_ids=[victim.pk], by=[hunter.pk])
    bust(actor=director, on=event.pk, entry_ids=[hunter.pk])
    again = reenter(actor=director, on=event.pk, player_id=hunter.player_id, method="card").result["entry"]
    pay_bounties(actor=director, on=event.pk, player_id=hunter.player_id, method="card")
    given = refund_entry(actor=director, on=event.pk, entry_id=again, reason="Ill").result
    assert given["refunded_cents"] == event.price_cents
    assert bounty_winners(event)[hunter.player_id].owed_cents == 0
    assert accounts(event)["bounty"] == -5 * 5001
    assert problems(event) == []


def test_an_event_without_bounties_names_nobody():
    event, director, _ = running(4, {})
    out, hunter = entries_at(event, 1)[:2]
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[hunter.pk])
    assert not Knockout.objects.exists()
    with pytest.raises(Refused, match="no bounties"):
        name_hunters(actor=director, on=event.pk, entry_id=out.pk, by=[hunter.pk])


@pytest.mark.parametrize(
    ("role", "sees", "names", "pays"),
    [
        (Role.DIRECTOR, 200, True, True),
        (Role.FLOOR, 200, True, False),
        (Role.DESK, 200, False, True),
        (Role.AUDITOR, 200, False, False),
        (Role.DEALER, 403, False, False),
    ],
)
def test_who_may(role, sees, names, pays):
    event, director, _ = running(4, BOUNTY)
    out, hunter = entries_at(event, 1)[:2]
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[hunter.pk])
    user = make_user("Staff", role=role, series=event.series)
    response = signed_in(user).get(page_of(event))
    assert response.status_code == sees
    assert ("Pay $50.01" in words(response)) == pays
    for allowed, order in (
        (names, lambda: name_hunters(actor=user, on=event.pk, entry_id=out.pk, by=[hunter.pk])),
        (pays, lambda: pay_bounties(actor=user, on=event.pk, player_id=hunter.player_id, method="cash")),
    ):
        if allowed:
            order()
        else:
            with pytest.raises(NotAllowed):
                order()


def test_the_floor_names_them_with_the_bust_and_the_page_afterwards(client: Client):
    event, director, _ = running(6, BOUNTY)
    floor = signed_in(director)
    out, hunter, later = entries_at(event, 1)[:3]
    asked = words(floor.get(reverse("floor", args=[event.pk]), {"out": out.pk}))
    assert f'name="by" value="{hunter.pk}"' in asked
    assert press(floor, event, "bust", out=out.pk, by=hunter.pk).status_code == 303
    assert totals(event) == {hunter.player_id: 5001}
    press(floor, event, "bust", out=later.pk)
    page = words(floor.get(page_of(event), {"victim": later.pk}))
    assert f'name="by" value="{hunter.pk}"' in page
    response = floor.post(page_of(event), {"do": "name", "entry_id": later.pk, "by": [hunter.pk]})
    assert response.status_code == 303
    response = floor.post(page_of(event), {"do": "pay", "player_id": hunter.player_id, "method": "card"})
    assert response.status_code == 303
    assert bounty_winners(event)[hunter.player_id].paid_cents == 10_002
    results = words(client.get(reverse("results", args=[event.pk])))
    assert "$100.02" in results
    mine = words(client.get(reverse("my_page", args=[hunter.player.token]), {"event": event.pk}))
    assert "$100.02 of bounties" in mine


def test_odd_input_is_no_error_of_the_server():
    event, director, _ = running(4, BOUNTY)
    floor = signed_in(director)
    assert floor.get(page_of(event), {"victim": "9" * 40}).status_code == 404
    assert floor.get(page_of(event), {"victim": entries_at(event, 1)[0].pk}).status_code == 404
    for sent in ({"do": "name", "entry_id": "9" * 30}, {"do": "pay", "player_id": "9" * 30, "method": "cash"}):
        assert floor.post(page_of(event), sent).status_code in (404, 409, 422)
    assert press(floor, event, "bust", out=entries_at(event, 1)[0].pk, by="x" * 9).status_code == 303


def paid_hunter(rules: dict[str, int]) -> tuple[Event, User, list[Entry]]:
    """An event where the second player at table 1 busted the first and was paid for it."""
    event, director, _ = running(5, rules)
    out, hunter, *others = entries_at(event, 1)
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[hunter.pk])
    pay_bounties(actor=director, on=event.pk, player_id=hunter.player_id, method="cash")
    return event, director, [out, hunter, *others]


def entry_of(event: Event, verb: str) -> JournalEntry:
    return JournalEntry.objects.filter(stream=event.stream_key, verb=verb).latest("seq")


def test_a_bust_is_not_undone_while_its_bounty_is_paid():
    event, director, (out, *_) = paid_hunter(BOUNTY)
    with pytest.raises(Refused, match="has been paid bounties already"):
        undo(actor=director, entry_id=entry_of(event, "entry.bust").pk)
    assert Entry.objects.get(pk=out.pk).status == Entry.Status.OUT
    undo(actor=director, entry_id=entry_of(event, "bounty.pay").pk)
    undo(actor=director, entry_id=entry_of(event, "entry.bust").pk)
    assert totals(event) == {}


def test_nobody_comes_back_by_a_rebuy_while_their_bounty_is_paid():
    event, director, (out, *_) = paid_hunter(TERMS | BOUNTY)
    with pytest.raises(Refused, match="has been paid bounties already"):
        rebuy(actor=director, on=event.pk, entry_id=out.pk, method="cash")
    undo(actor=director, entry_id=entry_of(event, "bounty.pay").pk)
    rebuy(actor=director, on=event.pk, entry_id=out.pk, method="cash")
    assert totals(event) == {}


def test_a_payment_taken_back_is_not_redone_once_somebody_else_has_the_bounty():
    event, director, (out, _, other, *_) = paid_hunter(BOUNTY)
    undo(actor=director, entry_id=entry_of(event, "bounty.pay").pk)
    name_hunters(actor=director, on=event.pk, entry_id=out.pk, by=[other.pk])
    with pytest.raises(Refused, match="pay the bounties anew"):
        undo(actor=director, entry_id=entry_of(event, "undo").pk)
    naming = entry_of(event, "bounty.name")
    pay_bounties(actor=director, on=event.pk, player_id=other.player_id, method="cash")
    with pytest.raises(Refused, match="has been paid bounties already"):
        undo(actor=director, entry_id=naming.pk)
    assert {one.player_id: one.owed_cents for one in bounty_winners(event).values()} == {other.player_id: 0}


def decided(*, named: bool) -> tuple[Event, User, Entry]:
    """An event that is over: one bust named somebody, or nobody and that naming was undone; the winner was paid."""
    event, director, _ = running(3, BOUNTY)
    winner, hunter, out = entries_at(event, 1)
    bust(actor=director, on=event.pk, entry_ids=[out.pk], by=[hunter.pk] if named else [])
    bust(actor=director, on=event.pk, entry_ids=[hunter.pk])
    close_entries(actor=director, on=event.pk)
    event.refresh_from_db()
    return event, director, winner


def test_a_naming_is_not_redone_once_the_winner_was_paid_what_was_nobodys():
    event, director, winner = decided(named=False)
    out = Entry.objects.get(pk=unnamed(event)[-1].entry_id)
    other = Entry.objects.get(pk=unnamed(event)[0].entry_id)
    name_hunters(actor=director, on=event.pk, entry_id=out.pk, by=[other.pk])
    undo_last(director, event)
    pay_bounties(actor=director, on=event.pk, player_id=winner.player_id, method="card")
    with pytest.raises(Refused, match="has been paid bounties already"):
        undo(actor=director, entry_id=entry_of(event, "undo").pk)
    undo(actor=director, entry_id=entry_of(event, "bounty.pay").pk)
    undo(actor=director, entry_id=JournalEntry.objects.get(undoes__verb="bounty.name").pk)
    assert totals(event) == {winner.player_id: 2 * 5001, other.player_id: 5001}


def test_nobody_is_asked_for_once_an_event_is_over_and_its_bounties_are_paid():
    event, director, winner = decided(named=False)
    client, address = signed_in(director), reverse("bounties", args=[event.pk])
    assert "Nobody named yet" in words(client.get(address))
    pay_bounties(actor=director, on=event.pk, player_id=winner.player_id, method="card")
    assert "Nobody named yet" not in words(client.get(address))
    assert "$150.03 kept as the winner" in words(client.get(address))


def test_no_disqualification_that_ended_an_event_is_undone_once_its_winner_was_paid():
    event, director, _ = running(3, BOUNTY)
    _, other, out = entries_at(event, 1)
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    close_entries(actor=director, on=event.pk)
    cheat = {"offence": "hidden_chips", "facts": "A marked card.", "sanction": "disqualification", "chips": 10_000}
    give_penalty(actor=director, on=event.pk, entry_id=other.pk, **cheat)
    given = entry_of(event, "penalty.give")
    event.refresh_from_db()
    (winner,) = bounty_winners(event).values()
    pay_bounties(actor=director, on=event.pk, player_id=winner.player_id, method="card")
    with pytest.raises(Refused, match="has been paid bounties already"):
        undo(actor=director, entry_id=given.pk)


def test_an_event_does_not_go_on_once_its_winner_was_paid_what_was_nobodys():
    event, director, winner = decided(named=True)
    pay_bounties(actor=director, on=event.pk, player_id=winner.player_id, method="card")
    with pytest.raises(Refused, match="has been paid bounties already"):
        undo(actor=director, entry_id=entry_of(event, "entries.close").pk)
    event.refresh_from_db()
    assert event.status == Event.Status.FINISHED
