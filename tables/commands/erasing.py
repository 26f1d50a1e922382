"""Erasing a person's data on request (Privacy Act 2020, principles 7 and 9). Results stay, under a public name."""

import datetime as dt
from typing import Any

from accounts.models import User
from accounts.permissions import Permission
from journal.actors import PUBLIC
from journal.commands import Tx, command
from journal.errors import Refused
from journal.forgetting import Forgotten, sealed_about, written_about
from journal.models import Sealed
from series.commands.accounts import forget_account
from series.commands.known import known_player
from series.commands.players import player_of_link
from series.domain.names import fold
from series.domain.public_name import ERASED
from series.mailbox import forget_letters
from series.models import Entry, ErasureRequest, Event, Letter, Player, PrizeHold, Registration, Series
from series.models.people import new_token
from series.reads.players import series_of
from tables.models import Draw, Penalty
from tables.reads.erasing import exclusions_of, records_of, why_not_erased


@command(Series, "player.ask_erasure", permission=PUBLIC, undoable=False)
def ask_erasure(tx: Tx[Series], *, token: str, keep_name: bool = False) -> dict[str, Any]:
    """A player asks that their data be erased. The directors of every series that knows them see it.

    Raises:
        Refused: the link does not work any more, or it was asked already.
    """
    player = player_of_link(tx, token)
    if player.erasure_requests.filter(status=ErasureRequest.Status.ASKED).exists():
        raise Refused("You have asked for this already.", code="asked")
    tx.add(ErasureRequest(player=player, at=tx.at, keep_name=keep_name))
    tx.say("{player} asks for their data to be erased", player=player)
    return {"player": player.pk}


@command(Series, "player.keep_data", permission=PUBLIC, undoable=False)
def take_back_erasure(tx: Tx[Series], *, token: str) -> dict[str, Any]:
    """The player wants their data kept after all.

    Raises:
        Refused: the link does not work any more, or nothing was asked.
    """
    player = player_of_link(tx, token)
    rows = tx.lock(player.erasure_requests.filter(status=ErasureRequest.Status.ASKED))
    if not rows:
        raise Refused("You have not asked for this.", code="missing")
    tx.change(rows[0], status=ErasureRequest.Status.WITHDRAWN)
    tx.say("{player} does not ask for erasure any more", player=player)
    return {"player": player.pk}


@command(Series, "player.erase", permission=Permission.DIRECT, undoable=False)
def erase_player(tx: Tx[Series], *, player_id: int, keep_name: bool) -> dict[str, Any]:
    """Destroy everything that names or reaches a person: details, account, letters, sealed values of the journal, and
    their name in what staff wrote. Entries, places and prizes stay, under the public name if `keep_name`, else as
    "Erased player"; a frozen statement stays as it was handed on. It cannot be undone.

    Result: `player`, and `account_kept` if the account is a staff member's and only the link to it went.

    Raises:
        Refused: they play, hold a place or are owed money; or a series where the actor is no director knows them.
    """
    found = records_of(Player(pk=player_id))
    events = Registration.objects.filter(player__in=found).values("event")
    entered = Entry.objects.filter(player__in=found).values("event")
    # events before players, as their own commands lock them
    tx.lock(Event.objects.filter(pk__in=events) | Event.objects.filter(pk__in=entered))
    players = tx.lock(Player.objects.filter(pk__in=[row.pk for row in found]))
    player = known_player(tx, player_id)
    tx.expect_unchanged(*players)
    _require_roles(tx, players)
    if reason := why_not_erased(players, tx.at):
        raise Refused(reason, code="not_yet")
    shown = player.public_name if keep_name else ERASED
    who = _known_of(players, shown)
    users = [row.user for row in players if row.user is not None]
    addresses = {word for word in who.words if "@" in word} | {user.email for user in users}
    for row in players:
        status = Player.Status.ERASED if row.pk == player_id else row.status
        _empty(tx, row, shown, status)
    for entry in tx.lock(Entry.objects.filter(player__in=players)):
        if entry.keeps_seat or Sealed.objects.filter(table="series.entry", row=entry.pk).exists():
            tx.forget(entry, keeps_seat="")
    for letter in tx.lock(Letter.objects.filter(registration__player__in=players, sent_at__isnull=True)):
        tx.remove(letter)
    _redact(tx, who)
    for request in tx.lock(ErasureRequest.objects.filter(player__in=players, status=ErasureRequest.Status.ASKED)):
        tx.change(request, status=ErasureRequest.Status.DONE)
    kept = [user for user in users if not forget_account(user)]
    forget_letters(addresses)
    tx.say("The data of {player} was erased", player=player)
    return {"player": player.pk, "account_kept": bool(kept)}


def _require_roles(tx: Tx[Series], players: list[Player]) -> None:
    known = set().union(*(series_of(row) for row in players)) - {tx.subject.pk}
    for series in Series.objects.filter(pk__in=known).order_by("pk"):
        if not tx.actor.may(Permission.DIRECT, series):
            raise Refused(f"{series} knows this player too: somebody who directs both, or the organiser, erases them.")


def _known_of(players: list[Player], shown: str) -> Forgotten:
    """What the person was ever called, and how they could be reached, as far as it is still written somewhere."""
    pks = [row.pk for row in players]
    words = {word for row in players for word in (row.name, row.public_name, row.email, row.phone)}
    words |= {row.user.email for row in players if isinstance(row.user, User)}
    tokens = {row.token for row in players}
    past = Sealed.objects.filter(table="series.player", row__in=pks)
    words |= {value for value in past.values_list("value", flat=True) if isinstance(value, str) and not _is_date(value)}
    entries = Entry.objects.filter(player__in=players).values_list("pk", flat=True)
    penalties = Penalty.objects.filter(player__in=players).values_list("pk", flat=True)
    holds = PrizeHold.objects.filter(entry__player__in=players).values_list("pk", flat=True)
    # rulings stand above: they are reached through the entry's own relation
    rulings = Entry.objects.filter(player__in=players, rulings__isnull=False).values_list("rulings__ruling", flat=True)
    return Forgotten(
        rows={
            "series.player": frozenset(pks),
            "series.entry": frozenset(entries),
            "series.prizehold": frozenset(holds),
            "tables.penalty": frozenset(penalties),
            "rulings.ruling": frozenset(rulings),
            "series.exclusion": frozenset(exclusions_of(players).values_list("pk", flat=True)),
        },
        words=tuple(sorted(word for word in words - tokens - {shown} if word)),
        shown=shown,
    )


def _is_date(value: str) -> bool:
    try:
        dt.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _empty(tx: Tx[Series], row: Player, shown: str, status: str) -> None:
    tx.forget(
        row,
        name=shown,
        name_folded=fold(shown),
        public_name=shown,
        birth_date=None,
        email="",
        phone="",
        user=None,
        token=new_token(),
        status=status,
    )


def _redact(tx: Tx[Series], who: Forgotten) -> None:
    for row in written_about(who, but=[Player, Event]):
        row.journal_forget(tx, who)
    tx.forget_sealed(sealed_about(who, but=[Player, Event, Draw]))
