"""The sweep: the one task that makes moments happen. Beat sends it each second; losing or doubling it does no harm.

It looks one second ahead, sleeps to each deadline and carries it out by a command that is conditional on the clock's
version. Time itself does not depend on it: pages reckon from the instants in the database.
"""

import datetime as dt
import logging
import time

from celery import shared_task
from django.core.cache import cache
from django.core.mail import send_mail
from django.db import DatabaseError
from django.utils import timezone
from series.letters import compose

from journal.actors import System
from journal.errors import Refused
from series.commands.people import letter_sent
from series.models import Letter
from tables.commands.clock import CLOCK, advance_clock
from tables.models import Clock

logger = logging.getLogger(__name__)
HORIZON = dt.timedelta(seconds=1)
NAP = 0.1  # seconds between looks, so that a deadline made meanwhile is seen
MOST_TRIES = 5
POST = System("the post", frozenset({"send_letters"}))


@shared_task
def sweep() -> None:
    """Carry out every deadline of the coming second, then send what mail is due."""
    cache.set("beat", time.time(), 60)
    until = timezone.now() + HORIZON
    while True:
        for clock in Clock.objects.filter(ends_at__lte=timezone.now()).select_related("day"):
            advance(clock)
        now = timezone.now()
        if now >= until:
            break
        due = Clock.objects.filter(ends_at__gt=now, ends_at__lte=until).order_by("ends_at").first()
        wake = due.ends_at if due and due.ends_at else until
        time.sleep(max(0.0, min((wake - now).total_seconds(), NAP)))
    if Letter.objects.filter(sent_at__isnull=True, tries__lt=MOST_TRIES).exists():
        send_letters.delay()


def advance(clock: Clock) -> None:
    """Carry out everything that is due on one clock, one change of level at a time."""
    version = clock.version
    try:
        while True:
            done = advance_clock(actor=CLOCK, on=clock.day.event_id, day_id=clock.day_id, version=version)
            if "version" not in done.result:
                return
            version = done.result["version"]
    except (Refused, DatabaseError):
        logger.exception("the clock of day %s did not advance; the next sweep tries again", clock.day_id)


@shared_task
def send_letters() -> None:
    """Send the mail that committed commands asked for; one that fails is tried again by a later sweep."""
    if not cache.add("posting", True, 120):
        return  # another worker is at it: two would send everything twice
    try:
        _send_waiting()
    finally:
        cache.delete("posting")


def _send_waiting() -> None:
    waiting = Letter.objects.filter(sent_at__isnull=True, tries__lt=MOST_TRIES).select_related(
        "registration__player", "registration__event__series"
    )
    for letter in waiting[:20]:
        subject, body = compose(letter)
        try:
            sent = bool(send_mail(subject, body, None, [letter.registration.player.email]))
        except OSError:
            logger.exception("letter %s was not sent", letter.pk)
            sent = False
        letter_sent(actor=POST, on=letter.registration.event_id, letter_id=letter.pk, sent=sent)
