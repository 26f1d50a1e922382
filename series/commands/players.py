"""What is done with a player beyond one event: details put right, accounts, the public name, the list of a series."""

import datetime as dt
from typing import Any

from accounts.models import User
from accounts.permissions import Permission
from journal.actors import PUBLIC
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.known import NO_SUCH, known_player
from series.commands.people import clean_name, clean_phone, put_right
from series.domain.eligibility import BirthDateError, check_birth_date, is_of_age, local_date
from series.domain.names import fold
from series.domain.public_name import PublicNameError, public_name
from series.models import Player, Series, SeriesPlayer
from series.models.people import new_token
from series.reads.exclusions import REFER, is_excluded_by_name
from series.reads.players import known_in


@command(Series, "player.put_right", permission=Permission.REGISTER)
def put_player_right(
    tx: Tx[Series],
    *,
    player_id: int,
    name: str,
    birth_date: dt.date | None,
    email: str = "",
    phone: str = "",
    public_name: str = "",
) -> dict[str, Any]:
    """Put a player's details right, as `correct_player` does at an event's desk.

    Raises:
        Refused: no such player in the series, an impossible birth date, an empty name, or something overlong.
    """
    player = known_player(tx, player_id)
    put_right(tx, player, name, birth_date, email, phone, public_name, tx.subject)
    return {"player": player.pk}


def player_of_link(tx: Tx[Series], token: str) -> Player:
    """The player whose own link this is, locked.

    Raises:
        Refused: the link is used up, or of no player of the series.
    """
    rows = tx.lock(known_in(tx.subject.pk).filter(token=token))
    if not rows:
        raise Refused("This link does not work any more. Ask the desk for the new one.", code="missing")
    return rows[0]


@command(Series, "player.claim", permission=PUBLIC, undo_permission=Permission.REGISTER)
def claim_player(tx: Tx[Series], *, token: str) -> dict[str, Any]:
    """A signed-in account takes the player whose own link it opened. One account holds one player.

    Raises:
        Refused: nobody is signed in, the account's e-mail is not confirmed, or account or player are taken already.
    """
    player = player_of_link(tx, token)
    user = tx.actor
    if not isinstance(user, User):
        raise Refused("Sign in first.", code="signed_out")
    if player.user_id == user.pk:
        raise Refused("This player is yours already.", code="claimed")
    if player.user_id is not None:
        raise Refused("Another account has this player. Ask the desk.", code="claimed")
    if not has_confirmed(user):
        raise Refused("Confirm the e-mail address of your account first.", code="unconfirmed")
    if user.players.exists():
        raise Refused(
            "Your account has another player record already. Ask the desk to make the two one.", code="two_players"
        )
    tx.change(player, user=user)
    tx.say("{player} is linked to an account", player=player)
    return {"player": player.pk}


def has_confirmed(user: User) -> bool:
    """Whether an e-mail address of the account is confirmed. One query."""
    return bool(user.emailaddress_set.filter(verified=True).exists())  # type: ignore[attr-defined]  # of allauth


@command(Series, "player.release", permission=Permission.REGISTER)
def release_claim(tx: Tx[Series], *, player_id: int) -> dict[str, Any]:
    """Take a player from the account that claimed them. The link is made anew: the wrong account knew the old one.

    Raises:
        Refused: no such player in the series, or no account has them.
    """
    player = known_player(tx, player_id)
    tx.expect_unchanged(player)
    if player.user_id is None:
        raise Refused("No account has this player.", code="unclaimed")
    tx.change(player, user=None, token=new_token())
    tx.say("{player} is no longer linked to an account; their own link is new", player=player)
    return {"player": player.pk}


@command(Series, "player.show_as", permission=PUBLIC, undo_permission=Permission.REGISTER)
def choose_public_name(tx: Tx[Series], *, token: str, kind: str, nickname: str = "") -> dict[str, Any]:
    """A player chooses under which name everybody sees them: `real`, `initials` or `nickname`.

    Raises:
        Refused: at field `nickname` for one that cannot be, at `kind` for no choice; the link does not work any more.
    """
    player = player_of_link(tx, token)
    try:
        shown = public_name(kind, player.name, nickname)
    except PublicNameError as error:
        raise Refused(str(error), field="nickname" if kind == "nickname" else "kind", code="bad_name") from error
    tx.change(player, public_name=shown)
    tx.say("{player} chose the name for public pages", player=player)
    return {"player": player.pk}


@command(Series, "player.list", permission=Permission.REGISTER)
def list_player(
    tx: Tx[Series],
    *,
    player_id: int | None = None,
    name: str = "",
    birth_date: dt.date | None = None,
    email: str = "",
    phone: str = "",
) -> dict[str, Any]:
    """Put somebody on the list of the series, without an event: a known player, who may be of another series if name
    and birth date are said with the key, or a new one. They must have reached the series' age.

    Result: `player`; nothing is done for one the series knows.

    Raises:
        Refused: at `name`, `birth_date` or `phone`, too young (nothing is stored), excluded, or no such player.
    """
    series = tx.subject
    if player_id and known_in(series.pk).filter(pk=player_id).exists():
        return {"player": player_id}
    if birth_date is None:
        raise Refused("Write the birth date.", field="birth_date")
    name = clean_name(name)
    try:
        check_birth_date(birth_date, local_date(tx.at, series.tz))
    except BirthDateError as error:
        raise Refused(str(error), field="birth_date", code=error.code) from error
    if not is_of_age(birth_date, tx.at, series.tz, series.minimum_age):
        raise Refused(f"Not {series.minimum_age} yet.", field="birth_date", code="too_young")
    if is_excluded_by_name(name, birth_date, tx.at):
        raise Refused(REFER, code="excluded")
    same = Player.objects.filter(name_folded=fold(name), birth_date=birth_date, status=Player.Status.ACTIVE)
    if player_id:
        rows = tx.lock(same.filter(pk=player_id))
        if not rows:
            raise Refused(NO_SUCH, code="missing")
        player = rows[0]
    else:
        if here := known_in(series.pk).filter(pk__in=same.values("pk")).first():
            return {"player": here.pk}
        player = tx.add(
            Player(
                name=name,
                name_folded=fold(name),
                public_name=name,
                birth_date=birth_date,
                email=email.strip(),
                phone=clean_phone(phone),
            )
        )
    again = tx.lock(SeriesPlayer.objects.filter(series=series, player=player))
    if again:
        tx.change(again[0], removed=False)
    else:
        tx.add(SeriesPlayer(series=series, player=player, at=tx.at))
    tx.say("{player} is on the list of the series", player=player)
    return {"player": player.pk}
