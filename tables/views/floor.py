"""The floor: clock, what is to be done, the tables, who is out: one page whose parts refresh by themselves."""

from collections.abc import Collection
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from journal.commands import VERBS, Done
from journal.forms import see_other, whole_number
from journal.models import JournalEntry
from journal.reads import Said, describe, latest
from series.domain.entries import flight_over
from series.domain.options import options_from
from series.models import Day, Event
from series.reads.places import entries_open
from tables.models import Draw
from tables.reads.advice import Advice, advise
from tables.reads.bags import waiting_for
from tables.reads.breaking import redraw_due
from tables.reads.chips import chip_alarms
from tables.reads.clock import stage_of
from tables.reads.field import Field, fields_of
from tables.reads.floor import (
    Waiting,
    chosen_sitters,
    find_sitters,
    hunters,
    table_cards,
    waiting_for_seats,
)
from tables.reads.hall import Hall, hall_of
from tables.reads.hand_for_hand import BustHands, bust_hands, round_of, suggested
from tables.reads.penalties import away_at
from tables.reads.screens import ClockFace, clock_faces, days_of, pick_day
from tables.views.actions import Outcome, act
from tables.views.staff import staff_context, staff_event

FLOOR = (Permission.SEE_FLOOR, Permission.RUN_FLOOR, Permission.RUN_CLOCK, Permission.REPORT_HANDS)
PARTS = ("clock", "todo", "bust", "bust-hits", "tables", "recent", "field")
RECENT = 8
# what the floor did: not what the desk or the mail did, nor how the event was set up
DONE_ON_THE_FLOOR = (
    "action_clock.", "bust.", "chips.", "clock.", "dodge.", "draw.", "entries.", "entry.bust", "entry.seat",
    "hand_for_hand.", "message.", "move.", "penalty.", "seat.", "table.",
)  # fmt: skip
ROUTINE = ("table.next_hand", "hand_for_hand.report")  # what every table says all the time
MOVES_SHOWN = 4


