"""Publishing rules: the first version, announcing the draft, cancelling an announcement, the director's note."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.commands import Done
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other, submit
from rulings.commands import announce, note_rules_change, publish_starting_rulebook, withdraw
from rulings.event_reads import rules_of_event, running_events
from rulings.forms_editor import AnnounceForm, NoteForm, ReasonForm
from rulings.views_editor import drafted, edited, editor_page
from series.models import Series
from tables.views.staff import staff_context, staff_event


@login_required
@require_POST
def rulebook_start(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish the starting rulebook, and go back to setting up."""
    series = get_object_or_404(Series, slug=slug)
    try:
        publish_starting_rulebook(**posted(request), on=series.pk)
    except NotAllowed:
        raise
    except Refused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, "The rulebook is published: version 1, in force from now.")
    if request.user.may(Permission.SET_UP, series):  # type: ignore[union-attr]
        return see_other("series_setup", slug)
    return see_other("rulebook", slug)


@never_cache
@login_required
def rules_announce(request: HttpRequest, slug: str) -> HttpResponse:
    """What the draft changes, as everybody will read it, and from when it holds."""
    series, held = edited(request, slug)
    form, status = AnnounceForm(series=series), 200
    if request.method == "POST":
        form, status = AnnounceForm(request.POST, series=series), 422
        if form.is_valid():
            given = form.cleaned_data
            outcome = submit(
                request, form, announce, on=series.pk, effective_from=given["effective_from"], note=given["note"]
            )
            if isinstance(outcome, Done):
                messages.success(request, f"Version {outcome.result['number']} is published.")
                return see_other("rule_changes", slug, outcome.result["number"])
            status = outcome.status
    context = {
        "series": series,
        "may": held,
        "page": drafted(series),
        "form": form,
        "running": running_events(series),
        "version": series.seq,
    }
    return render(request, "rulings/editor_announce.html", context, status=status)


@login_required
@require_POST
def rules_withdraw(request: HttpRequest, slug: str, version_id: int) -> HttpResponse:
    """Cancel an announcement that is not yet in force."""
    series, _ = edited(request, slug)
    form = ReasonForm(request.POST, auto_id="withdraw_%s")
    status = 422
    if form.is_valid():
        given = form.cleaned_data
        outcome = submit(request, form, withdraw, on=series.pk, version_id=version_id, reason=given["reason"])
        if isinstance(outcome, Done):
            messages.success(request, "The announcement is cancelled.")
            return see_other("rules_editor", slug)
        status = outcome.status
    return editor_page(request, slug, status, withdraw_form=form)


@never_cache
@login_required
def rules_note(request: HttpRequest, event_id: int) -> HttpResponse:
    """The director tells the players of a running event what rules that came into force meanwhile mean for them."""
    event, held = staff_event(request, event_id, Permission.DIRECT)
    rules = rules_of_event(event)
    form, status = NoteForm(request.POST or None), 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            version = rules.newer.pk if rules and rules.newer else 0
            text = form.cleaned_data["text"]
            outcome = submit(request, form, note_rules_change, on=event.pk, version_id=version, text=text)
            if isinstance(outcome, Done):
                messages.success(request, "The players read it on the event’s page.")
                return see_other("event", event.pk)
            status = outcome.status
    context = staff_context(event, held) | {"rules": rules, "form": form}
    return render(request, "rulings/editor_note.html", context, status=status)


urlpatterns: list[URLPattern] = [
    path("staff/series/<slug:slug>/rules/start/", rulebook_start, name="rulebook_start"),
    path("staff/series/<slug:slug>/rules/announce/", rules_announce, name="rules_announce"),
    path("staff/series/<slug:slug>/rules/versions/<int:version_id>/withdraw/", rules_withdraw, name="rules_withdraw"),
    path("staff/events/<int:event_id>/rules-note/", rules_note, name="rules_note"),
]
