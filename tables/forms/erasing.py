"""Erasing a person's data: what the player asks for, and what the director does."""

from typing import Any

from django import forms


class AskErasureForm(forms.Form):
    """`keep_name`: results stay under the public name of now."""

    keep_name = forms.BooleanField(required=False)

    def __init__(self, *args: Any, shown: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["keep_name"].label = f"My results may keep the name “{shown}”"


class EraseForm(AskErasureForm):
    """What the director does. `sure` is ticked on purpose: it cannot be undone."""

    sure = forms.BooleanField(
        label="I have spoken with the player. This cannot be undone.",
        error_messages={"required": "Tick this: it cannot be undone."},
    )

    def __init__(self, *args: Any, shown: str, **kwargs: Any) -> None:
        super().__init__(*args, shown=shown, **kwargs)
        self.fields["keep_name"].label = f"Results keep the name “{shown}”; otherwise “Erased player”"
