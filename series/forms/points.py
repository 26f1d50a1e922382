"""The form of the season's points, with the event on which they are tried."""

from typing import Any

from django import forms

from series.commands.points import MOST_RESULTS
from series.domain.formula import MOST_CHARACTERS, FormulaError
from series.domain.points import check
from series.forms.fields import MoneyField, WholeNumberField
from series.models import Series


class PointsForm(forms.Form):
    """`formula` and `best` are the series'; `entries` and `buy_in` are only for the table that tries them."""

    formula = forms.CharField(
        label="Formula",
        required=False,
        max_length=MOST_CHARACTERS,
        strip=False,
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}),
        help_text="For example 100 * sqrt(entries / place). Empty: no points.",
    )
    best = WholeNumberField(
        label="Results that count",
        required=False,
        least=1,
        most=MOST_RESULTS,
        help_text="The best of each player. Empty: all of them.",
    )
    entries = WholeNumberField(label="Try it with entries", initial=50, least=1, most=100_000)
    buy_in = MoneyField(label="and a buy-in of", initial=11_000)

    def clean_formula(self) -> str:
        formula: str = self.cleaned_data["formula"]
        if formula.strip():
            try:
                check(formula)
            except FormulaError as error:
                raise forms.ValidationError(str(error)) from error
        return formula

    @classmethod
    def of(cls, series: Series) -> "PointsForm":
        return cls(initial={"formula": series.points_formula, "best": series.points_best})

    def values(self) -> dict[str, Any]:
        """What was written, or what the form begins with, as far as it can be read."""
        if self.is_bound:
            return self.cleaned_data
        return {name: self.get_initial_for_field(field, name) for name, field in self.fields.items()}
