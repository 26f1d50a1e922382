"""Places and prizes as they follow from the eliminations. Nothing of this is stored."""

from dataclasses import dataclass

from series.domain import finish
from series.domain.options import options_from
from series.models import Entry, Event
from series.reads.prizes import prizes
from tables.models import Bust


@dataclass(frozen=True)
class Placed:
    """One entry's final place (shared from `best` to `worst`) and prize in cents. `player_id` and `name` are public."""

    entry_id: int
    player_id: int
    name: str
    best: int
    worst: int
    prize_cents: int


def standings(event: Event) -> list[Placed]:
    """Everybody who is out, and the winner once one is left in a finished event, best place first. Five queries."""
    paid = dict(enumerate(prizes(event), start=1))
    busts = Bust.objects.filter(entry__event=event).select_related("entry__player").order_by("elimination_id", "pk")
    groups: dict[int, list[finish.Bust]] = {}
    entries: dict[int, Entry] = {}
    for bust in busts:
        entries[bust.entry_id] = bust.entry
        group = groups.setdefault(bust.elimination_id, [])
        group.append(finish.Bust(bust.entry_id, bust.table, bust.stack or 0))
    playing = list(event.entries.filter(status=Entry.Status.PLAYING).select_related("player"))
    policy = finish.CrossTable(options_from(event.series.options).cross_table)
    found = [
        _placed(entries[int(str(result.entry))], result.best, result.worst, result.prize_cents)
        for result in finish.standings(list(groups.values()), len(playing), paid, policy)
    ]
    if event.status == Event.Status.FINISHED and len(playing) == 1:
        found.insert(0, _placed(playing[0], 1, 1, paid.get(1, 0)))
    return found


def _placed(entry: Entry, best: int, worst: int, prize_cents: int) -> Placed:
    return Placed(entry.pk, entry.player_id, entry.player.public_name, best, worst, prize_cents)
