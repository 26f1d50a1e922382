"""Penalties: the ladder, how repeats rise on it, who may give what, and how missed hands are counted.

The house rules name penalties (4, 34, 36, 37, 40, 49) without sizes; these are TDA 2024, rules 69 and 71, and
RP-15 (supplement S2 and S3), with the sizes, decay and limits as options of the series.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

LADDER_RULE = "S2"
SERVING_RULE = "S3"


class Sanction(StrEnum):
    """The steps of the ladder, mildest first."""

    WARNING = "warning"
    MISSED_HANDS = "missed_hands"
    MISSED_ROUNDS = "missed_rounds"
    DISQUALIFICATION = "disqualification"


class Role(StrEnum):
    """Who rules. A dealer reports and the desk does neither (TDA 2024, RP-15)."""

    DIRECTOR = "director"
    FLOOR = "floor"
    DEALER = "dealer"
    DESK = "desk"


@dataclass(frozen=True)
class Penalty:
    """A sanction and its size: `count` hands or rounds to miss, 0 for a warning or a disqualification."""

    sanction: Sanction
    count: int = 0

    def __post_init__(self) -> None:
        sized = self.sanction in (Sanction.MISSED_HANDS, Sanction.MISSED_ROUNDS)
        if self.count < 0 or sized != (self.count > 0):
            raise ValueError("missed hands and rounds have a number of at least 1, other sanctions none")

    def __str__(self) -> str:
        if self.sanction == Sanction.WARNING:
            return "a verbal warning"
        if self.sanction == Sanction.DISQUALIFICATION:
            return "disqualification"
        unit = "hand" if self.sanction == Sanction.MISSED_HANDS else "round"
        return f"{self.count} missed {unit}{'' if self.count == 1 else 's'}"

    def hands(self, players_at_table: int) -> int:
        """Return the hands to miss: a round is a hand per player at the table now, the offender included.

        The number is fixed when the penalty is given, whoever busts or moves later (TDA 2024, rule 71).
        """
        if players_at_table < 1:
            raise ValueError("the offender sits at the table: at least 1 player")
        return self.count * (players_at_table if self.sanction == Sanction.MISSED_ROUNDS else 1)


WARNING = Penalty(Sanction.WARNING)
DISQUALIFICATION = Penalty(Sanction.DISQUALIFICATION)


@dataclass(frozen=True)
class Offence:
    """A kind of offence: repeats of the same `code` add up.

    `first` is the place on the ladder where it begins: 0 the mildest, -1 the last. `must` says that it is
    always penalised, not only at discretion (TDA 2024, rule 71; house rule 34).
    """

    code: str
    title: str
    rules: tuple[str, ...]
    must: bool = False
    first: int = 0


OFFENCES = (
    Offence("out_of_turn", "Acting out of turn on purpose", ("4",)),
    Offence("hidden_chips", "Hiding or pocketing chips", ("23",), must=True),
    Offence("disclosure", "Disclosing the cards of a live hand", ("34",), must=True),
    Offence("advice", "Coaching another player", ("36",)),
    Offence("miscalled_hand", "Announcing a wrong hand on purpose", ("37",)),
    Offence("discussion", "Discussing a hand in play", ("38", "52")),
    Offence("exposed_cards", "Exposing cards during play", ("40",)),
    Offence("dodged_blinds", "Dodging blinds", ("49",), must=True),
    Offence("chip_exchange", "Swapping chips with another player", ("53",)),
    Offence("device", "Using a device or an aid with a live hand", ("S16",)),
    Offence("soft_play", "Soft play", (LADDER_RULE,), must=True),
    Offence("abuse", "Abuse of a player or of staff", (LADDER_RULE,), must=True),
    Offence("disruption", "Disrupting play", (LADDER_RULE,), must=True),
    Offence("other", "Other", (LADDER_RULE,)),
    Offence("collusion", "Collusion, chip dumping or cheating", ("41", LADDER_RULE), must=True, first=-1),
)


@dataclass(frozen=True)
class PenaltyPolicy:
    """The options of a series.

    `ladder`: what the first, second, ... offence of a kind brings. `severe_skips`: steps a severe offence
    skips. `forget_after_days`: an offence this old no longer counts (None: it counts all season).
    `floor_rounds`: the most missed rounds the floor may give alone; more is for the director.
    """

    ladder: tuple[Penalty, ...] = (
        WARNING,
        Penalty(Sanction.MISSED_ROUNDS, 1),
        Penalty(Sanction.MISSED_ROUNDS, 2),
        Penalty(Sanction.MISSED_ROUNDS, 4),
        DISQUALIFICATION,
    )
    severe_skips: int = 1
    forget_after_days: int | None = None
    floor_rounds: int = 1


@dataclass(frozen=True)
class Suggestion:
    """What the ladder suggests, and how many earlier offences of the kind counted; the floor decides."""

    penalty: Penalty
    counted: int
    rules: tuple[str, ...]
    why: str


def suggest_penalty(
    offence: Offence,
    *,
    earlier: Iterable[date],
    on: date,
    severe: bool = False,
    policy: PenaltyPolicy = PenaltyPolicy(),
) -> Suggestion:
    """Return what the ladder suggests for `offence` on the day `on`.

    `earlier` are the days of the player's earlier offences of the same kind in this season; those that
    decayed are left out. Supplement S2 (TDA 2024, rule 71).
    """
    days = policy.forget_after_days
    fresh = [day for day in earlier if days is None or on - day < timedelta(days=days)]
    last = len(policy.ladder) - 1
    step = max(len(fresh) + severe * policy.severe_skips, offence.first % len(policy.ladder))
    penalty = policy.ladder[min(step, last)]
    before = {0: "The first offence of this kind that counts", 1: "One earlier offence of this kind counts"}
    why = before.get(len(fresh), f"{len(fresh)} earlier offences of this kind count")
    if severe and policy.severe_skips:
        why += ", and this one is severe"
    return Suggestion(penalty, len(fresh), (*offence.rules, LADDER_RULE), f"{why}: {penalty}.")


@dataclass(frozen=True)
class Permission:
    """Whether the penalty may be given, and why not."""

    allowed: bool
    why: str


def may_give(
    penalty: Penalty,
    *,
    role: Role,
    players_at_table: int,
    own_hand: bool = False,
    policy: PenaltyPolicy = PenaltyPolicy(),
) -> Permission:
    """Return whether `role` may give `penalty`; `own_hand`: the one who rules played in the hand.

    The floor gives warnings and misses up to `policy.floor_rounds` rounds of this table, the director all; a
    dealer reports. Nobody rules on their own hand. TDA 2024, rule 71 and RP-15.
    """
    if own_hand:
        return Permission(False, "Nobody rules on a hand they played in: ask somebody else to decide.")
    if role == Role.DIRECTOR:
        return Permission(True, "The director may give any penalty.")
    if role != Role.FLOOR:
        return Permission(False, "Only the floor or the director gives penalties: report it to them.")
    if penalty.sanction == Sanction.DISQUALIFICATION:
        return Permission(False, "A disqualification is for the director.")
    most = policy.floor_rounds * players_at_table
    if penalty.hands(players_at_table) > most:
        return Permission(False, f"More than {most} missed hands at this table is for the director.")
    return Permission(True, f"The floor may give up to {most} missed hands at this table.")


@dataclass(frozen=True)
class MissedHands:
    """A penalty being served, in hands of the player's current table."""

    total: int
    remaining: int
    rules: tuple[str, ...]
    why: str


def missed_hands(*, total: int, completed: int, redeals: int = 0) -> MissedHands:
    """Return what is left of `total` hands after `completed` deals since the hand of the ruling.

    Misdealt deals are among `completed`; each of `redeals` is no hand of its own (TDA 2024, rule 35). Never
    below 0. Raises ValueError for negative numbers or more redeals than deals.
    """
    if min(total, completed, redeals) < 0 or redeals > completed:
        raise ValueError("numbers of hands are not negative, and a redeal is one of the deals")
    hands = completed - redeals
    remaining = max(0, total - hands)
    why = f"{min(hands, total)} of {total} hands are served, {remaining} remain."
    if redeals:
        why = f"{why} A redeal is the same hand."
    return MissedHands(total, remaining, (SERVING_RULE,), why)
