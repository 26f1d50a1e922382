"""The options of a series as people read them: each with its rule and in plain words."""

from dataclasses import asdict
from typing import Any

from django import forms

from series.domain.options import RANGES, Options, options_from
from series.forms.fields import WholeNumberField


def _choice(label: str, rule: str, *choices: tuple[str, str]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, help_text=rule, choices=choices, widget=forms.RadioSelect)


def _switch(label: str, rule: str) -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=rule, required=False)


def _number(name: str, label: str, rule: str, *, required: bool = True) -> WholeNumberField:
    least, most = RANGES[name]
    return WholeNumberField(label=label, help_text=rule, required=required, least=least, most=most)


class OptionsForm(forms.Form):
    """Every option of `series.domain.options.Options`, under the same name."""

    dead_button = _choice(
        "Where the button goes when the small blind’s seat is empty",
        "Rules 19 to 21; TDA 2026 rule 36B.",
        ("house", "It stops there, dead"),
        ("forward_2026", "On to the last empty seat before the small blind"),
    )
    old_button_minutes = _number(
        "old_button_minutes",
        "Ask a table for its button again after so many minutes of play",
        "Rules 19 to 22 need to know where it lies. Empty: never.",
        required=False,
    )
    max_gap = _number(
        "max_gap",
        "How many players apart tables may be",
        "Rule 48. Empty: one with up to six tables, two with more.",
        required=False,
    )
    seconds_per_hand = _number(
        "seconds_per_hand",
        "Seconds that a hand of hand-for-hand takes off the clock",
        "Rules 50 and 51; TDA 2024 RP-8: two minutes, three at most.",
    )
    cross_table = _choice(
        "Out in the same hand at different tables",
        "The house rules are silent; TDA 2024 RP-8A.",
        ("share", "They share the places"),
        ("stack", "The larger stack places higher"),
    )
    overchip_is_call = _switch(
        "One chip too big, put in without a word, is a call", "Beside rules 9a and 9b; TDA 2024 rule 44."
    )
    multichip_test = _switch(
        "Several chips are a call if the price needs every one of them", "Beside rules 9a and 9b; TDA 2024 rule 45."
    )
    open_underbet = _choice(
        "An opening bet below the minimum",
        "Rules 8, 9a and 9b; TDA 2024 rule 52.",
        ("half_or_check", "From half of it a bet of the minimum, less is a check"),
        ("min_bet", "Always a bet of the minimum"),
    )
    two_motion_raise = _switch("After “raise” one more motion counts", "Rule 7. The TDA gave this up in 2019.")
    oot_binding = _choice(
        "An action out of turn",
        "Rule 4; TDA 2024 rule 53.",
        ("never", "Never binds"),
        ("if_unchanged", "Binds if the action to that player does not change"),
    )
    action_seconds = _number("action_seconds", "Seconds to act once the clock is called", "Rules 27, 28a and 28b.")
    action_countdown = _number("action_countdown", "Seconds of countdown after that", "Rule 28a.")
    expire_unfaced = _choice(
        "Time runs out and no bet is faced",
        "Rule 28a; TDA 2024 rule 29.",
        ("dead", "The hand is dead"),
        ("check", "The player checks"),
    )
    left_after_acting = _choice(
        "A player leaves who has nothing left to decide",
        "Rule 29; TDA 2024 rule 31.",
        ("dead", "The hand is dead"),
        ("live", "The hand lives"),
    )
    all_in_face_up = _switch(
        "All hands are turned up once somebody is all-in and the betting is over",
        "Wider than rules 10 and 41; TDA 2024 rule 16.",
    )

    penalty_forget_days = _number(
        "penalty_forget_days",
        "An offence no longer counts after so many days",
        "Repeats rise on the ladder (TDA 2024 rule 71). Empty: it counts all series.",
        required=False,
    )
    penalty_floor_rounds = _number(
        "penalty_floor_rounds",
        "Missed rounds that the floor may give",
        "TDA 2024 rule 71, RP-15. More, and a disqualification, is for the director.",
    )
    penalty_severe_skips = _number(
        "penalty_severe_skips", "Steps of the ladder that a severe offence skips", "TDA 2024 rule 71."
    )

    till_required = _switch(
        "Cash only through a person’s own till",
        "Who has opened none then takes and pays no cash. Off: it goes to the event’s common till.",
    )
    age_rule = _choice(
        "The minimum age must be reached",
        "Rule 1. By the calendar of the venue, from midnight on the birthday.",
        ("at_start", "On the date the event starts"),
        ("at_seating", "When taking the first seat: late entry after midnight on the birthday"),
    )
    early_registration = _choice(
        "Who reaches the age after registering, but in time",
        "Rule 1.",
        ("reserve", "Holds a place, to be paid and seated then"),
        ("refuse", "Registers on the birthday"),
    )

    birth_dates = _choice(
        "Birth dates, once an ID has shown the age",
        "Privacy Act 2020, principle 9. That an ID was seen, for which age, by whom and when is always kept.",
        ("keep", "Are kept: two records of one person are easier to notice"),
        ("discard", "Are discarded after an hour; an event that asks for a higher age asks again"),
    )

    SECTIONS = (
        ("Age", ("age_rule", "early_registration", "birth_dates")),
        ("Seats and blinds", ("dead_button", "old_button_minutes", "max_gap")),
        ("Hand-for-hand and places", ("seconds_per_hand", "cross_table")),
        ("Betting", ("overchip_is_call", "multichip_test", "open_underbet", "two_motion_raise", "oot_binding")),
        ("Time and absence", ("action_seconds", "action_countdown", "expire_unfaced", "left_after_acting")),
        ("Showdown", ("all_in_face_up",)),
        ("Penalties", ("penalty_forget_days", "penalty_floor_rounds", "penalty_severe_skips")),
        ("Money", ("till_required",)),
    )

    @property
    def sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields under their headings."""
        return [(title, [self[name] for name in names]) for title, names in self.SECTIONS]

    @property
    def options(self) -> Options:
        """What was chosen, of a valid form."""
        return Options(**self.cleaned_data)

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "OptionsForm":
        """The form with what the series has chosen."""
        return cls(initial=asdict(options_from(stored)))
