"""A second simulated event: two flights, bags, and a later day, with every promise checked after each command."""

import datetime as dt
from unittest import mock

from django.db.models import Count
from django.utils import timezone

from config.simulation import BORN, CHIPS, STACK, Simulation
from series.commands.events import add_day, create_event
from series.commands.opening import open_event, set_structure
from series.commands.people import register
from series.domain.structure_templates import build
from series.models import Day, Entry, Event
from tables.commands.breaking import break_table
from tables.commands.clock import start_clock
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in, reenter
from tables.commands.flights import close_bags, end_day, gather, record_bags
from tables.commands.floor import confirm_move
from tables.models import Bag, Move, Seat, Table
from tables.reads.chips import in_play

MOST_IN_A_FLIGHT = 40


class Flights(Simulation):
    """The event with the flights, in the series of the simulation before it."""

    def __init__(self, first: Simulation) -> None:
        super().__init__(first.entries, first.random.randrange(10**6), first.say)
        self.actor, self.series_id = first.actor, first.event.series_id
        self.in_a_flight = min(max(first.entries // 8, 6), MOST_IN_A_FLIGHT)
        self.carried = 0

    def __str__(self) -> str:
        return f"two flights of {self.in_a_flight}, {self.carried} bags carried on"

    def _set_up(self) -> None:
        starts = timezone.now() + dt.timedelta(hours=1)
        with mock.patch("series.models.events.secrets.token_hex", lambda size: self.random.randbytes(size).hex()):
            pk = create_event(
                actor=self.actor,
                on=self.series_id,
                name="Two flights",
                starts_at=starts,
                buy_in_cents=10_000,
                fee_cents=1_000,
                starting_stack=STACK,
                chips=CHIPS,
                capacity=self.in_a_flight * 2 + 10,
                late_reg_level=4,
                max_reentries=1,
                entry_rules={"best_stack": True, "bounty_cents": 999, "flight_percent": 40},
            ).result["event"]
        days = (("Day 1B", 5, Day.Kind.FLIGHT), ("Day 2", 24, Day.Kind.LATER))
        for label, hours, kind in days:
            at = starts + dt.timedelta(hours=hours)
            add_day(actor=self.actor, on=pk, label=label, starts_at=at, kind=kind)
        set_structure(actor=self.actor, on=pk, items=build("regular", STACK, 6, CHIPS))
        open_event(actor=self.actor, on=pk)
        self.event = Event.objects.select_related("series").get(pk=pk)
        self.head, self.checked_seq = self.event.head, self.event.seq

    def _sell(self) -> None:
        """Both flights, one after the other, to their bags."""
        first, second, _ = self.event.days.order_by("number")
        for day in (first, second):
            for number in range(self.in_a_flight):
                held = self.do(register, name=f"{day} {number}", birth_date=BORN, day_id=day.pk)["registration"]
                self._enter(buy_in, registration_id=held, id_kind="passport")
            if day == second:
                self._again(day)
            self.do(start_clock, day_id=day.pk)
            self._play_down(day, max(2, self.in_a_flight * 2 // 5))
            self._bag(day)

    def _again(self, day: Day) -> None:
        """Two of the first flight's players play the second one too: one who is out, and one who has bagged."""
        for status in (Entry.Status.OUT, Entry.Status.BAGGED):
            entry = self.event.entries.filter(status=status).order_by("pk").first()
            if entry is not None:
                self._enter(reenter, player_id=entry.player_id, day_id=day.pk)

    def _left(self, day: Day) -> int:
        return Entry.objects.filter(day=day, status=Entry.Status.PLAYING).count()

    def _play_down(self, day: Day, until: int) -> None:
        while (left := self._left(day)) > until:
            tables = Table.objects.filter(day=day, status="open").annotate(players=Count("chairs__entry"))
            in_order = list(tables.order_by("number"))
            playing = [table for table in in_order if table.players > 1]
            if not playing:
                self.do(break_table, table=in_order[-1].number, day_id=day.pk)
                for pk in Move.objects.filter(day=day, status=Move.Status.ORDERED).values_list("pk", flat=True):
                    self.do(confirm_move, move_id=pk)
                continue
            seats = Seat.objects.filter(table=self.random.choice(playing), entry__isnull=False)
            seated = list(seats.order_by("number").values_list("entry_id", flat=True))
            self.bust(seated, min(self.random.choice((1, 1, 1, 2)), len(seated) - 1, left - until))

    def _bag(self, day: Day) -> None:
        self.do(end_day, day_id=day.pk)
        for table in Table.objects.filter(day=day, status="open").order_by("number"):
            seats = Seat.objects.filter(table=table, entry__isnull=False).order_by("number")
            bags = {entry: self.stacks[entry] for entry in seats.values_list("entry_id", flat=True)}
            if bags:
                self.do(record_bags, day_id=day.pk, table=table.number, chips=bags)
        difference = self.do(close_bags, day_id=day.pk)["difference"]
        self.require(difference == 0, f"the bags of {day} are {difference} chips off")

    def _play(self) -> None:
        """The later day, from the bags to the winner."""
        two = self.event.days.get(kind=Day.Kind.LATER)
        self.carried = self.do(gather, day_id=two.pk)["players"]
        for entry in self.event.entries.filter(status=Entry.Status.GIVEN_UP).values_list("pk", flat=True):
            del self.stacks[entry]
        self.check_chips("gather")
        largest: dict[int, int] = {}
        for player, chips in Bag.objects.filter(day__event=self.event).values_list("entry__player", "chips"):
            largest[player] = max(largest.get(player, 0), chips)
        on = self.event.entries.filter(day=two).values_list("pk", "player")
        self.require(all(self.stacks[pk] == largest[player] for pk, player in on), "a smaller bag goes on")
        self.require(in_play(two) == sum(self.stacks.values()), "the later day does not hold the bags")
        for day in self.event.days.filter(kind=Day.Kind.FLIGHT):
            self.require(in_play(day) == 0, f"chips are left on {day}")
        self.do(draw_seats, day_id=two.pk)
        self.do(start_clock, day_id=two.pk)
        self._play_down(two, 3)
        self.deals.end_now()
