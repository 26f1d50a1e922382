"""Which players a command may name: those its series knows. A key alone opens no door to the people of another one."""

import datetime as dt

from accounts.permissions import Permission
from journal.commands import Tx
from journal.errors import Refused
from series.models import Event, Player, Series
from series.reads.players import is_described, known_in, series_of

NO_SUCH = "There is no such player."


def known_player(tx: Tx[Event] | Tx[Series], player_id: int) -> Player:
    """The player, locked.

    Raises:
        Refused: the series of the stream does not know them.
    """
    series_id = tx.subject.series_id if isinstance(tx.subject, Event) else tx.subject.pk
    rows = tx.lock(known_in(series_id).filter(pk=player_id))
    if not rows:
        raise Refused(NO_SUCH, code="missing")
    return rows[0]


def picked_player(tx: Tx[Event], player_id: int, name: str, birth_date: dt.date | None) -> Player:
    """A player to be registered, locked: one of the series, or of another one for whom the actor may see players there,
    or who was described by name and birth date.

    Raises:
        Refused: none of these.
    """
    rows = tx.lock(Player.objects.filter(pk=player_id, status=Player.Status.ACTIVE))
    if rows:
        player = rows[0]
        known = series_of(player)
        if is_described(player, name, birth_date) or tx.subject.series_id in known:
            return player
        if any(tx.actor.may(Permission.SEE_PLAYERS, series) for series in Series.objects.filter(pk__in=known)):
            return player
    raise Refused(NO_SUCH, code="missing")


def own_player(tx: Tx[Event], user_id: int) -> Player | None:
    """The player whose account this is, locked; None if the account has none."""
    rows = tx.lock(Player.objects.filter(user_id=user_id, status=Player.Status.ACTIVE))
    return rows[0] if rows else None
