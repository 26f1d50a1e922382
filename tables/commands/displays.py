"""What the floor says to the hall, and what each screen in it shows."""

import datetime as dt
from typing import Any

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import Refused
from series.models import Day, Event
from tables.models import Display, HallMessage

CODE_LENGTH = 6
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is taken for another one
MOST_MINUTES = 24 * 60
MOST_MESSAGES = 5


@command(Event, "message.say", permission=Permission.RUN_FLOOR)
def say_message(
    tx: Tx[Event], *, text: str, audience: str = HallMessage.Audience.BOTH, minutes: int | None = None
) -> dict[str, Any]:
    """Tell everybody something, for so many minutes or until it is taken down. Result: `message`, its key.

    Raises:
        Refused: at `text` without words, at `minutes` out of range, or when too many messages are up.
    """
    text = " ".join(text.split())
    if not text:
        raise Refused("Write what everybody should know.", field="text")
    if minutes is not None and not 1 <= minutes <= MOST_MINUTES:
        raise Refused("Choose between one minute and a day.", field="minutes")
    up = HallMessage.objects.filter(event=tx.subject, taken_down=False).exclude(until__lte=tx.at).count()
    if up >= MOST_MESSAGES:
        raise Refused(f"{MOST_MESSAGES} messages are up: take one down first.", field="text", code="too_many")
    until = tx.at + dt.timedelta(minutes=minutes) if minutes else None
    message = tx.add(HallMessage(event=tx.subject, text=text[:200], audience=audience, said_at=tx.at, until=until))
    tx.say("Said to the hall: “{message}”", message=message)
    return {"message": message.pk}


@command(Event, "message.take_down", permission=Permission.RUN_FLOOR)
def take_down(tx: Tx[Event], *, message_id: int) -> dict[str, Any]:
    """Take a message down. Does nothing if it is down.

    Raises:
        Refused: there is no such message.
    """
    message = tx.lock_one(HallMessage, "There is no such message.", pk=message_id, event=tx.subject)
    tx.change(message, taken_down=True)
    tx.say("Taken down: “{message}”", message=message)
    return {}


def _day(tx: Tx[Event], day_id: int | None) -> Day | None:
    if day_id is None:
        return None
    return tx.lock_one(Day, "There is no such day.", pk=day_id, event=tx.subject)


@command(Event, "display.pair", permission=Permission.RUN_FLOOR)
def pair_display(
    tx: Tx[Event], *, code: str, name: str, show: str = Display.Show.CLOCK, day_id: int | None = None
) -> dict[str, Any]:
    """Take the screen that shows this code into the hall of an event. Without a day it follows the one being played.

    Result: `display`, its key.

    Raises:
        Refused: players cannot see the event yet, or at `code` for one that is not a code or is paired already.
    """
    event = tx.subject
    if not event.is_public:
        raise Refused("Open the event first: a screen shows what players may see.", code="not_public")
    code = "".join(code.split()).upper()
    if len(code) != CODE_LENGTH or set(code) - set(LETTERS):
        raise Refused("A code has six letters and figures, as on the screen.", field="code")
    other = Display.objects.filter(code=code, paired=True).select_related("event").first()
    if other:
        raise Refused(f"This screen is paired already, with {other.event}. Remove it there first.", field="code")
    display = tx.add(
        Display(
            event=event, day=_day(tx, day_id), code=code, name=name.strip()[:40] or code, show=show, paired_at=tx.at
        )
    )
    tx.say("{display} paired: {show}", display=display, show=display.get_show_display().lower())
    return {"display": display.pk}


def _paired(tx: Tx[Event], display_id: int) -> Display:
    return tx.lock_one(Display, "This screen is not paired any more.", pk=display_id, event=tx.subject, paired=True)


@command(Event, "display.show", permission=Permission.RUN_FLOOR)
def show_on_display(tx: Tx[Event], *, display_id: int, show: str, day_id: int | None = None) -> dict[str, Any]:
    """Choose what a screen shows, and of which day.

    Raises:
        Refused: it is not paired any more.
    """
    display = _paired(tx, display_id)
    tx.change(display, show=show, day=_day(tx, day_id))
    tx.say("{display} shows: {show}", display=display, show=display.get_show_display().lower())
    return {}


@command(Event, "display.remove", permission=Permission.RUN_FLOOR)
def remove_display(tx: Tx[Event], *, display_id: int) -> dict[str, Any]:
    """Let a screen go; it shows its code again.

    Raises:
        Refused: it is gone already.
    """
    display = _paired(tx, display_id)
    tx.change(display, paired=False)
    tx.say("{display} removed", display=display)
    return {}
