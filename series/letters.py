"""Mail to players, composed when it is sent, so that it says how things stand then."""

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from series.models import Entry, Letter
from series.reads.money import refunded_cents

TEMPLATES = {
    Letter.Kind.REGISTERED: "email/registered.txt",
    Letter.Kind.CANCELLED: "email/cancelled.txt",
    Letter.Kind.ALTERED: "email/altered.txt",
    Letter.Kind.WAITING: "email/waiting.txt",
    Letter.Kind.CALLED: "email/called.txt",
    Letter.Kind.RELEASED: "email/released.txt",
}


def compose(letter: Letter) -> tuple[str, str]:
    """Subject and text of a letter; its registration's player, wanted day, event and series are read. The first line is
    the subject."""
    registration = letter.registration
    event = registration.event
    context = {
        "player": registration.player,
        "place": registration,
        "day": registration.wanted_day,
        "event": event,
        "event_page": settings.BASE_URL + reverse("event", args=[event.pk]),
        "series": event.series,
        "rules": registration.rulebook_version,
        "my_page": settings.BASE_URL + reverse("my_page", args=[registration.player.token]),
        "rulebook": settings.BASE_URL + reverse("rulebook", args=[event.series.slug]),
    }
    if letter.kind in (Letter.Kind.CANCELLED, Letter.Kind.ALTERED):
        context["notice"] = event.notices.filter(kind=letter.kind, at=letter.at).first()
        context["refunded_cents"] = refunded_cents(registration, letter.at)
    if letter.kind == Letter.Kind.RELEASED:  # who had played by then waited for a re-entry
        bought = event.entries.filter(player=registration.player_id, at__lt=letter.at)
        context["again"] = bought.exclude(status=Entry.Status.VOID).exists()
    subject, _, text = render_to_string(TEMPLATES[Letter.Kind(letter.kind)], context).partition("\n")
    return subject.strip(), text.strip() + "\n"
