"""Forms of the page that lists a series' staff."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.html import format_html

from accounts.models import StaffRole
from accounts.permissions import PRESETS, Permission, Role
from accounts.reads import role_words


class GiveRoleForm(forms.Form):
    """A role for somebody who has signed up."""

    email = forms.EmailField(
        label="E-mail they signed up with",
        widget=forms.EmailInput(attrs={"autocomplete": "off", "inputmode": "email"}),
    )
    role = forms.ChoiceField(label="Role", choices=[], widget=forms.RadioSelect)
    also = forms.MultipleChoiceField(
        label="Also, beyond the role",
        choices=[(permission.value, permission.label) for permission in Permission],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = [  # type: ignore[attr-defined]
            (role.value, format_html("<b>{}</b> <small>{}</small>", role.label, role_words(role))) for role in Role
        ]


class ChangeRoleForm(forms.Form):
    """What a holder may do beyond the role's own permissions."""

    also = forms.MultipleChoiceField(label="Also, beyond the role", required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: QueryDict | dict[str, Any] | None = None, *, held: StaffRole) -> None:
        super().__init__(data, initial={"also": held.also})
        self.fields["also"].choices = [  # type: ignore[attr-defined]
            (permission.value, permission.label) for permission in Permission if permission not in PRESETS[held.role]
        ]
