"""Every reading of the rules that a series may choose, in one typed place. The defaults are those of the
house rules.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args, get_origin


@dataclass(frozen=True)
class Options:
    """The options of a series. Each names the rule it reads; a series stores only what differs from the
    default.
    """

    # betting: house rules 8, 9a, 9b
    overchip_is_call: bool = True
    multichip_test: bool = True
    open_underbet: Literal["half_or_check", "min_bet"] = "half_or_check"
    two_motion_raise: bool = True
    # house rule 4
    oot_binding: Literal["never", "if_unchanged"] = "never"
    # house rules 19 to 22; TDA 2026 rule 36B
    dead_button: Literal["house", "forward_2026"] = "house"
    # house rule 48: the largest difference between tables; None: 1 with up to six tables, 2 with more
    max_gap: int | None = None
    # house rules 19 to 22: minutes of play after which a table is asked for its button again; None: never
    old_button_minutes: int | None = 10
    # house rules 27 to 29
    action_seconds: int = 60
    action_countdown: int = 10
    expire_unfaced: Literal["dead", "check"] = "dead"
    left_after_acting: Literal["dead", "live"] = "dead"
    # house rule 1: the day on which the minimum age must be reached, and what becomes of who registers before it
    age_rule: Literal["at_start", "at_seating"] = "at_start"
    early_registration: Literal["reserve", "refuse"] = "reserve"
    # house rule 1; Privacy Act 2020, principle 9: what becomes of a birth date once an ID has shown the age
    birth_dates: Literal["keep", "discard"] = "keep"
    # house rules 10 and 41
    all_in_face_up: bool = False
    # house rules 50 and 51; TDA 2024 RP-8
    seconds_per_hand: int = 120
    # busts in one hand at different tables
    cross_table: Literal["share", "stack"] = "share"
    # penalties; TDA 2024 rule 71 (supplement S2): days after which an offence no longer counts, None: never; the most
    # missed rounds that the floor gives without the director; steps of the ladder that a severe offence skips
    penalty_forget_days: int | None = None
    penalty_floor_rounds: int = 1
    penalty_severe_skips: int = 1
    # money: whether cash is taken and paid only through a person's own open till
    till_required: bool = False


# the least and the most of each number; three minutes a hand are the most that TDA 2024 RP-8 knows
RANGES = {
    "max_gap": (1, 9),
    "old_button_minutes": (1, 240),
    "action_seconds": (5, 600),
    "action_countdown": (0, 60),
    "seconds_per_hand": (0, 180),
    "penalty_forget_days": (1, 3650),
    "penalty_floor_rounds": (0, 9),
    "penalty_severe_skips": (0, 4),
}


def problems(options: Options) -> dict[str, str]:
    """What cannot be chosen, in words, by the name of the option."""
    found = {}
    for name, (least, most) in RANGES.items():
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            found[name] = f"Choose a number between {least} and {most}."
    for field in fields(Options):
        choices = get_args(field.type)
        if get_origin(field.type) is Literal and getattr(options, field.name) not in choices:
            found[field.name] = "Choose one of those offered."
    return found


def options_from(stored: dict[str, Any]) -> Options:
    """The options with a series' stored differences applied; unknown names are left out, so an old row
    still loads.
    """
    known = {field.name for field in fields(Options)}
    return Options(**{name: value for name, value in stored.items() if name in known})


def differences(options: Options) -> dict[str, Any]:
    """What a series has to store: the values that are not the default."""
    default = asdict(Options())
    return {name: value for name, value in asdict(options).items() if value != default[name]}
