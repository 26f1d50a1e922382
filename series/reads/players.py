"""The players of a series: who is known there, found by name, birth date or phone, and who may be one person."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import CharField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Replace

from accounts.models import User
from accounts.permissions import Permission
from series.domain.eligibility import BirthDateError, parse_birth_date
from series.domain.names import alike, fold
from series.models import (
    Entry,
    ErasureRequest,
    Exclusion,
    IdCheck,
    Player,
    Registration,
    Series,
    SeriesPlayer,
    TwoPeople,
)

MOST_ALIKE = 100  # pairs shown on one page
_PHONE_MARKS = (" ", "-", "(", ")", ".", "/", "+")
_FEWEST_DIGITS = 4
KEPT_AFTER_CHECK = dt.timedelta(hours=1)


def known_in(series_id: int) -> QuerySet[Player]:
    """Everybody a series knows: whoever was ever registered in one of its events, or is on its list."""
    registered = Registration.objects.filter(event__series=series_id).values("player")
    listed = SeriesPlayer.objects.filter(series=series_id, removed=False).values("player")
    return Player.objects.filter(Q(pk__in=registered) | Q(pk__in=listed), status=Player.Status.ACTIVE)


def known_elsewhere(series_id: int, others: Iterable[int]) -> QuerySet[Player]:
    """Everybody that one of the other series knows and this one does not."""
    registered = Registration.objects.filter(event__series__in=others).values("player")
    listed = SeriesPlayer.objects.filter(series__in=others, removed=False).values("player")
    found = Player.objects.filter(Q(pk__in=registered) | Q(pk__in=listed), status=Player.Status.ACTIVE)
    return found.exclude(pk__in=known_in(series_id).values("pk"))


def others_seen_by(user: User, series_id: int) -> list[int]:
    """Keys of the other series whose players somebody may see. One query."""
    others = Series.objects.exclude(pk=series_id)
    if user.is_superuser:
        return list(others.values_list("pk", flat=True))
    roles = user.staff_roles.holding().exclude(series_id=series_id)
    return [role.series_id for role in roles if Permission.SEE_PLAYERS in role.permissions]


def series_of(player: Player) -> set[int]:
    """Keys of the series that know a player."""
    registered = Registration.objects.filter(player=player).values_list("event__series", flat=True)
    listed = SeriesPlayer.objects.filter(player=player, removed=False).values_list("series", flat=True)
    return {*registered, *listed}


def found(players: QuerySet[Player], words: str, today: dt.date) -> QuerySet[Player]:
    """Those players that the words mean: a birth date, an e-mail address, a phone number, or beginnings of names."""
    words = words.strip()
    if not words:
        return players
    if "@" in words:
        return players.filter(email__icontains=words)
    try:
        return players.filter(birth_date=parse_birth_date(words, today))
    except BirthDateError:
        pass
    digits = re.sub(r"\D", "", words)
    if len(digits) >= _FEWEST_DIGITS and not re.search(r"[^\W\d_]", words):
        bare: Coalesce | Replace | F = F("phone")
        for mark in _PHONE_MARKS:
            bare = Replace(bare, Value(mark), Value(""))
        # the same number is written 021… and +64 21…
        last = re.sub(r"^(00)?64|^0", "", digits) or digits
        return players.annotate(digits=bare).filter(digits__contains=last)
    return names_like(players, words)


def names_like(players: QuerySet[Player], words: str) -> QuerySet[Player]:
    """Those whose names begin with these words, in any order."""
    wanted = Q()
    for word in fold(words).split():
        wanted &= Q(name_folded__startswith=word) | Q(name_folded__contains=f" {word}")
    return players.filter(wanted)


@dataclass(frozen=True)
class PlayerLine:
    """One player in the list of a series. `last` is the event they registered for last, of those in the series."""

    player: Player
    events: int
    entries: int
    last: str
    proven: bool


def lines(players: QuerySet[Player], series_id: int) -> QuerySet[Player]:
    """Players with what their line shows, by name: `events`, `bought`, `last`, `proven`. One query when it is read."""
    mine = Registration.objects.filter(player=OuterRef("pk"), event__series=series_id)
    held = mine.exclude(status__in=Registration.GONE).order_by()
    bought = Entry.objects.filter(player=OuterRef("pk"), event__series=series_id).exclude(status=Entry.Status.VOID)
    return players.annotate(
        events=Coalesce(Subquery(held.values("player").annotate(n=Count("pk")).values("n")), 0),
        bought=Coalesce(Subquery(bought.order_by().values("player").annotate(n=Count("pk")).values("n")), 0),
        last=Coalesce(
            Subquery(mine.order_by("-at").values("event__name")[:1]), Value(""), output_field=CharField(max_length=120)
        ),
        proven=Exists(IdCheck.objects.filter(player=OuterRef("pk"), taken_back=False)),
    ).order_by("name_folded", "pk")


def line(player: Player) -> PlayerLine:
    """A player from `lines`. No query."""
    return PlayerLine(
        player,
        player.events,  # type: ignore[attr-defined]  # annotated
        player.bought,  # type: ignore[attr-defined]
        player.last,  # type: ignore[attr-defined]
        player.proven,  # type: ignore[attr-defined]
    )


@dataclass(frozen=True)
class Pair:
    """Two records that may be one person; `first` is the older one. `same_birth_date`, or else only the same name."""

    first: Player
    second: Player
    same_name: bool
    same_birth_date: bool


def _pairs(players: Iterable[Player]) -> list[Pair]:
    """Every two of these with the same name, or born on one day with names that are close. Those likeliest first."""
    by_name: dict[str, list[Player]] = defaultdict(list)
    by_birth: dict[dt.date, list[Player]] = defaultdict(list)
    for player in players:
        by_name[player.name_folded].append(player)
        if player.birth_date is not None:
            by_birth[player.birth_date].append(player)
    pairs: dict[tuple[int, int], Pair] = {}
    for group in [*by_name.values(), *by_birth.values()]:
        group.sort(key=lambda player: player.pk)
        for at, first in enumerate(group):
            for second in group[at + 1 :]:
                same_name = first.name_folded == second.name_folded
                same_birth = first.birth_date is not None and first.birth_date == second.birth_date
                if same_name or (same_birth and alike(first.name_folded, second.name_folded)):
                    pairs[first.pk, second.pk] = Pair(first, second, same_name, same_birth)
    return sorted(pairs.values(), key=lambda pair: (not (pair.same_name and pair.same_birth_date), pair.first.pk))


def told_apart_from(player: Player) -> set[int]:
    """Keys of records that are said to be other people than this one. One query."""
    said = TwoPeople.objects.filter(Q(first=player) | Q(second=player), taken_back=False)
    return {key for pair in said.values_list("first", "second") for key in pair} - {player.pk}


def duplicates(series_id: int) -> list[Pair]:
    """Records of a series that may be one person, of those that share a name or a birth date, and that nobody has told
    apart. Two queries."""
    known = known_in(series_id)
    shared_name = known.order_by().values("name_folded").annotate(n=Count("pk")).filter(n__gt=1).values("name_folded")
    shared_birth = known.order_by().values("birth_date").annotate(n=Count("pk")).filter(n__gt=1).values("birth_date")
    told = {frozenset(pair) for pair in TwoPeople.objects.filter(taken_back=False).values_list("first", "second")}
    pairs = _pairs(known.filter(Q(name_folded__in=shared_name) | Q(birth_date__in=shared_birth)))
    return [pair for pair in pairs if frozenset((pair.first.pk, pair.second.pk)) not in told][:MOST_ALIKE]


def is_described(player: Player, name: str, birth_date: dt.date | None) -> bool:
    """Whether name and birth date are this player's; never of one whose birth date is not kept."""
    return birth_date is not None and (player.name_folded, player.birth_date) == (fold(name), birth_date)


