"""What the rulebook has to say on pages of other apps, which stand below this one and cannot ask it."""

from typing import Any

from django import template
from django.template.context import Context

from accounts.permissions import Permission
from rulings.event_reads import changes_since, coming_rules, rules_of_event
from series.models import Event, Player, Series

register = template.Library()


@register.inclusion_tag("rulings/notice_coming.html", name="coming_rules")
def show_coming_rules(series: Series) -> dict[str, Any]:
    """A notice between announcement and force: from when which version holds, and what it changes."""
    return {"series": series, "coming": coming_rules(series)}


@register.inclusion_tag("rulings/notice_event.html", name="event_rules", takes_context=True)
def show_event_rules(context: Context, event: Event) -> dict[str, Any]:
    """Which version a running event is played by when a newer one has come into force, with the director's notes."""
    rules = rules_of_event(event)
    user = context.get("user")
    may_note = bool(rules and rules.newer and user and user.is_authenticated and user.may(Permission.DIRECT, event))
    return {"event": event, "series": event.series, "rules": rules, "may_note": may_note}


@register.inclusion_tag("rulings/notice_note.html", name="rules_note_due")
def show_rules_note_due(event: Event) -> dict[str, Any]:
    """Reminds the director of the note that players of a running event are owed when the rules change."""
    return {"event": event, "rules": rules_of_event(event)}


@register.inclusion_tag("rulings/notice_since.html", name="rules_since")
def show_rules_since(player: Player, event: Event) -> dict[str, Any]:
    """What changed in the rules since the last event that a player played."""
    return {"series": event.series, "since": changes_since(player, event)}
