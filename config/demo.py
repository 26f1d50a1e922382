"""The demo series: one event finished, one running, one open for registration. All of it goes through the commands."""

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress

from accounts.commands import give_role
from accounts.models import User
from accounts.permissions import Role
from rulings.commands import announce, publish_starting_rulebook
from rulings.draft_commands import start_draft
from rulings.draft_rule_commands import add_rule, change_rule
from rulings.models import RuleText
from series.commands.events import create_event
from series.commands.gambling import add_licence, set_series_terms
from series.commands.opening import open_event, set_structure
from series.commands.people import register
from series.commands.points import set_points
from series.commands.setup import create_series, name_organiser, publish_series
from series.domain.structure_templates import build
from series.models import Entry, Event, Organiser
from tables.commands.breaking import break_table
from tables.commands.clock import jump_clock, start_clock
from tables.commands.draws import draw_seats
from tables.commands.entries import buy_in
from tables.commands.floor import bust, close_entries, confirm_move
from tables.commands.hands import set_button
from tables.commands.payouts import pay_out
from tables.commands.prizes import lock_prizes
from tables.models import Move, Seat, Table
from tables.reads.standings import standings

ORGANISER = "Dead Button demo"
PASSWORD = "dead-button-demo"
ZONE = ZoneInfo("Pacific/Auckland")
CHIPS = (25, 100, 500, 1000, 5000)
STACK = 20_000


@dataclass(frozen=True)
class LogIn:
    """One of the demo's staff."""

    email: str
    name: str
    role: str | None
    job: str


LOG_INS = (
    LogIn("organiser@demo.nz", "Moana Kingi", None, "organiser, may do everything"),
    LogIn("director@demo.nz", "Mere Tamihana", Role.DIRECTOR, "tournament director"),
    LogIn("floor@demo.nz", "Wiremu Hōhepa", Role.FLOOR, "floor"),
    LogIn("desk@demo.nz", "Hana Fraser", Role.DESK, "desk"),
    LogIn("dealer@demo.nz", "Tāne Brown", Role.DEALER, "dealer"),
    LogIn("editor@demo.nz", "Ngaire Patel", Role.EDITOR, "rules editor"),
    LogIn("auditor@demo.nz", "Grace Chen", Role.AUDITOR, "auditor"),
)

FIRST = [
    "Hēmi",
    "Mia",
    "Anahera",
    "Jack",
    "Ngāio",
    "Oliver",
    "Tūī",
    "Charlotte",
    "Wiremu",
    "Isla",
    "Rāwiri",
    "Leo",
    "Aroha",
    "Noah",
    "Mārama",
    "George",
    "Kahurangi",
    "Amelia",
    "Tāne",
    "Sophie",
    "Pania",
    "Lucas",
    "Hinemoa",
    "Priya",
    "Tamati",
    "Wei",
    "Sina",
    "Arjun",
    "Mele",
    "Łukasz",
    "Rangi",
    "Zoë",
    "Kauri",
    "Hugo",
    "Whetū",
    "Emma",
    "Manaia",
    "Ravi",
    "Ihaia",
    "Chloe",
    "Tiare",
    "Liam",
    "Ngaire",
    "Mason",
    "Hūria",
    "Elsie",
    "Pōtiki",
    "Finn",
    "Ārana",
    "Ruby",
]
LAST = [
    "Parata",
    "Wirihana",
    "Tūhoe",
    "Smith",
    "Ngata",
    "Singh",
    "Te-Ariki",
    "Brown",
    "Paraone",
    "Wilson",
    "Tamihana",
    "Chen",
    "Kereama",
    "Williams",
    "Māhina",
    "Taylor",
    "Hohepa",
    "Patel",
    "Rāpana",
    "Nowak",
    "Waititi",
    "Fraser",
    "Tūpaea",
    "Kim",
    "Pōtae",
    "Fa'afoi",
    "Tipene",
    "O'Connor",
    "Marino",
    "Latu",
]