class Floor:
    """One request about a day of an event: what the visitor may do, and what the parts of the page show.

    `outcome` is what came of the button that was pressed, if one was.

    Raises:
        Http404: there is no such event, or it has no day.
        NotAllowed: the visitor has none of the permissions.
    """

    def __init__(self, request: HttpRequest, event_id: int, outcome: Outcome | None = None) -> None:
        self.request = request
        self.outcome = outcome
        self.now = timezone.now()
        self.event, self.may = staff_event(request, event_id, *FLOOR)
        self.days = days_of(self.event)
        day = pick_day(self.days, request.GET.get("day", ""))
        if day is None:
            raise Http404
        self.day = day

    @property
    def started(self) -> bool:
        return hasattr(self.day, "clock") and self.day.clock.status != "not_started"

    @cached_property
    def hall(self) -> Hall:
        return hall_of(self.day, self.now)

    @cached_property
    def advice(self) -> Advice:
        return advise(self.hall, self.event, self.now, started=self.started)

    @cached_property
    def face(self) -> ClockFace | None:
        return clock_faces([self.day], self.now).get(self.day.pk)

    @cached_property
    def field(self) -> Field:
        return fields_of([self.day], {self.day.pk: self.face.big_blind if self.face else 0})[self.day.pk]

    @cached_property
    def unseated(self) -> Waiting:
        return waiting_for_seats(self.day)

    @property
    def context(self) -> dict[str, Any]:
        """What every part needs."""
        return staff_context(self.event, self.may) | {
            "day": self.day,
            "days": self.days,
            "started": self.started,
            "version": self.event.seq,
            "here": reverse("floor", args=[self.event.pk]) + f"?day={self.day.pk}",
        }

    def part(self, name: str) -> dict[str, Any]:
        """What one part of the page shows."""
        return getattr(self, f"_{name.replace('-', '_')}")()

    def _clock(self) -> dict[str, Any]:
        face = self.face
        levels = list(self.event.levels.all()) if face else []
        return {
            "face": face,
            "levels": levels,
            "next_level": next((level for level in levels if face and level.position == face.position + 1), None),
            **({} if self.started else self._before_the_start()),
        }

    def _before_the_start(self) -> dict[str, Any]:
        return {
            "without_seat": self.unseated.count,
            "seated": len(self.hall.sitters),
            "tables_open": len(self.hall.tables),
        }

    def _todo(self) -> dict[str, Any]:
        found = self.advice
        unseated = self.unseated if self.started else None
        even = 1 if found.breaking else len(found.moves)
        due = redraw_due(self.day, self.event, self.hall, found, self.now, started=self.started)
        frozen = Draw.objects.filter(day=self.day, status=Draw.Status.FROZEN).exists()
        alarms = chip_alarms(self.day)
        playing = round_of(self.day)
        bubble = not playing and self._suggests_hand_for_hand()
        buttons = bool(found.untold or found.old)
        bags = self._bags()
        waiting = bool(unseated and unseated.count) + bool(due) + frozen + len(alarms) + buttons + bool(bags)
        count = len(found.halts) + even + len(self.hall.arrivals) + waiting + bool(playing) + bubble
        return {
            "round": playing,
            "break_due": bool(playing and self.face and self.face.break_due),
            "suggested": bubble,
            "field": self.field if bubble else None,
            "advice": found,
            "hall": self.hall,
            "unseated": unseated,
            "due": due,
            "frozen": frozen,
            "alarms": alarms,
            "bags": bags,
            "shown_moves": found.moves[:MOVES_SHOWN],
            "more_moves": len(found.moves[MOVES_SHOWN:]),
            "todo_count": count,
        }

    def _bags(self) -> str:
        """What is to be done about bags, in words; asks nothing of an event of one day."""
        if all(day.kind != Day.Kind.LATER for day in self.days) or self.event.status != Event.Status.RUNNING:
            return ""
        if self.day.kind == Day.Kind.LATER and not self.started:
            waiting = waiting_for(self.event)
            return f"{waiting.players:,} players have bagged for {self.day}" if waiting else ""
        if not self.started or not self.hall.sitters:
            return ""
        if self.day.clock.status == "ended":
            return f"{self.day} has ended: bag the chips"
        return flight_over(self.event.rules, stage_of(self.day, self.now), self.field.left, self.field.entries)

    def _suggests_hand_for_hand(self) -> bool:
        """Asks for the field only when it can come to that."""
        if not self.started or len(self.hall.tables) < 2 or entries_open(self.event, self.day, self.now):
            return False
        return suggested(self.event, self.field, len(self.hall.tables))

    def _tables(self) -> dict[str, Any]:
        return {"cards": table_cards(self.hall, self.advice, away_at(self.day))}

    def _field(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "stacks_alone": self.field.chips == self.field.entries * self.event.starting_stack,
            "entries_open": entries_open(self.event, self.day, self.now),
        }

    def _recent(self) -> dict[str, Any]:
        verbs = [verb for verb in VERBS if verb.startswith(DONE_ON_THE_FLOOR) and verb not in ROUTINE]
        said = latest(self.event.stream_key, RECENT, verbs=[*verbs, "undo", "redo"])
        return {"recent": [(entry, self._may_undo(entry)) for entry in said]}

    def _bust(self) -> dict[str, Any]:
        request, outcome = self.request, self.outcome
        refused = outcome if outcome and outcome.name == "bust" and not outcome.done else None
        sent = request.POST if refused else request.GET
        kept = [whole_number(value) for value in sent.getlist("out") if value != sent.get("less")]
        chosen = [entry_id for entry_id in kept if entry_id is not None]
        words, added = sent.get("find", ""), whole_number(sent.get("add", ""))
        hits = find_sitters(self.hall, words, chosen)
        if len(hits) == 1 and request.htmx.target != "bust-hits":  # type: ignore[attr-defined]
            added = hits[0].entry_id
        if added is not None:
            chosen, words, hits = [*chosen, added], "", []
        stacks = {entry_id: sent.get(f"stack_{entry_id}") or "" for entry_id in chosen}
        errors = {entry_id: refused.error(f"stack_{entry_id}") for entry_id in chosen} if refused else {}
        hands = bust_hands(self.day.pk, self.now) if chosen else None
        cross_table = options_from(self.event.series.options).cross_table == "stack"
        return {
            "words": words,
            "hits": hits,
            "chosen": chosen_sitters(self.hall, list(dict.fromkeys(chosen)), stacks, errors, cross_table=cross_table),
            "bust_error": " ".join(filter(None, map(refused.error, ("__all__", "entry", "by")))) if refused else "",
            "hunters": hunters(self.hall, chosen) if self.event.rules.bounty_cents else [],
            "by": {whole_number(value) for value in sent.getlist("by")},
            "bust_hands": hands,
            "out_in": self.out_in(hands, chosen, whole_number(sent.get("hand", ""))),
            "may_bust": Permission.RUN_FLOOR in self.may and self.event.status == Event.Status.RUNNING,
        }

    _bust_hits = _bust

    def out_in(self, hands: BustHands | None, chosen: Collection[int], asked: int | None = None) -> int | None:
        """The hand of hand-for-hand in which those chosen went out: as it was asked for, if it can be, or as usual."""
        if hands is None or asked in hands.groups:
            return asked
        return hands.usual([sitter.table for sitter in self.hall.sitters if sitter.entry_id in chosen])

    def _may_undo(self, said: Said) -> bool:
        """Whether to offer it: undo itself asks for the permission of what it takes back."""
        spec = VERBS.get(said.verb)
        return said.undoable and (spec is None or spec.undo_permission in self.may)

    def just_done(self) -> dict[str, Any]:
        """The entry this page has just made, from the number in the address, with its undo."""
        return self.done(whole_number(self.request.GET.get("done", "")))

    def done(self, seq: int | None) -> dict[str, Any]:
        own = JournalEntry.objects.filter(stream=self.event.stream_key, actor_id=self.request.user.pk)
        entry = own.filter(seq=seq).first() if seq else None
        if entry is None:
            return {}
        said = describe([entry])[0]
        return {"done": said, "may_undo": self._may_undo(said)} if not said.undone else {}


