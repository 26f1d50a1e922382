"""The Celery application. Tasks call commands; the database alone is the truth (see docs/architecture.md)."""

import datetime as dt
import os
import time

from celery import Celery
from celery.schedules import schedule

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("deadbutton")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def steady_now() -> dt.datetime:
    """An instant that only grows, whatever happens to the machine's clock: good for pauses alone."""
    return dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(seconds=time.monotonic())


def each_second() -> schedule:
    """Every second, also when the machine's clock is set back: beat would otherwise wait until it has caught up."""
    return schedule(1.0, nowfun=steady_now)
