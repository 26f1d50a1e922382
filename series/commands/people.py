"""Players, registrations and sighted ID. Every door (public form, desk, import, command line) comes through here."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from accounts.permissions import Permission
from journal.actors import PUBLIC
from journal.commands import Tx, command
from journal.errors import Refused
from series.commands.doors import refuse_excluded
from series.commands.known import known_player, own_player, picked_player
from series.domain.eligibility import ID_KINDS, BirthDateError, check_birth_date, local_date
from series.domain.names import fold, why_too_long
from series.domain.places import held_until
from series.domain.privacy import PRIVACY_VERSION
from series.models import Day, Event, IdCheck, Letter, Player, Registration, Series
from series.models.people import LONGEST_PHONE
from series.reads.age import age_to_be_seated, age_to_register
from series.reads.places import why_closed, why_full


def clean_name(name: str) -> str:
    """A name with single spaces.

    Raises:
        Refused: at field `name`, for an empty or overlong one.
    """
    tidy = " ".join(name.split())
    if not fold(tidy):
        raise Refused("Write your name.", field="name")
    if problem := why_too_long(tidy):
        raise Refused(problem, field="name")
    return tidy


def clean_phone(phone: str) -> str:
    """A phone number without spaces around it.

    Raises:
        Refused: at field `phone`, for an overlong one.
    """
    tidy = phone.strip()
    if len(tidy) > LONGEST_PHONE:
        raise Refused(f"This phone number is too long: {LONGEST_PHONE} characters at most.", field="phone")
    return tidy


def require_open(event: Event, day: Day, at: dt.datetime) -> None:
    """Raises Refused, with the reason, if nobody can enter this day any more or yet."""
    if reason := why_closed(event, [day], at):
        raise Refused(reason, code="closed")


def hold_of(event: Event, day: Day, at: dt.datetime) -> dt.datetime | None:
    """Until when a place taken now is held unpaid."""
    return held_until(at, starts=day.starts_at, hold_minutes=event.hold_minutes, grace_minutes=event.call_minutes)


def hold_again(tx: Tx[Event]) -> None:
    """Reckon anew until when places are held, after the start or the rule changed; who is here keeps theirs."""
    held = Registration.objects.filter(event=tx.subject, status=Registration.Status.REGISTERED, checked_in_at=None)
    rows = tx.lock(held.select_related("day"))
    tx.change_all((row, {"held_until": hold_of(tx.subject, row.day, tx.at)}) for row in rows)


def _day(tx: Tx[Event], day_id: int | None) -> Day:
    days = tx.lock(Day.objects.filter(event=tx.subject, kind=Day.Kind.FLIGHT))
    if day_id is None and len(days) == 1:
        return days[0]
    for day in days:
        if day.pk == day_id:
            return day
    raise Refused("Choose the day you want to play.", field="day")


def _old_enough(event: Event, birth_date: dt.date | None, at: dt.datetime) -> None:
    """Raises Refused at field `birth_date` for one who will be too young, before anything of them is written."""
    if birth_date is None:
        raise Refused(f"Write the birth date: this event asks for {event.age_required}.", field="birth_date")
    try:
        decision = age_to_register(event, birth_date, at)
    except BirthDateError as error:
        raise Refused(str(error), field="birth_date", code=error.code) from error
    if not decision.allowed:
        raise Refused(decision.reason, field="birth_date", code="too_young")


@dataclass(frozen=True)
class Person:
    """Somebody who is not known yet, as they or the desk wrote it."""

    name: str
    birth_date: dt.date
    email: str
    phone: str


def _person(name: str, birth_date: dt.date | None, email: str, phone: str) -> Person:
    """Raises Refused at `name`, `birth_date` or `phone` for what is missing or overlong."""
    if birth_date is None:
        raise Refused("Write the birth date.", field="birth_date")
    return Person(clean_name(name), birth_date, email.strip(), clean_phone(phone))


def _refuse_twice(event: Event, who: Player | Person) -> None:
    here = event.registrations.exclude(status__in=Registration.GONE)
    if isinstance(who, Player):
        if here.filter(player=who).exists():
            raise Refused(f"{who.public_name} is registered here already.", code="already_registered")
    elif here.filter(player__name_folded=fold(who.name), player__birth_date=who.birth_date).exists():
        raise Refused(
            "Somebody with this name and birth date is registered here already. Open the link from your "
            "confirmation, or ask the desk.",
            code="already_registered",
        )


def _add_registration(
    tx: Tx[Event],
    *,
    day_id: int | None,
    who: Player | Person,
    user_id: int | None = None,
    accepted_version_id: int | None = None,
    waiting: bool = False,
    privacy_version: int | None = None,
    said: dt.date | None = None,
) -> dict[str, Any]:
    """Hold a place, making the player if they are new; with `waiting` at the end of the waiting list if there is none.

    `accepted_version_id`: the rulebook version they were shown. `said`: the birth date of a known player of whom none
    is kept; it is looked at, not kept.
    """
    event = tx.subject
    day = _day(tx, day_id)
    require_open(event, day, tx.at)
    if isinstance(who, Player):
        refuse_excluded(tx, who, birth_date=said)
    else:
        refuse_excluded(tx, name=who.name, birth_date=who.birth_date)
    born = who.birth_date or said
    if born or not (isinstance(who, Player) and who.has_proven(event.age_required)):
        _old_enough(event, born, tx.at)
    _refuse_twice(event, who)
    full = why_full(event, day, tx.at)
    if full and not waiting:
        raise Refused(f"{full} There is a waiting list.", code="full")
    in_force = event.series.rulebook_versions.in_force(tx.at).values_list("pk", flat=True).first()
    if accepted_version_id is not None and accepted_version_id != in_force:
        raise Refused(
            "The rules were changed a moment ago. Please read them again and accept.",
            field="rules",
            code="rules_changed",
        )
    if isinstance(who, Person):
        who = tx.add(
            Player(
                name=who.name,
                name_folded=fold(who.name),
                public_name=who.name,
                birth_date=who.birth_date,
                email=who.email,
                phone=who.phone,
                user_id=user_id,
            )
        )
    registration = tx.add(
        Registration(
            event=event,
            day=day,
            player=who,
            rulebook_version_id=in_force,
            at=tx.at,
            status=Registration.Status.WAITING if full else Registration.Status.REGISTERED,
            held_until=None if full else hold_of(event, day, tx.at),
            privacy_version=privacy_version,
        )
    )
    if who.email:
        kind = Letter.Kind.WAITING if full else Letter.Kind.REGISTERED
        tx.add(Letter(registration=registration, kind=kind, at=tx.at))
    tx.say("{player} joined the waiting list" if full else "{player} registered", player=who)
    # results stay in the journal, so the player's token is not among them: read it from the player
    return {"registration": registration.pk, "player": who.pk}


@command(Event, "registration.sign_up", permission=PUBLIC, undoable=False)
def sign_up(
    tx: Tx[Event],
    *,
    day_id: int | None,
    name: str,
    birth_date: dt.date | None,
    email: str,
    phone: str,
    rulebook_version_id: int | None,
    waiting: bool = False,
    privacy_version: int | None = None,
) -> dict[str, Any]:
    """A player registers themselves on the public page (house rule 1: 18 or over on the event's local date).

    `privacy_version`: the version of the privacy page they agreed to. A signed-in user plays under the player they made
    before; their birth date counts where none is kept. With `waiting` they join the waiting list of a full event.
    Result: `registration` and `player` (keys).

    Raises:
        Refused: too young (nothing is stored), registration closed, full, registered already, rules changed.
    """
    if rulebook_version_id is None:
        raise Refused("Please read and accept the rules.", field="rules")
    if privacy_version not in (None, PRIVACY_VERSION):
        raise Refused(
            "The privacy page was changed a moment ago. Please read it again.", field="privacy", code="privacy_changed"
        )
    user_id = tx.actor.pk
    known = own_player(tx, user_id) if user_id else None
    if known is None and not email.strip() and not phone.strip():
        raise Refused("Write an e-mail address or a phone number, so that we can reach you.", field="contact")
    return _add_registration(
        tx,
        day_id=day_id,
        who=known or _person(name, birth_date, email, phone),
        user_id=user_id,
        accepted_version_id=rulebook_version_id,
        waiting=waiting,
        privacy_version=privacy_version,
        said=birth_date,
    )


@command(Event, "registration.add", permission=Permission.REGISTER)
def register(
    tx: Tx[Event],
    *,
    day_id: int | None = None,
    player_id: int | None = None,
    name: str = "",
    birth_date: dt.date | None = None,
    email: str = "",
    phone: str = "",
    waiting: bool = False,
) -> dict[str, Any]:
    """The desk, an import or the command line registers a player: a known one by `player_id`, or a new one.

    One of another series is known to those who may see players there, or who say their name and birth date. The birth
    date of a known one counts where none is kept.

    Raises:
        Refused: as `sign_up`, or there is no such player for this actor.
    """
    known = picked_player(tx, player_id, name, birth_date) if player_id else None
    return _add_registration(
        tx, day_id=day_id, who=known or _person(name, birth_date, email, phone), waiting=waiting, said=birth_date
    )


@command(Event, "registration.withdraw", permission=Permission.REGISTER)
def withdraw(tx: Tx[Event], *, registration_id: int) -> dict[str, Any]:
    """Give a held place back. A paid entry is not a registration any more and is refused."""
    return _withdraw(tx, {"pk": registration_id})


@command(Event, "registration.withdraw_own", permission=PUBLIC, undoable=False)
def withdraw_own(tx: Tx[Event], *, token: str) -> dict[str, Any]:
    """A player gives their own place back, from the page that only their link opens."""
    return _withdraw(tx, {"player__token": token})


def _withdraw(tx: Tx[Event], where: dict[str, Any]) -> dict[str, Any]:
    rows = tx.lock(Registration.objects.filter(event=tx.subject, **where))
    tx.expect_unchanged(*rows)
    given_back = (*Registration.HOLDING, Registration.Status.WAITING)
    registration = next((row for row in rows if row.status in given_back), None)
    if registration is None:
        raise Refused("There is no place held here.", code="missing")
    waited = registration.status == Registration.Status.WAITING or registration.again_at is not None
    tx.change(registration, **registration.ended(Registration.Status.WITHDRAWN, tx.at))
    words = "{player} left the waiting list" if waited else "{player} gave the place back"
    tx.say(words, player=registration.player)
    return {"registration": registration.pk}


@command(Event, "player.sight_id", permission=Permission.SIGHT_ID)
def sight_id(tx: Tx[Event], *, player_id: int, kind: str, birth_date: dt.date | None = None) -> dict[str, Any]:
    """Record that the desk saw a document that proves the player's age. Of the document only its kind is kept.
    `birth_date`: as it shows, where none is kept.

    Raises:
        Refused: unknown kind, or the birth date is too young even today.
    """
    player = known_player(tx, player_id)
    require_age(tx, player, birth_date)
    add_id_check(tx, player, kind)
    for held in tx.lock(tx.subject.registrations.filter(player=player, status=Registration.Status.REGISTERED)):
        tx.change(held, checked_in_at=held.checked_in_at or tx.at, held_until=None)
    tx.say("ID of {player} sighted", player=player)
    return {"player": player.pk}


def require_age(tx: Tx[Event], player: Player, shown: dt.date | None) -> None:
    """Refuse who may not be seated yet (house rule 1). `shown`: the birth date on their ID, where none is kept.

    Raises:
        Refused: too young, at field `id_kind`; no birth date known, nor the age proven, at field `birth_date`.
    """
    born = player.birth_date or shown
    if born is None:
        if not player.has_proven(tx.subject.age_required):
            raise Refused("Write the birth date that the ID shows.", field="birth_date", code="no_birth_date")
        return
    try:
        decision = age_to_be_seated(tx.subject, born, tx.at)
    except BirthDateError as error:
        raise Refused(str(error), field="birth_date", code=error.code) from error
    if not decision.allowed:
        raise Refused(decision.reason, field="id_kind", code="too_young")


def add_id_check(tx: Tx[Event], player: Player, kind: str) -> None:
    """Write down a sighting, for the age this event asks for.

    Raises:
        Refused: at field `id_kind`, for an unknown kind; or the actor is not a person.
    """
    if kind not in {known.code for known in ID_KINDS}:
        raise Refused("Choose the kind of ID you saw.", field="id_kind")
    if tx.actor.pk is None:
        raise Refused("Only a person can sight an ID.")
    tx.add(IdCheck(player=player, kind=kind, age=tx.subject.age_required, at=tx.at, checked_by_id=tx.actor.pk))


@command(Event, "player.correct", permission=Permission.REGISTER)
def correct_player(
    tx: Tx[Event],
    *,
    player_id: int,
    name: str,
    birth_date: dt.date | None,
    email: str = "",
    phone: str = "",
    public_name: str = "",
) -> dict[str, Any]:
    """Put a player's details right, for instance the birth date after seeing their ID; None where none is kept.

    Raises:
        Refused: an impossible birth date, an empty name, or something overlong.
    """
    player = known_player(tx, player_id)
    put_right(tx, player, name, birth_date, email, phone, public_name, tx.subject.series)
    return {"player": player.pk}


def put_right(
    tx: Tx[Any],
    player: Player,
    name: str,
    birth_date: dt.date | None,
    email: str,
    phone: str,
    public_name: str,
    series: Series,
) -> None:
    """Write down a player's details. An empty public name is the name.

    Raises:
        Stale, Refused: as `correct_player`.
    """
    tx.expect_unchanged(player)
    name = clean_name(name)
    shown = " ".join(public_name.split()) or name
    if problem := why_too_long(shown):
        raise Refused(problem, field="public_name")
    if birth_date is None and player.birth_date is not None:
        raise Refused("Write the birth date.", field="birth_date")
    try:
        if birth_date is not None:
            check_birth_date(birth_date, local_date(tx.at, series.tz))
    except BirthDateError as error:
        raise Refused(str(error), field="birth_date", code=error.code) from error
    tx.change(
        player,
        name=name,
        name_folded=fold(name),
        public_name=shown,
        birth_date=birth_date,
        email=email.strip(),
        phone=clean_phone(phone),
    )
    tx.say("Details of {player} corrected", player=player)


@command(Event, "letter.sent", permission="send_letters", undoable=False)
def letter_sent(tx: Tx[Event], *, letter_id: int, sent: bool) -> dict[str, Any]:
    """The sweep sent a mail, or failed to and will try again."""
    letter = tx.lock_one(Letter, "There is no such letter.", pk=letter_id, registration__event=tx.subject)
    tx.change(letter, tries=letter.tries + 1, sent_at=tx.at if sent else None)
    tx.say("Mail to {player} sent" if sent else "Mail to {player} not sent", player=letter.registration.player)
    return {}
