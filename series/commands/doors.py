"""The check for excluded people that every door makes: sign-up, register, buy-in, re-entry, import."""

import datetime as dt

from accounts.permissions import Permission
from journal.commands import Tx
from journal.errors import Refused
from series.models import Event, Player
from series.reads.exclusions import REFER, is_excluded, is_excluded_by_name

STAFF = (Permission.REGISTER, Permission.TAKE_MONEY, Permission.REPORT_HANDS)


def refuse_excluded(
    tx: Tx[Event], player: Player | None = None, *, name: str = "", birth_date: dt.date | None = None
) -> None:
    """The check of every door, for a known player (whose `birth_date` is the one they said) or for somebody new.

    Raises:
        Refused: they are excluded. The desk is sent to the director, the public to the organiser; neither hears why.
    """
    if player is not None:
        excluded = is_excluded(player, tx.at, birth_date)
    else:
        excluded = birth_date is not None and is_excluded_by_name(name, birth_date, tx.at)
    if not excluded:
        return
    if any(tx.actor.may(permission, tx.subject) for permission in STAFF):
        raise Refused(REFER, code="excluded")
    contact = tx.subject.series.contact
    whom = f"write to {contact}" if contact else "speak to the organiser at the venue"
    raise Refused(f"We cannot take this registration. Please {whom}.", code="excluded")
