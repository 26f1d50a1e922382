"""A satellite and its target: seats won, used, given back and paid in money, with every promise checked."""

import datetime as dt

from django.db.models import Sum
from django.utils import timezone

from config.simulation import BORN, CHIPS, STACK, Simulation
from series.commands.events import create_event
from series.commands.opening import open_event, set_structure
from series.commands.people import register
from series.commands.satellites import set_satellite
from series.domain.structure_templates import build
from series.models import Entry, Event, LedgerLine, SeatWon
from tables.commands.clock import start_clock
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in
from tables.commands.finish import seats_to_win
from tables.commands.floor import close_entries
from tables.commands.payouts import pay_out
from tables.commands.refunds import refund_entry
from tables.commands.satellites import award_seat, cash_seat
from tables.reads.standings import standings

SEAT_CENTS = 25_000
MOST = 60


class Satellite(Simulation):
    """Until no more are left than there are seats; then each of them takes theirs."""

    def __init__(self, first: Simulation) -> None:
        super().__init__(first.entries, first.random.randrange(10**6), first.say)
        self.actor, self.series_id = first.actor, first.event.series_id
        self.players = min(max(first.entries // 8, 6), MOST)
        self.seats = 0

    def __str__(self) -> str:
        return f"a satellite of {self.players} for {self.seats} seats"

    def _new_event(self, name: str, buy_in_cents: int, fee_cents: int) -> Event:
        pk = create_event(
            actor=self.actor,
            on=self.series_id,
            name=name,
            starts_at=timezone.now() + dt.timedelta(hours=1),
            buy_in_cents=buy_in_cents,
            fee_cents=fee_cents,
            starting_stack=STACK,
            chips=CHIPS,
            capacity=self.players + 10,
            late_reg_level=4,
            seat_at_buy_in=False,
        ).result["event"]
        set_structure(actor=self.actor, on=pk, items=build("turbo", STACK, 3, CHIPS))
        return Event.objects.select_related("series").get(pk=pk)

    def _turn_to(self, event: Event) -> None:
        """From here on commands are carried out on this event and its promises are checked."""
        self.event = Event.objects.select_related("series").get(pk=event.pk)
        self.head, self.checked_seq = self.event.head, self.event.seq

    def _set_up(self) -> None:
        self.target = self._new_event("Target", SEAT_CENTS - 3_000, 3_000)
        open_event(actor=self.actor, on=self.target.pk)
        satellite = self._new_event("Satellite", 7_000, 500)
        set_satellite(actor=self.actor, on=satellite.pk, target_id=self.target.pk)
        open_event(actor=self.actor, on=satellite.pk)
        self._turn_to(satellite)

    def _sell(self) -> None:
        for number in range(self.players):
            held = self.do(register, name=f"Satellite {number}", birth_date=BORN)["registration"]
            self._enter(buy_in, registration_id=held, id_kind="passport")
        self.do(draw_seats)
        self.do(start_clock)
        self.do(close_entries)

    def _play(self) -> None:
        self.seats = seats_to_win(self.event)
        while len(self.stacks) > self.seats:
            self._bust_some()
            if len(self.stacks) > self.seats:  # else the event is over
                self._balance()

    def _before_the_bubble(self) -> int:
        return len(self.stacks) - self.seats

    def _pay(self) -> None:
        self._check_places()
        for one in standings(self.event):
            if one.prize_cents == SEAT_CENTS:
                self.do(award_seat, entry_id=one.entry_id)
            elif one.prize_cents:
                self.do(pay_out, entry_id=one.entry_id, method="transfer")
        won = list(SeatWon.objects.filter(target=self.target, status=SeatWon.Status.WON).select_related("entry"))
        self.require(len(won) == self.seats, f"{len(won)} seats for {self.seats} winners")
        cashed = won.pop()
        self.do(cash_seat, entry_id=cashed.entry_id, method="cash")
        self._turn_to(self.target)
        self.stacks, self.in_play, self.chip_line = {}, 0, 0
        for seat in won:
            self._enter_by_seat(seat.entry.player_id)
        again = self.event.entries.filter(status=Entry.Status.PLAYING).select_related("player").first()
        if again is not None:
            del self.stacks[again.pk]
            self.do(refund_entry, entry_id=again.pk, reason="Given back")
            self._enter_by_seat(again.player_id)
        lines = LedgerLine.objects.filter(event__series=self.series_id, account=LedgerLine.Account.SEATS)
        self.require(not lines.aggregate(sum=Sum("amount_cents"))["sum"], "seats were won that nobody used or was paid")

    def _enter_by_seat(self, player_id: int) -> None:
        held = self.do(register, player_id=player_id)["registration"]
        done = self.do(buy_in, registration_id=held, method="seat")
        self.stacks[done["entry"]] = done["stack"]
        self.check_chips("buy_in")
