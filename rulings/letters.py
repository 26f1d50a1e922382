"""Mail to subscribers of a rulebook, composed when it is sent."""

from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from rulings.change_reads import changes_of
from rulings.models import RulesLetter
from rulings.version_reads import versions_of


def compose(letter: RulesLetter) -> EmailMessage:
    """The mail of a letter; its subscriber, their series and the version are read. The template's first line is the
    subject. Mail programs offer to unsubscribe by the headers (RFC 8058).
    """
    who = letter.subscriber
    series = who.series
    leave = settings.BASE_URL + reverse("rules_mail_leave", args=[series.slug, who.token])
    context: dict[str, Any] = {
        "series": series,
        "version": letter.version,
        "confirm": settings.BASE_URL + reverse("rules_mail_confirm", args=[series.slug, who.token]),
        "leave": leave,
    }
    if letter.version is not None:
        versions = versions_of(series.pk)
        line = versions.by_number(letter.version.number)
        assert line is not None
        context["changes"] = changes_of(line, versions)
        context["page"] = settings.BASE_URL + reverse("rule_changes", args=[series.slug, letter.version.number])
    said = render_to_string(f"email/rules_{letter.kind}.txt", context)
    subject, _, text = said.partition("\n")
    headers = {}
    if letter.kind != RulesLetter.Kind.CONFIRM:
        headers = {"List-Unsubscribe": f"<{leave}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    return EmailMessage(subject.strip(), text.strip() + "\n", None, [who.email], headers=headers)
