"""The preview of an import: every recognised rule as a row that the editor can mend."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from journal.errors import Refused
from rulings.domain.rule_check import Finding, check_rules
from rulings.domain.rule_import import doubts
from rulings.domain.rule_text import RuleText as Text
from rulings.draft_commands import LONGEST_RULE, MOST_RULES, ImportedRule, checked_text
from rulings.forms_editor import reason_field
from rulings.import_reads import ImportRow, Known, Recognised, joined_words


class RowForm(forms.Form):
    """A rule as it was recognised. `continues`: the present rule whose history it goes on with, empty for a new one;
    `kept`: as in `ImportRow`.
    """

    number = forms.CharField(label="Number", max_length=6)
    section = forms.CharField(label="Section", max_length=80, widget=forms.TextInput(attrs={"list": "sections"}))
    text = forms.CharField(label="Words", widget=forms.Textarea(attrs={"rows": 3}))
    continues = forms.CharField(
        label="Is now rule", required=False, max_length=40, widget=forms.TextInput(attrs={"list": "present"})
    )
    drop = forms.BooleanField(label="Leave out", required=False)
    kept = forms.CharField(required=False, max_length=3, widget=forms.HiddenInput)

    # set by the formset, for the template: what was recognised, and what the checker says of it
    row: ImportRow | None = None
    findings: tuple[Finding, ...] = ()

    def __init__(self, *args: Any, known: Known, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = known

    def clean_continues(self) -> str:
        """The permanent key of the rule named."""
        named = self.cleaned_data["continues"]
        key = self.known.named(named) if named else ""
        if key is None:
            raise forms.ValidationError("There is no such rule now. Leave it empty for a new one.")
        return key

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("drop") or not (self.typed("number") or self.typed("text")):
            self.errors.clear()  # what is left out need not be right
        elif not self.errors and self.has_changed():
            try:
                checked_text(given["number"], given["section"], given["text"])
            except Refused as refusal:
                self.add_error(refusal.field, refusal.message)
        return given

    def typed(self, name: str) -> str:
        """What stands in a field, right or wrong."""
        return str(self[name].value() or "")

    @property
    def is_too_long(self) -> bool:
        return len(self.typed("text")) > LONGEST_RULE

    @property
    def to_look_at(self) -> list[str]:
        """What an editor should look at, in sentences."""
        problems = [f"{problem[0].upper()}{problem[1:]}." for problem in self.row.problems] if self.row else []
        if self.is_too_long:
            problems.append(f"Rule {self.typed('number')} is too long: {LONGEST_RULE:,} characters at most.")
        return list(dict.fromkeys([*problems, *(finding.message for finding in self.findings)]))

    @property
    def is_kept(self) -> bool:
        """Whether the rule goes into the draft: it is not left out, and not an empty row."""
        return bool(self.cleaned_data.get("number")) and not self.cleaned_data.get("drop")


class BaseRows(BaseFormSet):
    """The rows of a preview."""

    def rules(self, ids: dict[str, int]) -> list[ImportedRule]:
        """What is to be kept, for the command; `ids` are the rules that can be continued, by permanent key."""
        kept = []
        for form in self.forms:
            if form.is_kept:
                given = form.cleaned_data
                rule_id = ids.get(given["continues"])
                kept.append(ImportedRule(given["number"], given["section"], given["text"], rule_id))
        return kept

    def check(self) -> None:
        """Put beside each row what would keep its rule from being announced."""
        named = [form for form in self.forms if not form["drop"].value() and form.typed("number")]
        shown = [form for form in named if not form.is_too_long]
        texts = [Text(form.typed("section"), form.typed("number"), form.typed("text")) for form in shown]
        found = check_rules(texts)
        for form in shown:
            form.findings = tuple(finding for finding in found if finding.number == form.typed("number"))

    @property
    def to_look_at(self) -> list[tuple[int, str]]:
        """What an editor should look at, each with the place of its first row."""
        found: dict[str, int] = {}
        for place, form in enumerate(self.forms):
            for message in form.to_look_at:
                found.setdefault(message, place)
        return [(place, message) for message, place in found.items()]

    def clean(self) -> None:
        seen: set[str] = set()
        for form in self.forms:
            key = form.cleaned_data["continues"] if form.is_valid() and form.is_kept else ""
            if key in seen:
                form.add_error("continues", "Another rule of this list is that one already.")
            elif key:
                seen.add(key)


Rows: type[BaseRows] = formset_factory(  # type: ignore[assignment]  # the stubs lose the base
    RowForm, formset=BaseRows, extra=1, max_num=MOST_RULES + 1, absolute_max=MOST_RULES + 100
)


def rows_of(recognised: Sequence[ImportRow], known: Known) -> BaseRows:
    """The rows of a first preview, and an empty one for a rule that was not recognised."""
    names = known.names
    initial = [
        {
            "number": row.number,
            "section": row.section,
            "text": row.text,
            "continues": names.get(row.continues, ""),
            "kept": "yes" if row.kept else "",
        }
        for row in recognised
    ]
    rows = Rows(initial=initial, form_kwargs={"known": known})
    for form, row in zip(rows.forms, recognised, strict=False):
        form.row = row
    return rows


def rows_sent(sent: QueryDict, known: Known, *, add_after: int | None = None, join: int | None = None) -> BaseRows:
    """The rows as the editor sent them: with an empty one after that at the place `add_after`, or with the words of
    that at `join` put at the end of the one before it. What was odd about them is looked for anew.
    """
    in_order = sent.get("in_order") == "yes"
    rows = Rows(sent, form_kwargs={"known": known})
    typed = [{name: form.typed(name) for name in RowForm.base_fields} for form in rows.forms]
    if add_after is not None and add_after < len(typed):
        typed.insert(add_after + 1, {"section": typed[add_after]["section"]})
    elif join is not None and 0 < join < len(typed):
        more = typed.pop(join)
        typed[join - 1]["text"] = joined_words(typed[join - 1]["text"], more["number"], more["text"])
    else:
        return _compared(rows, known, in_order=in_order)
    data = {"form-TOTAL_FORMS": str(len(typed)), "form-INITIAL_FORMS": "0"}
    for place, row in enumerate(typed):
        data |= {f"form-{place}-{name}": value for name, value in row.items() if value}
    return _compared(Rows(data, form_kwargs={"known": known}), known, in_order=in_order)


def _compared(rows: BaseRows, known: Known, *, in_order: bool) -> BaseRows:
    """Say again beside each row which present rule it continues, and what is odd about it, whatever was mended."""
    read = [
        place
        for place, form in enumerate(rows.forms)
        if form.typed("number") and not (form["drop"].value() or form.typed("kept"))
    ]
    texts = [Text(*(rows.forms[place].typed(name) for name in ("section", "number", "text"))) for place in read]
    problems: dict[int, list[str]] = {}
    for doubt in doubts(texts, in_order=in_order):
        problems.setdefault(read[doubt.line], []).append(doubt.message)
    for place, form in enumerate(rows.forms):
        key = known.named(form.typed("continues")) or ""
        was = known.texts.get(key)
        form.row = ImportRow(
            number=form.typed("number"),
            section=form.typed("section"),
            text=form.typed("text"),
            continues=key,
            was=was.number if was else "",
            same_words=was is not None and was.text == form.typed("text").replace("\r\n", "\n"),
            kept=bool(form.typed("kept")),
            problems=tuple(problems.get(place, ())),
        )
    return rows


class KeepForm(forms.Form):
    """One reason for everything that the import changes.

    Beside it, what an editor was told of the document as a whole (a message a line) and whether its numbers should
    follow each other: only the document itself knew.
    """

    general = forms.CharField(required=False, widget=forms.HiddenInput)
    in_order = forms.CharField(required=False, max_length=3, widget=forms.HiddenInput)

    reason = reason_field(
        label="Why the rules change",
        required=False,
        help_text="Given to every changed rule. Empty: say it rule by rule afterwards.",
    )

    @classmethod
    def of(cls, found: Recognised) -> "KeepForm":
        """The form of a first preview."""
        return cls(initial={"general": "\n".join(found.general), "in_order": "yes" if found.in_order else ""})

    @property
    def said(self) -> list[str]:
        """What was told of the document as a whole."""
        return str(self["general"].value() or "").splitlines()
