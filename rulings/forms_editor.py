"""Forms for writing and announcing rules. They read; whether it is allowed is for the commands."""

from typing import Any

from django import forms

from rulings.documents import BadDocument, read_document
from rulings.draft_commands import LONGEST_RULE
from rulings.draft_reads import DraftPage, DraftRule
from series.forms.fields import LocalDateTimeField
from series.models import Series

FIRST = "first"
WHY = "In a sentence. Everybody reads it beside the change."


def reason_field(**options: Any) -> forms.CharField:
    """Why something changes, for everybody to read."""
    said: dict[str, Any] = {"label": "Why", "max_length": 1000, "help_text": WHY} | options
    return forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), **said)


class RuleForm(forms.Form):
    """One rule of the draft: a new one, or `rule`. `after` is the key of the rule it follows, None for the first."""

    number = forms.CharField(
        label="Number", max_length=6, widget=forms.TextInput(attrs={"class": "short", "autocomplete": "off"})
    )
    section = forms.CharField(
        label="Section",
        max_length=80,
        widget=forms.TextInput(attrs={"list": "sections", "autocomplete": "off"}),
        help_text="One that is there, or a new one.",
    )
    after = forms.ChoiceField(label="Stands")
    text = forms.CharField(
        label="Words",
        max_length=LONGEST_RULE,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="An empty line parts paragraphs; “- ” begins a list item; **bold**.",
    )
    meaning = forms.ChoiceField(
        label="If the words change, the rule is",
        choices=[("reworded", "reworded: it says something else"), ("clarified", "clarified: it means the same")],
        widget=forms.RadioSelect,
        initial="reworded",
    )
    reason = reason_field()

    def __init__(self, *args: Any, page: DraftPage, rule: DraftRule | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        after = self.fields["after"]
        assert isinstance(after, forms.ChoiceField)
        others = [
            (section.name, [(other.rule_id, f"after {other.row.number}") for other in section.rules if other.row])
            for section in page.sections
        ]
        own = rule.rule_id if rule else None
        after.choices = [
            (FIRST, "first in its section"),
            *((name, [choice for choice in choices if choice[0] != own]) for name, choices in others),
        ]
        if page.base is None:
            del self.fields["reason"], self.fields["meaning"]
        elif rule is None:
            del self.fields["meaning"]

    @classmethod
    def new(cls, page: DraftPage) -> "RuleForm":
        """The form for a new rule, by default the last of the house."""
        last = page.last_house_rule
        place = {"section": last.section, "after": last.rule_id} if last else {}
        return cls(page=page, initial={"number": page.next_number, **place})

    @classmethod
    def of(cls, page: DraftPage, rule: DraftRule) -> "RuleForm":
        """The form with a rule as the draft has it."""
        row = rule.row
        assert row is not None
        section = next(section for section in page.sections if rule in section.rules)
        at = section.rules.index(rule)
        initial = {
            "number": row.number,
            "section": row.section,
            "after": section.rules[at - 1].rule_id if at else FIRST,
            "text": row.text,
            "meaning": "clarified" if rule.clarified else "reworded",
            "reason": rule.change.whys[0].reason if rule.change and rule.change.whys else "",
        }
        return cls(page=page, rule=rule, initial=initial)

    def given(self) -> dict[str, Any]:
        """What was written, as the commands take it."""
        words = self.cleaned_data
        return {
            "number": words["number"],
            "section": words["section"],
            "after": None if words["after"] == FIRST else int(words["after"]),
            "text": words["text"],
            "reason": words.get("reason", ""),
        }


class ReasonForm(forms.Form):
    """Why an announcement is cancelled."""

    reason = reason_field()


class RemoveForm(forms.Form):
    """Why a rule is taken out. The first version has no reasons: there is nothing before it."""

    reason = reason_field()

    def __init__(self, *args: Any, page: DraftPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if page.base is None:
            del self.fields["reason"]


class ExplainForm(forms.Form):
    """One reason for every changed rule that has none yet."""

    reason = reason_field(label="Why, for all of them")


class AdoptForm(RemoveForm):
    """A rule of the supplement becomes a house rule."""

    number = forms.CharField(
        label="As rule", max_length=6, widget=forms.TextInput(attrs={"class": "short", "autocomplete": "off"})
    )
    section = forms.CharField(
        label="In section", max_length=80, widget=forms.TextInput(attrs={"list": "sections", "autocomplete": "off"})
    )
    field_order = ("number", "section", "reason")


class AnnounceForm(forms.Form):
    """When the new version holds, and what it is about."""

    when = forms.ChoiceField(
        label="In force",
        choices=[("at", "from a date and time"), ("now", "at once")],
        widget=forms.RadioSelect,
        initial="at",
    )
    effective_from = LocalDateTimeField(label="From")
    note = forms.CharField(
        label="What it is about",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="A few words above the changes: what for, and for whom.",
    )

    def __init__(self, *args: Any, series: Series, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["effective_from"]
        assert isinstance(field, LocalDateTimeField)
        field.zone = series.tz
        field.help_text = f"Date and time in {series.zone.replace('_', ' ')}."

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("when") == "now":
            self.errors.pop("effective_from", None)
            given["effective_from"] = None
        return given


class NoteForm(forms.Form):
    """What the director tells the players of a running event."""

    text = forms.CharField(label="Note to the players", max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))


class DocumentForm(forms.Form):
    """A rulebook as its organiser has it: a file, or pasted."""

    file = forms.FileField(
        label="A file",
        required=False,
        widget=forms.FileInput(attrs={"accept": ".txt,.md,.docx"}),
        help_text="Text, Markdown or Word (.docx).",
    )
    text = forms.CharField(
        label="Or paste it here", required=False, strip=False, widget=forms.Textarea(attrs={"rows": 10})
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        upload, text = given.get("file"), given.get("text", "")
        if upload:
            try:
                text = read_document(upload.read())
            except BadDocument as error:
                self.add_error("file", str(error))
        elif not text.strip():
            self.add_error(None, "Choose a file, or paste the rules.")
        return given | {"text": text}
