"""The Atom feed of a rulebook: one entry for each published version, with what changed and why."""

import datetime as dt

from django.contrib.syndication.views import Feed
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from rulings.change_reads import Changes, changes_of
from rulings.version_reads import Status, VersionLine, versions_of
from rulings.views import series_of
from series.models import Series

NEWEST = 20
WORDS = {
    Status.ANNOUNCED: "announced",
    Status.IN_FORCE: "in force",
    Status.SUPERSEDED: "superseded",
    Status.WITHDRAWN: "withdrawn",
}


class RulesFeed(Feed):
    """Feed readers show an entry anew when its version comes into force or is withdrawn."""

    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, slug: str) -> Series:
        return series_of(request, slug)

    def title(self, series: Series) -> str:
        return f"{series}: changes of the rules"

    def subtitle(self, series: Series) -> str:
        return f"Every version of the rulebook of {series}, what it changed and why."

    def author_name(self, series: Series) -> str:
        return str(series)

    def link(self, series: Series) -> str:
        return reverse("rulebook_versions", args=[series.slug])

    def feed_url(self, series: Series) -> str:
        return reverse("rules_feed", args=[series.slug])

    def items(self, series: Series) -> list[Changes]:
        versions = versions_of(series.pk)
        return [changes_of(line, versions) for line in versions.published[:NEWEST]]

    def item_title(self, item: Changes) -> str:
        return f"Version {item.new.number} of the rules is {WORDS[item.new.state]}"

    def item_description(self, item: Changes) -> str:
        return render_to_string("rulings/changes_feed.html", {"changes": item, "series": item.new.row.series})

    def item_link(self, item: Changes) -> str:
        return reverse("rule_changes", args=[item.new.row.series.slug, item.new.number])

    def item_pubdate(self, item: Changes) -> dt.datetime | None:
        return item.new.row.announced_at or item.new.row.effective_from

    def item_updateddate(self, item: Changes) -> dt.datetime | None:
        return latest(item.new)

    def item_categories(self, item: Changes) -> tuple[str, ...]:
        return tuple(tag.kind for tag in item.kinds)


def latest(line: VersionLine) -> dt.datetime | None:
    """When something last happened to a version: announced, in force, withdrawn."""
    row = line.row
    if line.state == Status.WITHDRAWN:
        return row.withdrawn_at
    return row.effective_from if line.has_begun else row.announced_at
