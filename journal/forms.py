"""What every form that runs a command does with its hidden inputs, and with a refusal."""

import uuid
from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from journal.actors import Visitor
from journal.commands import Done
from journal.errors import NotAllowed, Refused

MOST_DIGITS = 18  # every such number fits the 64 bits of a key


def posted(request: HttpRequest) -> dict[str, Any]:
    """The arguments of a command that come with every form: actor, command id, version seen."""
    return {
        "actor": request.user if request.user.is_authenticated else Visitor(),
        "command_id": _uuid(request.POST.get("command_id", "")),
        "expected_version": whole_number(request.POST.get("version", "")),
    }


def whole_number(text: str) -> int | None:
    """The number that an address or a form names; None for what is no number, or greater than any key can be."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def submit(
    request: HttpRequest, form: forms.Form, command: Callable[..., Done], *, on: int, **given: Any
) -> Done | Refused:
    """Run one command for a valid form. A refusal is put beside its field, and given back.

    Raises:
        NotAllowed: the actor lacks the permission.
    """
    try:
        return command(**posted(request), on=on, **given)
    except NotAllowed:
        raise
    except Refused as refusal:
        add_refusal(form, refusal)
        return refusal


def add_refusal(form: forms.Form, refusal: Refused) -> None:
    """Put a refusal beside its field: the one of that name, or one that asks for it together with something else (its
    `asks_for`). Above the form if there is none."""
    beside = [name for name, field in form.fields.items() if refusal.field in (name, *getattr(field, "asks_for", ()))]
    form.add_error(beside[0] if beside else None, refusal.message)


def see_other(to: str, *args: Any) -> HttpResponse:
    """The answer to a form that was carried out (HTTP 303). `to`: the name of a page, or an address."""
    response = redirect(to, *args)
    response.status_code = 303
    return response


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
