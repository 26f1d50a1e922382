"""Mail to players, composed when it is sent, so that it says how things stand then."""

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from series.models import Letter

TEMPLATES = {Letter.Kind.REGISTERED: "email/registered.txt"}


def compose(letter: Letter) -> tuple[str, str]:
    """Subject and text of a letter; its registration's player, day, event and series are read. The first line is the
    subject."""
    registration = letter.registration
    context = {
        "player": registration.player,
        "day": registration.day,
        "event": registration.event,
        "series": registration.event.series,
        "rules": registration.rulebook_version,
        "my_page": settings.BASE_URL + reverse("my_page", args=[registration.player.token]),
        "rulebook": settings.BASE_URL + reverse("rulebook", args=[registration.event.series.slug]),
    }
    subject, _, text = render_to_string(TEMPLATES[Letter.Kind(letter.kind)], context).partition("\n")
    return subject.strip(), text.strip() + "\n"
