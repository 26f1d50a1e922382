"""What a player fills in to hold a place."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.validators import validate_email

from series.domain.eligibility import local_date
from series.domain.privacy import PRIVACY_VERSION
from series.forms.birth_date import BirthDateField
from series.models import Day, Event, Player
from series.models.people import LONGEST_PHONE
from series.reads.public import RulesVersion


def day_words(day: Day) -> str:
    """A flight as one chooses it: "Flight 1A, Sat 4 Jul 18:30"."""
    local = day.starts_at.astimezone(day.event.series.tz)
    return f"{day.label}, {local:%a} {local.day} {local:%b} {local:%H:%M}"


def clean_phone(written: str) -> str:
    """A phone number as it was written.

    Raises:
        ValidationError: it is none, or an overlong one.
    """
    if not re.fullmatch(r"\+?[0-9 ()./-]+", written) or len(re.sub(r"\D", "", written)) < 6:
        raise forms.ValidationError("Write a phone number, for example 021 555 1234, or an e-mail address.")
    if len(written) > LONGEST_PHONE:
        raise forms.ValidationError(f"This phone number is too long: {LONGEST_PHONE} characters at most.")
    return written


class PersonForm(forms.Form):
    """Name and birth date, and the day where there are several: what is asked of a new player at every door."""

    name = forms.CharField(max_length=80, error_messages={"required": "Write the name."})
    birth_date = BirthDateField()

    def __init__(self, *args: Any, event: Event, now: dt.datetime, flights: Sequence[Day], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["birth_date"].today = local_date(now, event.series.tz)  # type: ignore[attr-defined]
        if len(flights) > 1:
            self.fields["day"] = forms.TypedChoiceField(
                label="Which day",
                coerce=int,
                choices=[(day.pk, day_words(day)) for day in flights],
                widget=forms.RadioSelect,
                error_messages={"required": "Choose the day."},
            )
            self.order_fields(["day", *self.fields])

    @property
    def day_id(self) -> int | None:
        return self.cleaned_data.get("day") or None


class SignUpForm(PersonForm):
    """The public form. A signed-in player who is known chooses the day and accepts the rules, nothing more; and
    writes the birth date, if it is not kept and the event `asks` for it."""

    contact = forms.CharField(
        label="E-mail or phone",
        max_length=254,
        error_messages={"required": "Write an e-mail address or a phone number, so that we can reach you."},
    )
    rules = forms.BooleanField(error_messages={"required": "Please read and accept the rules."})
    rules_version = forms.IntegerField(widget=forms.HiddenInput)
    privacy = forms.BooleanField(
        label="My details may be kept as the privacy page says.",
        error_messages={"required": "Please read how your details are kept, and agree."},
    )
    privacy_version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    # no person sees this field; what fills in every field of a page is not a person
    website = forms.CharField(required=False, label="Leave this empty")

    def __init__(self, *args: Any, rules: RulesVersion, player: Player | None, asks: bool, **kwargs: Any) -> None:
        super().__init__(*args, initial={"rules_version": rules.id, "privacy_version": PRIVACY_VERSION}, **kwargs)
        self.player = player
        self.fields["name"].widget.attrs |= {"autocomplete": "name"}
        self.fields["name"].error_messages["required"] = "Write your name."
        self.fields["birth_date"].error_messages["required"] = "Write your birth date."
        self.fields["contact"].widget.attrs |= {"autocomplete": "email", "autocapitalize": "off", "spellcheck": "false"}
        self.fields["website"].widget.attrs |= {"tabindex": "-1", "autocomplete": "off"}
        self.fields["rules"].label = f"I have read the rules, version {rules.number}, and accept them."
        if player:
            for name in ("name", "contact") if asks else ("name", "birth_date", "contact"):
                del self.fields[name]

    def clean_contact(self) -> dict[str, str]:
        """The e-mail address or the phone number, whichever was written."""
        written = str(self.cleaned_data["contact"]).strip()
        if "@" in written:
            try:
                validate_email(written)
            except forms.ValidationError:
                raise forms.ValidationError("This e-mail address is not complete.") from None
            return {"email": written, "phone": ""}
        return {"email": "", "phone": clean_phone(written)}

    def clean_website(self) -> str:
        if self.cleaned_data["website"]:
            raise forms.ValidationError("This field stays empty. Please send the form again without it.")
        return ""

    def given(self) -> dict[str, Any]:
        """The arguments of the command `sign_up`."""
        given, known = self.cleaned_data, self.player
        if known:
            person = {"name": known.name, "birth_date": given.get("birth_date")}
            person |= {"email": known.email, "phone": known.phone}
        else:
            person = {"name": given["name"], "birth_date": given["birth_date"], **given["contact"]}
        return (
            person
            | {"day_id": self.day_id, "rulebook_version_id": given["rules_version"]}
            | {"privacy_version": given["privacy_version"] or PRIVACY_VERSION}
        )
