"""The settings that differ between installations, read from environment variables.

Every variable is listed with its default in `.env.example`. Wrong values are reported all at once: a person
mends a configuration once, not once per mistake.
"""

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from environs import Env, EnvError, validate

BASE_DIR = Path(__file__).resolve().parent.parent

SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864;"
        "PRAGMA mmap_size=134217728; PRAGMA cache_size=-20000;"
    ),
}
POSTGRESQL_OPTIONS = {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}}


class BadConfiguration(Exception):
    """The environment holds values the site cannot run with; the message lists every one of them."""


@dataclass(frozen=True)
class Settings:
    """What `config.settings` needs to know; all other settings are the same everywhere."""

    production: bool
    debug: bool
    data_dir: Path
    secret_key: str
    base_url: str
    allowed_hosts: list[str]
    database: dict[str, Any]
    broker_url: str
    cache: dict[str, Any]
    email: dict[str, Any]
    mail_from: str
    https: bool
    trusted_proxies: int
    hosts: int
    host: str
    port: int


def lan_address() -> str:
    """The address under which phones in the same network reach this machine; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: picks a route, sends nothing
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _kept_secret(data_dir: Path) -> str:
    """A random key made at the first start and kept in the data folder, readable by its owner alone."""
    path = data_dir / "secret-key"
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(48))
    return path.read_text().strip()


# The folder's path goes into these as it is: as part of a URL it would have to be free of %, ? and #.
def _database(env: Env, data_dir: Path) -> dict[str, Any]:
    if not env.str("DATABASE_URL", default=""):
        database: dict[str, Any] = {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(data_dir / "deadbutton.sqlite3"),
        }
    else:
        database = dict(env.dj_db_url("DATABASE_URL") or {})
    if "sqlite" in database.get("ENGINE", ""):
        database["OPTIONS"] = dict(SQLITE_OPTIONS)
    elif "postgresql" in database.get("ENGINE", ""):
        database["OPTIONS"] = POSTGRESQL_OPTIONS | database.get("OPTIONS", {})  # such as sslmode from the URL
    database["CONN_MAX_AGE"] = 0  # the pool keeps connections open; SQLite opens one in 0.3 ms
    return database


def _cache(env: Env, data_dir: Path) -> dict[str, Any]:
    if not env.str("CACHE_URL", default=""):
        backend = "django.core.cache.backends.filebased.FileBasedCache"
        return {"BACKEND": backend, "LOCATION": str(data_dir / "cache")}
    return dict(env.dj_cache_url("CACHE_URL") or {})


def _email(env: Env, data_dir: Path) -> dict[str, Any]:
    if not env.str("EMAIL_URL", default=""):
        backend = "django.core.mail.backends.filebased.EmailBackend"
        return {"EMAIL_BACKEND": backend, "EMAIL_FILE_PATH": str(data_dir / "mail")}
    return dict(env.dj_email_url("EMAIL_URL") or {})


def _impossible(found: dict[str, Any]) -> list[str]:
    """What is wrong between settings that are each right by themselves."""
    problems = []
    engine = found["database"].get("ENGINE", "")
    if engine and not engine.endswith(("sqlite3", "postgresql")):
        problems.append("DATABASE_URL: the site runs on SQLite and PostgreSQL only.")
    if "EMAIL_BACKEND" not in found["email"]:
        problems.append("EMAIL_URL: Not a valid mail URL, such as submission://user:password@host:587.")
    if found["https"] and found["trusted_proxies"] == 0:
        problems.append(
            "TRUSTED_PROXIES: the site itself speaks http; say how many proxies in front of it speak https."
        )
    if (found["hosts"] or 1) > 1:
        if found["broker_url"].startswith("filesystem"):
            problems.append("BROKER_URL: the filesystem broker serves one host only; name a Redis or RabbitMQ.")
        if engine.endswith("sqlite3"):
            problems.append("DATABASE_URL: SQLite serves one host only; name a PostgreSQL.")
        if "redis" not in found["cache"].get("BACKEND", "").lower():
            problems.append("CACHE_URL: all hosts share one cache; name a Redis.")
    return problems


def _mend(name: str, said: str) -> str:
    """What is wrong with a variable, with what it holds and what it could hold."""
    if name == "PORT":
        return f"“{os.environ.get(name, '')}” is no port. Give a whole number from 1 to 65535, for example PORT=8000"
    return said


def load() -> Settings:
    """Read the environment.

    Raises:
        BadConfiguration: with one line for each wrong or missing variable.
    """
    env = Env(eager=False)
    env.read_env(str(BASE_DIR / ".env"), recurse=False)
    production = env.bool("PRODUCTION", default=False)
    data_dir = Path(env.str("DATA_DIR", default=str(BASE_DIR / "data"))).absolute()
    given_secret = env.str("SECRET_KEY", default="")
    given_url = env.str("BASE_URL", default="")
    port = env.int("PORT", default=8000, validate=validate.Range(1, 65535))
    own_names = ["localhost", "127.0.0.1", "[::1]", lan_address(), socket.gethostname().lower()]
    found: dict[str, Any] = {
        "production": production,
        "debug": env.bool("DEBUG", default=False),
        "data_dir": data_dir,
        "base_url": (given_url or f"http://{lan_address()}:{port}").rstrip("/"),
        "allowed_hosts": env.list("ALLOWED_HOSTS", default=[] if production else own_names),
        "database": _database(env, data_dir),
        "broker_url": env.str("BROKER_URL", default="") or "filesystem://",
        "cache": _cache(env, data_dir),
        "email": _email(env, data_dir),
        "mail_from": env.str("MAIL_FROM", default="Dead Button <noreply@localhost>"),
        "https": env.bool("HTTPS", default=production),
        "trusted_proxies": env.int("TRUSTED_PROXIES", default=0),
        "hosts": env.int("HOSTS", default=1),
        "host": env.str("HOST", default="0.0.0.0"),
        "port": port,
    }
    problems: list[str] = []
    try:
        env.seal()
    except EnvError as error:
        messages = getattr(error, "error_messages", None) or {"environment": [str(error)]}
        problems = [f"{name}: {_mend(name, ' '.join(map(str, said)))}" for name, said in messages.items()]
    if production:
        if found["debug"]:
            problems.append("DEBUG: must be off in production; it shows settings to visitors.")
        if len(given_secret) < 32:
            problems.append("SECRET_KEY: give a random value of at least 32 characters in production.")
        if not given_url:
            problems.append(
                "BASE_URL: say under which address players reach the site, such as https://poker.example.nz."
            )
        if not found["allowed_hosts"]:
            problems.append("ALLOWED_HOSTS: name the host names under which the site is reached.")
    problems += _impossible(found)
    try:
        for folder in ("mail", "cache", "broker", "logs"):
            (data_dir / folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problems.append(
            f"DATA_DIR: {error.filename} cannot be made ({(error.strerror or 'refused').lower()}). "
            "Name a folder that you may write to, for example DATA_DIR=/home/me/dead-button"
        )
    if problems:
        raise BadConfiguration("The site cannot start:\n" + "\n".join(f"  - {line}" for line in problems))
    return Settings(secret_key=given_secret or _kept_secret(data_dir), **found)
