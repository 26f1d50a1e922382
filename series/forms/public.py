"""What a player fills in to hold a place."""

import datetime as dt
import re
from typing import Any

from django import forms

from series.domain.eligibility import local_date
from series.forms.birth_date import BirthDateField
from series.models import Day, Event, Player
from series.reads.public import RulesVersion


def day_words(day: Day) -> str:
    """A flight as one chooses it: "Flight 1A, Sat 4 Jul 18:30"."""
    local = day.starts_at.astimezone(day.event.series.tz)
    return f"{day.label}, {local:%a} {local.day} {local:%b} {local:%H:%M}"


class PersonForm(forms.Form):
    """Name, birth date and contact: what is asked of a new player at every door."""

    name = forms.CharField(max_length=80, error_messages={"required": "Write the name."})
    birth_date = BirthDateField()
    email = forms.EmailField(label="E-mail", required=False, max_length=254)
    phone = forms.CharField(required=False, max_length=30)

    def __init__(self, *args: Any, event: Event, now: dt.datetime, flights: list[Day], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["birth_date"].today = local_date(now, event.series.tz)  # type: ignore[attr-defined]
        self.fields["email"].widget.attrs |= {"autocomplete": "email"}
        self.fields["phone"].widget = forms.TextInput(
            attrs={"type": "tel", "autocomplete": "tel", "maxlength": 30, "inputmode": "tel"}
        )
        if len(flights) > 1:
            self.fields["day"] = forms.TypedChoiceField(
                label="Which day",
                coerce=int,
                choices=[(day.pk, day_words(day)) for day in flights],
                widget=forms.RadioSelect,
                error_messages={"required": "Choose the day you want to play."},
            )
            self.order_fields(["day", *self.fields])

    def clean_phone(self) -> str:
        phone = str(self.cleaned_data["phone"]).strip()
        if phone and not (re.fullmatch(r"\+?[0-9 ()./-]+", phone) and len(re.sub(r"\D", "", phone)) >= 6):
            raise forms.ValidationError("Write a phone number, for example 021 555 1234.")
        return phone

    def person(self) -> dict[str, Any]:
        """The arguments of the command that registers this person."""
        given = self.cleaned_data
        return {
            "day_id": given.get("day") or None,
            "name": given["name"],
            "birth_date": given["birth_date"],
            "email": given["email"],
            "phone": given["phone"],
        }


class SignUpForm(PersonForm):
    """The public form. A signed-in player who is known chooses the day and accepts the rules, nothing more."""

    rules = forms.BooleanField(error_messages={"required": "Please read and accept the rules."})
    rules_version = forms.IntegerField(widget=forms.HiddenInput)
    # no person sees this field; what fills in every field of a page is not a person
    website = forms.CharField(required=False, label="Leave this empty")

    def __init__(self, *args: Any, rules: RulesVersion, player: Player | None, **kwargs: Any) -> None:
        super().__init__(*args, initial={"rules_version": rules.id}, **kwargs)
        self.player = player
        self.fields["name"].widget.attrs |= {"autocomplete": "name"}
        self.fields["name"].error_messages["required"] = "Write your name."
        self.fields["birth_date"].error_messages["required"] = "Write your birth date."
        self.fields["website"].widget.attrs |= {"tabindex": "-1", "autocomplete": "off"}
        self.fields["rules"].label = f"I have read the rules, version {rules.number}, and accept them."
        if player:
            for name in ("name", "birth_date", "email", "phone"):
                del self.fields[name]

    def clean_website(self) -> str:
        if self.cleaned_data["website"]:
            raise forms.ValidationError("This field stays empty. Please send the form again without it.")
        return ""

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        contact = {"email", "phone"}
        if not self.player and not contact & self.errors.keys() and not any(given.get(name) for name in contact):
            self.add_error("email", "Write an e-mail address or a phone number, so that we can reach you.")
        return given

    def given(self) -> dict[str, Any]:
        """The arguments of the command `sign_up`."""
        if self.player:
            known = {"name": self.player.name, "birth_date": self.player.birth_date}
            person = {"day_id": self.cleaned_data.get("day") or None, "email": "", "phone": "", **known}
        else:
            person = self.person()
        return person | {"rulebook_version_id": self.cleaned_data["rules_version"]}
