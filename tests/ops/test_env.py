"""Settings from the environment: sound defaults, and every mistake named at once."""

import os
from pathlib import Path

import pytest

from config import env

SECRET = "x" * 40


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of ours from outside, no `.env`, and a data folder that would break a URL."""
    for line in (env.BASE_DIR / ".env.example").read_text().splitlines():
        if line.startswith("# ") and "=" in line:
            monkeypatch.delenv(line[2:].split("=")[0], raising=False)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "50% of a #club?"))
    monkeypatch.setattr(env, "BASE_DIR", tmp_path)


def problems() -> str:
    with pytest.raises(env.BadConfiguration) as raised:
        env.load()
    return str(raised.value)


def set_all(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    found = env.load()
    folder = tmp_path / "50% of a #club?"
    assert found.database["NAME"] == str(folder / "deadbutton.sqlite3")
    assert "synchronous=FULL" in found.database["OPTIONS"]["init_command"]
    assert found.email["EMAIL_FILE_PATH"] == str(folder / "mail")
    assert found.cache["LOCATION"] == str(folder / "cache")
    assert {"localhost", env.lan_address()} <= set(found.allowed_hosts)
    assert (found.production, found.debug, found.https) == (False, False, False)


def test_the_secret_key_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    first = env.load().secret_key
    assert len(first) > 40
    assert env.load().secret_key == first
    assert os.stat(tmp_path / "50% of a #club?" / "secret-key").st_mode & 0o077 == 0


def test_production_with_its_services(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(
        monkeypatch,
        PRODUCTION="1",
        SECRET_KEY=SECRET,
        ALLOWED_HOSTS="poker.example.nz,www.poker.example.nz",
        BASE_URL="https://poker.example.nz/",
        TRUSTED_PROXIES="1",
        HOSTS="3",
        DATABASE_URL="postgres://site:pa%20ss@db:5433/poker?sslmode=require",
        BROKER_URL="redis://cache:6379/0",
        CACHE_URL="redis://cache:6379/1",
        EMAIL_URL="submission://me:secret@mail:587",
    )
    found = env.load()
    assert found.secret_key == SECRET
    assert found.https
    assert found.base_url == "https://poker.example.nz"
    assert found.database["PASSWORD"] == "pa ss"
    assert found.database["OPTIONS"]["sslmode"] == "require"
    assert found.database["OPTIONS"]["pool"]["max_size"] == 8
    assert found.email["EMAIL_HOST"] == "mail"


def test_every_wrong_value_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(
        monkeypatch, PORT="80000", HOSTS="many", DATABASE_URL="nonsense", EMAIL_URL="nonsense", HTTPS="perhaps",
        TRUSTED_PROXIES="one",
    )  # fmt: skip
    said = problems()
    for name in ("PORT", "HOSTS", "DATABASE_URL", "EMAIL_URL", "HTTPS", "TRUSTED_PROXIES"):
        assert said.count(f"  - {name}: ") == 1, said
    assert "“80000” is no port. Give a whole number from 1 to 65535" in said


def test_production_refuses_what_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, PRODUCTION="1", DEBUG="1", SECRET_KEY="short")
    said = problems()
    for name in ("DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "BASE_URL", "TRUSTED_PROXIES"):
        assert said.count(f"  - {name}: ") == 1, said


def test_several_hosts_share_their_services(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, HOSTS="2")
    said = problems()
    for name in ("BROKER_URL", "DATABASE_URL", "CACHE_URL"):
        assert said.count(f"  - {name}: ") == 1, said


def test_other_databases_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, DATABASE_URL="mysql://localhost/poker")
    assert "DATABASE_URL: the site runs on SQLite and PostgreSQL only" in problems()


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "file" / "data"))
    assert "  - DATA_DIR: " in problems()
    assert "Name a folder that you may write to" in problems()
