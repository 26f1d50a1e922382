"""A paid entry given back: both ledgers, the seat, who may, and its undo."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Entry, Event, Purchase, Registration
from series.reads.places import places_left
from tables.commands.clock import start_clock
from tables.commands.entries import reenter
from tables.commands.floor import bust, close_entries
from tables.commands.purchases import add_on, rebuy
from tables.commands.refunds import refund_entry
from tables.models import Seat
from tables.reads.chips import held_at, in_play
from tests.factories import add_players, make_director, make_event, make_user
from tests.tables.at_the_desk import address, card, send
from tests.tables.buying import BREAK, TERMS, accounts, go_to, running, undo_last
from tests.tables.pages import entries_at, signed_in

pytestmark = pytest.mark.django_db


def expected(event: Event) -> int | None:
    (day,) = event.days.all()
    (table,) = day.tables.all()
    return held_at(day, [table])[table.pk].chips


def test_before_play_the_desk_gives_an_entry_back_and_the_seat_is_free():
    event = make_event()
    director = make_director(event.series)
    first, second = add_players(event, 2, director)
    left = places_left(event, timezone.now())
    desk = make_user("Hana", role=Role.DESK, series=event.series)
    done = refund_entry(actor=desk, on=event.pk, entry_id=first["entry"])
    assert done.result["refunded_cents"] == 25_000
    assert accounts(event) == {"till": 25_000, "prize_pool": -22_000, "fee": -3_000}
    assert in_play(event.days.get()) == 10_000 == expected(event)
    assert list(Seat.objects.filter(entry__isnull=False).values_list("entry", flat=True)) == [second["entry"]]
    assert places_left(event, timezone.now()) == left + 1
    assert Registration.objects.get(pk=first["registration"]).status == Registration.Status.WITHDRAWN
    undo_last(desk, event)
    assert Entry.objects.get(pk=first["entry"]).status == Entry.Status.PLAYING
    assert accounts(event) == {"till": 50_000, "prize_pool": -44_000, "fee": -6_000}
    assert in_play(event.days.get()) == 20_000 == expected(event)
    assert places_left(event, timezone.now()) == left


def test_a_seat_given_away_since_cannot_come_back_by_undo():
    event = make_event(seats_per_table=2)
    director = make_director(event.series)
    first, _second = add_players(event, 2, director)
    refund_entry(actor=director, on=event.pk, entry_id=first["entry"])
    add_players(event, 1, director)
    with pytest.raises(Refused, match="came after it"):
        undo(actor=director, entry_id=JournalEntry.objects.get(verb="entry.refund").pk)


def test_once_cards_are_in_the_air_the_director_alone_with_a_reason():
    event, director, day = running(6)
    someone = entries_at(event, 1)[0]
    rebuy(actor=director, on=event.pk, entry_id=someone.pk, method="card", stack_confirmed=True)
    desk = make_user("Hana", role=Role.DESK, series=event.series)
    with pytest.raises(NotAllowed):
        refund_entry(actor=desk, on=event.pk, entry_id=someone.pk, reason="Ill")
    with pytest.raises(Refused) as refused:
        refund_entry(actor=director, on=event.pk, entry_id=someone.pk)
    assert refused.value.field == "reason"
    with pytest.raises(Refused) as refused:
        refund_entry(actor=director, on=event.pk, entry_id=someone.pk, chips=70_001, reason="Ill")
    assert refused.value.field == "chips"
    done = refund_entry(actor=director, on=event.pk, entry_id=someone.pk, chips=12_000, reason="Ill")
    assert done.result["refunded_cents"] == 30_000
    assert accounts(event) == {"till": 125_000, "prize_pool": -110_000, "fee": -15_000}
    assert in_play(day) == 58_000 == expected(event)  # the 8,000 lost before stay at the table
    assert Purchase.objects.get().status == Purchase.Status.TAKEN_BACK
    undo_last(director, event)
    assert in_play(day) == 70_000 == expected(event)


# --- undo: no way round the director ----------------------------------------------------------------------------------
def entry_of(event: Event, verb: str) -> JournalEntry:
    return JournalEntry.objects.filter(stream=event.stream_key, verb=verb).latest("seq")


def undo_of(entry: JournalEntry) -> JournalEntry:
    return JournalEntry.objects.get(undoes=entry)


def sold_in_play() -> tuple[Event, User, dict[str, JournalEntry]]:
    """An event at level 1 with a buy-in, a re-entry, a rebuy and an add-on sold since."""
    event, director, _ = running(6, TERMS | {"addon_until": 4})
    add_players(event, 1, director)
    out, other, third = event.entries.order_by("pk")[:3]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    reenter(actor=director, on=event.pk, player_id=out.player_id, method="cash")
    rebuy(actor=director, on=event.pk, entry_id=other.pk, method="cash", stack_confirmed=True)
    go_to(event, director, BREAK)
    add_on(actor=director, on=event.pk, entry_id=third.pk, method="cash")
    verbs = ("entry.buy_in", "entry.reenter", "entry.rebuy", "entry.addon")
    return event, director, {verb: entry_of(event, verb) for verb in verbs}


def test_once_cards_are_in_the_air_the_director_alone_undoes_a_sale_or_redoes_it():
    event, director, sales = sold_in_play()
    desk = make_user("Hana", role=Role.DESK, series=event.series)
    before = accounts(event)
    for sale in sales.values():
        with pytest.raises(NotAllowed, match="Cards are in the air"):
            undo(actor=desk, entry_id=sale.pk)
    assert accounts(event) == before
    for sale in reversed(sales.values()):
        undo(actor=director, entry_id=sale.pk)
    assert accounts(event)["till"] == 6 * 25_000
    for sale in sales.values():
        with pytest.raises(NotAllowed, match="Cards are in the air"):
            undo(actor=desk, entry_id=undo_of(sale).pk)
        undo(actor=director, entry_id=undo_of(sale).pk)
    assert accounts(event) == before


def test_the_desk_does_not_undo_what_the_director_gave_back_in_play():
    event, director, _ = running(6)
    someone = entries_at(event, 1)[0]
    desk = make_user("Hana", role=Role.DESK, series=event.series)
    refund_entry(actor=director, on=event.pk, entry_id=someone.pk, reason="Ill")
    given_back = entry_of(event, "entry.refund")
    with pytest.raises(NotAllowed, match="Cards are in the air"):
        undo(actor=desk, entry_id=given_back.pk)
    undo(actor=director, entry_id=given_back.pk)
    with pytest.raises(NotAllowed, match="Cards are in the air"):
        undo(actor=desk, entry_id=undo_of(given_back).pk)
    assert Entry.objects.get(pk=someone.pk).status == Entry.Status.PLAYING


def test_an_entry_that_won_a_bounty_does_not_go_by_undo_either():
    event, director, _ = running(4, {"bounty_cents": 5_000})
    hunter = Entry.objects.get(pk=add_players(event, 1, director)[0]["entry"])
    sale = entry_of(event, "entry.buy_in")
    victim = next(entry for entry in entries_at(event, 1) if entry != hunter)
    bust(actor=director, on=event.pk, entry_ids=[victim.pk], by=[hunter.pk])
    with pytest.raises(Refused, match="won a bounty"):
        undo(actor=director, entry_id=sale.pk)
    assert Entry.objects.get(pk=hunter.pk).status == Entry.Status.PLAYING


def test_an_event_that_a_refund_ended_goes_on_by_undo_and_ends_again_by_redo():
    event, director, _ = running(2)
    close_entries(actor=director, on=event.pk)
    refund_entry(actor=director, on=event.pk, entry_id=entries_at(event, 1)[0].pk, reason="Ill")
    refund = entry_of(event, "entry.refund")
    states = []
    for entry in (refund, None, None):
        states.append(Event.objects.get(pk=event.pk).status)
        undo(actor=director, entry_id=(entry or JournalEntry.objects.latest("pk")).pk)
    assert [*states, Event.objects.get(pk=event.pk).status] == ["finished", "running", "finished", "running"]


def test_the_card_offers_undo_to_whom_it_is_allowed():
    event = make_event()
    director = make_director(event.series)
    add_players(event, 2, director)
    player = Entry.objects.all()[0].player
    desk = signed_in(make_user("Hana", role=Role.DESK, series=event.series))
    button = reverse("undo", args=[JournalEntry.objects.filter(verb="entry.buy_in").earliest("pk").pk])
    assert button in card(desk, event, player)
    start_clock(actor=director, on=event.pk)
    assert button not in card(desk, event, player)
    assert button in card(signed_in(director), event, player)


def test_the_re_entry_alone_goes_back_and_the_first_entry_keeps_its_place():
    event, director, _ = running(6)
    out = entries_at(event, 1)[0]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    again = reenter(actor=director, on=event.pk, player_id=out.player_id, method="cash").result["entry"]
    refund_entry(actor=director, on=event.pk, entry_id=again, reason="By mistake")
    assert Entry.objects.get(pk=out.pk).status == Entry.Status.OUT
    assert Registration.objects.get(player=out.player_id).status == Registration.Status.ENTERED


def test_who_is_out_or_of_another_event_cannot_be_given_back():
    event, director, _ = running(6)
    out = entries_at(event, 1)[0]
    bust(actor=director, on=event.pk, entry_ids=[out.pk])
    with pytest.raises(Refused, match="not playing"):
        refund_entry(actor=director, on=event.pk, entry_id=out.pk, reason="x")
    other, other_director, _ = running(2)
    with pytest.raises(Refused, match="no such player"):
        refund_entry(actor=other_director, on=other.pk, entry_id=out.pk, reason="x")


def test_the_desk_page_offers_it_to_whom_it_is_allowed():
    event = make_event()
    add_players(event, 1, make_director(event.series))
    entry = Entry.objects.get()
    desk = signed_in(make_user("Hana", role=Role.DESK, series=event.series))
    assert "Unregister" in card(desk, event, entry.player)
    response = send(desk, "desk_refund", event, entry.player, entry_id=entry.pk)
    assert response.status_code == 303
    assert "given back" in desk.get(response["Location"]).content.decode()
    assert send(desk, "desk_refund", event, entry.player, entry_id="9" * 30).status_code in (404, 422)
    event, director, _ = running(4)
    entry = entries_at(event, 1)[0]
    desk = signed_in(make_user("Hana", role=Role.DESK, series=event.series))
    assert "Unregister" not in card(desk, event, entry.player)
    assert "Unregister" in card(signed_in(director), event, entry.player)
    assert signed_in(director).get(address(event)).status_code == 200
    assert reverse("desk_refund", args=[event.pk, entry.player_id]) in card(signed_in(director), event, entry.player)
