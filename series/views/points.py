"""The season's points: the formula, and what it makes of a field."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import Stale
from journal.forms import see_other, submit
from series.commands.points import set_points
from series.domain.formula import NAMES, FormulaError
from series.domain.points import points, sample
from series.forms.points import PointsForm
from series.models import Series
from series.views.setup import held_in

# the names of the functions with what they do
FUNCTIONS = (
    ("sqrt(x)", "square root"),
    ("log(x)", "logarithm to the base of 10"),
    ("ln(x)", "natural logarithm"),
    ("min(x, y)", "the least"),
    ("max(x, y)", "the most"),
    ("round(x, digits)", "to so many digits, a half upwards"),
    ("floor(x), ceil(x)", "whole number below, above"),
)
MOST_ROWS = 20


@dataclass(frozen=True)
class Row:
    """A place with its points in hundredths; `after_gap`: places are left out above it."""

    place: int
    points: int
    after_gap: bool


def tried(form: PointsForm) -> list[Row]:
    """The first places and the last one of the field that the form names; nothing if the formula cannot be reckoned."""
    given = form.values()
    formula, entries, buy_in = (given.get(name) for name in ("formula", "entries", "buy_in"))
    if not formula or not formula.strip() or not entries or buy_in is None:
        return []
    places = [*range(1, min(MOST_ROWS, entries) + 1), *([entries] if entries > MOST_ROWS else [])]
    try:
        return [Row(place, points(formula, sample(place, entries, buy_in)), place > MOST_ROWS + 1) for place in places]
    except FormulaError as error:
        form.add_error("formula", str(error))
        return []


@login_required
def series_points(request: HttpRequest, slug: str) -> HttpResponse:
    """The formula with a table of places; `do=preview` tries what is typed without saving it."""
    series = get_object_or_404(Series, slug=slug)
    held = held_in(request, series)
    form, status = PointsForm.of(series), 200
    preview_only = request.POST.get("do") == "preview"
    if request.method == "POST":
        form = PointsForm(request.POST)
        valid = form.is_valid()
        if not preview_only:
            status = 422
            if valid:
                given = {"formula": form.cleaned_data["formula"], "best": form.cleaned_data["best"]}
                outcome = submit(request, form, set_points, on=series.pk, **given)
                if isinstance(outcome, Done):
                    messages.success(request, "Saved.")
                    return see_other("series_points", series.slug)
                status = outcome.status
                if isinstance(outcome, Stale):
                    messages.error(request, outcome.message)
                    series.refresh_from_db()
                    form = PointsForm.of(series)
    rows = tried(form)
    context = {
        "series": series,
        "rows": rows,
        "exact": any(row.points % 100 for row in rows),
        "form": form,
        "may": held,
        "may_change": Permission.SET_UP in held,
        "names": NAMES.items(),
        "functions": FUNCTIONS,
    }
    partial = preview_only and request.htmx  # type: ignore[attr-defined]
    template = "series/setup/points.html#preview" if partial else "series/setup/points.html"
    return render(request, template, context, status=status)


urlpatterns: list[URLPattern] = [path("staff/series/<slug:slug>/points/", series_points, name="series_points")]
