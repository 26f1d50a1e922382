"""The preview of an import: every recognised rule as a row that the editor can mend."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory

from journal.errors import Refused
from rulings.draft_commands import MOST_RULES, ImportedRule, checked_text
from rulings.forms_editor import reason_field
from rulings.import_reads import ImportRow


class RowForm(forms.Form):
    """A rule as it was recognised. `continues`: the permanent key it keeps, empty for a new rule."""

    number = forms.CharField(label="Number", max_length=6)
    section = forms.CharField(label="Section", max_length=80, widget=forms.TextInput(attrs={"list": "sections"}))
    text = forms.CharField(label="Words", widget=forms.Textarea(attrs={"rows": 3}))
    continues = forms.CharField(
        label="Continues", required=False, max_length=40, widget=forms.TextInput(attrs={"list": "keys"})
    )
    drop = forms.BooleanField(label="Leave out", required=False)

    # set by the formset, for the template
    row: ImportRow | None = None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("drop"):
            self.errors.clear()  # what is left out need not be right
        elif not self.errors and self.has_changed():
            try:
                checked_text(given["number"], given["section"], given["text"])
            except Refused as refusal:
                self.add_error(refusal.field, refusal.message)
        return given

    @property
    def kept(self) -> bool:
        """Whether the rule goes into the draft: it is not left out, and not the empty row at the end."""
        return bool(self.cleaned_data.get("number")) and not self.cleaned_data.get("drop")


class BaseRows(BaseFormSet):
    """The rows of a preview."""

    def rules(self, ids: dict[str, int]) -> list[ImportedRule]:
        """What is to be kept, for the command; `ids` are the rules that can be continued, by permanent key."""
        kept = []
        for form in self.forms:
            if form.kept:
                given = form.cleaned_data
                rule_id = ids.get(given["continues"])
                kept.append(ImportedRule(given["number"], given["section"], given["text"], rule_id))
        return kept

    def clean(self) -> None:
        seen: set[str] = set()
        for form in self.forms:
            key = form.cleaned_data["continues"] if form.is_valid() and form.kept else ""
            if key in seen:
                form.add_error("continues", "Another rule of this list continues it already.")
            elif key:
                seen.add(key)


Rows: type[BaseRows] = formset_factory(  # type: ignore[assignment]  # the stubs lose the base
    RowForm, formset=BaseRows, extra=1, max_num=MOST_RULES + 1, absolute_max=MOST_RULES + 100
)


def rows_of(recognised: Sequence[ImportRow]) -> BaseRows:
    """The rows of a first preview, and an empty one for a rule that was not recognised."""
    initial = [
        {"number": row.number, "section": row.section, "text": row.text, "continues": row.continues}
        for row in recognised
    ]
    rows = Rows(initial=initial)
    for form, row in zip(rows.forms, recognised, strict=False):
        form.row = row
    return rows


class KeepForm(forms.Form):
    """One reason for everything that the import changes."""

    reason = reason_field(
        label="Why the rules change",
        required=False,
        help_text="Given to every changed rule. Empty: say it rule by rule afterwards.",
    )
