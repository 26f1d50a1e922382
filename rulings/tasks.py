"""The sweep of the rulebook: brings announced versions into force at their instant and sends mail about them.

Losing or doubling it does no harm: which version is in force follows from the instants in the database.
"""

import datetime as dt
import logging
import time

from celery import shared_task
from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from journal.errors import Refused
from rulings.commands import CALENDAR, bring_into_force
from rulings.letters import compose
from rulings.mail_commands import CONFIRM_WITHIN, POST, forget_unconfirmed, letters_sent
from rulings.models import RulebookVersion, RulesLetter, Subscriber

logger = logging.getLogger(__name__)
HORIZON = dt.timedelta(seconds=1)
MOST_TRIES = 5
LETTERS_AT_ONCE = 20


@shared_task
def sweep() -> None:
    """Carry out what is due now or within the coming second, then have the mail sent."""
    announced = RulebookVersion.objects.filter(
        status=RulebookVersion.Status.ANNOUNCED, effective_from__lte=timezone.now() + HORIZON
    )
    for version in announced.order_by("effective_from"):
        wait = (version.effective_from - timezone.now()).total_seconds() if version.effective_from else 0
        time.sleep(max(0.0, wait))
        try:
            bring_into_force(actor=CALENDAR, on=version.series_id)
        except (Refused, DatabaseError):
            logger.exception("%s did not come into force; the next sweep tries again", version)
    unconfirmed = Subscriber.objects.filter(confirmed_at__isnull=True, left_at__isnull=True)
    late = unconfirmed.filter(asked_at__lt=timezone.now() - CONFIRM_WITHIN)
    for series_id in set(late.values_list("series_id", flat=True)):
        forget_unconfirmed(actor=POST, on=series_id)
    if waiting().exists():
        send_letters.delay()


def waiting() -> QuerySet[RulesLetter]:
    """The mail that is still to be sent."""
    return RulesLetter.objects.filter(sent_at__isnull=True, tries__lt=MOST_TRIES)


@shared_task
def send_letters() -> None:
    """Send the mail that committed commands asked for; one that fails is tried again by a later sweep."""
    if not cache.add("posting-rules", True, 120):
        return  # another worker is at it: two would send everything twice
    try:
        _send_waiting()
    finally:
        cache.delete("posting-rules")


def _send_waiting() -> None:
    outcome: dict[int, tuple[list[int], list[int]]] = {}
    for letter in waiting().select_related("subscriber__series", "version").order_by("pk")[:LETTERS_AT_ONCE]:
        sent, failed = outcome.setdefault(letter.subscriber.series_id, ([], []))
        try:
            compose(letter).send()
            sent.append(letter.pk)
        except OSError:
            logger.exception("letter %s about rules was not sent", letter.pk)
            failed.append(letter.pk)
    for series_id, (sent, failed) in outcome.items():
        letters_sent(actor=POST, on=series_id, sent=sent, failed=failed)
