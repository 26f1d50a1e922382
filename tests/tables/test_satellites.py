"""Satellites: seats as prizes, the end of play, the ledgers of both events, and who has a seat already."""

from typing import Any

import pytest
from django.db.models import Sum
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from journal.errors import NotAllowed, Refused
from series.commands.altering import alter_event, cancel_event
from series.commands.events import change_event
from series.commands.people import register
from series.commands.satellites import set_satellite
from series.models import Entry, Event, LedgerLine, Registration, SeatWon
from series.reads.ledger import problems
from series.reads.prizes import prizes
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in, reenter
from tables.commands.floor import bust, close_entries
from tables.commands.payouts import pay_out
from tables.commands.refunds import refund_entry
from tables.commands.satellites import award_seat, cash_seat
from tables.reads.payouts import payout_table
from tables.reads.standings import standings
from tests.factories import add_players, make_director, make_event, make_running_event, make_series, make_user
from tests.tables.at_the_desk import card, pay
from tests.tables.buying import accounts, undo_last
from tests.tables.pages import signed_in, words

pytestmark = pytest.mark.django_db


class Satellite:
    """An event at $100 + $10 for seats in a Main Event at $220 + $30, and its players."""

    def __init__(self, players: int = 6, *, second_seat: str = "cash", play: bool = True) -> None:
        series = make_series()
        self.main = make_event(series, name="Main", max_reentries=1)
        self.event = make_event(series, name="Satellite", buy_in_cents=10_000, fee_cents=1_000)
        self.director: User = make_director(series)
        self.do(set_satellite, target_id=self.main.pk, second_seat=second_seat, reason="As asked for.")
        add_players(self.event, players, self.director)
        self.do(start_clock)
        self.event.refresh_from_db()
        self.players = list(self.event.entries.order_by("pk").select_related("player"))
        if play:
            self.do(close_entries)

    def do(self, command: Any, on: Event | None = None, **given: Any) -> dict[str, Any]:
        return command(actor=self.director, on=(on or self.event).pk, **given).result

    def play_out(self) -> list[Entry]:
        """Until as many are left as there are seats; who won them."""
        seats = sum(cents >= 25_000 for cents in prizes(self.event))
        for entry in self.players[: len(self.players) - seats]:
            self.do(bust, entry_ids=[entry.pk])
        self.event.refresh_from_db()
        return self.players[len(self.players) - seats :]


def seats_account() -> int:
    return LedgerLine.objects.filter(account="seats").aggregate(total=Sum("amount_cents"))["total"] or 0


def test_the_pool_is_seats_and_the_rest_goes_to_the_next_place():
    it = Satellite(6)
    assert prizes(it.event) == (25_000, 25_000, 10_000)


def test_play_ends_when_as_many_are_left_as_there_are_seats():
    it = Satellite(6)
    winners = it.play_out()
    assert it.event.status == Event.Status.FINISHED
    placed = standings(it.event)
    assert [(row.best, row.worst, row.prize_cents) for row in placed[:3]] == [
        (1, 2, 25_000),
        (1, 2, 25_000),
        (3, 3, 10_000),
    ]
    assert {row.entry_id for row in placed[:2]} == {entry.pk for entry in winners}
    assert len(placed) == 6
    assert payout_table(it.event).adds_up


def test_not_before_nobody_can_enter_any_more():
    it = Satellite(6, play=False)
    for entry in it.players[:4]:
        it.do(bust, entry_ids=[entry.pk])
    it.event.refresh_from_db()
    assert it.event.status == Event.Status.RUNNING
    it.do(close_entries)
    it.event.refresh_from_db()
    assert it.event.status == Event.Status.FINISHED


def test_a_seat_pays_the_entry_and_both_ledgers_balance():
    it = Satellite(6)
    winner = it.play_out()[0]
    it.do(award_seat, entry_id=winner.pk)
    assert accounts(it.event) == {
        "till": 66_000,
        "prize_pool": -60_000,
        "fee": -6_000,
        "payouts": 25_000,
        "seats": -25_000,
    }
    held = it.do(register, on=it.main, player_id=winner.player_id)
    bought = it.do(buy_in, on=it.main, registration_id=held["registration"], method="seat", id_kind="passport")
    assert accounts(it.main) == {"seats": 25_000, "prize_pool": -22_000, "fee": -3_000}
    assert seats_account() == 0
    assert SeatWon.objects.get().status == SeatWon.Status.USED
    it.do(refund_entry, on=it.main, entry_id=bought["entry"])
    assert SeatWon.objects.get().status == SeatWon.Status.WON
    assert accounts(it.main) == {}


