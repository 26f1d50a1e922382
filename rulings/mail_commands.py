"""Mail about changed rules: asked for, confirmed by the link in the first mail, left by the link in every other."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from journal.actors import PUBLIC, System
from journal.commands import Tx, command
from journal.errors import Refused
from rulings.models import RulesLetter, Subscriber
from series.models import Series

ASK_AGAIN_AFTER = dt.timedelta(hours=1)
CONFIRM_WITHIN = dt.timedelta(days=7)
SEND = "send_rules_letters"
POST = System("the post", frozenset({SEND}))


@command(Series, "rulebook.subscribe", permission=PUBLIC, undoable=False)
def subscribe(tx: Tx[Series], *, email: str) -> dict[str, Any]:
    """Ask for mail about changed rules. Sends the question whether it was really they who asked, at most once an hour.

    The answer is the same whether the address is known or not, so that nobody learns who subscribed.

    Raises:
        Refused: at field `email`, if it is no address.
    """
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError as error:
        raise Refused("This is not an e-mail address.", field="email") from error
    here = tx.lock(Subscriber.objects.filter(series=tx.subject, email=email, left_at__isnull=True))
    who = here[0] if here else tx.add(Subscriber(series=tx.subject, email=email, asked_at=tx.at))
    if who.confirmed_at is not None:
        return {}
    asked = who.letters.filter(kind=RulesLetter.Kind.CONFIRM)
    if not asked.filter(at__gt=tx.at - ASK_AGAIN_AFTER).exists():
        tx.change(who, asked_at=tx.at)
        tx.add(RulesLetter(subscriber=who, kind=RulesLetter.Kind.CONFIRM, at=tx.at))
        tx.say("Mail about changed rules asked for")
    return {}


def _subscriber(tx: Tx[Series], token: str) -> Subscriber:
    return tx.lock_one(Subscriber, "This link is used up.", series=tx.subject, token=token, left_at__isnull=True)


@command(Series, "rulebook.confirm", permission=PUBLIC, undoable=False)
def confirm(tx: Tx[Series], *, token: str) -> dict[str, Any]:
    """The link of the first mail was followed: from here on mail is sent.

    Raises:
        Refused: no such link, or it is older than a week.
    """
    who = _subscriber(tx, token)
    if who.confirmed_at is not None:
        return {}
    if who.asked_at < tx.at - CONFIRM_WITHIN:
        raise Refused("This link is older than a week. Please ask again.", code="expired")
    tx.change(who, confirmed_at=tx.at)
    tx.say("Mail about changed rules confirmed")
    return {}


@command(Series, "rulebook.unsubscribe", permission=PUBLIC, undoable=False)
def unsubscribe(tx: Tx[Series], *, token: str) -> dict[str, Any]:
    """No more mail; the address is forgotten.

    Raises:
        Refused: no such link, or it was used already.
    """
    _forget(tx, _subscriber(tx, token))
    tx.say("Mail about changed rules ended")
    return {}


def _forget(tx: Tx[Series], who: Subscriber) -> None:
    tx.change(who, email="", left_at=tx.at)
    for letter in tx.lock(who.letters.filter(sent_at__isnull=True)):
        tx.remove(letter)


@command(Series, "rulebook.forget_unconfirmed", permission=SEND, undoable=False)
def forget_unconfirmed(tx: Tx[Series]) -> dict[str, Any]:
    """Forget the addresses that nobody confirmed within a week."""
    late = Subscriber.objects.filter(series=tx.subject, confirmed_at__isnull=True, left_at__isnull=True)
    for who in tx.lock(late.filter(asked_at__lt=tx.at - CONFIRM_WITHIN)):
        _forget(tx, who)
    tx.say("Addresses forgotten that were not confirmed within a week")
    return {}


@command(Series, "rulebook.letters_sent", permission=SEND, undoable=False)
def letters_sent(tx: Tx[Series], *, sent: Sequence[int], failed: Sequence[int] = ()) -> dict[str, Any]:
    """The sweep sent some mail, or failed to and will try again. One entry for all of it: a series has many readers."""
    letters = tx.lock(RulesLetter.objects.filter(pk__in=[*sent, *failed], subscriber__series=tx.subject))
    tx.change_all(
        (letter, {"tries": letter.tries + 1, "sent_at": tx.at if letter.pk in sent else None}) for letter in letters
    )
    words = f", {len(failed)} not" if failed else ""
    tx.say("{count} mails about changed rules sent{rest}", count=len(sent), rest=words)
    return {}
