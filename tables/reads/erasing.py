"""Whether a player's data can be erased now, and whose rows go with it."""

import datetime as dt
from collections.abc import Sequence

from django.db.models import Q

from series.models import Entry, Event, Exclusion, Payout, Player, Purchase, Registration
from series.models.exclusions import ExclusionQuerySet
from tables.reads.bounties import bounty_winners
from tables.reads.standings import standings_of

OVER = (Event.Status.FINISHED, Event.Status.CANCELLED)


def records_of(player: Player) -> list[Player]:
    """The player's record and all that were merged into it, by key. One query for each generation."""
    found, generation = [player], [player]
    while generation:
        generation = list(Player.objects.filter(merged_into__in=generation).exclude(pk__in=[row.pk for row in found]))
        found += generation
    return sorted(found, key=lambda row: row.pk)


def exclusions_of(players: Sequence[Player]) -> ExclusionQuerySet:
    """Exclusions of these records, or of somebody of the same name and birth date."""
    same = Q(player__in=players)
    for row in players:
        if row.birth_date is not None:
            same |= Q(name_folded=row.name_folded, birth_date=row.birth_date)
    return Exclusion.objects.filter(same)


def why_not_erased(players: Sequence[Player], now: dt.datetime) -> str:
    """What stands against erasing these records of one person, in words; empty if nothing does.

    A prize counts as owed until it is handed over, also while the event still runs. An exclusion that
    holds needs the name.
    """
    pks = {row.pk for row in players}
    if excluded := exclusions_of(players).in_force(now).first():
        until = f" until {excluded.until:%d/%m/%Y}" if excluded.until else ""
        return f"They are excluded{until}: name and birth date are needed to keep them out."
    playing = Entry.objects.filter(player__in=players, status__in=Entry.STILL_IN).exclude(event__status__in=OVER)
    if entry := playing.select_related("event").first():
        return f"They are still playing {entry.event}."
    held = Registration.objects.filter(player__in=players).exclude(event__status__in=OVER)
    waiting = held.exclude(status__in=[*Registration.GONE, Registration.Status.ENTERED])
    if registration := waiting.select_related("event").first():
        return f"They hold a place in {registration.event}: give it back first."
    bought = Entry.objects.filter(player__in=players).exclude(status=Entry.Status.VOID)
    if purchase := Purchase.objects.filter(entry__in=bought, status=Purchase.Status.DECLARED).first():
        return f"They owe a rebuy in {purchase.event}."
    paid = set(Payout.objects.filter(entry__in=bought, taken_back=False).values_list("entry", flat=True))
    mine = set(bought.values_list("pk", flat=True)) - paid
    played = Event.objects.filter(entries__in=bought).exclude(status=Event.Status.CANCELLED).distinct()
    events = list(played.select_related("series").order_by("pk"))
    stand = standings_of(events)
    for event in events:
        if any(place.prize_cents and place.entry_id in mine for place in stand[event.pk].placed):
            return f"A prize of {event} is not paid out yet."
        if any(winner.owed_cents > 0 for winner in bounty_winners(event).values() if winner.player_id in pks):
            return f"Bounties of {event} are not paid out yet."
    return ""
