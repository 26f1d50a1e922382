"""The desk: finding a player, and everything about them that decides what the desk does next."""

import datetime as dt
import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from journal.models import JournalEntry, RowChange
from series.domain.eligibility import age_on, local_date
from series.domain.entries import Stage, why_reentry_over
from series.domain.names import fold
from series.models import Day, Entry, Event, IdCheck, LedgerLine, Player, Registration
from series.reads.age import age_to_be_seated
from series.reads.exclusions import REFER, is_excluded
from series.reads.places import counted, open_flights, places_of, reentry_days, why_closed, why_no_reentry, with_seats
from series.reads.players import known_elsewhere, known_in, maybe_the_same, names_like
from tables.models import Seat, Table
from tables.reads.clock import stage_of
from tables.reads.purchases import Offer, offers

MOST_HITS = 20
NOT_HERE = "not here"
_TOKEN = re.compile(r"(?:.*/me/)?([A-Za-z0-9_-]{22})/?(?:\?.*)?")


@dataclass(frozen=True)
class Hit:
    """A player the search found. `words` say where they stand in this event, `tag` and `tone` the same in a word."""

    player_id: int
    name: str
    words: str
    tag: str
    tone: str


@dataclass(frozen=True)
class Found:
    """What a search found; `more` if not all of it is listed. `by_link`: the words were a player's own link.
    `elsewhere`: in other series of the organiser."""

    hits: list[Hit]
    more: bool
    by_link: bool
    elsewhere: bool = False


@dataclass(frozen=True)
class Places:
    """The counter of the desk: why nobody can enter (empty if somebody can), places for somebody new, held places
    that wait for a buy-in, and who is on the waiting list."""

    closed: str
    left: int
    held: int
    waiting: int


def places(event: Event, now: dt.datetime) -> Places:
    """Two queries; the same figures that refuse a registration."""
    found = counted(event)
    closed = why_closed(event, found.days.all(), now)
    waiting = found.waiting + sum(day.again_waiting for day in found.days.all())
    return Places(closed, places_of(found, now), found.held, waiting)


def players_of(event: Event) -> QuerySet[Player]:
    """Everybody the desk of an event can find: whom its series knows."""
    return known_in(event.series_id)


def find(event: Event, words: str) -> Found:
    """Players of the series by the beginnings of their names, in any order and without accents, or by their own link.

    Without words: those whose place waits for a buy-in, in the order they registered. Five queries at most.
    """
    token = _TOKEN.fullmatch(words.strip())
    players: list[Player] = []
    if token:
        players = list(players_of(event).filter(token=token[1]))
        if players:
            return Found(_hits(event, players), more=False, by_link=True)
    if words.strip():
        here = Registration.objects.filter(event=event).values("player")
        known = names_like(players_of(event), words)
        players = list(known.filter(pk__in=here).order_by("name_folded", "pk")[: MOST_HITS + 1])
        if len(players) <= MOST_HITS:
            players += known.exclude(pk__in=here).order_by("name_folded", "pk")[: MOST_HITS + 1 - len(players)]
    else:
        waiting = event.registrations.filter(status__in=Registration.HOLDING).select_related("player")
        players = [registration.player for registration in waiting.order_by("at", "pk")[: MOST_HITS + 1]]
    return Found(_hits(event, players[:MOST_HITS]), more=len(players) > MOST_HITS, by_link=False)


def find_elsewhere(event: Event, words: str, others: Sequence[int]) -> Found:
    """The same among those whom other series know and this one does not. One query."""
    wanted = names_like(known_elsewhere(event.series_id, others), words)
    players = list(wanted.order_by("name_folded", "pk")[: MOST_HITS + 1])
    hits = [
        Hit(player.pk, player.name, "known in another series", "another series", "") for player in players[:MOST_HITS]
    ]
    return Found(hits, more=len(players) > MOST_HITS, by_link=False, elsewhere=True)


