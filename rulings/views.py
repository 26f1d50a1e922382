"""The public rulebook of a series, and publishing its first version."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from accounts.permissions import Permission
from journal.errors import NotAllowed, Refused
from journal.forms import posted, see_other
from rulings import reads
from rulings.commands import publish_starting_rulebook
from series.models import Series


def _series(request: HttpRequest, slug: str) -> Series:
    """A published series, or one that the visitor is on the staff of."""
    series = get_object_or_404(Series, slug=slug)
    if not series.published:
        user = request.user
        if not user.is_authenticated or not user.permissions_in(series.pk):
            raise Http404
    return series


def rulebook(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules in force by section. `?q=` leaves the rules that hold every word asked for."""
    series = _series(request, slug)
    search = request.GET.get("q", "").strip()[:80]
    page = reads.rulebook(series.pk, search)
    context = {"series": series, "rulebook": page, "search": search}
    template = "rulings/rulebook.html#rules" if request.htmx and page else "rulings/rulebook.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def rule(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """One rule: what its permalink opens."""
    series = _series(request, slug)
    page = reads.rule(series.pk, number)
    if page is None:
        raise Http404
    return render(request, "rulings/rule.html", {"series": series, "page": page})


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
