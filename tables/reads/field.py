"""The field of an event in figures: who is left, the average stack, the prize pool and where the money begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Aggregate, Count, F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from series.domain.finish import MoneyState, money_state
from series.models import Day, Entry, Event
from series.reads.money import prize_pools
from series.reads.prizes import Prizes, prizes_of
from tables.models import Bag, ChipLine


@dataclass(frozen=True)
class Field:
    """Players and chips of one day, and the prizes of its event. Money in cents.

    `left` and `entries` are those of the day (who has gone on to a later one counts as an entry of both); `alive` and
    `all_entries` those of the whole event, which decide about
    the money. `chips` are those in play by the chip ledger; `big_blind` is the one in force, 0 before there is a
    structure.
    """

    left: int
    entries: int
    chips: int
    alive: int
    all_entries: int
    big_blind: int
    pool_cents: int
    all_prizes: Prizes

    @property
    def prizes(self) -> tuple[int, ...]:
        """What each place is paid, best first."""
        return self.all_prizes.amounts

    @property
    def average(self) -> int | None:
        """Chips of an average stack, rounded down; None with nobody left."""
        return self.chips // self.left if self.left else None

    @property
    def average_in_big_blinds(self) -> int | None:
        """The average stack in big blinds, rounded down."""
        return self.average // self.big_blind if self.average is not None and self.big_blind else None

    @property
    def paid(self) -> int:
        """How many places have a prize."""
        return len(self.prizes)

    @property
    def is_bubble(self) -> bool:
        """The next to go out is the last without a prize."""
        return bool(self.prizes) and money_state(self.alive, self.paid) is MoneyState.BUBBLE

    @property
    def in_the_money(self) -> bool:
        return bool(self.prizes) and money_state(self.alive, self.paid) is MoneyState.IN_THE_MONEY

    @property
    def to_the_money(self) -> int:
        """How many must still go out before everybody left has a prize."""
        return max(0, self.alive - self.paid)


def fields_of(days: Sequence[Day], big_blinds: Mapping[int, int]) -> dict[int, Field]:
    """The fields of any number of days, by the day's key. Five queries at most, however many days.

    `days` with their events loaded; `big_blinds` in force, by the day's key.
    """
    events: dict[int, Event] = {day.event_id: day.event for day in days}
    bought = Entry.objects.exclude(status=Entry.Status.VOID)
    gone_on = Bag.objects.filter(taken_back=False).exclude(entry__day=F("day"))
    rows = Day.objects.filter(event__in=events).annotate(
        bought=_of_day(bought, Count("pk")),
        left=_of_day(bought.filter(status__in=Entry.STILL_IN), Count("pk")),
        gone_on=_of_day(gone_on, Count("pk")),
        chips=_of_day(ChipLine.objects.all(), Sum("chips")),
    )
    by_day: dict[int, tuple[int, int, int]] = {}
    alive: dict[int, int] = dict.fromkeys(events, 0)
    entries: dict[int, int] = dict.fromkeys(events, 0)
    for row in rows.order_by().values("pk", "event_id", "bought", "left", "gone_on", "chips"):
        by_day[row["pk"]] = (row["left"], row["bought"] + row["gone_on"], row["chips"])
        alive[row["event_id"]] += row["left"]
        entries[row["event_id"]] += row["bought"]
    pools = {pk: pool.total for pk, pool in prize_pools(events.values()).items()}
    prizes = prizes_of(list(events.values()), entries, pools)
    found = {}
    for day in days:
        left, day_entries, chips = by_day[day.pk]
        found[day.pk] = Field(
            left=left,
            entries=day_entries,
            chips=chips,
            alive=alive[day.event_id],
            all_entries=entries[day.event_id],
            big_blind=big_blinds.get(day.pk, 0),
            pool_cents=pools[day.event_id],
            all_prizes=prizes[day.event_id],
        )
    return found


def _of_day(rows: QuerySet[Any], total: Aggregate) -> Coalesce:
    """A figure of a day's rows, worked out once a day: joined to the entries it would be once for each of them."""
    of_this = rows.filter(day=OuterRef("pk")).order_by().values("day").annotate(total=total)
    return Coalesce(Subquery(of_this.values("total"), output_field=IntegerField()), 0)
