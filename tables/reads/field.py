"""The field of an event in figures: who is left, the average stack, the prize pool and where the money begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, IntegerField, OuterRef, Q, Subquery, Sum

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
    in_play = ChipLine.objects.filter(day=OuterRef("day_id")).order_by().values("day").annotate(total=Sum("chips"))
    moved_on = (
        Bag.objects.filter(day=OuterRef("day_id"), taken_back=False)
        .exclude(entry__day=OuterRef("day_id"))
        .order_by()
        .values("day")
        .annotate(total=Count("pk"))
    )
    counts = (
        Entry.objects.filter(event__in=events)
        .exclude(status=Entry.Status.VOID)
        .values("event_id", "day_id")
        .annotate(
            entries=Count("pk"),
            left=Count("pk", filter=Q(status__in=Entry.STILL_IN)),
            moved_on=Subquery(moved_on.values("total"), output_field=IntegerField()),
            chips=Subquery(in_play.values("total"), output_field=IntegerField()),
        )
    )
    by_day: dict[int, tuple[int, int, int]] = {}
    alive: dict[int, int] = dict.fromkeys(events, 0)
    entries: dict[int, int] = dict.fromkeys(events, 0)
    for row in counts.order_by():
        by_day[row["day_id"]] = (row["left"], row["entries"] + (row["moved_on"] or 0), row["chips"] or 0)
        alive[row["event_id"]] += row["left"]
        entries[row["event_id"]] += row["entries"]
    pools = {pk: pool.total for pk, pool in prize_pools(events.values()).items()}
    prizes = prizes_of(list(events.values()), entries, pools)
    found = {}
    for day in days:
        left, day_entries, chips = by_day.get(day.pk, (0, 0, 0))
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
