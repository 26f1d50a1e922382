"""Importing a rulebook: read, looked at and mended, then kept as the draft. Nothing is stored before that."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from journal.commands import Done
from journal.forms import see_other, submit, whole_number
from rulings.domain.rule_import import import_document
from rulings.draft_commands import import_rules
from rulings.forms_editor import DocumentForm
from rulings.forms_import import BaseRows, KeepForm, rows_of, rows_sent
from rulings.import_reads import Known, known_rules, recognise
from rulings.views_editor import edited
from series.models import Series


@never_cache
@login_required
def rules_import(request: HttpRequest, slug: str) -> HttpResponse:
    """A document is sent (`do=read`), its mended rules are looked at again (`look`) or kept as the draft (`keep`).

    `do=add-3`: an empty row after that at place 3; `do=join-3`: that one is the end of the rule before it.
    """
    series, _ = edited(request, slug)
    known = known_rules(series.pk, timezone.now())
    do, _, place = request.POST.get("do", "").partition("-")
    at = whole_number(place)
    match do:
        case "look" | "keep":
            return _preview(request, series, known, rows_sent(request.POST, known), keep=do == "keep")
        case "add" if at is not None:
            return _preview(request, series, known, rows_sent(request.POST, known, add_after=at), at=at + 1)
        case "join" if at is not None:
            return _preview(request, series, known, rows_sent(request.POST, known, join=at), at=at - 1)
        case "read":
            form = DocumentForm(request.POST, request.FILES)
            if form.is_valid():
                return _first_preview(request, series, known, form.cleaned_data["text"])
            return _page(request, "import", {"series": series, "form": form}, 422)
    return _page(request, "import", {"series": series, "form": DocumentForm()}, 200)


def _page(request: HttpRequest, name: str, context: dict[str, object], status: int) -> HttpResponse:
    return render(request, f"rulings/{name}.html", context, status=status)


def _first_preview(request: HttpRequest, series: Series, known: Known, text: str) -> HttpResponse:
    found = recognise(import_document(text), known)
    rows = rows_of(found.rows, known)
    rows.check()
    context = {
        "series": series,
        "rows": rows,
        "found": found,
        "keep_form": KeepForm.of(found),
        "known": known,
        "gone": found.gone,
    }
    return _page(request, "import_preview", context, 200)


def _preview(
    request: HttpRequest, series: Series, known: Known, rows: BaseRows, *, keep: bool = False, at: int | None = None
) -> HttpResponse:
    """The rows as they were sent; `at` is the place of the one to go on with."""
    form = KeepForm(request.POST)
    status = 200
    gone = []
    if not rows.is_valid() or not form.is_valid():
        status = 422
    else:
        rules = rows.rules(known.ids)
        continued = {rule.rule_id for rule in rules}
        gone = [text.number for key, text in known.texts.items() if known.ids[key] not in continued]
        if keep:
            reason = form.cleaned_data["reason"]
            outcome = submit(request, form, import_rules, on=series.pk, rules=rules, reason=reason)
            if isinstance(outcome, Done):
                messages.success(request, f"{len(rules)} rules are in the draft of version {outcome.result['number']}.")
                return see_other("rules_editor", series.slug)
            status = outcome.status
    rows.check()
    context = {
        "series": series,
        "rows": rows,
        "keep_form": form,
        "known": known,
        "gone": gone,
        "at": at,
    }
    return _page(request, "import_preview", context, status)


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/rules/import/", rules_import, name="rules_import"),
]