def _hits(event: Event, players: Sequence[Player]) -> list[Hit]:
    held = {
        found.player_id: found
        for found in Registration.objects.filter(event=event, player__in=players)
        .select_related("day", "again_on")
        .order_by("pk")
    }
    entries: dict[int, list[Entry]] = defaultdict(list)
    bought = Entry.objects.filter(event=event, player__in=players).exclude(status=Entry.Status.VOID)
    for entry in bought.select_related("player").order_by("number"):
        entries[entry.player_id].append(entry)
    last = [mine[-1] for mine in entries.values()]
    seats = {seat.entry_id: seat for seat in Seat.objects.filter(entry__in=last).select_related("table")}
    proven = set(
        IdCheck.objects.filter(player__in=players, age__gte=event.age_required, taken_back=False).values_list(
            "player_id", flat=True
        )
    )
    return [
        Hit(
            player.pk,
            player.name,
            *_standing(event, held.get(player.pk), entries[player.pk], seats, player.pk in proven),
        )
        for player in players
    ]


def _standing(
    event: Event, held: Registration | None, entries: list[Entry], seats: dict[int | None, Seat], proven: bool
) -> tuple[str, str, str]:
    """Words, tag and tone of where a player stands in the event."""
    if entries and entries[-1].status == Entry.Status.PLAYING:
        seat = seats.get(entries[-1].pk)
        again = f", entry {len(entries)}" if len(entries) > 1 else ""
        if seat is None:
            return f"paid{again}, seat not drawn yet", "entered", "go"
        return f"table {seat.table.number}, seat {seat.number}{again}", "entered", "go"
    if entries and entries[-1].status == Entry.Status.BAGGED:
        return "has bagged for the next day", "bagged", "go"
    if entries and held and held.again_at and event.status == Event.Status.RUNNING:
        if held.status == Registration.Status.CALLED:
            return f"called for a re-entry, {held.wanted_day}", "called", "warn"
        return f"waits for a seat to re-enter, {held.wanted_day}", "waiting", "info"
    if entries:
        again = "" if why_no_reentry(event, entries) else ", may re-enter"
        return f"out{again}", "out", "stop" if not again else "info"
    if held is None:
        return "known, not registered for this event", NOT_HERE, ""
    if held.status == Registration.Status.WAITING:
        return f"on the waiting list, {held.day}", "waiting", "info"
    if held.status == Registration.Status.CALLED:
        return f"called from the waiting list, {held.day}", "called", "warn"
    if held.status == Registration.Status.RELEASED:
        return "place released", NOT_HERE, ""
    if held.status == Registration.Status.WITHDRAWN:
        return "gave the place back", NOT_HERE, ""
    if not proven:
        return f"place held, {held.day}", "ID not yet seen", "warn"
    return f"place held, {held.day}", "to pay", "info"


@dataclass(frozen=True)
class Bought:
    """One entry of a player: what was paid, when, to whom, and the seat. `receipt` is its running number, None if
    nothing was paid; `undo_id` is the journal entry to undo."""

    entry_id: int
    number: int
    status: str
    table: int | None
    seat: int | None
    amount_cents: int
    method: str
    at: dt.datetime
    by: str
    receipt: int | None
    undo_id: int | None


@dataclass(frozen=True)
class Sighted:
    """That a document was seen: its kind, by whom and when."""

    kind: str
    by: str
    at: dt.datetime