@login_required
@never_cache
def floor(request: HttpRequest, event_id: int) -> HttpResponse:
    """The floor of one day of an event, and every button on it."""
    if request.method == "POST":
        return _pressed(request, event_id)
    page = Floor(request, event_id)
    name = request.htmx.target  # type: ignore[attr-defined]
    if name in PARTS:
        return render(request, f"tables/floor.html#{name}", page.context | page.part(name))
    return render(request, "tables/floor.html", _whole(page) | page.just_done())


def _whole(page: Floor) -> dict[str, Any]:
    context = page.context
    for name in PARTS:
        if name != "bust-hits":
            context |= page.part(name)
    return context


def _pressed(request: HttpRequest, event_id: int) -> HttpResponse:
    page = Floor(request, event_id)
    outcome = act(request, page.event, page.day)
    name = request.htmx.target  # type: ignore[attr-defined]
    if outcome.done and name not in PARTS:
        return see_other(with_done(page.context["here"], outcome.done))
    page = Floor(request, event_id, outcome)  # as it stands now
    if outcome.name != "bust":
        for said in outcome.said:
            messages.error(request, said)
    if name not in PARTS:
        return render(request, "tables/floor.html", _whole(page), status=outcome.status)
    return answer(page, f"tables/floor.html#{name}", page.part(name), outcome)


def with_done(address: str, done: Done) -> str:
    """The address of a page that offers to undo what it has just done."""
    return f"{address}&done={done.seq}" if done.seq else address


def answer(page: Floor, template: str, context: dict[str, Any], outcome: Outcome) -> HttpResponse:
    """The part that was asked for, with what was done above it; every other part is told to look again."""
    said = page.done(outcome.done.seq) if outcome.done else {}
    html = render_to_string("tables/floor_answer.html", page.context | said, page.request)
    html += render_to_string(template, page.context | context, page.request)
    response = HttpResponse(html, status=outcome.status)
    response["HX-Trigger"] = "floor-changed"
    return response


urlpatterns: list[URLPattern] = [path("staff/events/<int:event_id>/floor/", floor, name="floor")]
