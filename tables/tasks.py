"""The sweep: the one task that makes moments happen. Beat sends it each second; losing or doubling it does no harm.

It looks one second ahead, sleeps to each deadline and carries it out by a command that is conditional on the clock's
version. Time itself does not depend on it: pages reckon from the instants in the database.
"""

import datetime as dt
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from celery import shared_task
from django.core.cache import cache
from django.core.mail import send_mail
from django.db import DatabaseError
from django.db.models import F, QuerySet
from django.utils import timezone

from journal.actors import System
from journal.errors import Refused
from series.commands.birth_dates import PRIVACY, discard_birth_dates
from series.commands.people import letter_sent
from series.commands.waiting import DOOR, release_excluded, release_lapsed
from series.letters import compose
from series.models import Event, Exclusion, Letter, Registration, Series
from series.reads.places import who_is_called
from series.reads.players import no_longer_needed
from tables.commands import action_clock
from tables.commands.calls import call_waiting, release_in_vain
from tables.commands.clock import CLOCK, advance_clock
from tables.commands.hand_for_hand import PATIENCE, nudge_slow_tables, release_hand
from tables.models import ActionClock, Clock, HandForHand
from tables.reads.reentries import why_waits_in_vain

logger = logging.getLogger(__name__)
HORIZON = 1.0  # seconds that one sweep looks ahead
NAP = 0.1  # seconds between looks, so that a deadline made meanwhile is seen
TIE = dt.timedelta(milliseconds=1)  # acting exactly at the limit is in time
MOST_TRIES = 5
POST = System("the post", frozenset({"send_letters"}))


@shared_task
def sweep() -> None:
    """Carry out every deadline of the coming second, then send what mail is due."""
    cache.set("beat", time.time(), 60)
    # a machine's clock may be set while a sweep runs; how long it runs must not depend on that
    until = time.monotonic() + HORIZON
    nudge()
    give_out_places()
    discard_old_birth_dates()
    while True:
        seen = carry_out_due()
        deadlines = next_deadlines(seen)
        left = until - time.monotonic()
        if left <= 0:
            break
        naps = [(at - timezone.now()).total_seconds() for at in deadlines]
        time.sleep(max(0.0, min([left, NAP, *naps])))
    if Letter.objects.filter(sent_at__isnull=True, tries__lt=MOST_TRIES).exists():
        send_letters.delay()


def next_deadlines(seen: dt.datetime) -> list[dt.datetime]:
    """The next instant of each kind after `seen`, up to which all was carried out. It may have come meanwhile."""
    clock = Clock.objects.filter(ends_at__gt=seen).order_by("ends_at").values_list("ends_at", flat=True).first()
    play = HandForHand.objects.filter(release_at__gt=seen).order_by("release_at").values_list("release_at", flat=True)
    action = running_action_clocks().filter(deadline_at__gt=seen).order_by("deadline_at")
    just_after = [at + TIE for at in action.values_list("deadline_at", flat=True)[:1]]
    return [at for at in (clock, play.first(), *just_after) if at is not None]


def running_action_clocks() -> QuerySet[ActionClock]:
    return ActionClock.objects.filter(status=ActionClock.Status.RUNNING)


def carry_out_due() -> dt.datetime:
    """Everything whose instant has come, each by a command that is conditional on the version seen here. The instant at
    which it looked."""
    now = timezone.now()
    for clock in Clock.objects.filter(ends_at__lte=now).select_related("day"):
        with logged(f"the clock of day {clock.day_id}"):
            advance(clock)
    for play in HandForHand.objects.filter(release_at__lte=now).select_related("day"):
        with logged(f"hand-for-hand of day {play.day_id}"):
            release_hand(actor=CLOCK, on=play.day.event_id, play_id=play.pk, version=play.version)
    for action in running_action_clocks().filter(deadline_at__lt=now).select_related("table__day"):
        with logged(f"action clock {action.pk}"):
            event_id = action.table.day.event_id
            action_clock.expire(actor=CLOCK, on=event_id, clock_id=action.pk, version=action.version)
    return now


