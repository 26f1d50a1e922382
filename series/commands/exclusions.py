"""Excluding somebody from every event of the organiser (`series.commands.doors` has the check that refuses them)."""

import datetime as dt
from typing import Any

from django.utils import timezone

from accounts.permissions import Permission
from journal.actors import PUBLIC
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.people import clean_name
from series.domain.exclusions import SELF_MONTHS, months_later
from series.domain.names import fold
from series.models import Exclusion, Organiser, Player, Series

MOST_REASON = 2000


@command(Series, "exclusion.add", permission=Permission.DIRECT)
def exclude(
    tx: Tx[Series],
    *,
    name: str,
    birth_date: dt.date,
    until: dt.datetime | None,
    why: str,
    player_id: int | None = None,
) -> dict[str, Any]:
    """Exclude somebody until an instant (None: without an end) from every event of every series.

    The journal says neither whom nor why. Result: `exclusion`.

    Raises:
        Refused: at `name`, `until` (not ahead) or `why` (empty).
    """
    name = clean_name(name)
    player = tx.lock_one(Player, "There is no such player.", pk=player_id) if player_id else None
    row = Exclusion(
        player=player or _only_record(name, birth_date),
        name=name,
        name_folded=fold(name),
        birth_date=birth_date,
        from_at=tx.at,
        until=_ahead(tx, until),
        reason=_reason(why),
    )
    tx.add(row)
    tx.say("An exclusion was recorded")
    return {"exclusion": row.pk}


def _only_record(name: str, birth_date: dt.date) -> Player | None:
    """The record of this name and birth date, if there is exactly one."""
    same = Player.objects.filter(name_folded=fold(name), birth_date=birth_date, status=Player.Status.ACTIVE)
    found = list(same[:2])
    return found[0] if len(found) == 1 else None


def _ahead(tx: Tx[Series], until: dt.datetime | None) -> dt.datetime | None:
    if until is not None and until <= tx.at:
        raise Refused("Choose a day that lies ahead, or none.", field="until")
    return until


def _reason(why: str, field: str = "why") -> str:
    if not why.strip():
        raise Refused("Say why. Directors alone read it.", field=field)
    if len(why) > MOST_REASON:
        raise Refused(f"This is too long: {MOST_REASON:,} characters at most.", field=field)
    return why.strip()


@command(Series, "exclusion.change", permission=Permission.DIRECT)
def change_exclusion(tx: Tx[Series], *, exclusion_id: int, until: dt.datetime | None, why: str) -> dict[str, Any]:
    """Set another end, or put the reason right. What a player chose for themselves is never shortened here.

    Raises:
        Refused: no such exclusion, at `until` or at `why`.
    """
    row = _standing(tx, exclusion_id)
    until = _ahead(tx, until)
    if row.by_player and until is not None and (row.until is None or until < row.until):
        raise Refused("The player chose this end themselves: it can only come later.", field="until")
    tx.change(row, until=until, reason=row.reason if row.by_player and not why.strip() else _reason(why))
    tx.say("An exclusion was changed")
    return {}


@command(Series, "exclusion.lift", permission=Permission.DIRECT)
def lift_exclusion(tx: Tx[Series], *, exclusion_id: int, why: str) -> dict[str, Any]:
    """End an exclusion before its time, with a reason; one that a player made only if it was made in error.

    Raises:
        Refused: no such exclusion, or at `why`.
    """
    row = _standing(tx, exclusion_id)
    tx.change(row, lifted_at=tx.at, lifted_why=_reason(why))
    tx.say("An exclusion was lifted")
    return {}


def _standing(tx: Tx[Series], exclusion_id: int) -> Exclusion:
    row = tx.lock_one(Exclusion, "There is no such exclusion.", pk=exclusion_id)
    tx.expect_unchanged(row)
    if row.lifted_at is not None:
        raise Refused("This exclusion was lifted already.", code="lifted")
    return row


@command(Organiser, "exclusion.own", permission=PUBLIC, undoable=False)
def exclude_self(
    tx: Tx[Organiser], *, token: str, months: int, sure: bool, birth_date: dt.date | None = None
) -> dict[str, Any]:
    """A player excludes themselves, from the page that only their link opens. They cannot shorten it.
    `birth_date`: where none is kept, so that a new record of theirs is refused as well.

    Raises:
        Refused: at `months`, `sure` or `birth_date`.
    """
    player = tx.lock_one(Player, "There is no such player.", token=token, status=Player.Status.ACTIVE)
    if months not in SELF_MONTHS:
        raise Refused("Choose for how long.", field="months")
    born = player.birth_date or birth_date
    if born is None:
        raise Refused("Write your birth date.", field="birth_date")
    if not sure:
        raise Refused("Tick that you are sure: this cannot be taken back.", field="sure")
    tx.add(
        Exclusion(
            player=player,
            name=player.name,
            name_folded=player.name_folded,
            birth_date=born,
            by_player=True,
            from_at=tx.at,
            until=months_later(timezone.localtime(tx.at), months),
        )
    )
    tx.say("A player excluded themselves")
    return {}
