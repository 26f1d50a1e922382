"""Screens in the hall: the page a screen opens, and the floor's page that chooses what each shows and says things."""

import secrets
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRefresh

from accounts.permissions import Permission
from journal.errors import Refused
from tables.commands import displays as commands
from tables.forms import displays as forms
from tables.models import Display
from tables.reads.displays import display_of, displays_of, messages_up
from tables.views.actions import Action, Context, as_sent
from tables.views.screens import shown_in_hall
from tables.views.staff_page import StaffPage, answer

COOKIE = "display"
SEEN_SECONDS = 60  # a code that no screen has shown for so long is nobody's
YEAR = 365 * 86_400


def _seen(code: str) -> str:
    return f"display-code:{code}"


def _pair(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    """Raises:
    Refused: no screen shows this code.
    """
    code = "".join(sent["code"].split()).upper()
    if not cache.get(_seen(code)) and display_of(code) is None:
        raise Refused("No screen shows this code. Open /display/ on the screen and look again.", field="code")
    return sent


ACTIONS = {
    "say": Action(forms.MessageForm, commands.say_message, as_sent),
    "take_down": Action(forms.TakeDownForm, commands.take_down, as_sent),
    "pair": Action(forms.PairForm, commands.pair_display, _pair),
    "show": Action(forms.ShowForm, commands.show_on_display, as_sent),
    "remove": Action(forms.RemoveForm, commands.remove_display, as_sent),
}


class DisplaysPage(StaffPage):
    """The screens of an event and the messages that are up."""

    template = "tables/displays.html"
    address = "displays"
    actions = ACTIONS
    shown = frozenset({"say", "pair"})

    def context(self) -> dict[str, Any]:
        return {
            "displays": displays_of(self.event),
            "said": messages_up(self.event, self.now),
            "shows": Display.Show.choices,
            "message_form": self.form("say") or forms.MessageForm(),
            "pair_form": self.form("pair") or forms.PairForm(),
        }


@login_required
@never_cache
def displays(request: HttpRequest, event_id: int) -> HttpResponse:
    """What the screens show, and what is said to the hall."""
    return answer(DisplaysPage(request, event_id, Permission.SEE_FLOOR, Permission.RUN_FLOOR))


@never_cache
def paired_display(request: HttpRequest) -> HttpResponse:
    """The page of a screen: its code until the floor has paired it, then what the floor chose.

    The code is kept in a signed cookie, so that a screen that was switched off comes back as it was.
    """
    code = request.get_signed_cookie(COOKIE, "", max_age=YEAR)
    display = display_of(code) if code else None
    asked = request.GET.get("event", "")
    if request.htmx and asked != (str(display.event_id) if display else ""):  # type: ignore[attr-defined]
        return HttpResponseClientRefresh()  # paired, let go, or moved to another event: another topic to listen to
    if display is None:
        code = code or "".join(secrets.choice(commands.LETTERS) for _ in range(commands.CODE_LENGTH))
        cache.set(_seen(code), True, SEEN_SECONDS)
        template = "tables/display_code.html#waiting" if request.htmx else "tables/display_code.html"  # type: ignore[attr-defined]
        response = render(request, template, {"code": code})
        response.set_signed_cookie(
            COOKIE, code, max_age=YEAR, httponly=True, samesite="Lax", secure=request.is_secure()
        )
        return response
    context = shown_in_hall(request, display.event_id, display.show, display.day_id)
    context["paired"] = display
    return render(request, "tables/display.html#screen" if request.htmx else "tables/display.html", context)  # type: ignore[attr-defined]


urlpatterns: list[URLPattern] = [
    path("display/", paired_display, name="paired_display"),
    path("staff/events/<int:event_id>/displays/", displays, name="displays"),
]
