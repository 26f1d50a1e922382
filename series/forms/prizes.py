"""The form of how an event's prizes are divided."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from series.domain.money import AmountError, format_money, parse_money
from series.domain.prize_plan import Band, Kind, Plan, PlanError, check
from series.forms.fields import MoneyField, WholeNumberField, parse_shares, write_shares
from series.models import Event

MOST_ENTRIES = 100_000
_BAND = re.compile(r"(?:up to\s+)?([0-9][0-9,]*)\s*(?:entries)?\s*:\s*(.*)", re.IGNORECASE)


class LinesField(forms.CharField):
    """A text of lines, each read by `read`. An error names the line."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 5}), **kwargs)

    def to_python(self, value: Any) -> Any:
        lines = [line.strip() for line in (super().to_python(value) or "").splitlines()]
        return tuple(self.read(line, number) for number, line in enumerate(lines, start=1) if line)

    def read(self, line: str, number: int) -> Any:
        raise NotImplementedError


class PercentLines(LinesField):
    """Shares of the pool, a place a line or parted by /, in basis points."""

    def to_python(self, value: Any) -> Any:
        return parse_shares(forms.CharField.to_python(self, value) or "")

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else "\n".join(write_shares(value))


class AmountLines(LinesField):
    """Prizes in cents, a place a line."""

    def read(self, line: str, number: int) -> int:
        try:
            return parse_money(line)
        except AmountError as error:
            raise ValidationError(f"Place {number}: {error}") from error

    def prepare_value(self, value: Any) -> Any:
        return (
            value if value is None or isinstance(value, str) else "\n".join(format_money(c, symbol="") for c in value)
        )


class BandLines(LinesField):
    """An own table: `27: 50/30/20` is for up to 27 entries."""

    def read(self, line: str, number: int) -> Band:
        match = _BAND.fullmatch(line)
        most = int(match[1].replace(",", "")[:9]) if match else 0
        if not match or not 1 <= most <= MOST_ENTRIES:
            raise ValidationError(f"Line {number}: write it like 27: 50/30/20, the most entries first.")
        try:
            return most, parse_shares(match[2])
        except ValidationError as error:
            raise ValidationError(f"Line {number}: {error.messages[0]}") from error

    def prepare_value(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        return "\n".join(f"{most}: {'/'.join(write_shares(shares))}" for most, shares in value)


class PlanForm(forms.Form):
    """The plan of an event. `plan` after `is_valid`. Only the part of the chosen kind is looked at."""

    payout_kind = forms.ChoiceField(
        label="Divided by", choices=Event.PrizeKind.choices, widget=forms.RadioSelect, initial=Event.PrizeKind.TABLE
    )
    payout_bands = BandLines(
        label="Own table",
        help_text="Empty: the standard table. Else a line for each size of field, such as 27: 50/30/20 "
        "for up to 27 entries. The standard table is used beyond the last line.",
    )
    payout_shares = PercentLines(label="Percent", help_text="For each place, best first: one a line, or 50/30/20.")
    payout_amounts = AmountLines(label="Amounts", help_text="For each place, best first, one a line.")
    payout_step_cents = MoneyField(
        label="Round prizes down to", initial=100, help_text="What is left over goes to the winner."
    )
    payout_minimum_cents = MoneyField(
        label="Least prize", required=False, help_text="Empty: none. Rather than pay less, fewer places are paid."
    )
    entries = WholeNumberField(
        label="Show for entries", required=False, least=1, most=MOST_ENTRIES, help_text="Another number, to compare."
    )
    reason = forms.CharField(
        label="Why it changes", required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 2})
    )

    plan: Plan | None = None

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if self.errors.keys() - {"entries", "reason"}:
            return given
        kind = Kind(given["payout_kind"])
        by_amounts = kind in (Kind.FIXED, Kind.CUSTOM)
        plan = Plan(
            kind=kind,
            shares_bp=given["payout_shares"] if kind is Kind.PERCENT else (),
            amounts_cents=given["payout_amounts"] if by_amounts else (),
            bands=given["payout_bands"] if kind is Kind.TABLE else (),
            step_cents=given["payout_step_cents"],
            minimum_cents=0 if by_amounts else given["payout_minimum_cents"] or 0,
        )
        try:
            check(plan)
        except PlanError as error:
            self.add_error(_FIELDS[error.field], str(error))
        else:
            self.plan = plan
        return given

    @classmethod
    def of(cls, event: Event) -> "PlanForm":
        """The form with the plan as it is now."""
        plan = event.prize_plan
        initial = {
            "payout_kind": event.payout_kind,
            "payout_bands": plan.bands,
            "payout_shares": plan.shares_bp,
            "payout_amounts": plan.amounts_cents,
            "payout_step_cents": plan.step_cents,
            "payout_minimum_cents": plan.minimum_cents or None,
            "entries": event.capacity,
        }
        form = cls(initial=initial)
        form.plan = plan
        return form


_FIELDS = {
    "shares_bp": "payout_shares",
    "amounts_cents": "payout_amounts",
    "bands": "payout_bands",
    "step_cents": "payout_step_cents",
    "minimum_cents": "payout_minimum_cents",
}
