"""The floor's calculators: open to everybody, and filled in from the table for the staff of an event."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.permissions import Permission
from rulings.calculator_reads import Spot, is_number, spot
from rulings.forms_betting import RaiseForm, WagerForm
from rulings.forms_calculators import Calculator
from rulings.forms_pots import PotsForm, SplitForm
from rulings.forms_seats import BlindsForm, ShowdownForm
from rulings.ruling_reads import rulebook_of
from series.domain.options import options_from
from series.models import Event
from series.reads.pages import with_days

CALCULATORS: dict[str, type[Calculator]] = {
    form.kind: form for form in (WagerForm, PotsForm, SplitForm, ShowdownForm, RaiseForm, BlindsForm)
}
SENT = "answer"  # present in the address of a form that was sent, absent where it is only filled in
WHERE = ("event", "day", "table")  # what an address names besides the form's fields


@dataclass(frozen=True)
class Place:
    """Where a calculator was opened, and what the visitor may do there. `query` goes with every link."""

    spot: Spot
    held: frozenset[str]
    query: dict[str, Any]

    @property
    def may_rule(self) -> bool:
        return self.spot.event is not None and Permission.RULE in self.held


def place_of(request: HttpRequest, given: QueryDict) -> Place:
    """The event, day and table of an address; for who is not on the staff only how its series reads the rules."""
    asked = given.get("event", "")
    events = with_days(Event.objects.select_related("series"))
    event = events.filter(pk=int(asked)).first() if is_number(asked) else None
    user = request.user
    held = user.permissions_in(event.series_id) if event and user.is_authenticated else frozenset[str]()
    if event is None or not (held or event.is_public):
        return Place(Spot(), frozenset(), {})
    query: dict[str, Any] = {"event": event.pk}
    if not held:
        return Place(Spot(options=options_from(event.series.options)), held, query)
    at = spot(event, given.get("day", ""), given.get("table", ""))
    if given.get("day") and at.day:
        query["day"] = at.day.pk
    if at.table:
        query["table"] = at.table
    return Place(at, held, query)


def calculation_of(kind: str, sent: QueryDict, at: Spot) -> tuple[Calculator, dict[str, Any]] | None:
    """The answer to the inputs of an address as plain JSON, as a ruling keeps it; None if there is none."""
    form = CALCULATORS[kind](at, sent) if kind in CALCULATORS else None
    if form is None or not form.is_valid() or form.answer is None:
        return None
    answer = form.answer
    names = {SENT, *WHERE, *form.fields}
    kept = {
        "calculator": kind,
        "title": form.title,
        "inputs": {
            name: values
            for name, values in sent.lists()
            if name in names and any(values) and "\0" not in "".join(values)  # which PostgreSQL keeps in no text
        },
        "headline": answer.headline,
        "outcome": answer.outcome,
        "rules": list(answer.rules),
        "why": answer.why,
    }
    return form, kept


@never_cache
def calculators(request: HttpRequest) -> HttpResponse:
    """All calculators, each with what it answers."""
    place = place_of(request, request.GET)
    context = {"calculators": CALCULATORS.values(), "place": place, "query": _query(place.query)}
    return render(request, "rulings/calculators/index.html", context | _bar(place))


@never_cache
def calculator(request: HttpRequest, kind: str) -> HttpResponse:
    """One calculator. Everything typed is in the address, so that the page can be sent to somebody else."""
    if kind not in CALCULATORS:
        raise Http404
    place = place_of(request, request.GET)
    is_sent = SENT in request.GET
    form = CALCULATORS[kind](place.spot, request.GET if is_sent else None, None if is_sent else request.GET)
    context = {
        "form": form,
        "calculators": CALCULATORS.values(),
        "place": place,
        "query": _query(place.query),
        "answer": form.answer if form.is_valid() else None,
        "missing": _missing(form),
        "detail": f"rulings/calculators/answers/{kind}.html",
        "rules": _rules(form, place),
        "links": _links(form, place),
        "save": _save(request, form, place),
    }
    template = f"rulings/calculators/{kind}.html"
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "rulings/calculators/typed.html", context | {"slots": _slots(form)})
    return render(request, template, context | _bar(place))


def _bar(place: Place) -> dict[str, Any]:
    event = place.spot.event
    return {"event": event, "series": event.series if event else None, "may": place.held}


def _query(query: dict[str, Any]) -> str:
    return f"?{urlencode(query)}" if query else ""


def _missing(form: Calculator) -> list[str]:
    """What must still be typed, by the labels of the fields."""
    errors = form.errors.as_data() if form.is_bound else {}
    return [
        str(form[name].label)
        for name, found in errors.items()
        if name in form.fields and all(error.code == "required" for error in found)
    ]


def _slots(form: Calculator) -> list[tuple[str, list[str]]]:
    """What stands beside each field while somebody types: what is wrong, but not what is only missing yet."""
    errors = form.errors.as_data()
    return [
        (name, [str(text) for error in errors.get(name, []) if error.code != "required" for text in error.messages])
        for name in (bound.name for bound in form.visible_fields())
    ]


def _rules(form: Calculator, place: Place) -> list[tuple[str, str]]:
    """The rules applied, each with the address of its words where the rulebook of the event has it."""
    event = place.spot.event
    if form.answer is None:
        return []
    version = rulebook_of(event) if event else None
    known = set(version.texts.values_list("number", flat=True)) if version else set()
    return [
        (number, reverse("rule", args=[event.series.slug, number]) if event and number in known else "")
        for number in form.answer.rules
    ]


def _links(form: Calculator, place: Place) -> list[tuple[str, str]]:
    links = form.answer.links if form.answer else ()
    context = urlencode(place.query)
    return [
        (words, f"{reverse('calculator', args=[kind])}?{'&'.join(part for part in (context, query) if part)}")
        for words, kind, query in links
    ]


def _save(request: HttpRequest, form: Calculator, place: Place) -> str:
    """The address of a new ruling that starts from this answer; empty where the visitor records none."""
    if form.answer is None or not place.may_rule or place.spot.event is None:
        return ""
    typed = {name: values for name, values in request.GET.lists() if any(values)}
    query = {"calculator": form.kind, "inputs": urlencode(typed, doseq=True)}
    query |= {name: value for name, value in place.query.items() if name != "event"}
    return f"{reverse('ruling_new', args=[place.spot.event.pk])}?{urlencode(query)}"


urlpatterns: list[URLPattern] = [
    path("calculators/", calculators, name="calculators"),
    path("calculators/<slug:kind>/", calculator, name="calculator"),
]
