"""Who is excluded: the answer for every door, and the lists of those who decide it."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Q

from series.domain.names import fold
from series.models import Exclusion, Player

REFER = "Refer to the tournament director."


def _of_player(player: Player) -> Q:
    """What is said of this record, of one merged into it, or of somebody of the same name and birth date."""
    same = Q(player=player) | Q(player__merged_into=player)
    if player.birth_date is not None:
        same |= Q(name_folded=player.name_folded, birth_date=player.birth_date)
    return same


def is_excluded(player: Player, at: dt.datetime, said: dt.date | None = None) -> bool:
    """Whether a player is excluded. Where no birth date is kept it is the one they `said`, and without that everybody
    of the same name counts: a director tells them apart, by writing the birth date down. One query.
    """
    same = _of_player(player)
    if player.birth_date is None:
        namesakes = Q(name_folded=player.name_folded)
        same |= namesakes & Q(birth_date=said) if said else namesakes
    return Exclusion.objects.in_force(at).filter(same).exists()


def is_excluded_by_name(name: str, birth_date: dt.date, at: dt.datetime) -> bool:
    """Whether somebody of this name and birth date is excluded. One query."""
    return Exclusion.objects.in_force(at).filter(name_folded=fold(name), birth_date=birth_date).exists()


def own_exclusion(player: Player, at: dt.datetime) -> Exclusion | None:
    """The player's own exclusion that lasts longest. One query."""
    return Exclusion.objects.in_force(at).filter(_of_player(player), by_player=True).order_by("-until").first()


@dataclass(frozen=True)
class ExclusionLines:
    """All exclusions: those that hold, and those that are over or were lifted."""

    in_force: list[Exclusion]
    over: list[Exclusion]


def exclusion_lines(at: dt.datetime) -> ExclusionLines:
    """Two queries."""
    now = Exclusion.objects.in_force(at)
    return ExclusionLines(list(now), list(Exclusion.objects.exclude(pk__in=now.values("pk"))[:200]))
