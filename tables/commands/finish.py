"""The end of an event: it closes by itself when one player is left and nobody can enter any more."""

from journal.commands import Tx
from series.commands.money import settle_pool
from series.domain.entries import still_sold
from series.models import Day, Entry, Event
from series.reads.prizes import prizes
from tables.domain.clock import Status
from tables.models import Clock, HandForHand
from tables.reads.clock import stage_ahead


def everybody_in(event: Event, tx: Tx[Event]) -> bool:
    """Whether nobody can enter any flight of the event any more."""
    flights = Day.objects.filter(event=event, kind=Day.Kind.FLIGHT)
    return all(day.entries_closed or (day.entries_close_at and day.entries_close_at <= tx.at) for day in flights)


def why_prizes_wait(event: Event, tx: Tx[Event]) -> str:
    """Why prizes cannot be handed out yet: the pool can still grow, or places across flights can still change. Empty
    once they are certain."""
    if not everybody_in(event, tx):
        return "Prizes are paid once registration has closed: the pool can still grow."
    if event.status == Event.Status.FINISHED:
        return ""
    days = list(Day.objects.filter(event=event))
    flights = [day for day in days if day.kind == Day.Kind.FLIGHT]
    rules = event.rules
    sells = bool(rules.rebuys or rules.addons)
    if sells and any(still_sold(rules, stage_ahead(day, tx.at)) for day in days):
        return "Rebuys or add-ons are still sold: the pool can still grow."
    if len(flights) > 1 and Entry.objects.filter(day__in=flights, status=Entry.Status.PLAYING).exists():
        return "A flight is still being played: places across flights follow once all are over."
    return ""


def seats_to_win(event: Event) -> int:
    """How many seats a satellite pays: play ends when no more are left than that."""
    return sum(cents >= event.rules.seat_cents for cents in prizes(event))


def is_decided(event: Event, left: int) -> bool:
    """Whether so many players left in have nothing more to play for."""
    return left == 1 or bool(event.rules.seat_cents and 0 < left <= seats_to_win(event))


def finish_if_decided(tx: Tx[Event]) -> bool:
    """Settle the prize pool once nobody can enter any more, and close the event if one player is left
    (in a satellite: no more than there are seats); called by every
    command after which that may be so."""
    event = tx.subject
    if event.status != Event.Status.RUNNING or not everybody_in(event, tx):
        return False
    settle_pool(tx)
    if not is_decided(event, event.entries.filter(status__in=Entry.STILL_IN).count()):
        return False
    for clock in tx.lock(Clock.objects.filter(day__event=event)):
        tx.change(clock, status=str(Status.ENDED), ends_at=None, version=clock.version + 1)
    for play in tx.lock(HandForHand.objects.filter(day__event=event).exclude(phase=HandForHand.Phase.NORMAL)):
        tx.change(play, phase=HandForHand.Phase.NORMAL, release_at=None, ended_at=tx.at, version=play.version + 1)
    tx.change(event, status=Event.Status.FINISHED, finished_at=tx.at)
    return True
