"""A birth date as people write it: three small fields, or one line such as 5/6/2008."""

import datetime as dt
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from series.domain.eligibility import BirthDateError, parse_birth_date

PARTS = ("day", "month", "year")


class ThreeFields(forms.MultiWidget):
    """Day, month and year, each with a number pad on a phone; a whole date pasted into one of them is understood."""

    template_name = "components/birth_date.html"
    use_fieldset = True

    def __init__(self) -> None:
        super().__init__(
            {
                part: forms.TextInput(
                    attrs={
                        "inputmode": "numeric",
                        "autocomplete": f"bday-{part}",
                        "maxlength": 10,
                        "size": 4 if part == "year" else 2,
                    }
                )
                for part in PARTS
            }
        )

    def decompress(self, value: Any) -> list[str]:
        parts = str(value or "").split("/")
        return parts if len(parts) == len(PARTS) else [str(value or ""), "", ""]

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:  # type: ignore[override]
        if whole := data.get(name):
            return str(whole)
        parts = [(data.get(f"{name}_{part}") or "").strip() for part in PARTS]
        written = [part for part in parts if part]
        return written[0] if len(written) == 1 else "/".join(parts) if written else ""

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data and super().value_omitted_from_data(data, files, name)

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> SafeString:
        # the site's own templates, which the renderer of Django's forms does not look into
        return mark_safe(render_to_string(template_name, context))


class BirthDateField(forms.Field):
    """A birth date that can be true on `today`, the date where the event is; `today` is set by the form."""

    today: dt.date

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", ThreeFields())
        super().__init__(label="Birth date", error_messages={"required": "Write the birth date."}, **options)

    def to_python(self, value: Any) -> dt.date | None:
        if not value:
            return None
        try:
            return parse_birth_date(str(value), self.today)
        except BirthDateError as error:
            raise forms.ValidationError(str(error), code=error.code) from error

    def prepare_value(self, value: Any) -> Any:
        return f"{value.day}/{value.month}/{value.year}" if isinstance(value, dt.date) else value