@dataclass(frozen=True)
class Card:
    """One player at the desk of one event.

    `state`: `new` (not registered here), `held` (waits for the buy-in), `waiting` (for a place), `playing` or
    `out`, who may wait for a re-entry or be `called` for one. `age` is that on `first_day`, the date the event starts
    where it is played, None where no birth date is kept; `asks_birth_date`: it has to be asked for again. `too_young`
    says why they cannot be seated, if so. `closed` says why nobody can enter, `no_reentry` why this player cannot come
    back; both empty otherwise. `refer`: whom to send the player to if they are excluded, empty otherwise. `days` can be
    chosen. `no_seat`: a re-entry has to wait for one. `draws_now`: the seat is drawn with the buy-in. `offer`: what the
    last entry can buy now. `may_give_up`: the stack can be given up for a re-entry (TDA 2024 rule 8B). `begun`: cards
    are in the air.
    """

    player: Player
    registration: Registration | None
    state: str
    age: int | None
    asks_birth_date: bool
    first_day: dt.date
    too_young: str
    sighted: Sighted | None
    bought: list[Bought]
    closed: str
    no_reentry: str
    refer: str
    days: list[Day]
    no_seat: bool
    draws_now: bool
    offer: Offer | None
    may_give_up: bool
    begun: bool

    @property
    def key(self) -> str:
        """Changes with anything that the card shows."""
        player = self.player
        details = (player.name, player.public_name, player.birth_date, player.email, player.phone)
        place = self.registration
        stands = (place.status, place.held_until, place.checked_in_at, place.again_at) if place else ()
        return hashlib.sha256(repr((self, details, stands)).encode()).hexdigest()[:16]

    @property
    def called(self) -> bool:
        """They have a seat to re-enter if they pay in time."""
        place = self.registration
        return place is not None and place.again_at is not None and place.status == Registration.Status.CALLED

    @property
    def waits(self) -> bool:
        """They wait for a seat to re-enter."""
        place = self.registration
        return place is not None and place.again_at is not None and place.status == Registration.Status.WAITING

    @property
    def at_table(self) -> Bought | None:
        """The entry that is being played."""
        return self.bought[-1] if self.state == "playing" else None


def is_proven(event: Event, player: Player) -> bool:
    """Whether a sighted ID has shown the age that this event asks for."""
    return player.has_proven(event.age_required)


def card(event: Event, player: Player, now: dt.datetime) -> Card:
    """The player's card; `event` with its series loaded. A fixed number of queries."""
    days = list(event.days.all())
    for day in days:
        day.event = event
    registration = (
        event.registrations.filter(player=player)
        .exclude(status__in=Registration.GONE)
        .select_related("day", "again_on")
        .first()
    )
    entries = list(event.entries.filter(player=player).select_related("player", "day").order_by("number", "pk"))
    bought = [entry for entry in entries if entry.status != Entry.Status.VOID]
    born = player.birth_date
    day_of_event = local_date(event.starts_at, event.series.tz)
    standing = player.id_checks.filter(age__gte=event.age_required, taken_back=False)
    check = standing.select_related("checked_by").order_by("at").first()
    if not bought:
        waits = registration is not None and registration.status == Registration.Status.WAITING
        state = "waiting" if waits else "held" if registration else "new"
    else:
        state = "playing" if bought[-1].status == Entry.Status.PLAYING else "out"
    wanted = [registration.day] if state in ("held", "waiting") and registration else days
    closed = why_closed(event, wanted, now)
    tables_open = Table.objects.filter(day__in=wanted, status=Table.Status.OPEN).exists()
    open_ = open_flights(event, days, now)
    stage = stage_of(bought[-1].day, now) if bought else Stage()
    over = why_reentry_over(event.rules, stage) if bought else ""
    again = reentry_days(event, open_, bought[-1].day) if bought else open_
    seats = with_seats(event, again, now) if state == "out" else again
    if registration is not None and registration.again_on is not None:
        seats = [registration.again_on]
    return Card(
        player=player,
        registration=registration,
        state=state,
        age=age_on(born, day_of_event) if born else None,
        asks_birth_date=born is None and check is None,
        first_day=day_of_event,
        too_young=age_to_be_seated(event, born, now).reason if born else "",
        sighted=Sighted(check.get_kind_display(), check.checked_by.journal_name, check.at) if check else None,
        bought=_bought(event, bought),
        closed=closed,
        no_reentry=why_no_reentry(event, bought) or (over if state == "out" else ""),
        refer=REFER if is_excluded(player, now) else "",
        days=seats or again,
        no_seat=bool(again) and not seats,
        draws_now=event.seat_at_buy_in or tables_open,
        offer=offers(event, bought[-1].day, [bought[-1].pk], now).get(bought[-1].pk) if bought else None,
        may_give_up=state == "playing"
        and not closed
        and not over
        and not why_no_reentry(event, bought, giving_up=True),
        begun=stage.level > 0,
    )


