"""Writing the next version of a rulebook, for its editors: the draft, rule by rule."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused, Stale
from journal.forms import posted, see_other, submit, whole_number
from rulings.draft_commands import discard_draft, explain_changes, start_draft
from rulings.draft_reads import DraftPage, DraftRule, draft_page, draft_rule
from rulings.draft_rule_commands import add_rule, adopt_rule, change_rule, remove_rule, restore_rule
from rulings.forms_editor import AdoptForm, ExplainForm, ReasonForm, RemoveForm, RuleForm
from series.models import Series


def edited(request: HttpRequest, slug: str) -> tuple[Series, frozenset[str]]:
    """The series, and what the visitor may do there.

    Raises:
        NotAllowed: they do not write its rules.
    """
    series = get_object_or_404(Series, slug=slug)
    held: frozenset[str] = request.user.permissions_in(series.pk)  # type: ignore[union-attr]
    if Permission.EDIT_RULES not in held:
        raise NotAllowed
    return series, held


def drafted(series: Series) -> DraftPage:
    """The editors' page of a series that has a draft.

    Raises:
        Http404: it has none.
    """
    page = draft_page(series.pk, timezone.now())
    if page.draft is None:
        raise Http404
    return page


@never_cache
@login_required
def rules_editor(request: HttpRequest, slug: str) -> HttpResponse:
    """The rulebook as its editors see it: what holds, what is coming, and the draft."""
    return editor_page(request, slug, 200)


def editor_page(request: HttpRequest, slug: str, status: int, **forms_: forms.Form) -> HttpResponse:
    """The editors' page, with forms that were refused in place of empty ones."""
    series, held = edited(request, slug)
    context = {
        "series": series,
        "may": held,
        "page": draft_page(series.pk, timezone.now()),
        "explain_form": ExplainForm(auto_id="explain_%s"),
        "withdraw_form": ReasonForm(auto_id="withdraw_%s"),
        **forms_,
    }
    return render(request, "rulings/editor.html", context, status=status)


def press(request: HttpRequest, slug: str, command: Any, said: str, **given: Any) -> HttpResponse:
    """A button that is one command: done, and back to the editors' page with a message."""
    series, _ = edited(request, slug)
    try:
        command(**posted(request), on=series.pk, **given)
    except NotAllowed:
        raise
    except Refused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, said)
    return see_other("rules_editor", slug)


@login_required
@require_POST
def draft_start(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin the next version, from that in force or the `version` chosen."""
    version_id = whole_number(request.POST.get("from", ""))
    return press(request, slug, start_draft, "The draft is begun. Nobody else sees it.", version_id=version_id)


@login_required
@require_POST
def draft_discard(request: HttpRequest, slug: str) -> HttpResponse:
    """Throw the draft away."""
    return press(request, slug, discard_draft, "The draft is gone.")


@login_required
@require_POST
def draft_explain(request: HttpRequest, slug: str) -> HttpResponse:
    """Give every changed rule that has no reason yet the same one."""
    series, _ = edited(request, slug)
    form = ExplainForm(request.POST, auto_id="explain_%s")
    status = 422
    if form.is_valid():
        outcome = submit(request, form, explain_changes, on=series.pk, reason=form.cleaned_data["reason"])
        if isinstance(outcome, Done):
            return see_other("rules_editor", slug)
        status = outcome.status
    return editor_page(request, slug, status, explain_form=form)


@never_cache
@login_required
def rule_new(request: HttpRequest, slug: str) -> HttpResponse:
    """A new rule of the draft."""
    series, _ = edited(request, slug)
    page = drafted(series)
    form, status = RuleForm.new(page), 200
    if request.method == "POST":
        form, status = RuleForm(request.POST, page=page), 422
        if form.is_valid():
            outcome = submit(request, form, add_rule, on=series.pk, **form.given())
            if isinstance(outcome, Done):
                messages.success(request, "The rule is in the draft.")
                return see_other("rules_editor", slug)
            status = outcome.status
    context = {"series": series, "page": page, "form": form, "version": series.seq}
    return render(request, "rulings/editor_rule.html", context, status=status)


@never_cache
@login_required
def rule_edit(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """One rule of the draft: its words, number and place; `do` says whether it is taken out, put back or adopted."""
    series, _ = edited(request, slug)
    if request.method == "POST" and request.POST.get("do") == "restore":
        return press(request, slug, restore_rule, "The rule is as it was.", rule_id=rule_id)
    page = drafted(series)
    rule = draft_rule(page, rule_id)
    if rule is None:
        raise Http404
    if request.method == "GET":
        return _rule_page(request, series, page, rule, 200)
    name, form, command, arguments, said = _asked(request, page, rule)
    status = 422
    if form.is_valid():
        outcome = submit(request, form, command, on=series.pk, rule_id=rule_id, **arguments(form))
        if isinstance(outcome, Done):
            messages.success(request, said)
            return see_other("rules_editor", slug)
        status = outcome.status
        if isinstance(outcome, Stale):  # show how it stands now, and what was typed beside it
            page = drafted(series)
            rule = draft_rule(page, rule_id) or rule
    return _rule_page(request, series, page, rule, status, **{name: form})


def _asked(request: HttpRequest, page: DraftPage, rule: DraftRule) -> tuple[str, forms.Form, Any, Any, str]:
    """Which of the page's forms was sent: its name, itself, its command, the command's arguments, what is then said."""
    match request.POST.get("do"):
        case "remove":
            form: forms.Form = RemoveForm(request.POST, page=page, auto_id="remove_%s")
            said = "The rule is out of the draft."
            return "remove_form", form, remove_rule, lambda form: form.cleaned_data, said
        case "adopt":
            form = AdoptForm(request.POST, page=page, auto_id="adopt_%s")
            return "adopt_form", form, adopt_rule, lambda form: form.cleaned_data, "Adopted: it is a house rule now."
    form = RuleForm(request.POST, page=page, rule=rule)
    clarified = request.POST.get("meaning") == "clarified"
    return "form", form, change_rule, lambda form: form.given() | {"clarified": clarified}, "The rule is changed."


def _rule_page(
    request: HttpRequest, series: Series, page: DraftPage, rule: DraftRule, status: int, **forms_: forms.Form
) -> HttpResponse:
    last = page.last_house_rule
    adopt = {"number": page.next_number, "section": last.section if last else ""}
    series.refresh_from_db(fields=["seq"])
    context = {
        "series": series,
        "page": page,
        "rule": rule,
        "version": series.seq,
        "form": RuleForm.of(page, rule),
        "remove_form": RemoveForm(page=page, auto_id="remove_%s"),
        "adopt_form": AdoptForm(initial=adopt, page=page, auto_id="adopt_%s"),
        **forms_,
    }
    return render(request, "rulings/editor_rule.html", context, status=status)


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/rules/", rules_editor, name="rules_editor"),
    path("staff/series/<slug:slug>/rules/draft/start/", draft_start, name="rules_draft_start"),
    path("staff/series/<slug:slug>/rules/draft/discard/", draft_discard, name="rules_draft_discard"),
    path("staff/series/<slug:slug>/rules/draft/explain/", draft_explain, name="rules_draft_explain"),
    path("staff/series/<slug:slug>/rules/draft/new/", rule_new, name="rules_draft_new"),
    path("staff/series/<slug:slug>/rules/draft/<int:rule_id>/", rule_edit, name="rules_draft_rule"),
]
