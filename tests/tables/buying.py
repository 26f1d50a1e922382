"""Events with rebuys and add-ons, and where their clock stands."""

from typing import Any

from django.db.models import Sum

from accounts.models import User
from journal import guard
from journal.models import JournalEntry
from journal.undo import undo
from series.models import Day, Event, Level
from tables.commands.clock import jump_clock, start_clock
from tests.factories import add_players, make_director, make_event

TERMS = {
    "rebuys": 2, "rebuy_cents": 4000, "rebuy_fee_cents": 1000, "rebuy_chips": 10_000, "rebuy_until": 2,
    "addons": 1, "addon_cents": 5000, "addon_chips": 15_000, "addon_break": 2,
}  # fmt: skip
BREAK, LEVEL_3 = 2, 3  # positions in the structure


def make_terms_event(rules: dict[str, Any], **fields: Any) -> Event:
    """An event with two levels, a break and a third level, and these terms."""
    event = make_event(**{"levels": 2, "entry_rules": rules, "max_reentries": 1} | fields)
    with guard.writing():
        Level.objects.create(event=event, position=2, kind=Level.Kind.BREAK, minutes=10)
        Level.objects.create(event=event, position=3, number=3, minutes=20, small_blind=100, big_blind=200)
    return event


def running(players: int = 8, rules: dict[str, Any] | None = None, **fields: Any) -> tuple[Event, User, Day]:
    """Such an event at level 1 with `players` seated, by default with rebuys and an add-on."""
    event = make_terms_event(TERMS if rules is None else rules, **fields)
    director = make_director(event.series)
    add_players(event, players, director)
    start_clock(actor=director, on=event.pk)
    event.refresh_from_db()
    return event, director, event.days.get()


def go_to(event: Event, director: User, position: int) -> None:
    jump_clock(actor=director, on=event.pk, position=position)


def accounts(event: Event) -> dict[str, int]:
    """Cents by account; they add up to 0."""
    sums = dict(event.ledger.values_list("account").annotate(total=Sum("amount_cents")).order_by())
    assert sum(sums.values()) == 0
    return {account: cents for account, cents in sums.items() if cents}


def undo_last(actor: User, event: Event) -> None:
    """Take back the last entry that stands."""
    entries = JournalEntry.objects.filter(stream=event.stream_key, undoes__isnull=True, undone_by__isnull=True)
    undo(actor=actor, entry_id=entries.latest("seq").pk)