def advance(clock: Clock) -> None:
    """Carry out everything that is due on one clock, one change of level at a time."""
    version = clock.version
    while True:
        done = advance_clock(actor=CLOCK, on=clock.day.event_id, day_id=clock.day_id, version=version)
        if "version" not in done.result:
            return
        version = done.result["version"]


def nudge() -> None:
    """Ask the tables that keep a round of hand-for-hand waiting."""
    late = timezone.now() - PATIENCE
    playing = HandForHand.objects.filter(phase__in=["announced", "dealing"], since__lte=late)
    waiting = playing.filter(reports__hand=F("hand"), reports__done_at=None, reports__nudged_at=None)
    for play in waiting.filter(reports__dropped=False).select_related("day").distinct():
        with logged(f"hand-for-hand of day {play.day_id}"):
            nudge_slow_tables(actor=CLOCK, on=play.day.event_id, play_id=play.pk)


def give_out_places() -> None:
    """Release places that lapsed, those of excluded players and waits for a re-entry that nobody can have any more,
    then call whom there is a place for."""
    now = timezone.now()
    live = Registration.objects.filter(event__status__in=[Event.Status.OPEN, Event.Status.RUNNING]).order_by()
    lapsed = live.filter(status__in=Registration.HOLDING, held_until__lte=now)
    for event_id in lapsed.values_list("event", flat=True).distinct():
        with logged(f"places of event {event_id}"):
            release_lapsed(actor=DOOR, on=event_id)
    excluded = Exclusion.objects.in_force(now).exclude(player=None).values("player")
    shut_out = live.filter(status__in=[*Registration.HOLDING, Registration.Status.WAITING], player__in=excluded)
    for event_id in shut_out.values_list("event", flat=True).distinct():
        with logged(f"places of event {event_id}"):
            release_excluded(actor=DOOR, on=event_id)
    on_list = live.filter(status__in=[Registration.Status.WAITING, Registration.Status.CALLED])
    again = on_list.filter(again_at__isnull=False)
    for event in Event.objects.filter(pk__in=again.values("event")):
        if why_waits_in_vain(event, again.filter(event=event).select_related("player", "again_on"), now):
            with logged(f"the waiting list of event {event.pk}"):
                release_in_vain(actor=DOOR, on=event.pk)
    waiting = live.filter(status=Registration.Status.WAITING)
    for event in Event.objects.filter(pk__in=waiting.values("event")):
        if any(map(who_is_called(event, now), waiting.filter(event=event))):
            with logged(f"the waiting list of event {event.pk}"):
                call_waiting(actor=DOOR, on=event.pk)


def discard_old_birth_dates() -> None:
    """Discard birth dates that have served, where a series wishes so; once a minute is soon enough."""
    if not cache.add("birth-dates", True, 60):
        return
    now = timezone.now()
    for series in Series.objects.filter(options__birth_dates="discard"):
        if no_longer_needed(series.pk, now).exists():
            with logged(f"birth dates of series {series.pk}"):
                discard_birth_dates(actor=PRIVACY, on=series.pk)


@contextmanager
def logged(what: str) -> Iterator[None]:
    """One thing that fails must not stop the others; the next look tries it again."""
    try:
        yield
    except (Refused, DatabaseError):
        logger.exception("%s did not go on; the next look tries again", what)


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
        "registration__player", "registration__event__series", "registration__day", "registration__again_on"
    )
    for letter in waiting[:20]:
        subject, body = compose(letter)
        try:
            sent = bool(send_mail(subject, body, None, [letter.registration.player.email]))
        except OSError:
            logger.exception("letter %s was not sent", letter.pk)
            sent = False
        letter_sent(actor=POST, on=letter.registration.event_id, letter_id=letter.pk, sent=sent)
