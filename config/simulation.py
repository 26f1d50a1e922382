"""A whole event played through the commands, with every promise checked after each of them.

Decisions come from the seed; the event's draw secret too, so that a run can be repeated. The chips of each player are
kept here, because the site does not follow single pots: a bust hands the loser's stack to somebody at the table.
"""

import datetime as dt
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from django.db.models import Count, F, Max, Q, Sum
from django.utils import timezone

from accounts.models import User
from config.demo import names
from config.simulated_deals import Deals
from config.simulated_entries import Extras
from config.simulated_hands import Hands
from journal.chain import entry_hash
from journal.commands import Done
from journal.errors import Stale
from journal.models import JournalEntry
from journal.undo import undo
from rulings.commands import publish_starting_rulebook
from series.commands.events import create_event
from series.commands.opening import open_event, set_structure
from series.commands.people import register
from series.commands.setup import create_series, publish_series
from series.domain.structure_templates import build
from series.models import Entry, Event, LedgerLine, Organiser
from series.reads.ledger import problems
from series.reads.prizes import prizes
from tables.commands.balance import order_balance
from tables.commands.bounties import pay_bounties
from tables.commands.breaking import break_table
from tables.commands.clock import jump_clock, start_clock
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in, reenter
from tables.commands.floor import bust, close_entries, confirm_move
from tables.commands.lots import draw_buttons
from tables.commands.payouts import pay_out
from tables.commands.refunds import refund_entry
from tables.domain.balance import allowed_gap
from tables.models import ChipLine, Move, Seat, Table
from tables.reads.advice import advice
from tables.reads.bounties import bounty_winners
from tables.reads.standings import standings