def _bought(event: Event, entries: Sequence[Entry]) -> list[Bought]:
    if not entries:
        return []
    pks = [entry.pk for entry in entries]
    made = {
        change.row: change.entry
        for change in RowChange.objects.filter(
            table="series.entry", row__in=pks, kind=RowChange.Kind.CREATE
        ).select_related("entry")
    }
    last_word = _last_words([entry.pk for entry in made.values()])
    paid = {
        line.entry_id: line  # the last one stands: it was taken back and taken again
        for line in LedgerLine.objects.filter(
            entry__in=pks, account=LedgerLine.Account.TILL, amount_cents__gt=0, item__in=LedgerLine.ENTERING
        ).order_by("pk")
    }
    seats = {seat.entry_id: seat for seat in Seat.objects.filter(entry__in=pks).select_related("table")}
    found = []
    for entry in entries:
        written, line, seat = made[entry.pk], paid.get(entry.pk), seats.get(entry.pk)
        found.append(
            Bought(
                entry_id=entry.pk,
                number=entry.number,
                status=entry.status,
                table=seat.table.number if seat else None,
                seat=seat.number if seat else None,
                amount_cents=line.amount_cents if line else 0,
                method=line.get_method_display().lower() if line else "",
                at=entry.at,
                by=written.actor_name,
                receipt=line.receipt if line else None,
                undo_id=last_word.get(written.pk) if entry.status == Entry.Status.PLAYING else None,
            )
        )
    return found


def _last_words(entry_ids: Sequence[int]) -> dict[int, int]:
    """For each journal entry the one to undo: itself, or what redid it last."""
    last = {pk: pk for pk in entry_ids}
    while True:
        undone = dict(JournalEntry.objects.filter(undoes__in=list(last.values())).values_list("undoes_id", "pk"))
        if not undone:
            return last
        last = {pk: undone.get(now, now) for pk, now in last.items()}


@dataclass(frozen=True)
class Twin:
    """A player who may be the one being added.

    `same_birth_date`: most likely the same person. `here`: they have a place or an entry in this event already.
    """

    player_id: int
    name: str
    same_birth_date: bool
    here: bool
    words: str


def twins(event: Event, name: str, birth_date: dt.date) -> list[Twin]:
    """Players of this series with the same name, as names are compared, or born on the same day with a name close to
    it; and those of any series with the same name and birth date."""
    anywhere = Player.objects.filter(
        name_folded=fold(name), birth_date=birth_date, status=Player.Status.ACTIVE
    ).values_list("pk", flat=True)
    here = maybe_the_same(players_of(event), name, birth_date).values_list("pk", flat=True)
    same = Player.objects.filter(pk__in={*anywhere, *here})
    players = list(same.order_by("pk")[:MOST_HITS])
    born = {player.pk: player.birth_date for player in players}
    return [
        Twin(hit.player_id, hit.name, born[hit.player_id] == birth_date, hit.tag != NOT_HERE, hit.words)
        for hit in _hits(event, players)
    ]


@dataclass(frozen=True)
class SeatCard:
    """What the desk prints for one entry: the seat card and the receipt."""

    entry: Entry
    player: Player
    day: Day
    bought: Bought


def seat_card(event: Event, entry: Entry) -> SeatCard:
    """The papers of an entry that has not been taken back."""
    return SeatCard(entry, entry.player, entry.day, _bought(event, [entry])[0])
