"""`/health/`: whether the site's parts live, for people and for whatever watches the site."""

import os
import time
from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from config.celery import app

STALE_SECONDS = 10.0


@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """200 if all parts live, 503 if one does not. `beat` is true only if beat, broker and worker work together:
    it is the sign of life that the worker leaves each second on beat's call."""
    parts = {"database": _works(_database), "broker": _works(_broker), "beat": _works(_beat)}
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def _works(look: Callable[[], bool]) -> bool:
    try:
        return look()
    except Exception:  # whatever kind of failure: the part does not live
        return False


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _broker() -> bool:
    if settings.CELERY_BROKER_URL.startswith("filesystem"):
        return os.access(settings.DATA_DIR / "broker", os.R_OK | os.W_OK | os.X_OK)
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)
        return bool(broker.connected)


def _beat() -> bool:
    return abs(time.time() - float(cache.get("beat", 0))) < STALE_SECONDS
