"""The settings that differ between installations, read from environment variables.

Every variable is listed with its default in `.env.example`. Wrong values are reported all at once: a person
mends a configuration once, not once per mistake.
"""

import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from environs import Env, EnvError

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
    metrics: bool


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


def _database(env: Env, data_dir: Path) -> dict[str, Any]:
    default = f"sqlite:///{data_dir / 'deadbutton.sqlite3'}"
    database: dict[str, Any] = dict(env.dj_db_url("DATABASE_URL", default=default) or {})
    if "sqlite" in database.get("ENGINE", ""):
        database["OPTIONS"] = dict(SQLITE_OPTIONS)
    elif "postgresql" in database.get("ENGINE", ""):
        database["OPTIONS"] = dict(POSTGRESQL_OPTIONS)
    database["CONN_MAX_AGE"] = 0
    return database


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
    port = env.int("PORT", default=8000)
    own_names = ["localhost", "127.0.0.1", "[::1]", lan_address(), socket.gethostname().lower()]
    found = {
        "production": production,
        "debug": env.bool("DEBUG", default=False),
        "data_dir": data_dir,
        "base_url": env.str("BASE_URL", default=f"http://{lan_address()}:{port}").rstrip("/"),
        "allowed_hosts": env.list("ALLOWED_HOSTS", default=[] if production else own_names),
        "database": _database(env, data_dir),
        "broker_url": env.str("BROKER_URL", default="filesystem://"),
        "cache": env.dj_cache_url("CACHE_URL", default=f"file://{data_dir / 'cache'}"),
        "email": env.dj_email_url("EMAIL_URL", default=f"file://{data_dir / 'mail'}"),
        "mail_from": env.str("MAIL_FROM", default="Dead Button <noreply@localhost>"),
        "https": env.bool("HTTPS", default=production),
        "trusted_proxies": env.int("TRUSTED_PROXIES", default=0),
        "hosts": env.int("HOSTS", default=1),
        "metrics": env.bool("METRICS", default=False),
    }
    problems: list[str] = []
    try:
        env.seal()
    except EnvError as error:
        messages = getattr(error, "error_messages", None) or {"environment": [str(error)]}
        problems = [f"{name}: {' '.join(map(str, said))}" for name, said in messages.items()]
    if production:
        if found["debug"]:
            problems.append("DEBUG: must be off in production; it shows settings to visitors.")
        if len(given_secret) < 32:
            problems.append("SECRET_KEY: give a random value of at least 32 characters in production.")
        if not found["allowed_hosts"]:
            problems.append("ALLOWED_HOSTS: name the host names under which the site is reached.")
    if found["broker_url"].startswith("filesystem") and (found["hosts"] or 1) > 1:
        problems.append("BROKER_URL: the filesystem broker serves one host only; name a Redis or RabbitMQ.")
    if problems:
        raise BadConfiguration("The site cannot start:\n" + "\n".join(f"  - {line}" for line in problems))
    return Settings(secret_key=given_secret or _kept_secret(data_dir), **found)