STACK = 20_000
BUSTS_A_ROUND = 400  # for each so many players one bust happens before the floor looks at the balance again
TERMS = {
    "rebuys": 2, "rebuy_cents": 10_000, "rebuy_fee_cents": 1_000, "rebuy_chips": STACK, "rebuy_until": 4,
    "addons": 1, "addon_cents": 8_000, "addon_chips": STACK // 2, "addon_until": 4,
    "late_stacks": [[2, STACK // 2]], "bounty_cents": 2_501, "forfeit": True,
}  # fmt: skip
CHIPS = (25, 100, 500, 1000, 5000)
BORN = dt.date(1990, 1, 1)


# the players' stacks are booked from what these answer, and checked then
BOOKED_AFTERWARDS = ("buy_in", "reenter", "rebuy", "add_on", "undo", "gather")


class Violation(Exception):
    """Something that must never be so, was so."""


@dataclass
class Tally:
    """What was run: the number of commands, their time, and the slowest."""

    commands: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_name: str = ""
    undone: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


class Simulation:
    """One event from set-up to the last payout. `run` raises Violation at the first promise that does not hold."""

    def __init__(self, entries: int, seed: int, say: Callable[[str], None]) -> None:
        self.entries = entries
        self.random = random.Random(seed)
        self.say = say
        self.tally = Tally()
        self.stacks: dict[int, int] = {}
        self.in_play = 0
        self.chip_line = self.ledger_line = 0
        self.checked_seq = 0
        self.head = ""
        self.hands = Hands(self)
        self.extras = Extras(self)
        self.deals = Deals(self)

    def run(self) -> Tally:
        self._set_up()
        self._sell()
        self._play()
        self._pay()
        return self.tally

    # --- the commands ---------------------------------------------------------------------------------------------
    def do(self, command: Callable[..., Done], **kwargs: Any) -> dict[str, Any]:
        """Carry out one command on the event, and check every promise."""
        started = time.perf_counter()
        done = command(actor=self.actor, on=self.event.pk, **kwargs)
        self._count(command.__name__, time.perf_counter() - started)
        self._check(command.__name__)
        return done.result

    def undo_last(self) -> None:
        last = JournalEntry.objects.filter(stream=self.event.stream_key).latest("seq")
        started = time.perf_counter()
        undo(actor=self.actor, entry_id=last.pk)
        self._count("undo", time.perf_counter() - started)
        self.tally.undone += 1
        self._check("undo")

    def _count(self, name: str, took: float) -> None:
        self.tally.commands += 1
        self.tally.seconds += took
        self.tally.kinds[name] += 1
        if took > self.tally.slowest:
            self.tally.slowest, self.tally.slowest_name = took, name

    # --- the event --------------------------------------------------------------------------------------------------
    def _set_up(self) -> None:
        tag = f"{timezone.now():%Y%m%d%H%M%S%f}"
        self.actor = User.objects.create_superuser(f"simulate-{tag}@localhost", None, name="Simulation")
        organiser = Organiser.objects.get()
        series = create_series(
            actor=self.actor, on=organiser.pk, name="Simulation", slug=f"simulation-{tag}", venue="Hall"
        ).result["series"]
        publish_starting_rulebook(actor=self.actor, on=series)
        publish_series(actor=self.actor, on=series)
        with mock.patch("series.models.events.secrets.token_hex", lambda size: self.random.randbytes(size).hex()):
            pk = create_event(
                actor=self.actor,
                on=series,
                name="Main",
                starts_at=timezone.now() + dt.timedelta(hours=1),
                buy_in_cents=22000,
                fee_cents=3000,
                starting_stack=STACK,
                chips=CHIPS,
                capacity=self.entries + 10,
                late_reg_level=4,
                max_reentries=2,
                entry_rules=TERMS,
                seat_at_buy_in=False,
            ).result["event"]
        set_structure(actor=self.actor, on=pk, items=build("regular", STACK, 6, CHIPS))
        open_event(actor=self.actor, on=pk)
        self.event = Event.objects.select_related("series").get(pk=pk)
        self.head, self.checked_seq = self.event.head, self.event.seq

    def _sell(self) -> None:
        """Most players before the draw, in one; the last tenth, at most 300, late."""
        late = min(self.entries // 10, 300)
        people = [f"{name} {number}" for number, name in enumerate(self._names(self.entries))]
        held = []
        for name in people:
            held.append(self.do(register, name=name, birth_date=BORN)["registration"])
        self.say(f"{len(held)} registered")
        for registration in held[: self.entries - late]:
            self._enter(buy_in, registration_id=registration, id_kind="passport")
            if self.random.random() < 0.005:
                del self.stacks[next(reversed(self.stacks))]
                self.undo_last()
                self._enter(buy_in, registration_id=registration, id_kind="passport")
            if self.random.random() < 0.01:
                player = self.refund(next(reversed(self.stacks)), None)
                again = self.do(register, player_id=player)["registration"]
                self._enter(buy_in, registration_id=again)
        self.say(f"{len(self.stacks)} bought in")
        self.do(draw_seats)
        self.do(draw_buttons)
        self.do(start_clock)
        self.do(jump_clock, position=1)
        for registration in held[self.entries - late :]:
            self._enter(buy_in, registration_id=registration, id_kind="passport")
        self.require(STACK // 2 in self.stacks.values() or not late, "late entries had whole stacks")
        self._balance()

    def _names(self, count: int) -> list[str]:
        pool = names(1000, self.random)
        return [self.random.choice(pool) for _ in range(count)]

    def _enter(self, command: Callable[..., Done], **kwargs: Any) -> None:
        done = self.do(command, method=self.method(), **kwargs)
        self.stacks[done["entry"]] = done["stack"]
        self.check_chips(command.__name__)

    def method(self) -> str:
        return self.random.choice(("cash", "card", "transfer"))

    def refund(self, entry: int, chips: int | None) -> int:
        """An entry is given back, with so many chips (None: before play, all). The key of its player."""
        del self.stacks[entry]
        player: int = self.do(refund_entry, entry_id=entry, chips=chips, reason="Given back")["player"]
        return player

    def _play(self) -> None:
        reentries = min(self.entries // 20, 200)
        while len(self.stacks) > 1:
            if reentries and self.random.random() < 0.5:
                self.extras.buy()
                once = Entry.objects.filter(pk__in=self._bust_some(), number=1, status="out").first()
                if once is not None and self.extras.back_to_the_seat(once.pk):
                    pass
                elif once is not None:
                    reentries -= 1
                    self._enter(reenter, player_id=once.player_id)
                self._balance()
                if not reentries:
                    self.extras.give_up_and_refund()
                    self._balance()
                    self.do(close_entries)
                continue
            if not reentries and self.event.days.filter(entries_closed=False).exists():
                self.do(jump_clock, position=6)
                if self.event.days.filter(entries_closed=False).exists():
                    self.do(close_entries)
            if not reentries and not self.hands.rounds and not self._before_the_bubble() and len(self._sizes()) > 1:
                self.hands.over_the_bubble()
                self.say(f"{self.hands.rounds} rounds of hand-for-hand, {len(self.stacks)} left")
                self._balance()
                continue
            if not reentries:
                self.deals.play_on()
            before = len(self.stacks)
            for _ in range(max(1, before // BUSTS_A_ROUND)):
                self._bust_some()
            self._balance()
            if len(self.stacks) // 1000 < before // 1000:
                self.say(f"{len(self.stacks)} left")

    def _before_the_bubble(self) -> int:
        """How many must go out before the next one is the last without a prize."""
        return max(0, len(self.stacks) - len(prizes(self.event)) - 1)

    def _bust_some(self) -> list[int]:
        """One player out, now and then two or three of a hand; now and then by mistake and taken back."""
        table = self.random.choice(list(Table.objects.filter(day__event=self.event, status="open")))
        seated = list(
            Seat.objects.filter(table=table, entry__isnull=False).order_by("number").values_list("entry_id", flat=True)
        )
        if len(seated) < 2:
            return []
        self.hands.play(table.number, self.random.choice((1, 1, 2)))
        many = min(self.random.choice((1, 1, 1, 1, 1, 2, 3)), len(seated) - 1, len(self.stacks) - 1)
        if not self.hands.rounds:
            many = min(many, max(1, self._before_the_bubble()))  # the bubble is played hand-for-hand
        return self.bust(seated, many)

    def bust(self, seated: list[int], many: int) -> list[int]:
        """So many of those seated at one table go out in one hand; somebody else there gets their chips."""
        gone = self.random.sample(seated, many)
        stacks = {entry: self.stacks[entry] for entry in gone}
        if self.random.random() < 0.03 and len(self.stacks) > many + 1:
            self.do(bust, entry_ids=gone, stacks=stacks)
            self.undo_last()
        winner = self.random.choice([entry for entry in seated if entry not in gone])
        by = self.random.sample([one for one in seated if one not in gone], min(2, len(seated) - many))
        by = self.random.choice(([], [winner], by))
        self.do(bust, entry_ids=gone, stacks=stacks, by=by)
        for entry in gone:
            self.stacks[winner] += self.stacks.pop(entry)
        return gone

    def _balance(self) -> None:
        """Do what the site advises until it advises nothing; then the sizes must be within the tolerance."""
        day = self.event.days.get()
        while True:
            sizes = self._sizes()
            chairs = sum(seats for _, seats in sizes.values())
            players = sum(size for size, _ in sizes.values())
            if len(sizes) < 2:
                return
            smallest = min(size for size, _ in sizes.values())
            largest = max(size for size, _ in sizes.values())
            last_table_seats = sizes[max(sizes)][1]
            if largest - smallest <= allowed_gap(len(sizes)) and players > chairs - last_table_seats:
                return
            plan = advice(day)
            if plan.breaking is not None:
                self.do(break_table, table=plan.breaking.table)
            elif plan.moves:
                moves = [(move.entry_id, move.to_table, move.to_seat) for move in plan.moves]
                try:
                    self.do(order_balance, moves=moves)
                except Stale:  # what somebody told of a button has grown too old in this moment: look again
                    continue
            else:
                break
            for pk in Move.objects.filter(day=day, status=Move.Status.ORDERED).values_list("pk", flat=True):
                self.do(confirm_move, move_id=pk)
        sizes = self._sizes()
        gap = max(size for size, _ in sizes.values()) - min(size for size, _ in sizes.values())
        self.require(gap <= allowed_gap(len(sizes)), f"tables are {gap} apart after balancing")

    def _sizes(self) -> dict[int, tuple[int, int]]:
        """Players and chairs of each open table, by number."""
        rows = Table.objects.filter(day__event=self.event, status="open").annotate(players=Count("chairs__entry"))
        return {table.number: (table.players, table.seats) for table in rows}

    def _check_places(self) -> None:
        """The event is over, everybody has a place, and the prizes are the pool."""
        self.event.refresh_from_db()
        self.require(self.event.status == Event.Status.FINISHED, "the event did not close by itself")
        placed = standings(self.event)
        without = (Entry.Status.VOID, Entry.Status.GIVEN_UP)
        total = self.event.entries.exclude(status__in=without).count()
        self.require(len(placed) == total, f"{len(placed)} places for {total} entries")
        place = 1
        while place <= total:
            sharing = [one for one in placed if one.best == place]
            worst = place + len(sharing) - 1
            self.require(bool(sharing), f"place {place} is missing")
            self.require(all(one.worst == worst for one in sharing), f"place {place} is shared wrongly")
            place = worst + 1
        pool = -(self._ledger(LedgerLine.Account.PRIZE_POOL))
        self.require(sum(one.prize_cents for one in placed) == pool, "the prizes are not the pool")

    def _pay(self) -> None:
        self._check_places()
        pool = -(self._ledger(LedgerLine.Account.PRIZE_POOL))
        placed = standings(self.event)
        self.deals.check_paid({one.entry_id: one.prize_cents for one in placed})
        for one in placed:
            if one.prize_cents:
                self.do(pay_out, entry_id=one.entry_id, method="transfer")
        self.require(self._ledger(LedgerLine.Account.PAYOUTS) == pool, "what was paid is not the pool")
        for player, winner in bounty_winners(self.event).items():
            if winner.owed_cents:
                self.do(pay_bounties, player_id=player, method=self.method())
        self.require(self._ledger(LedgerLine.Account.BOUNTY) == 0, "bounties are left over")
        self.require(not (wrong := problems(self.event)), f"the money does not hold: {wrong}")

    # --- the promises -------------------------------------------------------------------------------------------------
    def require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise Violation(otherwise)

    def _ledger(self, account: str) -> int:
        return self.event.ledger.filter(account=account).aggregate(sum=Sum("amount_cents"))["sum"] or 0

    def _check(self, after: str) -> None:
        """Chips, seats, money and journal as they must be after every command."""
        seats = Seat.objects.filter(table__day__event=self.event, entry__isnull=False).aggregate(
            taken=Count("pk"),
            entries=Count("entry", distinct=True),
            players=Count("entry__player", distinct=True),
            wrong=Count(
                "pk", filter=~Q(entry__status="playing") | Q(table__status="broken") | ~Q(entry__day=F("table__day"))
            ),
        )
        playing = Entry.objects.filter(event=self.event, status=Entry.Status.PLAYING).count()
        self._check_money(after)
        if after not in BOOKED_AFTERWARDS:
            self.check_chips(after)
        self.require(seats["taken"] == seats["entries"] == seats["players"], f"after {after}: somebody has two seats")
        self.require(seats["wrong"] == 0, f"after {after}: somebody sits who is out, or at a broken table")
        self.require(seats["taken"] in (0, playing), f"after {after}: {seats['taken']} seats for {playing} players")
        self._check_journal(after)

    def check_chips(self, after: str) -> None:
        """What the chip ledger says is in play is what the players have; only its new lines are read."""
        new = ChipLine.objects.filter(event=self.event, pk__gt=self.chip_line).aggregate(
            sum=Sum("chips"), last=Max("pk")
        )
        self.in_play += new["sum"] or 0
        self.chip_line = new["last"] or self.chip_line
        self.require(self.in_play == sum(self.stacks.values()), f"after {after}: chips are not conserved")

    def _check_money(self, after: str) -> None:
        """Each posting comes to nothing, and so do the new lines of each posting by themselves."""
        new = self.event.ledger.filter(pk__gt=self.ledger_line).order_by()
        for posting in new.values("posting").annotate(sum=Sum("amount_cents"), last=Max("pk")):
            self.require(posting["sum"] == 0, f"after {after}: the ledger is {posting['sum']} cents off")
            self.ledger_line = max(self.ledger_line, posting["last"])

    def _check_journal(self, after: str) -> None:
        new = JournalEntry.objects.filter(stream=self.event.stream_key, seq__gt=self.checked_seq)
        for entry in new.order_by("seq").prefetch_related("changes"):
            self.require(
                entry.seq == self.checked_seq + 1
                and entry.previous == self.head
                and entry.hash == entry_hash(entry, entry.changes.all()),
                f"after {after}: the journal's chain is broken at {entry.seq}",
            )
            self.checked_seq, self.head = entry.seq, entry.hash
