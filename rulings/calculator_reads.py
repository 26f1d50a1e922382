"""What the floor's calculators know before anybody types: the table they stand at."""

from dataclasses import dataclass, field, replace

from django.utils import timezone

from series.domain.options import Options, options_from
from series.models import Day, Event
from tables.models import Seat, Table
from tables.reads.clock import chips_in_play, clock_views
from tables.reads.screens import days_of, pick_day

USUAL_SEATS = 10
USUAL_CHIPS = (25, 100, 500, 1000, 5000)


@dataclass(frozen=True)
class Spot:
    """Where a calculator is used. Without an event everything is unknown and the readings are those of the house rules.

    `event` is None for visitors who are not its staff; the readings of its series hold for them all the same. `names`
    are public names by seat; `button`, `small_blind` and `big_blind` the positions from which the coming hand follows;
    `small` and `big` the blinds of the level, `chips` those in play at it, smallest first.
    """

    event: Event | None = None
    day: Day | None = None
    table: int | None = None
    seats: int = USUAL_SEATS
    names: dict[int, str] = field(default_factory=dict)
    button: int | None = None
    small_blind: int | None = None
    big_blind: int | None = None
    small: int | None = None
    big: int | None = None
    chips: tuple[int, ...] = USUAL_CHIPS
    options: Options = field(default_factory=Options)

    def named(self, seat: int) -> str:
        """A seat as people call it: "seat 4, Hēmi", "seat 4" where nobody is known."""
        name = self.names.get(seat)
        return f"seat {seat}, {name}" if name else f"seat {seat}"


def spot(event: Event, day: str, table: str) -> Spot:
    """The table of an event and the level it plays. Six queries at most."""
    at = pick_day(days_of(event), day)
    options = options_from(event.series.options)
    if at is None:
        return Spot(event, options=options)
    known = Spot(event, at, seats=event.seats_per_table, options=options)
    view = clock_views([at], timezone.now()).get(at.pk)
    if view:
        level = (view.is_break and view.next_level) or view.current
        chips = chips_in_play(event, view, level.position)
        known = replace(known, small=level.small_blind, big=level.big_blind, chips=chips)
    row = Table.objects.filter(day=at, number=int(table)).first() if is_number(table) else None
    if row is None:
        return known
    chairs = Seat.objects.filter(table=row, entry__isnull=False).select_related("entry__player")
    names = {chair.number: str(chair.entry) for chair in chairs}
    last = row.last(names)
    return replace(
        known,
        table=row.number,
        seats=row.seats,
        names=names,
        button=last.button if last else None,
        small_blind=last.small_blind if last else None,
        big_blind=last.big_blind if last else None,
    )


def is_number(text: str) -> bool:
    """Whether an address holds a number that a table or event can have."""
    return text.isdecimal() and len(text) < 10
