"""A staff page of one day of an event with several forms: each button sends `do`, one command answers."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from accounts.permissions import Permission
from journal.commands import VERBS
from journal.forms import see_other, whole_number
from journal.models import JournalEntry
from journal.reads import describe
from tables.reads.advice import Advice, advise
from tables.reads.breaking import RedrawDue, redraw_due
from tables.reads.hall import Hall, hall_of
from tables.reads.screens import days_of, pick_day
from tables.views.actions import Action, Outcome, act
from tables.views.staff import staff_context, staff_event


class StaffPage:
    """One request about a day of an event.

    A page names its `template`, the name of its `address`, its `actions`, those of them whose form it shows with its
    errors (`shown`; of the others a message says what is wrong), and what else it shows (`context`).

    Raises:
        Http404: there is no such event, or it has no day.
        NotAllowed: the visitor has none of the permissions.
    """

    template: ClassVar[str]
    address: ClassVar[str]
    actions: ClassVar[Mapping[str, Action]] = {}
    shown: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, request: HttpRequest, event_id: int, *permissions: Permission) -> None:
        self.request = request
        self.now = timezone.now()
        self.event, self.may = staff_event(request, event_id, *permissions)
        self.days = days_of(self.event)
        day = pick_day(self.days, request.GET.get("day", ""))
        if day is None:
            raise Http404
        self.day = day
        self.outcome: Outcome | None = None

    @property
    def here(self) -> str:
        return reverse(self.address, args=[self.event.pk]) + f"?day={self.day.pk}"

    @property
    def started(self) -> bool:
        return hasattr(self.day, "clock") and self.day.clock.status != "not_started"

    @cached_property
    def hall(self) -> Hall:
        return hall_of(self.day, self.now)

    @cached_property
    def advice(self) -> Advice:
        return advise(self.hall, self.event, self.now, started=self.started)

    @property
    def redraw_due(self) -> RedrawDue | None:
        return redraw_due(self.day, self.event, self.hall, self.advice, self.now, started=self.started)

    def form(self, *names: str) -> forms.Form | None:
        """The form of one of these buttons as it was sent, if it was refused."""
        return self.outcome.form if self.outcome and self.outcome.name in names else None

    def context(self) -> dict[str, Any]:
        """What the page shows."""
        raise NotImplementedError

    def after(self, outcome: Outcome) -> str:
        """Where a button that was carried out leads."""
        return self.here

    def whole(self) -> dict[str, Any]:
        common = {"day": self.day, "days": self.days, "here": self.here, "version": self.event.seq}
        return staff_context(self.event, self.may) | common | self._just_done() | self.context()

    def _just_done(self) -> dict[str, Any]:
        """The entry this page has just made, from the number in the address, with its undo."""
        seq = whole_number(self.request.GET.get("done", ""))
        own = JournalEntry.objects.filter(stream=self.event.stream_key, actor_id=self.request.user.pk)
        entries = own.filter(seq=seq) if seq else []
        for said in describe(list(entries)):
            if not said.undone:
                spec = VERBS.get(said.verb)
                may_undo = said.undoable and (spec is None or spec.undo_permission in self.may)
                return {"done": said, "may_undo": may_undo}
        return {}


def answer(page: StaffPage) -> HttpResponse:
    """The page, or what came of its button."""
    request, status = page.request, 200
    if request.method == "POST":
        outcome = act(request, page.event, page.day, page.actions)
        if outcome.done:
            return see_other(page.after(outcome) + (f"&done={outcome.done.seq}" if outcome.done.seq else ""))
        page.outcome, status = outcome, outcome.status
        if outcome.name not in page.shown:
            for said in outcome.said:
                messages.error(request, said)
    part = request.htmx.target  # type: ignore[attr-defined]
    # a part that the page does not have is answered by all of it
    template = [f"{page.template}#{part}", page.template] if request.htmx and part else page.template  # type: ignore[attr-defined]
    return render(request, template, page.whole(), status=status)
