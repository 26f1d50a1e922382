"""What may be bought when: re-entries, rebuys, add-ons, late stacks, bounties and the seats of a satellite.

The house rules are silent on all of it; sources: TDA 2024 rules 8 (late entries and re-entries) and 27 (rebuys). What
an event allows is one typed value, `EntryRules`; an event stores only what differs from the default. Money in cents,
chips in integers; a level is its number, a break belongs to the level before it.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeVar, get_args, get_origin

K = TypeVar("K", bound=Hashable)

ALL_PERCENT = 100


@dataclass(frozen=True)
class EntryRules:
    """The terms of an event beside its plain entry. Windows are levels: "until" includes that level.

    `reentry_until`: None: as long as late registration. `forfeit`: a player still in may give up the stack for a
    re-entry, and its chips leave play (TDA 2024 rule 8B). `rebuys` and `addons`: the most for one entry.
    `addon_break`: sold in the breaks after that level; `addon_until`: sold through that level; either may be None.
    `late_stacks`: (level, chips) from which level on a new entry gets fewer chips. `flight_level` and `flight_percent`:
    a flight ends with that level, or with that share of its entries left. `best_stack`: who bagged in one flight may
    play another, and the largest bag goes on. `seat_cents`: what a seat of the satellite's target is worth.
    `second_seat`: a winner who has a seat already gets cash, or keeps it as a credit.
    """

    reentry_until: int | None = None
    reentry_day: Literal["any", "same", "next"] = "any"
    forfeit: bool = False
    rebuys: int = 0
    rebuy_cents: int = 0
    rebuy_fee_cents: int = 0
    rebuy_chips: int = 0
    rebuy_until: int | None = None
    addons: int = 0
    addon_cents: int = 0
    addon_fee_cents: int = 0
    addon_chips: int = 0
    addon_break: int | None = None
    addon_until: int | None = None
    late_stacks: tuple[tuple[int, int], ...] = ()
    bounty_cents: int = 0
    flight_level: int | None = None
    flight_percent: int | None = None
    best_stack: bool = False
    seat_cents: int = 0
    second_seat: Literal["cash", "keep"] = "cash"

    @property
    def rebuy_price_cents(self) -> int:
        return self.rebuy_cents + self.rebuy_fee_cents

    @property
    def addon_price_cents(self) -> int:
        return self.addon_cents + self.addon_fee_cents


MOST_CENTS = 1_000_000_000
MOST_CHIPS = 100_000_000
_LEVEL = (1, 200)
RANGES: dict[str, tuple[int, int]] = {
    "reentry_until": _LEVEL,
    "rebuys": (0, 99),
    "rebuy_until": _LEVEL,
    "addons": (0, 9),
    "addon_break": _LEVEL,
    "addon_until": _LEVEL,
    "flight_level": _LEVEL,
    "flight_percent": (1, 99),
    **dict.fromkeys(
        ("rebuy_cents", "rebuy_fee_cents", "addon_cents", "addon_fee_cents", "bounty_cents", "seat_cents"),
        (0, MOST_CENTS),
    ),
    **dict.fromkeys(("rebuy_chips", "addon_chips"), (0, MOST_CHIPS)),
}


def rules_from(stored: Mapping[str, Any]) -> EntryRules:
    """The terms with an event's stored differences applied; unknown names are left out, so an old row still loads."""
    known = {field.name for field in fields(EntryRules)}
    given = {name: value for name, value in stored.items() if name in known}
    if "late_stacks" in given:
        given["late_stacks"] = tuple((int(level), int(chips)) for level, chips in given["late_stacks"])
    return EntryRules(**given)


def differences(rules: EntryRules) -> dict[str, Any]:
    """What an event has to store: the values that are not the default, as JSON keeps them."""
    default = asdict(EntryRules())
    found = {name: value for name, value in asdict(rules).items() if value != default[name]}
    if "late_stacks" in found:
        found["late_stacks"] = [list(step) for step in rules.late_stacks]
    return found


def problems(rules: EntryRules, *, smallest_chip: int, starting_stack: int) -> dict[str, str]:
    """What cannot be so, in words, by the name of the field."""
    found: dict[str, str] = {}
    for name, (least, most) in RANGES.items():
        value = getattr(rules, name)
        if value is not None and not least <= value <= most:
            found[name] = f"A number between {least:,} and {most:,}." if most < MOST_CHIPS else "This is too much."
    for field in fields(EntryRules):
        if get_origin(field.type) is Literal and getattr(rules, field.name) not in get_args(field.type):
            found[field.name] = "Choose one of those offered."
    if rules.rebuys:
        if rules.rebuy_chips < 1 or rules.rebuy_chips % smallest_chip:
            found.setdefault("rebuy_chips", f"Chips payable in the smallest chip, {smallest_chip:,}.")
        if rules.rebuy_until is None:
            found.setdefault("rebuy_until", "Say until which level rebuys are sold.")
    if rules.addons:
        if rules.addon_chips < 1 or rules.addon_chips % smallest_chip:
            found.setdefault("addon_chips", f"Chips payable in the smallest chip, {smallest_chip:,}.")
        if rules.addon_break is None and rules.addon_until is None:
            found.setdefault("addon_break", "Say after which level the add-on is sold, or until which one.")
    if wrong := _wrong_late_stacks(rules.late_stacks, smallest_chip, starting_stack):
        found["late_stacks"] = wrong
    return found


