"""What the floor's calculators share: fields for chips and seats, and how an answer looks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.html import format_html

from rulings.calculator_reads import Spot, is_number
from series.domain.money import AmountError, format_chips, parse_chips
from series.forms.fields import ChipsField
from tables.domain.table import MOST_SEATS

SEAT_NUMBERS = {"invalid_choice": "There is no seat %(value)s at this table."}


def keyed(**attrs: Any) -> forms.TextInput:
    """A field that the big keys write into."""
    return forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "data-amount": True, **attrs})


class AmountField(ChipsField):
    """A number of chips, 0 allowed unless `least` says more."""

    def __init__(self, *, least: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.widget = keyed()
        self.least = least

    def clean(self, value: Any) -> Any:
        amount = super().clean(value)
        if amount is not None and amount < self.least:
            raise ValidationError(f"At least {format_chips(self.least)}.")
        return amount


class StackField(forms.CharField):
    """Amounts that lie on top of each other, "2,000 + 500", as a tuple; empty: ()."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, widget=keyed(**{"data-plus": True}), max_length=200, **kwargs)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value) or ""
        if not text:
            return ()
        try:
            return tuple(parse_chips(part) for part in text.rstrip("+ ").split("+"))
        except AmountError as error:
            raise ValidationError("Write whole numbers with + between them, for example 2,000 + 500.") from error

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else " + ".join(format_chips(part) for part in value)


class SeatField(forms.TypedChoiceField):
    """One seat; the choices are those of the table. `nobody` is offered where none need be named."""

    def __init__(self, *, nobody: str = "", **kwargs: Any) -> None:
        self.nobody = nobody
        super().__init__(
            coerce=int,
            empty_value=None,
            required=kwargs.pop("required", not nobody),
            widget=kwargs.pop("widget", forms.RadioSelect),
            error_messages=SEAT_NUMBERS,
            **kwargs,
        )

    def seat(self, spot: Spot, numbers: Iterable[int]) -> None:
        choices = [(str(number), seat_label(spot, number)) for number in numbers]
        self.choices = [("", self.nobody), *choices] if self.nobody else choices


class SeatsField(forms.TypedMultipleChoiceField):
    """Any number of seats of the table, in seat order."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            coerce=int, widget=forms.CheckboxSelectMultiple, error_messages=SEAT_NUMBERS, empty_value=[], **kwargs
        )

    def seat(self, spot: Spot, numbers: Iterable[int]) -> None:
        self.choices = [(str(number), seat_label(spot, number)) for number in numbers]

    def clean(self, value: Any) -> Any:
        return sorted(set(super().clean(value)))


class SeatListField(forms.CharField):
    """Seats written one after the other, "7, 2"; the order is kept."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"inputmode": "numeric", "autocomplete": "off"}
        super().__init__(
            required=False, max_length=60, widget=kwargs.pop("widget", forms.TextInput(attrs=attrs)), **kwargs
        )

    def to_python(self, value: Any) -> Any:
        seats = [int(part) for part in _parts(super().to_python(value) or "")]
        if not all(1 <= seat <= MOST_SEATS for seat in seats):
            raise ValidationError(f"Seats are numbered from 1 to {MOST_SEATS}.")
        return list(dict.fromkeys(seats))

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else ", ".join(str(seat) for seat in value)


def _parts(text: str) -> list[str]:
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    if not all(re.fullmatch(r"[0-9]{1,3}", part) for part in parts):
        raise ValidationError("Write seat numbers with commas between them, for example 3, 5.")
    return parts


def seat_label(spot: Spot, number: int) -> str:
    """A seat in a strip of seats: its number, with the name for whoever has room for it or cannot see it."""
    name = spot.names.get(number)
    return format_html("{} <i>{}</i>", number, name) if name else str(number)


def mention(seats: Iterable[int]) -> str:
    """Seats in a sentence: "seat 4", "seats 2, 4 and 6"."""
    numbers = [str(seat) for seat in seats]
    if len(numbers) == 1:
        return f"seat {numbers[0]}"
    return f"seats {', '.join(numbers[:-1])} and {numbers[-1]}"


@dataclass(frozen=True)
class Answer:
    """What a calculator says.

    `headline` fits one line above the keys; `said` are whole sentences, which also start the decision of a ruling;
    `rules` the numbers applied, `why` the reason; `outcome` is plain JSON, kept with a ruling; `warnings` are what
    looks odd in the inputs; `detail` is what the page of this calculator shows besides; `links` go on to another
    calculator, with what is known already: words, calculator, query.
    """

    headline: str
    said: tuple[str, ...]
    rules: tuple[str, ...]
    why: str
    outcome: dict[str, Any]
    warnings: tuple[str, ...] = ()
    detail: Any = None
    links: tuple[tuple[str, str, str], ...] = field(default=())


class Calculator(forms.Form):
    """One calculator: a form whose valid inputs have an answer. What the table tells is filled in before."""

    kind: ClassVar[str]
    short: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    complete: bool = False  # what the table tells is all there is to know: answered before anybody types
    use_required_attribute = False
    do_not_call_in_templates = True  # pages list the classes themselves

    def __init__(self, spot: Spot, data: QueryDict | None = None, given: QueryDict | None = None) -> None:
        """`data`: what was sent; `given`: what is filled in without being judged yet."""
        self.spot = spot
        self.answer: Answer | None = None
        super().__init__(data, label_suffix="")
        self.lay_out(data or given or QueryDict())
        numbers = range(1, spot.seats + 1)
        for name, known in self.fields.items():
            hint = f"hint_{name} " if known.help_text else ""
            known.widget.attrs["aria-describedby"] = f"{hint}error_{name}"
            if isinstance(known, SeatField | SeatsField) and not known.choices:
                known.seat(spot, numbers)
            if given and name in given:
                text = given.get(name, "")
                self.initial[name] = given.getlist(name) if isinstance(known, SeatsField) else text
                if isinstance(known, AmountField) and is_number(text):
                    self.initial[name] = int(text)
        self.initial = {**self.known(), **self.initial}

    def lay_out(self, sent: QueryDict) -> None:
        """Add the fields that there are several of; `sent` tells how many."""

    def known(self) -> dict[str, Any]:
        """What the table tells."""
        return {}

    def solve(self, given: dict[str, Any]) -> Answer:
        """The answer to valid inputs.

        Raises:
            ValidationError: by field, where amounts contradict each other.
            ValueError: where the rules have no answer; the words are for the page.
        """
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                self.answer = self.solve(cleaned)
            except ValidationError as error:
                self.add_error(None, error)
            except ValueError as error:
                self.add_error(None, f"{str(error)[0].upper()}{str(error)[1:].rstrip('.')}.")
        return cleaned

    def facts(self) -> str:
        """The inputs in words, the start of a ruling's facts."""
        said = []
        for bound in self.visible_fields():
            value = self.cleaned_data.get(bound.name)
            if value is True:
                said.append(str(bound.label))
            elif value not in (None, "", (), [], False):
                said.append(f"{bound.label}: {_shown(bound.field, value)}")
        return f"{'; '.join(said)}."


def _shown(known: forms.Field, value: Any) -> str:
    if isinstance(known, SeatsField | SeatListField):
        return ", ".join(str(seat) for seat in value)
    if isinstance(known, forms.ChoiceField):
        words = {str(key): text for key, text in known.widget.choices}
        return str(value) if isinstance(known, SeatField) else str(words.get(str(value), value))
    return str(known.prepare_value(value))
