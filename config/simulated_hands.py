"""Hands and hand-for-hand in the simulation, checked by its own reading of the rules: the domain is not asked."""

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils import timezone

from journal.errors import Refused
from series.models import Entry, Level
from series.reads.prizes import prizes
from tables.commands.balance import waive_halt
from tables.commands.breaking import break_table
from tables.commands.floor import confirm_move
from tables.commands.hand_for_hand import announce_hand_for_hand, release_hand_now, report_hand, withdraw_report
from tables.commands.hands import next_hand
from tables.commands.lots import draw_buttons
from tables.models import Clock, HandForHand, Move, Seat, Table
from tables.reads.advice import advice
from tables.reads.hand_for_hand import time_per_hand
from tables.reads.standings import standings

if TYPE_CHECKING:
    from config.simulation import Simulation

MISTAKES = 0.02
MOST_ROUNDS = 400


@dataclass
class Dealt:
    """A hand as it was dealt: positions, who was dealt in by seat, and who had the big blind."""

    button: int
    small_blind: int
    big_blind: int
    dealt_in: dict[int, int]

    @classmethod
    def of(cls, row: Table) -> "Dealt":
        told, people = row.told, {int(seat): entry for seat, entry in row.dealt_in.items()}
        assert told is not None, "the button is known where a hand was dealt"
        return cls(told.button, told.small_blind, told.big_blind, people)

    @property
    def payer(self) -> int:
        return self.dealt_in[self.big_blind]


