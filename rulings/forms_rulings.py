"""Forms for recording a ruling and for appeals. They read; whether it is allowed is for the commands."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.html import format_html

from rulings.forms_sanction import NO_CARDS, TITLES, SanctionForm
from rulings.models import Ruling
from rulings.penalty_commands import AS_SUGGESTED, Asked
from rulings.ruling_reads import PlayerChoice
from series.models import Day


class RulingForm(SanctionForm):
    """What happened, what was decided and by which rule, and the penalty it brought, if any. `players` are those who
    may be named, see `player_choices`."""

    day = forms.TypedChoiceField(label="Day", coerce=int, empty_value=None, required=False)
    table = forms.IntegerField(label="Table", required=False, min_value=1, max_value=9999)
    hand = forms.IntegerField(label="Hand number", required=False, min_value=1, max_value=1_000_000)
    players = forms.TypedMultipleChoiceField(
        label="Players concerned", coerce=int, required=False, widget=forms.CheckboxSelectMultiple
    )
    find = forms.CharField(
        label="Somebody else",
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
        help_text="A name, for who sits elsewhere or is out.",
    )
    facts = forms.CharField(
        label="What happened", max_length=4000, widget=forms.Textarea(attrs={"rows": 3}), help_text=NO_CARDS
    )
    basis = forms.ChoiceField(label="Decided by", choices=Ruling.Basis, widget=forms.RadioSelect, initial="rule")
    rule = forms.TypedChoiceField(label="Rule", coerce=int, empty_value=None, required=False)
    reason = forms.CharField(
        label="Why fairness asks for it",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Required for a decision by discretion. It stands in the journal.",
    )
    decision = forms.CharField(label="Decision", max_length=4000, widget=forms.Textarea(attrs={"rows": 2}))
    sealed_check = forms.ChoiceField(
        label="Sealed check of a hand",
        required=False,
        choices=[("", "none"), *Ruling.SealedCheck.choices],
        widget=forms.RadioSelect,
        initial="",
        help_text="The result alone. What the cards were is written nowhere (rule 35a).",
    )
    penalised = forms.TypedChoiceField(label="Penalty for", coerce=int, empty_value=None, required=False)
    offence = forms.ChoiceField(label="What was it", choices=[("", "–"), *TITLES], required=False)
    calculator = forms.CharField(required=False, max_length=20, widget=forms.HiddenInput)
    inputs = forms.CharField(required=False, max_length=4000, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        days: Sequence[Day],
        rules: Sequence[tuple[int, str, str]],
        players: Sequence[PlayerChoice],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if len(days) > 1:
            self._choice("day").choices = [("", "–"), *((day.pk, str(day)) for day in days)]
        else:
            del self.fields["day"]
        self._choice("rule").choices = [("", "–"), *((pk, f"{number}  {words}") for pk, number, words in rules)]
        names = [
            (player.entry_id, format_html("{} <small>{}</small>", player.name, player.where)) for player in players
        ]
        self._choice("players").choices = names
        self._choice("penalised").choices = [("", "nobody"), *((player.entry_id, player.name) for player in players)]
        self.fields["sanction"].required = False

    def _choice(self, name: str) -> forms.ChoiceField:
        found = self.fields[name]
        assert isinstance(found, forms.ChoiceField)
        return found

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        by_rule = given.get("basis") == Ruling.Basis.RULE
        if by_rule and not given.get("rule") and "rule" not in self.errors:
            self.add_error("rule", "Choose the rule, or rule by discretion.")
        if given.get("basis") == Ruling.Basis.DISCRETION and not given.get("reason") and "reason" not in self.errors:
            self.add_error("reason", "A decision by discretion needs its reason.")
        if given.get("penalised") and not given.get("offence") and "offence" not in self.errors:
            self.add_error("offence", "Choose what the penalty is for.")
        return given

    def penalty(self) -> Asked | None:
        """The penalty to give with the ruling."""
        given = self.cleaned_data
        if not given["penalised"]:
            return None
        asked = self.asked()
        sanction = asked.pop("sanction") or AS_SUGGESTED
        return Asked(given["penalised"], given["offence"], sanction, **asked)


class AskAppealForm(forms.Form):
    """A player takes a ruling to the director."""

    grounds = forms.CharField(
        label="What the player says",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=NO_CARDS,
    )


class DecideAppealForm(forms.Form):
    """What the director says to it."""

    outcome = forms.ChoiceField(
        label="The ruling is",
        choices=[("upheld", "upheld"), ("overturned", "overturned")],
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        label="Director's note",
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Why, and what holds instead if it is overturned.",
    )