def names(count: int, source: random.Random) -> list[str]:
    """Different plausible names of people who play cards in Aotearoa."""
    pairs = [f"{first} {last.replace('-', ' ')}" for first in FIRST for last in LAST]
    return source.sample(pairs, count)


class Demo:
    """Builds the demo step by step; `say` is told of each."""

    def __init__(self, say: Callable[[str], None], now: dt.datetime) -> None:
        self.say = say
        self.now = now
        self.random = random.Random(54)
        self.names = iter(names(120, self.random))

    def load(self) -> None:
        users = {log_in.role: self._user(log_in) for log_in in LOG_INS}
        self.owner = users[None]
        organiser = Organiser.objects.get()
        name_organiser(actor=self.owner, on=organiser.pk, name=ORGANISER)
        made = create_series(
            actor=self.owner,
            on=organiser.pk,
            name="Winter Series",
            slug="winter-series",
            venue="Harbour Hall, Wellington",
            contact="hello@demo.nz",
            about="Six nights of no-limit hold’em, played by the book.",
        ).result
        self.series_id = made["series"]
        publish_starting_rulebook(actor=self.owner, on=self.series_id)
        for log_in in LOG_INS:
            if log_in.role:
                give_role(actor=self.owner, on=self.series_id, email=log_in.email, role=log_in.role)
        publish_series(actor=self.owner, on=self.series_id)
        set_series_terms(
            actor=self.owner,
            on=self.series_id,
            operator="corporate_society",
            operator_name="Harbour Poker Society",
            purpose="A rescue boat for the harbour.",
        )
        expires = self.now.astimezone(ZONE).date() + dt.timedelta(days=200)
        add_licence(actor=self.owner, on=self.series_id, kind="class_3", number="C3-0417", expires=expires)
        set_points(actor=self.owner, on=self.series_id, formula="100 * sqrt(entries / place)", best=5)
        self._coming_rules(users[Role.EDITOR])
        self.director, self.desk = users[Role.DIRECTOR], users[Role.DESK]
        self._finished_event()
        self._running_event()
        self._open_event()

    def _coming_rules(self, editor: User) -> None:
        """A second version of the rules, announced for noon in three days."""
        on = self.series_id
        start_draft(actor=editor, on=on)
        rules = {row.number: row for row in RuleText.objects.filter(version__status="draft")}
        silent = rules["10"]
        change_rule(
            actor=editor,
            on=on,
            rule_id=silent.rule_id,
            number="10",
            section=silent.section,
            text="All-in hands are tabled as soon as the betting is complete.",
            after=rules["9b"].rule_id,
            reason="Players waited for cards that everybody may see.",
        )
        section = rules["28b"].section
        text = "At the final table the clock of rule 28a runs for thirty seconds instead of a minute."
        add_rule(
            actor=editor,
            on=on,
            number="28c",
            section=section,
            text=text,
            after=rules["28b"].rule_id,
            reason="Final tables ran past the hours of the venue.",
        )
        noon = (self.now.astimezone(ZONE) + dt.timedelta(days=3)).replace(hour=12, minute=0, second=0, microsecond=0)
        announce(actor=editor, on=on, effective_from=noon, note="Mostly for the final table.")

    def _user(self, log_in: LogIn) -> User:
        make = User.objects.create_user if log_in.role else User.objects.create_superuser
        user = make(log_in.email, PASSWORD, name=log_in.name)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        return user

    def _event(self, name: str, starts_at: dt.datetime, **terms: object) -> Event:
        values = {"starting_stack": STACK, "chips": CHIPS, "capacity": 120, "late_reg_level": 4} | terms
        pk = create_event(actor=self.director, on=self.series_id, name=name, starts_at=starts_at, **values).result[
            "event"
        ]
        set_structure(actor=self.director, on=pk, items=build("regular", STACK, 6, CHIPS))
        open_event(actor=self.director, on=pk)
        return Event.objects.get(pk=pk)

    def _players(self, event: Event, count: int, *, paid: bool) -> None:
        methods = ("cash", "card", "cash", "transfer")
        for _ in range(count):
            born = dt.date(self.random.randint(1950, 2005), self.random.randint(1, 12), self.random.randint(1, 28))
            name = next(self.names)
            held = register(
                actor=self.desk,
                on=event.pk,
                name=name,
                birth_date=born,
                phone=f"021 555 {self.random.randint(0, 9999):04d}",
            ).result
            if paid:
                buy_in(
                    actor=self.desk,
                    on=event.pk,
                    registration_id=held["registration"],
                    method=self.random.choice(methods),
                    id_kind=self.random.choice(("nz_driver_licence", "passport", "kiwi_access")),
                )

    def _bust(self, event: Event, count: int) -> None:
        for _ in range(count):
            seats = Seat.objects.filter(table__day__event=event, entry__isnull=False).order_by("pk")
            entry_id = self.random.choice(list(seats.values_list("entry_id", flat=True)))
            bust(actor=self.director, on=event.pk, entry_ids=[entry_id], stacks={entry_id: 500})

    def _finished_event(self) -> None:
        self.say("  a finished event: Opener")
        event = self._event(
            "Opener", self.now - dt.timedelta(hours=6), buy_in_cents=5000, fee_cents=1000, max_reentries=1
        )
        draw_seats(actor=self.director, on=event.pk, tables=2)
        self._players(event, 18, paid=True)
        start_clock(actor=self.director, on=event.pk)
        jump_clock(actor=self.director, on=event.pk, position=6)
        close = event.days.get()
        if not close.entries_closed:
            close_entries(actor=self.director, on=event.pk)
        self._bust(event, 9)
        self._one_table_less(event)
        self._bust(event, 8)
        lock_prizes(actor=self.director, on=event.pk)
        event.refresh_from_db()
        for placed in standings(event):
            if placed.prize_cents:
                pay_out(actor=self.desk, on=event.pk, entry_id=placed.entry_id, method="cash")

    def _one_table_less(self, event: Event) -> None:
        """Break the highest table once everybody fits on the others, and let its players arrive."""
        tables = Table.objects.filter(day__event=event, status=Table.Status.OPEN).order_by("number")
        playing = event.entries.filter(status=Entry.Status.PLAYING).count()
        if len(tables) > 1 and playing <= sum(table.seats for table in tables[: len(tables) - 1]):
            break_table(actor=self.director, on=event.pk, table=list(tables)[-1].number)
        for move in Move.objects.filter(day__event=event, status=Move.Status.ORDERED):
            confirm_move(actor=self.director, on=event.pk, move_id=move.pk)

    def _running_event(self) -> None:
        self.say("  a running event: Main, 42 players on five tables")
        event = self._event(
            "Main",
            self.now - dt.timedelta(minutes=95),
            buy_in_cents=22000,
            fee_cents=3000,
            max_reentries=1,
            late_reg_level=12,  # a newcomer can buy in for some hours after this was loaded
        )
        draw_seats(actor=self.director, on=event.pk, tables=5)
        self._players(event, 42, paid=True)
        self._players(event, 3, paid=False)
        start_clock(actor=self.director, on=event.pk)
        jump_clock(actor=self.director, on=event.pk, position=2)
        for table in Table.objects.filter(day__event=event).order_by("number")[:4]:
            seats = list(table.chairs.filter(entry__isnull=False).order_by("number").values_list("number", flat=True))
            first = self.random.randrange(len(seats))
            button, small_blind, big_blind = (seats[(first + step) % len(seats)] for step in range(3))
            set_button(
                actor=self.director,
                on=event.pk,
                table=table.number,
                button=button,
                small_blind=small_blind,
                big_blind=big_blind,
            )
        self._bust(event, 3)

    def _open_event(self) -> None:
        self.say("  an event open for registration: Deep Stack")
        day = (self.now.astimezone(ZONE) + dt.timedelta(days=3)).replace(hour=18, minute=30, second=0, microsecond=0)
        event = self._event("Deep Stack", day, buy_in_cents=12000, fee_cents=2000, capacity=60, late_reg_level=6)
        self._players(event, 14, paid=False)
