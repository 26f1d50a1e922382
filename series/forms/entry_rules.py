"""The part of the event form that says what may be bought beside the plain entry (`series.domain.entries`)."""

import re
from dataclasses import asdict
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from series.domain.entries import RANGES, EntryRules, differences
from series.domain.money import AmountError, format_chips, parse_chips
from series.forms.fields import ChipsField, MoneyField, WholeNumberField, reason_field
from series.models import Event
from series.reads.satellites import possible_targets


def _level(name: str, label: str, hint: str = "") -> WholeNumberField:
    least, most = RANGES[name]
    return WholeNumberField(label=label, help_text=hint, required=False, least=least, most=most)


def _count(name: str, label: str, hint: str) -> WholeNumberField:
    least, most = RANGES[name]
    return WholeNumberField(label=label, help_text=hint, initial=0, required=False, least=least, most=most)


def _money(label: str, hint: str = "") -> MoneyField:
    return MoneyField(label=label, help_text=hint, initial=0, required=False)


class LateStacksField(forms.CharField):
    """Fewer chips for late entries: one line for each step, level and chips, "5: 15,000"."""

    widget = forms.Textarea(attrs={"rows": 3, "inputmode": "text"})

    def to_python(self, value: Any) -> Any:
        steps = []
        for line in (super().to_python(value) or "").splitlines():
            if not line.strip():
                continue
            match = re.fullmatch(r"\s*(?:level\s*)?([0-9]{1,3})\s*[:;=\s]\s*(\S.*?)\s*", line, re.IGNORECASE)
            if not match:
                raise ValidationError("Write a level and its chips on each line, for example 5: 15,000.")
            try:
                steps.append((int(match[1]), parse_chips(match[2])))
            except AmountError as error:
                raise ValidationError(f"Level {match[1]}: {error}") from error
        return tuple(steps)

    def prepare_value(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        return "\n".join(f"{level}: {format_chips(chips)}" for level, chips in value)


class EntryRulesForm(forms.Form):
    """Every field of `EntryRules` that is typed, under the same name; what belongs together is in `RULE_SECTIONS`."""

    reentry_until = _level("reentry_until", "Re-entry until level", "Empty: as long as late registration.")
    reentry_day = forms.ChoiceField(
        label="Re-entry in",
        choices=[("any", "Any open flight"), ("same", "The same flight"), ("next", "A later flight")],
        initial="any",
        required=False,
    )
    forfeit = forms.BooleanField(
        label="A player still in may give up the stack for a re-entry",
        required=False,
        help_text="Its chips leave play. TDA 2024 rule 8.",
    )
    late_stacks = LateStacksField(
        label="Chips of late entries",
        required=False,
        help_text="Empty: always the whole stack. Else a level and its chips on each line: 5: 15,000.",
    )
    rebuys = _count("rebuys", "Rebuys", "The most for one entry, with a starting stack or less. 0: none.")
    rebuy_until = _level("rebuy_until", "Rebuys until level")
    rebuy_cents = _money("Rebuy", "What goes into the prize pool.")
    rebuy_fee_cents = _money("Fee of a rebuy")
    rebuy_chips = ChipsField(label="Chips of a rebuy", initial=0, required=False)
    addons = _count("addons", "Add-ons", "The most for one entry. 0: none.")
    addon_break = _level("addon_break", "Add-on in the break after level")
    addon_until = _level("addon_until", "Add-on until level", "Beside the break, or instead of it.")
    addon_cents = _money("Add-on", "What goes into the prize pool.")
    addon_fee_cents = _money("Fee of an add-on")
    addon_chips = ChipsField(label="Chips of an add-on", initial=0, required=False)
    bounty_cents = _money("Bounty", "In the price of every entry, for whoever busts it. 0: none.")
    flight_level = _level("flight_level", "A flight ends with level", "Its players bag their chips.")
    flight_percent = WholeNumberField(
        label="Or with so many percent left", required=False, least=1, most=99, help_text="Of the flight's entries."
    )
    best_stack = forms.BooleanField(
        label="The best stack goes on",
        required=False,
        help_text="Who has bagged may play a later flight as a re-entry; the largest bag counts.",
    )

    RULE_SECTIONS = (
        ("Re-entries and late entries", ("reentry_until", "reentry_day", "forfeit", "late_stacks")),
        ("Rebuys", ("rebuys", "rebuy_until", "rebuy_cents", "rebuy_fee_cents", "rebuy_chips")),
        ("Add-ons", ("addons", "addon_break", "addon_until", "addon_cents", "addon_fee_cents", "addon_chips")),
        ("Bounties", ("bounty_cents",)),
        ("Flights", ("flight_level", "flight_percent", "best_stack")),
    )

    @property
    def rule_sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields under their headings."""
        return [(title, [self[name] for name in names]) for title, names in self.RULE_SECTIONS]

    @property
    def rules_open(self) -> bool:
        """Whether to show the section at once: something is wrong in it, or it says something."""
        names = [name for _, section in self.RULE_SECTIONS for name in section]
        if self.is_bound:
            return any(name in self.errors for name in names)
        return any(self.initial.get(name) not in (None, "", *_defaults(name)) for name in names)

    def clean(self) -> dict[str, Any]:
        """The fields of this part become one value, `entry_rules`, as an event stores it."""
        given = super().clean() or self.cleaned_data
        names = [name for name in EntryRules.__dataclass_fields__ if name in EntryRulesForm.base_fields]
        rules = {name: given.pop(name) for name in names if name in given}
        default = EntryRules()
        filled = {name: getattr(default, name) if value in (None, "") else value for name, value in rules.items()}
        if not self.errors:
            given["entry_rules"] = differences(EntryRules(**filled))
        return given


def _defaults(name: str) -> tuple[Any, ...]:
    default = getattr(EntryRules(), name)
    return (default, list(default)) if isinstance(default, tuple) else (default,)


def initial_rules(rules: EntryRules) -> dict[str, Any]:
    """What the form shows of an event's terms; no level is an empty field."""
    found = asdict(rules)
    return {name: "" if found[name] is None else found[name] for name in found if name in EntryRulesForm.base_fields}


class SatelliteForm(forms.Form):
    """What an event is played for: money, or seats in another event of the series."""

    target = forms.TypedChoiceField(label="Prizes", coerce=int, empty_value=None, required=False)
    second_seat = forms.ChoiceField(
        label="A winner who has a seat already",
        choices=[("cash", "Gets its price in cash"), ("keep", "Keeps it as a credit for a re-entry")],
        required=False,
        widget=forms.RadioSelect,
    )
    reason = reason_field()

    def __init__(self, *args: Any, event: Event, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "satellite_%s"
        if event.status == Event.Status.DRAFT:
            del self.fields["reason"]
        seats = [(one.pk, f"Seats in {one}") for one in possible_targets(event)]
        self.fields["target"].choices = [("", "Money"), *seats]  # type: ignore[attr-defined]

    @classmethod
    def of(cls, event: Event) -> "SatelliteForm":
        """The form with what the event says now."""
        return cls(event=event, initial={"target": event.seats_in_id, "second_seat": event.rules.second_seat})
