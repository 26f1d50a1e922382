"""What changed in the rules: all versions, what one of them changed, any two side by side, and the feed."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path

from rulings.change_reads import changes_of, compare
from rulings.feeds import RulesFeed
from rulings.version_reads import VersionLine, versions_of
from rulings.views import may_edit, series_of


def rulebook_versions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every published version, the newest first, with what it changed and why."""
    series = series_of(request, slug)
    versions = versions_of(series.pk, count=True)
    context = {
        "series": series,
        "versions": versions,
        "published": versions.published,
        "older": versions.published[1] if len(versions.published) > 1 else None,
        "may_edit": may_edit(request.user, series),
    }
    return render(request, "rulings/versions.html", context)


def rule_changes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What one version changed, rule by rule, word by word, with the reasons."""
    series = series_of(request, slug)
    versions = versions_of(series.pk)
    line = versions.by_number(number)
    if line is None or not line.is_published:
        raise Http404
    context = {"series": series, "versions": versions, "version": line, "changes": changes_of(line, versions)}
    return render(request, "rulings/changes.html", context)


def rules_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Any two versions, `?from=` and `?to=`, in one text or (`view=side`) side by side."""
    series = series_of(request, slug)
    versions = versions_of(series.pk)
    newer, older = _pair(request, versions.published)
    context = {
        "series": series,
        "published": versions.published,
        "changes": compare(older, newer, versions),
        "side": request.GET.get("view") == "side",
    }
    return render(request, "rulings/compare.html", context)


def _pair(request: HttpRequest, published: tuple[VersionLine, ...]) -> tuple[VersionLine, VersionLine]:
    """The two versions asked for, the newer first; without an answer the two newest."""
    by_number = {str(line.number): line for line in published}
    chosen = [by_number[asked] for name in ("to", "from") if (asked := request.GET.get(name, "")) in by_number]
    if not published or (len(chosen) < 2 and ("from" in request.GET or "to" in request.GET)):
        raise Http404
    if len(chosen) < 2:
        chosen = [published[0], published[min(1, len(published) - 1)]]
    newer, older = sorted(chosen, key=lambda line: line.number, reverse=True)
    return newer, older


urlpatterns: list[URLPattern] = [
    path("series/<slug:slug>/rules/versions/", rulebook_versions, name="rulebook_versions"),
    path("series/<slug:slug>/rules/versions/<int:number>/changes/", rule_changes, name="rule_changes"),
    path("series/<slug:slug>/rules/compare/", rules_compare, name="rules_compare"),
    path("series/<slug:slug>/rules/feed/", RulesFeed(), name="rules_feed"),
]
