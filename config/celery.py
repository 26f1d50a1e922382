"""The Celery application. Tasks call commands; the database alone is the truth (see docs/architecture.md)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("deadbutton")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
