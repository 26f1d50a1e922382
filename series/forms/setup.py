"""Forms for setting up a series, its events and their days. They read; whether it is allowed is for the commands."""

from typing import Any

from django import forms

from series.commands.events import MOST_SEATS
from series.commands.setup import time_zones
from series.domain.eligibility import HOUSE_MINIMUM
from series.forms.entry_rules import EntryRulesForm, initial_rules
from series.forms.fields import (
    ChipListField,
    ChipsField,
    LocalDateTimeField,
    MoneyField,
    MoneyOrPercentField,
    WholeNumberField,
    reason_field,
)
from series.models import Day, Event, Series
from series.models.events import HELP_LINES

NEAR = ("Pacific/Auckland", "Pacific/Chatham")
OWN_AGE = "Empty: that of the series."


def zone_choices() -> list[tuple[str, Any]]:
    others = [(zone, zone.replace("_", " ")) for zone in sorted(time_zones()) if "/" in zone and zone not in NEAR]
    return [
        ("Aotearoa New Zealand", [(NEAR[0], "Auckland, Wellington"), (NEAR[1], "Chatham Islands")]),
        ("Elsewhere", others),
    ]


class SeriesForm(forms.Form):
    """What a series says of itself."""

    name = forms.CharField(label="Name", max_length=120, help_text="For example Winter Series 2027.")
    slug = forms.CharField(
        label="Web address",
        max_length=60,
        required=False,
        help_text="Its last part, for example winter-2027. Empty: made from the name.",
    )
    venue = forms.CharField(label="Venue", max_length=200, help_text="As players find it: name, street, town.")
    venue_kind = forms.ChoiceField(
        label="It is",
        choices=Series.VenueKind.choices,
        initial=Series.VenueKind.HALL,
        widget=forms.RadioSelect,
        help_text="In a casino everybody must be 20 (Gambling Act 2003, section 303).",
    )
    zone = forms.ChoiceField(label="Time zone", choices=zone_choices, initial=NEAR[0])
    currency = forms.CharField(label="Currency", min_length=3, max_length=3, initial="NZD", help_text="Three letters.")
    minimum_age = WholeNumberField(
        label="Minimum age",
        initial=HOUSE_MINIMUM,
        least=HOUSE_MINIMUM,
        most=99,
        help_text="18, or more where the venue asks for more. Never less.",
    )
    contact = forms.EmailField(label="Contact e-mail", required=False, help_text="Shown to players.")
    about = forms.CharField(
        label="About", required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="A few words for players."
    )
    help_lines = forms.CharField(
        label="Help lines",
        required=False,
        initial=HELP_LINES,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="In the foot of every public page. One a line: name, colon, phone number.",
    )

    @classmethod
    def of(cls, series: Series) -> "SeriesForm":
        """The form with what the series says now."""
        return cls(initial={name: getattr(series, name) for name in cls.base_fields})


class EventForm(EntryRulesForm):
    """The terms of an event."""

    name = forms.CharField(label="Name", max_length=120, help_text="For example Main Event, or Saturday Turbo.")
    starts_at = LocalDateTimeField(label="Starts", help_text="Date and time at the venue.")
    buy_in_cents = MoneyField(
        label="Buy-in", placeholder="for example 220", help_text="What goes into the prize pool. 0: nothing."
    )
    fee_cents = MoneyField(
        label="Fee", placeholder="for example 30", help_text="What the house keeps on top. 0: nothing."
    )
    guarantee_cents = MoneyField(
        label="Guaranteed prize pool",
        required=False,
        help_text="What the players were promised. The organiser makes up what is missing. Empty: nothing.",
    )
    staff_kind = forms.ChoiceField(
        label="The staff get",
        required=False,
        choices=Event.StaffKind.choices,
        initial=Event.StaffKind.NONE,
        widget=forms.RadioSelect,
    )
    staff_amount = MoneyOrPercentField(
        label="How much the staff get",
        required=False,
        help_text="Dollars of each buy-in, or percent of a share. Players read it on the event’s page.",
    )
    starting_stack = ChipsField(label="Starting stack", initial=20_000, help_text="Chips for each entry.")
    chips = ChipListField(
        label="Chips",
        initial=(25, 100, 500, 1000, 5000),
        help_text="The values used, parted by commas.",
    )
    seats_per_table = WholeNumberField(label="Seats at a table", initial=9, least=2, most=MOST_SEATS)
    capacity = WholeNumberField(
        label="Places", initial=90, least=2, most=100_000, help_text="The most players who can register."
    )
    late_reg_level = WholeNumberField(
        label="Late registration ends with level",
        required=False,
        least=1,
        most=200,
        help_text="Empty: no entries after the start.",
    )
    max_reentries = WholeNumberField(
        label="Re-entries",
        initial=0,
        least=0,
        most=99,
        help_text="How often one player may enter again. 0: never.",
    )
    minimum_age = WholeNumberField(label="Minimum age", required=False, least=HOUSE_MINIMUM, most=99, help_text=OWN_AGE)
    seat_at_buy_in = forms.BooleanField(
        label="Draw a seat at the buy-in",
        required=False,
        initial=True,
        help_text="Off: all seats are drawn at once before the start.",
    )

    def __init__(self, *args: Any, series: Series, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        starts_at = self.fields["starts_at"]
        assert isinstance(starts_at, LocalDateTimeField)
        starts_at.zone = series.tz
        self.fields["minimum_age"].help_text = f"Empty: {series.minimum_age}, that of the series."

    def clean_guarantee_cents(self) -> int:
        return self.cleaned_data["guarantee_cents"] or 0

    def clean_staff_kind(self) -> str:
        return self.cleaned_data["staff_kind"] or Event.StaffKind.NONE

    def clean_staff_amount(self) -> int:
        return self.cleaned_data["staff_amount"] or 0

    @classmethod
    def of(cls, event: Event) -> "EventForm":
        """The form with the event's terms as they are now; the start is that of its first day."""
        rules = initial_rules(event.rules)
        initial = {name: getattr(event, name) for name in EventForm.base_fields if name not in rules} | rules
        first = event.days.filter(number=1).values_list("starts_at", flat=True)
        return cls(series=event.series, initial=initial | {"starts_at": first[0]})


class ChangeEventForm(EventForm):
    """The terms of an event that players may have been told of."""

    reason = reason_field()


class DayForm(forms.Form):
    """A flight, or a later day."""

    label = forms.CharField(label="Label", max_length=20, widget=forms.TextInput(attrs={"class": "short"}))
    starts_at = LocalDateTimeField(label="Starts")
    kind = forms.ChoiceField(
        label="What it is",
        choices=[
            (Day.Kind.FLIGHT, "A flight: players can enter it"),
            (Day.Kind.LATER, "A later day: who is left plays on"),
        ],
        initial=Day.Kind.FLIGHT,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, series: Series, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        starts_at = self.fields["starts_at"]
        assert isinstance(starts_at, LocalDateTimeField)
        starts_at.zone = series.tz


class ChangeDayForm(DayForm):
    """A day that is there: its label and start, of an event that players may have been told of."""

    kind = None  # type: ignore[assignment]
    reason = reason_field()

    def __init__(self, *args: Any, told: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not told:
            del self.fields["reason"]


class CancelForm(forms.Form):
    """Calling an event off."""

    reason = forms.CharField(
        label="Why", widget=forms.Textarea(attrs={"rows": 2}), help_text="In a sentence. Everybody reads it."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "cancel_%s"  # it stands beside the terms