class Hands:
    """The hands of every table, dealt through the commands and checked one by one."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.dealt = self.dead_buttons = self.dead_blinds = self.waited = 0
        self.rounds = 0

    def __str__(self) -> str:
        return (
            f"{self.dealt} hands with {self.dead_buttons} dead buttons, {self.dead_blinds} without a small blind, "
            f"{self.waited} waited, {self.rounds} rounds of hand-for-hand"
        )

    # --- dealing ----------------------------------------------------------------------------------------------------
    def play(self, number: int, hands: int) -> None:
        """Deal so many hands at a table; the first button of a table that has none is drawn."""
        row = Table.objects.get(day__event=self.simulation.event, number=number)
        if len(self._sitting(number)) < 2:
            return
        if row.button is None:
            self.simulation.do(draw_buttons, table=number)
        for _ in range(hands):
            self.deal(number)
            if self.simulation.random.random() < MISTAKES:
                self.simulation.undo_last()
                self.deal(number)

    def deal(self, number: int) -> None:
        row = Table.objects.get(day__event=self.simulation.event, number=number)
        before = Dealt.of(row) if row.dealt_in else None
        try:
            result = self.simulation.do(next_hand, table=number)
        except Refused as refused:
            if refused.code != "halted":
                raise
            self.simulation.do(waive_halt, table=number)
            result = self.simulation.do(next_hand, table=number)
        row.refresh_from_db()
        after = Dealt.of(row)
        self._check(row, before, after, result["small_blind"])
        self.dealt += 1
        self.dead_buttons += after.button not in after.dealt_in
        self.dead_blinds += result["small_blind"] is None

    def _check(self, row: Table, before: Dealt | None, after: Dealt, posts_small: int | None) -> None:
        require, name = self.simulation.require, f"table {row.number}, hand {row.hand}"
        sitting = self._sitting(row.number)
        live = set(after.dealt_in)
        require(all(sitting.get(seat) == entry for seat, entry in after.dealt_in.items()), f"{name}: a ghost plays")
        require(after.big_blind in live, f"{name}: nobody has the big blind")
        require(posts_small == (after.small_blind if after.small_blind in live else None), f"{name}: small blind wrong")
        for seat in set(sitting) - live:
            came = before is not None and before.dealt_in.get(seat) != sitting[seat]
            between = seat in self._strictly_between(row, after.button, after.small_blind)
            require(came and between, f"{name}: seat {seat} is left out")
            self.waited += 1
        if before is None:
            return
        passed = self._strictly_between(row, before.big_blind, after.big_blind)
        require(not live & passed, f"{name}: seat {min(live & passed, default=0)} is passed over")
        if before.payer in after.dealt_in.values():
            require(before.payer != after.payer, f"{name}: the same player has the big blind twice")
        if len(live) == 2:
            require(after.button == after.small_blind != after.big_blind, f"{name}: heads-up blinds")
        else:
            require(after.small_blind == before.big_blind, f"{name}: the small blind does not follow the big blind")
            require(after.button == before.small_blind, f"{name}: the button does not follow the small blind")

    def _sitting(self, number: int) -> dict[int, int]:
        seats = Seat.objects.filter(table__day__event=self.simulation.event, table__number=number, entry__isnull=False)
        return dict(seats.values_list("number", "entry_id"))

    @staticmethod
    def _strictly_between(row: Table, first: int, second: int) -> set[int]:
        seats, at = set(), first % row.seats + 1
        while at != second and first != second:
            seats.add(at)
            at = at % row.seats + 1
        return seats

    # --- hand-for-hand ------------------------------------------------------------------------------------------------
    def over_the_bubble(self) -> None:
        """Play hand-for-hand until everybody left is paid, and check every round."""
        simulation = self.simulation
        paid = len(prizes(simulation.event))
        simulation.do(announce_hand_for_hand)
        for _ in range(MOST_ROUNDS):
            left = Clock.objects.get(day__event=simulation.event)
            out = self._round()
            alive = len(simulation.stacks)
            for number in self._waiting():
                simulation.do(report_hand, table=number)
            play = self._play()
            simulation.require(play.phase in ("all_idle", "all_done"), "all reported and the round is not over")
            simulation.do(release_hand_now)
            self._check_time(left)
            self._check_places(out, alive)
            self.rounds += 1
            play.refresh_from_db()
            ended = play.phase == HandForHand.Phase.NORMAL
            tables = Table.objects.filter(day__event=simulation.event, status="open").count()
            simulation.require(ended == (alive <= paid or tables < 2), f"{alive} left, {paid} paid: {play.phase}")
            if ended:
                return
        simulation.require(False, "the bubble never bursts")

    def _play(self) -> HandForHand:
        return HandForHand.objects.filter(day__event=self.simulation.event).latest("pk")

    def _waiting(self) -> list[int]:
        play = self._play()
        waiting = play.reports.filter(hand=play.hand, done_at=None, dropped=False)
        return list(waiting.order_by("table__number").values_list("table__number", flat=True))

    def _round(self) -> list[int]:
        """Every table plays its hand, in any order; all but some report it. Gives back who went out."""
        simulation, random = self.simulation, self.simulation.random
        hand, out = self._play().hand, []
        tables = self._waiting()
        random.shuffle(tables)
        for number in tables:
            if number not in self._waiting():
                continue  # it was broken meanwhile
            if hand and len(self._sitting(number)) > 1:
                self.deal(number)
                self._must_wait(number)
            out += self._may_lose(number)
            simulation.do(report_hand, table=number)
            if random.random() < MISTAKES and self._play().phase == "dealing":
                simulation.do(withdraw_report, table=number)
                simulation.do(report_hand, table=number)
            if hand and self._play().phase == "dealing":
                self._must_wait(number)
            breaking = advice(simulation.event.days.get()).breaking
            if breaking is not None and self._play().phase in ("announced", "dealing"):
                simulation.do(break_table, table=breaking.table)
                for move in Move.objects.filter(day__event=simulation.event, status=Move.Status.ORDERED):
                    simulation.do(confirm_move, move_id=move.pk)
        return out

    def _must_wait(self, number: int) -> None:
        """A table that has dealt its hand, or reported it, deals no other before the release (rule 50)."""
        try:
            self.simulation.do(next_hand, table=number)
        except Refused as refused:
            self.simulation.require(refused.code == "hand_for_hand", f"table {number}: {refused.message}")
        else:
            self.simulation.require(False, f"table {number} dealt twice in a round")

    def _may_lose(self, number: int) -> list[int]:
        """Now and then one or two of a table go out."""
        simulation, random = self.simulation, self.simulation.random
        sitting = list(self._sitting(number).values())
        many = random.choice((0,) * 12 + (1, 1, 2))
        if not many or len(sitting) <= many or len(simulation.stacks) <= many + 1:
            return []
        return simulation.bust(sitting, many)

    def _check_time(self, before: Clock) -> None:
        """Each hand takes its time off the clock, or what was left of the level; a break stays whole."""
        after = Clock.objects.get(pk=before.pk)
        assert before.remaining is not None
        event = self.simulation.event
        in_break = event.levels.get(position=before.position).kind == Level.Kind.BREAK
        taken = before.remaining - (dt.timedelta() if in_break else time_per_hand(event))
        left = after.remaining
        if left is None and after.ends_at is not None:  # it runs again
            left = after.ends_at - timezone.now()
        if after.position == before.position and left is not None:
            self.simulation.require(abs(left - taken) < dt.timedelta(seconds=30), "a hand took the wrong time")
        else:
            self.simulation.require(taken <= dt.timedelta(), "the level changed before its time was over")

    def _check_places(self, out: list[int], alive: int) -> None:
        """Who goes out in one round shares the places below those left, unless one table alone lost several."""
        if not out:
            return
        placed = {place.entry_id: place for place in standings(self.simulation.event)}
        places = sorted((placed[entry].best, placed[entry].worst) for entry in out)
        self.simulation.require(places[0][0] == alive + 1, "the places of a round do not follow those left")
        self.simulation.require(places[-1][1] == alive + len(out), "the places of a round are not together")
        tables = {Entry.objects.get(pk=entry).bust.table for entry in out}
        if len(tables) > 1:
            self.simulation.require(len(set(places)) == 1, "busts of one round at several tables do not share")
