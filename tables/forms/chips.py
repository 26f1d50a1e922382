"""What the floor sends about chips: counts, forfeits, differences, the chip race."""

from collections.abc import Sequence
from typing import Any

from django import forms

from series.forms.fields import ChipsField
from tables.domain.table import MOST_SEATS
from tables.forms.draws import FloorForm, PlaceField
from tables.reads.hall import Sitter


class CountForm(forms.Form):
    """What one table holds."""

    table = forms.IntegerField(widget=forms.HiddenInput)
    chips = ChipsField(label="Chips")


class ForfeitForm(FloorForm):
    """Chips that were hidden or taken off the table."""

    place = PlaceField(
        label="Table and seat",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "class": "short", "autocomplete": "off"}),
        help_text="For example 7 4.",
    )
    chips = ChipsField(label="Chips forfeited", help_text="The hidden ones, not the whole stack.")
    whole_stack = forms.BooleanField(label="Nothing is left of the stack", required=False)
    reason = forms.CharField(label="What happened", max_length=200, widget=forms.Textarea(attrs={"rows": 2}))


class CorrectForm(FloorForm):
    """A difference that stays unexplained."""

    table = forms.IntegerField(label="Table", required=False, min_value=1, max_value=9999)
    more = forms.ChoiceField(
        label="There are",
        choices=[("more", "more chips than by the ledger"), ("fewer", "fewer chips than by the ledger")],
        widget=forms.RadioSelect,
        initial="fewer",
    )
    chips = ChipsField(label="How many")
    reason = forms.CharField(label="Why", max_length=200, widget=forms.Textarea(attrs={"rows": 2}))


class RaceForm(forms.Form):
    """One chip coloured up at a table: how many of it a seat holds (`held_4`), and who owns nothing else (`only_4`)."""

    old = forms.TypedChoiceField(label="Chip that leaves play", coerce=int)
    new = forms.TypedChoiceField(label="Changed up to", coerce=int)
    additional = forms.IntegerField(
        label="Players who lost their last chip in the race and got one",
        required=False,
        min_value=0,
        max_value=MOST_SEATS,
        help_text="Empty: as few as there can be. Nobody is raced out.",
    )

    def __init__(self, *args: Any, chips: Sequence[int], sitters: Sequence[Sitter], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sitters = sitters
        for name in ("old", "new"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(chip, f"{chip:,}") for chip in chips]
        for sitter in sitters:
            self.fields[f"held_{sitter.seat}"] = forms.IntegerField(required=False, min_value=0, max_value=9999)
            self.fields[f"only_{sitter.seat}"] = forms.BooleanField(required=False)

    @property
    def rows(self) -> list[tuple[Sitter, forms.BoundField, forms.BoundField]]:
        """Each player with the two fields of their seat."""
        return [(sitter, self[f"held_{sitter.seat}"], self[f"only_{sitter.seat}"]) for sitter in self.sitters]

    @property
    def holdings(self) -> dict[int, int]:
        """Number of old chips by seat, of a valid form."""
        held = {sitter.seat: self.cleaned_data[f"held_{sitter.seat}"] for sitter in self.sitters}
        return {seat: count for seat, count in held.items() if count}

    @property
    def only_chips(self) -> list[int]:
        """Seats that own nothing else, of a valid form."""
        return [sitter.seat for sitter in self.sitters if self.cleaned_data[f"only_{sitter.seat}"]]