def test_taking_a_seat_back_answers_its_lines():
    it = Satellite(6)
    winner = it.play_out()[0]
    it.do(award_seat, entry_id=winner.pk)
    undo_last(it.director, it.event)
    assert "seats" not in accounts(it.event)
    assert SeatWon.objects.get().status == SeatWon.Status.TAKEN_BACK
    it.do(award_seat, entry_id=winner.pk)


def test_a_seat_used_since_cannot_be_taken_back():
    it = Satellite(6)
    winner = it.play_out()[0]
    it.do(award_seat, entry_id=winner.pk)
    held = it.do(register, on=it.main, player_id=winner.player_id)
    it.do(buy_in, on=it.main, registration_id=held["registration"], method="seat", id_kind="passport")
    with pytest.raises(Refused, match="came after it"):
        undo_last(it.director, it.event)


def test_without_a_seat_nobody_enters_by_one():
    it = Satellite(6)
    stranger = add_players(it.main, 1, it.director, paid=False)[0]
    with pytest.raises(Refused) as refused:
        it.do(buy_in, on=it.main, registration_id=stranger["registration"], method="seat", id_kind="passport")
    assert refused.value.field == "method"
    assert not it.main.entries.exists()


def test_who_has_a_seat_already_gets_cash():
    it = Satellite(6)
    winner, other = it.play_out()
    held = it.do(register, on=it.main, player_id=winner.player_id)
    it.do(buy_in, on=it.main, registration_id=held["registration"], method="cash", id_kind="passport")
    with pytest.raises(Refused, match="has a seat in Main already"):
        it.do(award_seat, entry_id=winner.pk)
    desk = make_user("Hana", role=Role.DESK, series=it.event.series)
    pay_out(actor=desk, on=it.event.pk, entry_id=winner.pk, method="cash")
    with pytest.raises(Refused, match="This prize is a seat"):
        pay_out(actor=desk, on=it.event.pk, entry_id=other.pk, method="cash")


def test_or_keeps_it_for_a_re_entry():
    it = Satellite(6, second_seat="keep")
    winner = it.play_out()[0]
    held = it.do(register, on=it.main, player_id=winner.player_id)
    it.do(buy_in, on=it.main, registration_id=held["registration"], method="cash", id_kind="passport")
    it.do(award_seat, entry_id=winner.pk)
    add_players(it.main, 2, it.director)
    it.do(start_clock, on=it.main)
    it.do(bust, on=it.main, entry_ids=[it.main.entries.get(player=winner.player_id).pk])
    it.do(reenter, on=it.main, player_id=winner.player_id, method="seat")
    assert SeatWon.objects.get().status == SeatWon.Status.USED


def test_the_director_pays_an_unused_seat_in_cash():
    it = Satellite(6)
    winner = it.play_out()[0]
    it.do(award_seat, entry_id=winner.pk)
    desk = make_user("Hana", role=Role.DESK, series=it.event.series)
    with pytest.raises(NotAllowed):
        cash_seat(actor=desk, on=it.event.pk, entry_id=winner.pk, method="cash")
    it.do(cash_seat, entry_id=winner.pk, method="cash")
    assert "seats" not in accounts(it.event)
    with pytest.raises(Refused, match="no unused seat"):
        it.do(cash_seat, entry_id=winner.pk, method="cash")


def test_what_an_event_is_played_for_is_set_before_the_first_entry():
    it = Satellite(6)
    with pytest.raises(Refused, match="bought in"):
        it.do(set_satellite, target_id=None)
    fresh = make_event(it.event.series, name="Second", status=Event.Status.DRAFT)
    for target in (fresh.pk, 10**15, make_event().pk, make_event(it.event.series, buy_in_cents=0, fee_cents=0).pk):
        with pytest.raises(Refused) as refused:
            it.do(set_satellite, on=fresh, target_id=target)
        assert refused.value.field == "target"
    it.do(set_satellite, on=fresh, target_id=it.main.pk)
    with pytest.raises(Refused) as refused:
        it.do(set_satellite, on=it.main, target_id=fresh.pk)
    assert refused.value.field == "target"
    with pytest.raises(Refused, match="its price cannot change"):
        it.do(change_event, on=it.main, buy_in_cents=50_000)
    it.do(change_event, on=fresh, capacity=400)
    fresh.refresh_from_db()
    assert fresh.rules.seat_cents == 25_000
    it.do(set_satellite, on=fresh, target_id=None)
    fresh.refresh_from_db()
    assert fresh.seats_in is None
    assert fresh.entry_rules == {}


