"""What the desk fills in."""

import datetime as dt
from typing import Any

from django import forms

from series.domain.eligibility import ID_KINDS
from series.forms.birth_date import BirthDateField
from series.forms.fields import ChipsField
from series.forms.public import PersonForm, clean_phone, day_words
from series.models import Day, LedgerLine, Player
from series.models.people import LONGEST_PHONE

SHORT = {"nz_driver_licence": "NZ driver licence", "kiwi_access": "Kiwi Access", "hanz_18_plus": "Hospitality 18+"}
ONE_LINE = {"placeholder": "5/6/2008", "autocomplete": "off"}


def _method() -> forms.ChoiceField:
    return forms.ChoiceField(
        label="Paid by",
        choices=LedgerLine.Method.choices,
        initial=LedgerLine.Method.CASH,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose how it is paid: cash, card or transfer."},
    )


def _offer_seat(form: forms.Form, seat: bool) -> None:
    """A seat won in a satellite pays too, and is what is offered first."""
    field = form.fields.get("method")
    if seat and isinstance(field, forms.ChoiceField):
        field.choices = [("seat", "Seat won"), *LedgerLine.Method.choices]
        field.initial = "seat"


def _ask_birth_date(form: forms.Form, asks_on: dt.date | None) -> None:
    if asks_on is None:
        del form.fields["birth_date"]
    else:
        form.fields["birth_date"].today = asks_on  # type: ignore[attr-defined]


class BuyInForm(forms.Form):
    """The buy-in of a held place, with the ID sighted unless that is `proven`; without `pays`, the sighting alone.

    `asks_on`: today, where no birth date is kept and the ID has to show it again.
    """

    registration = forms.IntegerField(widget=forms.HiddenInput)
    birth_date = BirthDateField(widget=forms.TextInput(attrs=ONE_LINE))
    id_kind = forms.ChoiceField(
        label="ID sighted",
        choices=[(kind.code, SHORT.get(kind.code, kind.label)) for kind in ID_KINDS],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the kind of ID you saw."},
    )
    method = _method()

    def __init__(
        self,
        *args: Any,
        proven: bool,
        pays: bool = True,
        seat: bool = False,
        asks_on: dt.date | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        _offer_seat(self, seat)
        _ask_birth_date(self, asks_on)
        self.fields["id_kind"].required = not proven
        self.fields["method"].required = pays


class WithdrawForm(forms.Form):
    """A held place given back."""

    registration = forms.IntegerField(widget=forms.HiddenInput(attrs={"id": "withdraw_registration"}))


class DayForm(forms.Form):
    """The choice of a flight where there are several; without any, the only one there is."""

    def __init__(self, *args: Any, days: list[Day], seat: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _offer_seat(self, seat)
        if len(days) > 1:
            self.fields["day"] = forms.TypedChoiceField(
                label="Which day",
                coerce=int,
                choices=[(day.pk, day_words(day)) for day in days],
                widget=forms.RadioSelect,
                error_messages={"required": "Choose the day."},
            )
        self.only_day = days[0].pk if len(days) == 1 else None

    @property
    def day_id(self) -> int | None:
        return self.cleaned_data.get("day") or self.only_day


class RegisterForm(DayForm):
    """A known player registered here. `asks_on`: today, where no birth date is kept and the event asks for it again."""

    birth_date = BirthDateField(widget=forms.TextInput(attrs=ONE_LINE))

    def __init__(self, *args: Any, asks_on: dt.date | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _ask_birth_date(self, asks_on)


class ReentryForm(DayForm):
    """A new stack for a player who is out."""

    method = _method()


class GiveUpForm(ReentryForm):
    """A re-entry for which a stack is given up."""

    given_up = ChipsField(label="Chips given up, as counted")


class PurchaseForm(forms.Form):
    """A rebuy or an add-on at the desk."""

    entry_id = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    kind = forms.ChoiceField(choices=[("rebuy", "Rebuy"), ("addon", "Add-on")], widget=forms.HiddenInput)
    stack_confirmed = forms.BooleanField(label="The floor or the dealer has seen the stack", required=False)
    method = _method()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "buy_%s"


class RefundForm(forms.Form):
    """A paid entry given back; reason and chips once play has begun."""

    entry_id = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    reason = forms.CharField(label="Why", max_length=200, required=False)
    chips = ChipsField(label="Chips that leave play", required=False, help_text="Empty: all that the entry bought.")

    def __init__(self, *args: Any, begun: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "refund_%s"
        if not begun:
            del self.fields["reason"], self.fields["chips"]


class Contact(forms.Form):
    """How a player is reached, as far as they say so."""

    email = forms.EmailField(label="E-mail", required=False, max_length=254)
    phone = forms.CharField(required=False, max_length=LONGEST_PHONE)

    def clean_phone(self) -> str:
        written = str(self.cleaned_data["phone"]).strip()
        return clean_phone(written) if written else ""


class NewPlayerForm(PersonForm, Contact):
    """A new player at the desk. `another_person` is asked for only once somebody like them was found."""

    birth_date = BirthDateField(widget=forms.TextInput(attrs=ONE_LINE))
    another_person = forms.BooleanField(label="This is another person: add them as a new player", required=False)
    field_order = ("name", "birth_date", "email", "phone", "another_person")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "email", "phone"):
            self.fields[name].widget.attrs |= {"autocomplete": "off"}

    def given(self) -> dict[str, Any]:
        """The arguments of the command `register`."""
        names = ("name", "birth_date", "email", "phone")
        return {name: self.cleaned_data[name] for name in names} | {"day_id": self.day_id}


class DetailsForm(Contact):
    """A player's details put right. A birth date that is not kept may stay away."""

    name = forms.CharField(max_length=80)
    birth_date = BirthDateField(widget=forms.TextInput(attrs=ONE_LINE))
    public_name = forms.CharField(
        label="Name on public pages", required=False, max_length=80, help_text="Empty: the name above."
    )
    field_order = ("name", "birth_date", "email", "phone", "public_name")

    def __init__(self, *args: Any, player: Player, today: dt.date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "details_%s"
        if player.birth_date is None:
            self.fields["birth_date"].required = False
            self.fields["birth_date"].help_text = "Not kept: an ID has shown the age."
        self.fields["birth_date"].today = today  # type: ignore[attr-defined]

    @classmethod
    def of(cls, player: Player, today: dt.date) -> "DetailsForm":
        """The form with what is written down now."""
        values = {name: getattr(player, name) for name in ("name", "birth_date", "email", "phone")}
        public = "" if player.public_name == player.name else player.public_name
        return cls(initial=values | {"public_name": public}, player=player, today=today)
