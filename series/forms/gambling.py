"""Forms of the organiser's records under the Gambling Act. They read; whether it is allowed is for the commands."""

from typing import Any

from django import forms

from series.commands.gambling import LEAST_YEARS, MOST_YEARS
from series.forms.fields import MoneyField, WholeNumberField
from series.models import GamblingTerms, LicenceDocument
from series.reads.gambling import RETENTION_YEARS, Terms

PURPOSE = "What the money is raised for, as the society’s rules have it."


def _date(label: str, help_text: str = "") -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date", "class": "short"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, widget=widget, help_text=help_text)


class SeriesTermsForm(forms.Form):
    """Who conducts the events of a series."""

    operator = forms.ChoiceField(label="Who operates", choices=GamblingTerms.Operator.choices)
    operator_name = forms.CharField(label="Name of the operator", max_length=120, required=False)
    purpose = forms.CharField(label="Purpose", max_length=300, required=False, help_text=PURPOSE)
    retention_years = WholeNumberField(
        label="Keep money records for so many years",
        required=False,
        least=LEAST_YEARS,
        most=MOST_YEARS,
        help_text=f"Empty: {RETENTION_YEARS}, which we suggest. What an ID showed can go earlier.",
    )

    @classmethod
    def of(cls, terms: Terms, years: int | None) -> "SeriesTermsForm":
        given = {"operator": terms.operator, "operator_name": terms.name, "purpose": terms.purpose}
        return cls(initial=given | {"retention_years": years})


class EventTermsForm(forms.Form):
    """What differs from the series in one event."""

    operator = forms.ChoiceField(label="Who operates", required=False)
    operator_name = forms.CharField(label="Name of the operator", max_length=120, required=False)
    purpose = forms.CharField(label="Purpose", max_length=300, required=False, help_text=PURPOSE)
    licence_number = forms.CharField(
        label="Licence number",
        max_length=60,
        required=False,
        help_text="Empty: that of the class 3 licence among the papers of the series that is valid on the day.",
    )

    def __init__(self, *args: Any, whole: Terms, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        as_series = f"As the series: {whole.operator_words or 'not said'}"
        operator = self.fields["operator"]
        assert isinstance(operator, forms.ChoiceField)
        operator.choices = [("", as_series), *GamblingTerms.Operator.choices]


class LicenceForm(forms.Form):
    """A paper the organiser holds."""

    kind = forms.ChoiceField(label="What it is", choices=LicenceDocument.Kind.choices)
    number = forms.CharField(label="Number", max_length=60)
    issued = _date("Issued")
    expires = _date("Expires", "Empty: it does not expire. We warn 60 days before.")
    note = forms.CharField(label="Note", max_length=200, required=False, help_text="For example where the paper is.")


class CostForm(forms.Form):
    """An actual cost with its receipt."""

    what = forms.CharField(label="What for", max_length=120)
    amount_cents = MoneyField(label="Amount", placeholder="for example 180.50")
    receipt = forms.CharField(label="Number of the receipt", max_length=60)


class GoodsForm(forms.Form):
    """A prize that is not money."""

    what = forms.CharField(label="Prize", max_length=120)
    retail_cents = MoneyField(
        label="Retail value", placeholder="for example 250", help_text="What it costs in a shop, not what you paid."
    )
    given_for = forms.CharField(
        label="Given for", max_length=120, required=False, help_text="For example first place, or the first one out."
    )


class WithdrawForm(forms.Form):
    """A record that is withdrawn."""

    row = forms.IntegerField(min_value=1)