# --- pages ------------------------------------------------------------------------------------------------------------
def test_the_payouts_page_hands_a_seat_over_and_the_desk_of_the_target_takes_it():
    it = Satellite(6)
    winner = it.play_out()[0]
    client = signed_in(it.director)
    address = reverse("payouts", args=[it.event.pk])
    assert "Seat in Main" in words(client.get(address))
    response = client.post(address, {"do": "seat", "entry_id": winner.pk})
    assert response.status_code == 303
    assert "A place in Main is held" in words(client.get(address))
    held = Registration.objects.get(event=it.main, player=winner.player_id)
    desk = signed_in(make_user("Hana", role=Role.DESK, series=it.event.series))
    assert "Seat won" in card(desk, it.main, winner.player)
    assert pay(desk, held, method="seat").status_code == 303
    assert Entry.objects.filter(event=it.main, player=winner.player_id).exists()
    assert "Cash instead" not in words(client.get(address))


def test_odd_input_is_no_error_of_the_server():
    it = Satellite(6)
    it.play_out()
    client = signed_in(it.director)
    address = reverse("payouts", args=[it.event.pk])
    for sent in ({"do": "seat", "entry_id": "9" * 30}, {"do": "cash_seat", "entry_id": 1, "method": "seat"}):
        assert client.post(address, sent).status_code in (404, 409, 422)
    fresh = make_event(it.event.series)
    setup = reverse("event_satellite", args=[fresh.pk])
    for sent in ({"target": "9" * 30}, {"target": "x"}, {"target": fresh.pk}):
        assert client.post(setup, sent).status_code == 422


def test_the_set_up_page_makes_an_event_a_satellite():
    event, director = make_running_event(2)
    fresh = make_event(event.series, name="Sat")
    client = signed_in(director)
    page = words(client.get(reverse("event_setup", args=[fresh.pk])))
    assert f"Seats in {event}" in page
    sent = {"target": event.pk, "second_seat": "keep", "reason": "You asked for it."}
    assert client.post(reverse("event_satellite", args=[fresh.pk]), sent).status_code == 303
    fresh.refresh_from_db()
    assert (fresh.seats_in, fresh.rules.second_seat) == (event, "keep")
    assert "$250 a seat" in words(client.get(reverse("event_setup", args=[fresh.pk])))


def test_the_prizes_page_of_a_satellite_shows_seats_and_no_plan_of_money():
    night = Satellite()
    browser, address = signed_in(night.director), reverse("prize_setup", args=[night.event.pk])
    page = words(browser.get(address))
    assert "The prizes are seats in Main, worth $250 each" in page
    assert "How they are divided" in page
    assert 'value="save"' not in page
    assert page.count("$250.00") == 2  # one seat of each
    # ten entries of $100 each are four seats and nothing over
    shown = browser.post(address, {"do": "preview", "entries": "10", "payout_kind": "table", "payout_step_cents": "1"})
    assert [preview.planned.amounts for preview in shown.context["previews"]] == [
        (25_000, 25_000, 10_000),
        (25_000,) * 4,
    ]


def test_a_used_seat_is_worth_its_money_again_when_the_target_is_called_off():
    it = Satellite(6)
    winner = it.play_out()[0]
    it.do(award_seat, entry_id=winner.pk)
    held = it.do(register, on=it.main, player_id=winner.player_id)
    it.do(buy_in, on=it.main, registration_id=held["registration"], method="seat", id_kind="passport")
    it.do(cancel_event, on=it.main, reason="The hall has no power.")
    assert (SeatWon.objects.get().status, accounts(it.main)) == (SeatWon.Status.WON, {})
    it.do(cash_seat, entry_id=winner.pk, method="cash")
    assert seats_account() == 0
    assert problems(it.event) == problems(it.main) == []


def test_a_guarantee_of_more_seats_than_players_gives_each_a_seat_and_the_rest_in_cash():
    it = Satellite(4, play=False)
    it.do(alter_event, guarantee_cents=125_000, reason="As promised.")
    it.do(close_entries)
    it.event.refresh_from_db()
    assert it.event.status == Event.Status.FINISHED
    assert {row.prize_cents for row in standings(it.event)} == {31_250}
    for entry in it.players:
        it.do(award_seat, entry_id=entry.pk)
    assert seats_account() == -100_000
    assert accounts(it.event)["payouts"] == 125_000
    assert SeatWon.objects.filter(cents=25_000, status=SeatWon.Status.WON).count() == 4
    assert problems(it.event) == []


def test_a_seat_used_at_the_other_desk_meanwhile_is_not_taken_back():
    seat = SeatWon(status=SeatWon.Status.USED)
    with pytest.raises(Refused, match="this seat is used"):
        seat.journal_unmake(None)  # type: ignore[arg-type]  # refuses before it writes
