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

    number = forms.CharField(label="Number", required=False, max_length=6)
    section = forms.CharField(label="Section", required=False, max_length=80)
    text = forms.CharField(label="Words", required=False, widget=forms.Textarea(attrs={"rows": 3}))
    continues = forms.CharField(label="Continues", required=False, max_length=40)
    drop = forms.BooleanField(label="Leave out", required=False)

    # set by the formset, for the template
    row: ImportRow | None = None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("drop") or not self.is_filled(given):
            return given
        try:
            checked_text(given.get("number", ""), given.get("section", ""), given.get("text", ""))
        except Refused as refusal:
            self.add_error(refusal.field, refusal.message)
        return given

    def is_filled(self, given: dict[str, Any]) -> bool:
        return bool(given.get("number") or given.get("text"))


class BaseRows(BaseFormSet):  # type: ignore[type-arg]  # not generic when it runs
    """The rows of a preview."""

    def rules(self, ids: dict[str, int]) -> list[ImportedRule]:
        """What is to be kept, for the command; `ids` are the rules that can be continued, by permanent key."""
        kept = []
        for form in self.forms:
            given = form.cleaned_data
            if given.get("drop") or not form.is_filled(given):
                continue
            rule_id = ids.get(given.get("continues", ""))
            kept.append(ImportedRule(given["number"], given["section"], given["text"], rule_id))
        return kept

    def clean(self) -> None:
        seen: set[str] = set()
        for form in self.forms:
            key = form.cleaned_data.get("continues", "") if form.is_valid() else ""
            if key and not form.cleaned_data.get("drop"):
                if key in seen:
                    form.add_error("continues", "Another rule of this list continues it already.")
                seen.add(key)


Rows = formset_factory(
    RowForm, formset=BaseRows, extra=1, max_num=MOST_RULES + 1, absolute_max=MOST_RULES + 100, validate_max=False
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
