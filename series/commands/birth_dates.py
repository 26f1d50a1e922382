"""Birth dates that are not needed any more, in a series that discards them (Privacy Act 2020, principle 9)."""

from typing import Any

from journal.actors import System
from journal.commands import Tx, command
from series.domain.options import options_from
from series.models import Player, Series
from series.reads.players import no_longer_needed

MOST_AT_ONCE = 200
PRIVACY = System("the privacy rules", frozenset({"discard_birth_dates"}))


@command(Series, "player.discard_birth_dates", permission="discard_birth_dates", undoable=False, forgets=True)
def discard_birth_dates(tx: Tx[Series]) -> dict[str, Any]:
    """Destroy the birth dates of the series' players whose age an ID has shown, also in the journal and in the records
    that were merged into theirs. That it was seen, for which age, by whom and when stays. Result: `discarded`, how many
    players; nothing in a series that keeps them."""
    if options_from(tx.subject.options).birth_dates != "discard":
        return {"discarded": 0}
    served = no_longer_needed(tx.subject.pk, tx.at).order_by("pk").values_list("pk", flat=True)
    players = tx.lock(Player.objects.filter(pk__in=list(served[:MOST_AT_ONCE])))
    records, merged = list(players), players
    while merged := tx.lock(Player.objects.filter(merged_into__in=merged)):
        records += merged
    for record in records:
        if record.birth_date is not None:
            tx.forget_columns(record, "birth_date")
    tx.say("Birth dates discarded, the age of {players} is proven", players=players)
    return {"discarded": len(players)}