def _wrong_late_stacks(steps: Sequence[tuple[int, int]], smallest_chip: int, most: int) -> str:
    last = 1
    for level, chips in steps:
        if level <= last:
            return "List the levels upwards, from level 2 on."
        if not 0 < chips <= most or chips % smallest_chip:
            return f"Level {level}: fewer chips than before, payable in the smallest chip, {smallest_chip:,}."
        last, most = level, chips
    return ""


@dataclass(frozen=True)
class Stage:
    """Where the clock of a day stands: the number of the level, 0 before the start; in a break, of the level before."""

    level: int = 0
    in_break: bool = False
    ended: bool = False

    @property
    def coming_level(self) -> int:
        """The level that who sits down now plays first."""
        return max(1, self.level + self.in_break)


def _within(until: int | None, stage: Stage) -> bool:
    """Whether the end of level `until` has not come: its break is after it."""
    return until is not None and (stage.level < until or (stage.level == until and not stage.in_break))


def why_no_rebuy(rules: EntryRules, stage: Stage, taken: int) -> str:
    """Why nobody with so many rebuys can take another now; empty if they can, with no more than the starting stack."""
    if not rules.rebuys:
        return "This event has no rebuys."
    if stage.ended or not stage.level:
        return "Rebuys are sold while the clock runs."
    if not _within(rules.rebuy_until, stage):
        return f"Rebuys ended with level {rules.rebuy_until}."
    if taken >= rules.rebuys:
        return f"This entry has had its {rules.rebuys} rebuy{'s' if rules.rebuys > 1 else ''}."
    return ""


def why_no_addon(rules: EntryRules, stage: Stage, taken: int) -> str:
    """Why nobody with so many add-ons can take another now; empty if they can."""
    if not rules.addons:
        return "This event has no add-on."
    if taken >= rules.addons:
        return "This entry has had its add-on." if rules.addons == 1 else "This entry has had its add-ons."
    at_break = stage.in_break and stage.level == rules.addon_break
    if stage.ended or not stage.level or not (at_break or _within(rules.addon_until, stage)):
        return "The add-on is sold " + addon_words(rules) + "."
    return ""


def still_sold(rules: EntryRules, stage: Stage) -> bool:
    """Whether rebuys or add-ons can still be sold now or later on this day, so that the pool can still grow."""
    if stage.ended:
        return False
    rebuys = bool(rules.rebuys) and _within(rules.rebuy_until, stage)
    at_break = rules.addon_break is not None and stage.level <= rules.addon_break
    return rebuys or (bool(rules.addons) and (at_break or _within(rules.addon_until, stage)))


def addon_words(rules: EntryRules) -> str:
    """When the add-on is sold: "in the break after level 4", "until the end of level 2"."""
    when = []
    if rules.addon_until is not None:
        when.append(f"until the end of level {rules.addon_until}")
    if rules.addon_break is not None:
        when.append(f"in the break after level {rules.addon_break}")
    return " and ".join(when)


def why_reentry_over(rules: EntryRules, stage: Stage) -> str:
    """Why the window of re-entries is over though late registration may not be; empty if it is not."""
    if rules.reentry_until is not None and stage.level and not _within(rules.reentry_until, stage):
        return f"Re-entries ended with level {rules.reentry_until}."
    return ""


def stack_at(rules: EntryRules, starting_stack: int, stage: Stage) -> int:
    """The chips of a new entry: whole, or what the table of late stacks gives from the level that is played first."""
    return min((chips for level, chips in rules.late_stacks if stage.coming_level >= level), default=starting_stack)


def satellite_prizes(pool_cents: int, seat_cents: int, entries: int) -> tuple[int, ...]:
    """What each place is paid in a satellite, best first: as many seats as the pool holds, the rest to the next place.

    With no place left for the rest (fewer entries than seats) the first place takes it.
    Raises ValueError for a seat worth nothing or a negative pool.
    """
    if seat_cents < 1 or pool_cents < 0:
        raise ValueError("A seat has a value, and a pool is not negative.")
    seats = min(pool_cents // seat_cents, entries)
    rest = pool_cents - seats * seat_cents
    prizes = [seat_cents] * seats
    if rest and seats < entries:
        prizes.append(rest)
    elif rest and prizes:
        prizes[0] += rest
    return tuple(prizes)


def bounty_shares(bounty_cents: int, hunters: Sequence[K]) -> dict[K, int]:
    """A bounty split evenly among those who won the pot; odd cents one each to those named first. Empty without any."""
    if bounty_cents < 0 or len(set(hunters)) < len(hunters):
        raise ValueError("A bounty is not negative, and nobody is named twice.")
    if not hunters:
        return {}
    each, odd = divmod(bounty_cents, len(hunters))
    return {hunter: each + (place < odd) for place, hunter in enumerate(hunters)}


def best_bags(bags: Sequence[tuple[K, int, int]]) -> frozenset[int]:
    """Which bags go on when a player may have several: the largest of each, the later of equals.

    `bags`: player, key of the bag, chips; keys rise with time.
    """
    best: dict[K, tuple[int, int]] = {}
    for player, key, chips in bags:
        best[player] = max(best.get(player, (-1, -1)), (chips, key))
    return frozenset(key for _, key in best.values())


def flight_over(rules: EntryRules, stage: Stage, left: int, entries: int) -> str:
    """Why a flight has come to its end, in words; empty if it has not, or if the event says nothing of it."""
    level = rules.flight_level
    if level is not None and (stage.level > level or (stage.level == level and stage.in_break)):
        return f"Level {level} is over."
    share = rules.flight_percent
    if share is not None and entries and left * ALL_PERCENT <= entries * share:
        return f"{share} % of the flight's entries are left."
    return ""
