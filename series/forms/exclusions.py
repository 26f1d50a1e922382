"""What is filled in to exclude somebody, and to exclude oneself."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from series.domain.exclusions import SELF_MONTHS, months_words
from series.forms.birth_date import BirthDateField
from series.models import Exclusion, Player


class UntilForm(forms.Form):
    """Until when, and why. A day counts until its end in the zone of the series."""

    until = forms.DateField(
        label="Until the end of",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="Empty: without an end.",
    )
    why = forms.CharField(
        label="Why",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Directors alone read it.",
    )

    def __init__(self, *args: Any, zone: ZoneInfo, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = zone

    @property
    def until_instant(self) -> dt.datetime | None:
        """The midnight after the day that was chosen, of a valid form."""
        day: dt.date | None = self.cleaned_data["until"]
        if day is None:
            return None
        return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), self.zone)

    def clean_until(self) -> dt.date | None:
        day: dt.date | None = self.cleaned_data["until"]
        if day and day.year > dt.MAXYEAR - 1:
            raise forms.ValidationError("Choose an earlier day, or none.")
        return day


class ExcludeForm(UntilForm):
    """Whom, until when, and why."""

    name = forms.CharField(max_length=80, error_messages={"required": "Write the name."})
    birth_date = BirthDateField(
        widget=forms.TextInput(attrs={"placeholder": "5/6/2008", "autocomplete": "off"}),
        help_text="Day first. A new sign-up with this name and birth date is refused as well.",
    )
    field_order = ("name", "birth_date", "until", "why")

    def __init__(self, *args: Any, today: dt.date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["birth_date"].today = today  # type: ignore[attr-defined]


class ChangeForm(UntilForm):
    """Another end, or another reason; only lifting needs a word in any case."""

    @classmethod
    def of(cls, row: Exclusion, zone: ZoneInfo) -> "ChangeForm":
        """The form with what is written down now."""
        last = (row.until - dt.timedelta(microseconds=1)).astimezone(zone).date() if row.until else None
        return cls(initial={"until": last, "why": row.reason}, zone=zone)


class LiftForm(forms.Form):
    """Ending an exclusion before its time."""

    why = forms.CharField(
        label="Why it ends", max_length=2000, widget=forms.Textarea(attrs={"rows": 2, "id": "id_lift"})
    )


class BreakForm(forms.Form):
    """A player's own exclusion. The birth date is asked for where none is kept."""

    months = forms.TypedChoiceField(
        label="For how long",
        coerce=int,
        choices=[(months, months_words(months)) for months in SELF_MONTHS],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose for how long."},
    )
    birth_date = BirthDateField(help_text="So that a new sign-up of yours is refused as well.")
    sure = forms.BooleanField(
        label="I am sure. I know that I cannot shorten this.",
        error_messages={"required": "Tick that you are sure: this cannot be taken back."},
    )

    def __init__(self, *args: Any, player: Player, today: dt.date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if player.birth_date is not None:
            del self.fields["birth_date"]
        else:
            self.fields["birth_date"].today = today  # type: ignore[attr-defined]
            self.fields["birth_date"].error_messages["required"] = "Write your birth date."
