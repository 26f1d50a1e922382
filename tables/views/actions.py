"""What a button on the floor or table page does: one form, one command."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest

from journal.commands import Done
from journal.errors import Refused
from journal.forms import add_refusal, submit
from series.models import Day, Event
from tables.commands import (
    balance,
    breaking,
    clock,
    dodges,
    draws,
    floor,
    hand_for_hand,
    hands,
    lots,
    penalties,
    purchases,
)
from tables.forms import floor as floor_forms
from tables.forms.draws import PlaceForm
from tables.forms.purchases import AddOnForm, EntryForm, RebuyForm


@dataclass(frozen=True)
class Context:
    """What an action may look at beside its form."""

    request: HttpRequest
    event: Event
    day: Day


Given = Callable[[Context, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Action:
    """The form of a button, its command, and how the command's arguments follow from what was sent."""

    form: type[forms.Form]
    command: Callable[..., Done]
    given: Given


def on_day(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    return {"day_id": at.day.pk, **sent}


def at_place(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    """A chair from a place, "7-4", as table and seat (None without one); whatever else was sent as it is."""
    table, seat = sent["place"] or (None, None)
    return {name: value for name, value in sent.items() if name != "place"} | {"table": table, "seat": seat}


def at_place_on_day(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    return on_day(at, at_place(at, sent))


def as_sent(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    return sent


def _moved(at: Context, sent: dict[str, Any]) -> dict[str, Any]:
    table, seat = sent["seat"]
    return {"entry_id": sent["entry_id"], "table": table, "seat": seat, "reason": sent["reason"]}


ACTIONS: dict[str, Action] = {
    "start": Action(floor_forms.NoForm, clock.start_clock, on_day),
    "pause": Action(floor_forms.NoForm, clock.pause_clock, on_day),
    "resume": Action(floor_forms.NoForm, clock.resume_clock, on_day),
    "adjust": Action(floor_forms.ClockTimeForm, clock.adjust_clock, on_day),
    "jump": Action(floor_forms.ClockPositionForm, clock.jump_clock, on_day),
    "pause_after": Action(floor_forms.PauseAfterForm, clock.pause_after_level, on_day),
    "draw": Action(floor_forms.DrawForm, draws.draw_seats, on_day),
    "close_entries": Action(floor_forms.NoForm, floor.close_entries, on_day),
    "bust": Action(floor_forms.BustForm, floor.bust, as_sent),
    "balance": Action(floor_forms.BalanceForm, balance.order_balance, on_day),
    "waive_halt": Action(floor_forms.TableForm, balance.waive_halt, on_day),
    "move": Action(floor_forms.MoveForm, floor.order_move, _moved),
    "arrived": Action(floor_forms.ArrivedForm, floor.confirm_move, as_sent),
    "break": Action(floor_forms.TableForm, breaking.break_table, on_day),
    "button": Action(floor_forms.ButtonForm, hands.set_button, on_day),
    "coming_button": Action(floor_forms.ComingButtonForm, hands.set_coming_button, on_day),
    "next_hand": Action(floor_forms.TableForm, hands.next_hand, on_day),
    "dodge": Action(floor_forms.DodgeForm, dodges.record_dodge, as_sent),
    "dodge_done": Action(floor_forms.DodgeDoneForm, dodges.clear_dodge, as_sent),
    "announce": Action(floor_forms.NoForm, hand_for_hand.announce_hand_for_hand, on_day),
    "missed": Action(floor_forms.MissedForm, penalties.count_hands, as_sent),
    "rebuy": Action(RebuyForm, purchases.rebuy, as_sent),
    "addon": Action(AddOnForm, purchases.add_on, as_sent),
    "declare_rebuy": Action(EntryForm, purchases.declare_rebuy, as_sent),
    "high_card": Action(PlaceForm, lots.set_first_button, at_place_on_day),
}


@dataclass(frozen=True)
class Outcome:
    """What came of a button: `done`, or the form with what is wrong and the HTTP status that says so."""

    name: str
    form: forms.Form
    done: Done | None
    status: int

    def error(self, field: str) -> str:
        """What is wrong with one field, or with all of it (`__all__`)."""
        return " ".join(str(message) for message in self.form.errors.get(field, []))

    @property
    def said(self) -> list[str]:
        """What is wrong, in words, for pages that do not show the form's fields."""
        return [str(message) for messages in self.form.errors.values() for message in messages]


def act(request: HttpRequest, event: Event, day: Day, actions: Mapping[str, Action] = ACTIONS) -> Outcome:
    """Carry out the button that was pressed, named by `do`; `actions` are those of the page.

    Raises:
        Http404: there is no such button.
        NotAllowed: the actor lacks the permission.
    """
    name = request.POST.get("do", "")
    action = actions.get(name)
    if action is None:
        raise Http404
    form = action.form(request.POST)
    if not form.is_valid():
        return Outcome(name, form, None, 422)
    try:
        given = action.given(Context(request, event, day), form.cleaned_data)
    except Refused as refusal:
        add_refusal(form, refusal)
        return Outcome(name, form, None, refusal.status)
    outcome = submit(request, form, action.command, on=event.pk, **given)
    if isinstance(outcome, Done):
        return Outcome(name, form, outcome, 200)
    return Outcome(name, form, None, outcome.status)