def maybe_the_same(players: QuerySet[Player], name: str, birth_date: dt.date | None) -> QuerySet[Player]:
    """Those of the players who may be the person of this name and birth date. One query beforehand for close names."""
    folded = fold(name)
    born = players.filter(birth_date=birth_date).exclude(name_folded=folded) if birth_date else players.none()
    close = [pk for pk, known in born.values_list("pk", "name_folded") if alike(known, folded)]
    return players.filter(Q(name_folded=folded) | Q(pk__in=close))


def no_longer_needed(series_id: int, at: dt.datetime) -> QuerySet[Player]:
    """Players of the series whose birth date has served: an ID was seen, so long ago that a slip of the desk is taken
    back. Where somebody of the same name is excluded it is what tells the two apart, and stays."""
    seen = IdCheck.objects.filter(player=OuterRef("pk"), taken_back=False, at__lte=at - KEPT_AFTER_CHECK)
    excluded = Exclusion.objects.in_force(at).values("name_folded")
    merged = Player.objects.filter(merged_into=OuterRef("pk"), birth_date__isnull=False)
    known = known_in(series_id).filter(Exists(seen), Q(birth_date__isnull=False) | Exists(merged))
    return known.exclude(name_folded__in=excluded)


def who_asks_erasure(series_id: int) -> list[Player]:
    """Players of the series who ask for their data to be erased, the longest waiting first. One query."""
    asked = known_in(series_id).filter(erasure_requests__status=ErasureRequest.Status.ASKED)
    return list(asked.order_by("erasure_requests__at"))
