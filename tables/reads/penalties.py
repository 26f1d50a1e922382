"""Who is away on a penalty, for the staff at the tables."""

from dataclasses import dataclass

from series.models import Day, Event
from tables.models import Penalty


@dataclass(frozen=True)
class Away:
    """A player who misses hands. The blinds and antes are posted for them, the hand is killed after the deal."""

    penalty_id: int
    left: int
    total: int

    @property
    def words(self) -> str:
        return f"{self.left} of {self.total} hand{'' if self.total == 1 else 's'} left"


def away_at(day: Day) -> dict[int, Away]:
    """Who of a day is away, by the entry's key; of several penalties at once the hands add up. One query."""
    found: dict[int, Away] = {}
    for penalty in Penalty.objects.serving().filter(day__event=day.event_id, entry__status="playing").order_by("pk"):
        before = found.get(penalty.entry_id)
        left, total = penalty.hands_left, penalty.hands_total
        if before:
            left, total = left + before.left, total + before.total
        found[penalty.entry_id] = Away(penalty.pk, left, total)
    return found


def disqualified(event: Event) -> frozenset[int]:
    """Entries whose prize waits for the director's decision. One query."""
    rows = Penalty.objects.disqualifying().filter(event=event)
    return frozenset(rows.values_list("entry_id", flat=True))
