"""Form fields that read what people write: money, chips, shares of a prize pool, times in the series' zone."""

import datetime as dt
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils import timezone

from series.domain.money import AmountError, format_chips, format_money, format_percent, parse_chips, parse_money


class WholeNumberField(forms.IntegerField):
    """A whole number from `least` to `most`."""

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        said = {"invalid": "Write a whole number."}
        super().__init__(min_value=least, max_value=most, error_messages=said, **kwargs)
        for validator in self.validators:
            if isinstance(validator, MinValueValidator | MaxValueValidator):
                validator.message = f"Write a number between {least:,} and {most:,}."


class MoneyField(forms.CharField):
    """Cents, written as dollars: "250", "$1,234.50"."""

    def __init__(self, *, placeholder: str = "", **kwargs: Any) -> None:
        attrs = {"inputmode": "decimal", "class": "short"} | ({"placeholder": placeholder} if placeholder else {})
        super().__init__(widget=forms.TextInput(attrs=attrs), **kwargs)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return None
        try:
            return parse_money(text)
        except AmountError as error:
            raise ValidationError(str(error)) from error

    def prepare_value(self, value: Any) -> Any:
        return format_money(value, symbol="") if isinstance(value, int) else value


class MoneyOrPercentField(MoneyField):
    """Cents or basis points: "12.50" is both 12 dollars 50 and 12.5 percent. A "%" may follow."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.strip().removesuffix("%") if isinstance(value, str) else value)


class ChipsField(forms.CharField):
    """A number of chips, written "1500" or "1,500"."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.TextInput(attrs={"inputmode": "numeric", "class": "short"}), **kwargs)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return None
        try:
            return parse_chips(text)
        except AmountError as error:
            raise ValidationError(str(error)) from error

    def prepare_value(self, value: Any) -> Any:
        return format_chips(value) if isinstance(value, int) else value


def parse_chip_list(text: str) -> tuple[int, ...]:
    """Chip values parted by spaces, semicolons, or commas: "25, 100, 500". Raises AmountError for what is no number.

    A comma parts values and never thousands here: "1,000" would be 1 and 0.
    """
    chips = tuple(parse_chips(part) for part in re.split(r"[\s,;/+|]+", text) if part)
    if any(chip < 1 for chip in chips):
        raise AmountError("Write thousands without a comma here: 25, 100, 500, 1000.")
    return chips


class ChipListField(forms.CharField):
    """Chip values, smallest first."""

    def to_python(self, value: Any) -> Any:
        try:
            return tuple(sorted(set(parse_chip_list(super().to_python(value) or ""))))
        except AmountError as error:
            raise ValidationError(str(error)) from error

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else write_chip_list(value or ())


def write_chip_list(chips: Sequence[int]) -> str:
    """Chip values as `parse_chip_list` reads them."""
    return ", ".join(str(chip) for chip in chips)


def parse_shares(text: str) -> tuple[int, ...]:
    """Percent for each place, one a line or parted by / or commas, in basis points.

    Raises:
        ValidationError: naming the place whose share is none.
    """
    parts = [part for part in re.split(r"[\s,;/%]+", text) if part]
    return tuple(_basis_points(part, place) for place, part in enumerate(parts, start=1))


def write_shares(shares: Sequence[int]) -> list[str]:
    """Basis points as `parse_shares` reads them."""
    return [format_percent(share).removesuffix(" %").replace(",", "") for share in shares]


def _basis_points(text: str, place: int) -> int:
    try:
        share = Decimal(text) * 100
    except InvalidOperation:
        share = Decimal(-1)
    if share != share.to_integral_value() or not 0 < share <= 10_000:
        raise ValidationError(f"Place {place}: “{text}” is not a share. Write percent, for example 50 or 6.5.")
    return int(share)


def reason_field() -> forms.CharField:
    """Why something changes that players were told of."""
    return forms.CharField(
        label="Why it changes",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Needed for what players were told. It stands on the event’s page and goes by mail to everybody who "
        "holds a place. Rule 54.",
    )


class LocalDateTimeField(forms.DateTimeField):
    """An instant, written as the clock on the wall shows it in `zone` (set by the form)."""

    def __init__(self, **kwargs: Any) -> None:
        self.zone: dt.tzinfo = dt.UTC
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(widget=widget, **kwargs)

    def to_python(self, value: Any) -> dt.datetime | None:
        with timezone.override(self.zone):
            return super().to_python(value)

    def prepare_value(self, value: Any) -> Any:
        with timezone.override(self.zone):
            return super().prepare_value(value)
