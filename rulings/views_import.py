"""Importing a rulebook: read, looked at and mended, then kept as the draft. Nothing is stored before that."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache

from journal.commands import Done
from journal.forms import see_other, submit
from rulings.domain.rule_check import check_rules
from rulings.domain.rule_import import import_document
from rulings.domain.rule_text import RuleText as Text
from rulings.draft_commands import import_rules
from rulings.forms_editor import DocumentForm
from rulings.forms_import import KeepForm, Rows, rows_of
from rulings.import_reads import Known, known_rules, recognise
from rulings.views_editor import edited
from series.models import Series


@never_cache
@login_required
def rules_import(request: HttpRequest, slug: str) -> HttpResponse:
    """A document is sent (`do=read`), its mended rules are looked at again (`look`) or kept as the draft (`keep`)."""
    series, _ = edited(request, slug)
    known = known_rules(series.pk, timezone.now())
    match request.POST.get("do"):
        case "look" | "keep" as do:
            return _preview(request, series, known, keep=do == "keep")
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
    context = {
        "series": series,
        "rows": rows_of(found.rows),
        "found": found,
        "findings": check_rules([Text(row.section, row.number, row.text) for row in found.rows]),
        "keep_form": KeepForm(),
        "known": known,
        "gone": found.gone,
    }
    return _page(request, "import_preview", context, 200)


def _preview(request: HttpRequest, series: Series, known: Known, *, keep: bool) -> HttpResponse:
    rows, form = Rows(request.POST), KeepForm(request.POST)
    status = 200
    findings, gone = [], []
    if not rows.is_valid() or not form.is_valid():
        status = 422
    else:
        rules = rows.rules(known.ids)
        findings = check_rules([Text(rule.section, rule.number, rule.text) for rule in rules])
        continued = {rule.rule_id for rule in rules}
        gone = [text.number for key, text in known.texts.items() if known.ids[key] not in continued]
        if keep:
            reason = form.cleaned_data["reason"]
            outcome = submit(request, form, import_rules, on=series.pk, rules=rules, reason=reason)
            if isinstance(outcome, Done):
                messages.success(request, f"{len(rules)} rules are in the draft of version {outcome.result['number']}.")
                return see_other("rules_editor", series.slug)
            status = outcome.status
    context = {"series": series, "rows": rows, "findings": findings, "keep_form": form, "known": known, "gone": gone}
    return _page(request, "import_preview", context, status)


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/rules/import/", rules_import, name="rules_import"),
]
