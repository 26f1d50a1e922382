"""Seats won in satellites: who has one, and which events can be played for."""

from django.db.models import Q

from series.models import Entry, Event, SeatWon


def seat_won(player_id: int, event: Event) -> SeatWon | None:
    """The seat a player can use for this event, if any. One query."""
    won = SeatWon.objects.filter(target=event, entry__player=player_id, status=SeatWon.Status.WON)
    return won.select_related("entry__event").first()


def has_seat(player_id: int, target: Event) -> bool:
    """Whether a player has an entry of the target, or a seat in it that is not used yet. Two queries at most."""
    entered = Entry.objects.filter(event=target, player=player_id).exclude(status=Entry.Status.VOID)
    return entered.exists() or seat_won(player_id, target) is not None


def possible_targets(event: Event) -> list[Event]:
    """Events of the series that seats can be won for, the one chosen among them. One query."""
    rows = Event.objects.filter(series=event.series_id).exclude(pk=event.pk).exclude(seats_in=event.pk)
    over = Q(status__in=[Event.Status.FINISHED, Event.Status.CANCELLED])
    return list(rows.exclude(over & ~Q(pk=event.seats_in_id)))
