"""What tests start from. Set-up rows are written directly; whatever a test is about goes through the commands."""

import datetime as dt
import itertools
from typing import Any

from allauth.account.models import EmailAddress

from accounts.models import StaffRole, User
from accounts.permissions import Role
from journal import guard
from rulings.models import Rule, RulebookVersion, RuleText
from series.commands.people import register
from series.models import Day, Event, Level, Series
from tables.commands.clock import start_clock
from tables.commands.entries import buy_in
from tests.field import enter_field

# numbers stand in names: none may look like the year of birth that tests find on no public page
numbers = (number for number in itertools.count(1) if "1990" not in str(number))
BORN = dt.date(1990, 1, 1)
NAMES = ("Hēmi Parata", "Mia Paraone", "Łukasz Nowak", "Ngāio Tūhoe", "Zoë Smith", "Jack Wirihana", "Anahera Ngata")
PASSWORD = "correct horse battery"


def make_user(
    name: str = "Mere",
    *,
    role: str | None = None,
    series: Series | None = None,
    owner: bool = False,
    confirmed: bool = True,
) -> User:
    """A user with a password (`PASSWORD`) and a confirmed address; with `role`, staff of the series; with `owner`, the
    organiser."""
    make = User.objects.create_superuser if owner else User.objects.create_user
    user = make(f"{name.lower()}{next(numbers)}@example.nz", PASSWORD, name=name)
    if confirmed:
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    if role:
        with guard.writing():
            StaffRole.objects.create(user=user, series=series, role=role)
    return user


def make_director(series: Series) -> User:
    return make_user("Mere", role=Role.DIRECTOR, series=series)


def make_series(**fields: Any) -> Series:
    """A published series with a small rulebook in force."""
    number = next(numbers)
    with guard.writing():
        series = Series.objects.create(
            **{"name": f"Winter Series {number}", "slug": f"winter-{number}", "venue": "Hall", "published": True}
            | fields
        )
        version = RulebookVersion.objects.create(
            series=series, number=1, status="in_force", effective_from=dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        )
        for position, number_ in enumerate(("1", "9a", "48")):
            rule = Rule.objects.create(series=series, key=number_)
            RuleText.objects.create(
                version=version,
                rule=rule,
                position=position,
                number=number_,
                section="General",
                text=f"Rule {number_}.",
            )
    return series


def make_event(series: Series | None = None, *, levels: int = 4, minutes: int = 20, **fields: Any) -> Event:
    """An event open for registration: $220 + $30, 10,000 chips, tables of nine, starting in an hour."""
    series = series or make_series()
    starts_at = fields.pop("starts_at", dt.datetime.now(dt.UTC) + dt.timedelta(hours=1))
    defaults: dict[str, Any] = {
        "series": series,
        "number": series.events.count() + 1,
        "name": "Main",
        "status": Event.Status.OPEN,
        "starts_at": starts_at,
        "buy_in_cents": 22000,
        "fee_cents": 3000,
        "starting_stack": 10000,
        "chips": [25, 100, 500, 1000],
        "capacity": 500,
        "late_reg_level": 2,
    }
    if fields.get("payout_shares"):
        fields.setdefault("payout_kind", Event.PrizeKind.PERCENT)
    with guard.writing():
        event = Event.objects.create(**defaults | fields)
        Day.objects.create(event=event, starts_at=starts_at)
        for position in range(levels):
            Level.objects.create(
                event=event,
                position=position,
                number=position + 1,
                minutes=minutes,
                small_blind=25 * 2**position,
                big_blind=50 * 2**position,
            )
    return event


def add_players(
    event: Event, count: int, actor: User, *, paid: bool = True, one_by_one: bool = False
) -> list[dict[str, Any]]:
    """Register `count` players and, unless told otherwise, take their buy-ins; the commands' results. The first of an
    event enter all at once, unless the test is about their own entries in the journal (`one_by_one`)."""
    people = [(f"{NAMES[n % len(NAMES)]} {n}", BORN, f"p{n}@example.nz") for n in itertools.islice(numbers, count)]
    if paid and not one_by_one and _may_enter_at_once(event, count):
        return enter_field(actor=actor, on=event.pk, people=people).result["players"]
    results = []
    for name, born, email in people:
        held = register(actor=actor, on=event.pk, name=name, birth_date=born, email=email).result
        if paid:
            bought = buy_in(
                actor=actor, on=event.pk, registration_id=held["registration"], method="cash", id_kind="passport"
            ).result
            held = held | bought
        results.append(held)
    return results


def _may_enter_at_once(event: Event, count: int) -> bool:
    """Whether they are many, and nothing but the players themselves decides about their entries and what they pay."""
    plain = Event.objects.filter(
        pk=event.pk, status=Event.Status.OPEN, seat_at_buy_in=True, series__options={}, series__tills=None
    )
    used = event.registrations.exists() or event.days.filter(tables__isnull=False).exists()
    room = min(event.capacity or count, event.hall_seats or count)
    return 2 < count <= room and not used and event.days.count() == 1 and not event.price_cents % 10 and plain.exists()


def make_running_event(
    players: int, actor: User | None = None, *, one_by_one: bool = False, **fields: Any
) -> tuple[Event, User]:
    """An event with its clock running and `players` seated (see `add_players`); the director who runs it."""
    event = make_event(**fields)
    actor = actor or make_director(event.series)
    add_players(event, players, actor, one_by_one=one_by_one)
    start_clock(actor=actor, on=event.pk)
    event.refresh_from_db()
    return event, actor
