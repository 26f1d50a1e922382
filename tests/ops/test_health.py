"""The health page says which part is down."""

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.utils import OperationalError
from django.test import Client
from kombu import Connection

pytestmark = pytest.mark.django_db
UP = {"database": True, "broker": True, "beat": True}


@pytest.fixture(autouse=True)
def _beating() -> None:
    cache.set("beat", time.time(), 60)


def test_all_parts_live(client: Client) -> None:
    answer = client.get("/health/")
    assert answer.status_code == 200
    assert answer.json() == UP
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("last", [None, 11.0, -3600.0])
def test_an_old_sign_of_life_or_none_is_a_dead_beat(client: Client, last: float | None) -> None:
    if last is None:
        cache.delete("beat")
    else:
        cache.set("beat", time.time() - last, 60)
    answer = client.get("/health/")
    assert answer.status_code == 503
    assert answer.json() == UP | {"beat": False}


def test_a_database_that_does_not_answer(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> Any:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(connection, "cursor", broken)
    answer = client.get("/health/")
    assert answer.status_code == 503
    assert answer.json() == UP | {"database": False}


def test_a_broker_that_is_away(client: Client, settings: Any, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    settings.CELERY_BROKER_URL, settings.DATA_DIR = "filesystem://localhost", tmp_path
    assert client.get("/health/").json() == UP
    shutil.rmtree(tmp_path / "broker")
    answer = client.get("/health/")
    assert answer.status_code == 503
    assert answer.json() == UP | {"broker": False}


def test_a_server_of_messages_that_is_away(client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    away = Connection(settings.CELERY_BROKER_URL)
    monkeypatch.setattr("config.health.app.connection_for_write", lambda: away)
    started = time.monotonic()
    assert client.get("/health/").json() == UP | {"broker": False}
    assert time.monotonic() - started < 4
