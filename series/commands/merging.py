"""Two records of one person made one: everything that names the one goes to the other. Undo makes them two again. Or
two that look alike told apart."""

from collections.abc import Iterator
from typing import Any

from django.db.models import ForeignObjectRel

from accounts.permissions import Permission
from journal.commands import Tx, command
from journal.errors import NotAllowed, Refused
from journal.models import Journaled
from series.commands.known import known_player
from series.models import Entry, Event, Merge, Player, Registration, Series, SeriesPlayer, TwoPeople
from series.reads.players import series_of, told_apart_from

LIVE = "{kept} and {gone} both hold a place in {event}. Take one of them out of it first."


@command(Series, "player.two_people", permission=Permission.REGISTER)
def tell_apart(tx: Tx[Series], *, first_id: int, second_id: int) -> dict[str, Any]:
    """Say that two records which look alike are two people: they are no possible duplicates any more.

    Raises:
        Refused: one and the same, no such players in the series, or said already.
        NotAllowed: the actor may not see players.
    """
    if not tx.actor.may(Permission.SEE_PLAYERS, tx.subject):
        raise NotAllowed
    if first_id == second_id:
        raise Refused("This is one record. Choose another one.", code="same")
    first, second = (known_player(tx, player_id) for player_id in sorted((first_id, second_id)))
    if second.pk in told_apart_from(first):
        raise Refused("They are told apart already.", code="told_apart")
    tx.add(TwoPeople(first=first, second=second, at=tx.at, by_id=tx.actor.pk))
    tx.say("{first} and {second} are two people", first=first, second=second)
    return {}


@command(Series, "player.merge", permission=Permission.REGISTER)
def merge_players(tx: Tx[Series], *, kept_id: int, gone_id: int) -> dict[str, Any]:
    """Say that two records of the series are one person: `gone` leads to `kept` from now on.

    Every row that names `gone` names `kept` afterwards: registrations, entries, sighted ID, penalties and whatever else
    points to a player. In an event that both played to the end, the later record's entries get the next numbers and
    its registration stays where it is. What `kept` lacks of e-mail, phone and account comes from `gone`.

    Result: `merge`, `player` (the one kept).

    Raises:
        Refused: one and the same, told apart, both live in one event, both with an account, or `gone` is known in a
            series where the actor does not register players.
        NotAllowed: the actor may not see players.
    """
    if not tx.actor.may(Permission.SEE_PLAYERS, tx.subject):
        raise NotAllowed
    if kept_id == gone_id:
        raise Refused("This is one record. Choose another one.", code="same")
    events = _lock_events(tx, gone_id)
    kept, gone = _both(tx, kept_id, gone_id)
    if set(_events_of(gone_id)) != events:
        raise Refused(f"{gone} is being registered at this moment. Look again.", code="moving")
    _require_roles(tx, gone)
    if gone.pk in told_apart_from(kept):
        words = f"{kept} and {gone} were told apart. Undo that first, on the page of possible duplicates."
        raise Refused(words, code="told_apart")
    staying = _refuse_both_live(kept, gone)
    moved = list(_move_all(tx, kept, gone, staying))
    if kept.user_id and gone.user_id:
        raise Refused("Both have an account of their own. Release one of the accounts first.", code="two_accounts")
    filled = {name: getattr(kept, name) or getattr(gone, name) for name in ("email", "phone", "user")}
    tx.change(gone, status=Player.Status.MERGED, merged_into=kept, user=None)
    tx.change(kept, **filled)
    # comes last, so that undo asks it first
    merge = tx.add(Merge(kept=kept, gone=gone, at=tx.at, by_id=tx.actor.pk, moved=moved))
    tx.say("{gone} is {kept}: two records are one now", gone=gone, kept=kept)
    return {"merge": merge.pk, "player": kept.pk}


def _events_of(player_id: int) -> Iterator[int]:
    for model in (Registration, Entry):
        yield from model.objects.filter(player=player_id).values_list("event", flat=True)


def _lock_events(tx: Tx[Series], player_id: int) -> set[int]:
    """The events whose rows will go over, locked before any player, as their own commands do."""
    return {event.pk for event in tx.lock(Event.objects.filter(pk__in=set(_events_of(player_id))))}


def _both(tx: Tx[Series], kept_id: int, gone_id: int) -> tuple[Player, Player]:
    first, second = (known_player(tx, player_id) for player_id in sorted((kept_id, gone_id)))
    tx.expect_unchanged(first, second)
    return (first, second) if first.pk == kept_id else (second, first)


def _require_roles(tx: Tx[Series], gone: Player) -> None:
    """Raises Refused for a record with rows in a series where the actor registers nobody."""
    for series in Series.objects.filter(pk__in=series_of(gone) - {tx.subject.pk}).order_by("pk"):
        if not tx.actor.may(Permission.REGISTER, series):
            raise Refused(f"{gone} is known in {series} too: somebody who registers players there merges them.")


def _refuse_both_live(kept: Player, gone: Player) -> set[int]:
    """The events that both were registered for, and that are over for both.

    Raises:
        Refused: one of them still holds a place, or plays, where the other one is too.
    """
    held = Registration.objects.exclude(status__in=Registration.GONE)
    both = Event.objects.filter(pk__in=held.filter(player=kept).values("event")).filter(
        pk__in=held.filter(player=gone).values("event")
    )
    for event in both.order_by("pk"):
        over = event.status in (Event.Status.FINISHED, Event.Status.CANCELLED)
        done = (Registration.Status.ENTERED, *Registration.GONE)
        waits = event.registrations.filter(player__in=[kept, gone]).exclude(status__in=done).exists()
        plays = event.entries.filter(player__in=[kept, gone], status__in=Entry.STILL_IN)
        if not over and (waits or plays.exists()):
            raise Refused(LIVE.format(kept=kept, gone=gone, event=event), code="both_live")
        if plays.count() > 1:
            raise Refused(f"{kept} and {gone} were both in {event} at its end: they are two people.", code="both_live")
    return set(both.values_list("pk", flat=True))


def _move_all(tx: Tx[Series], kept: Player, gone: Player, staying: set[int]) -> Iterator[tuple[str, int]]:
    """Every row that names `gone` names `kept`; what was moved, as table and key."""
    others = told_apart_from(kept)
    for relation in Player._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel):
            continue
        model: type[Journaled] = relation.related_model  # type: ignore[assignment]
        if model in (Player, Merge):
            continue
        for row in tx.lock(model._default_manager.filter(**{relation.field.name: gone})):
            if isinstance(row, Registration) and row.event_id in staying and row.status not in row.GONE:
                continue
            if isinstance(row, SeriesPlayer) and kept.listed_in.filter(series=row.series_id).exists():
                continue
            if isinstance(row, TwoPeople) and {row.first_id, row.second_id} & others:
                continue  # said of both already
            values: dict[str, Any] = {relation.field.name: kept}
            if isinstance(row, Entry) and row.event_id in staying and row.status != Entry.Status.VOID:
                values["number"] = _next_number(row.event_id, kept)
            tx.change(row, **values)
            yield model._meta.label_lower, row.pk


def _next_number(event_id: int, player: Player) -> int:
    numbers = Entry.objects.filter(event=event_id, player=player).values_list("number", flat=True)
    return max(numbers, default=0) + 1
