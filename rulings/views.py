"""The public rulebook of a series: the rules in force or of any version, one rule with its history, downloads."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path

from accounts.models import User
from accounts.permissions import Permission
from rulings import exports, reads
from rulings.version_reads import VersionLine, versions_of
from series.models import Series


def series_of(request: HttpRequest, slug: str) -> Series:
    """A published series, or one that the visitor is on the staff of.

    Raises:
        Http404: there is none.
    """
    series = get_object_or_404(Series, slug=slug)
    if not series.published:
        user = request.user
        if not user.is_authenticated or not user.permissions_in(series.pk):
            raise Http404
    return series


def may_edit(user: User | AnonymousUser, series: Series) -> bool:
    """Whether the visitor writes the rules of the series."""
    return user.is_authenticated and user.may(Permission.EDIT_RULES, series)


def _book(request: HttpRequest, slug: str, number: int | None) -> HttpResponse:
    series = series_of(request, slug)
    search = request.GET.get("q", "").strip()[:80]
    page = reads.rulebook(series.pk, search, number=number)
    if page is None and number is not None:
        raise Http404
    context = {
        "series": series,
        "rulebook": page,
        "search": search,
        "may_edit": may_edit(request.user, series),
        "here": request.path,
    }
    template = "rulings/rulebook.html#rules" if request.htmx and page else "rulings/rulebook.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def rulebook(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules in force by section. `?q=` leaves the rules that hold every word asked for."""
    return _book(request, slug, None)


def rulebook_version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The rules of one version: what its permalink opens, whatever has become of it."""
    return _book(request, slug, number)


def rule(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """One rule, by its number or its permanent key, with its history."""
    series = series_of(request, slug)
    page = reads.rule(series.pk, number)
    if page is None:
        raise Http404
    return render(request, "rulings/rule.html", {"series": series, "page": page})


def published(series: Series, number: int, request: HttpRequest) -> VersionLine:
    """A published version, or a draft for its editors.

    Raises:
        Http404: there is none.
    """
    line = versions_of(series.pk).by_number(number)
    if line is None or not (line.is_published or may_edit(request.user, series)):
        raise Http404
    return line


def rulebook_export(request: HttpRequest, slug: str, number: int, kind: str) -> HttpResponse:
    """A version as a file. The SHA-256 of the Markdown is the fingerprint that the pages show."""
    series = series_of(request, slug)
    made = exports.export(published(series, number, request), kind)
    response = HttpResponse(made.content, content_type=made.content_type)
    response["Content-Disposition"] = f'attachment; filename="{made.name}"'
    return response


urlpatterns: list[URLPattern] = [
    path("series/<slug:slug>/rules/", rulebook, name="rulebook"),
    path("series/<slug:slug>/rules/versions/<int:number>/", rulebook_version, name="rulebook_version"),
    *(
        path(
            f"series/<slug:slug>/rules/versions/<int:number>/rules.{kind}",
            rulebook_export,
            {"kind": kind},
            name=f"rulebook_{kind}",
        )
        for kind in exports.KINDS
    ),
]
# opens whatever is no other page of the rulebook, so it comes after them
rule_pattern = path("series/<slug:slug>/rules/<slug:number>/", rule, name="rule")
