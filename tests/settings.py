"""Settings of the tests: the site's own, on a new folder, with a fast hasher and no waiting for the disk.

DATABASE_URL chooses the database (default: SQLite). Whatever else a `.env` file says is overruled here.
"""

import atexit
import os
import shutil
import tempfile

FOLDER = tempfile.mkdtemp(prefix="deadbutton-tests-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def of_this_worker(url: str) -> str:
    """The Redis database of this process where pytest runs several: each takes one number higher than the last."""
    base, slash, number = url.rpartition("/")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return f"{base}{slash}{int(number) + int(worker)}" if url.startswith("redis") else url


os.environ |= {
    "DATA_DIR": FOLDER,
    "PRODUCTION": "0",
    "DEBUG": "0",
    "HTTPS": "0",
    "HOSTS": "1",
    "HOST": "127.0.0.1",
    "PORT": "8000",
    "BASE_URL": "http://testserver",
    "ALLOWED_HOSTS": "testserver,localhost,127.0.0.1",
    "SECRET_KEY": "only-for-tests" * 4,
    "EMAIL_URL": "",
    "TRUSTED_PROXIES": "0",
    "DATABASE_URL": os.environ.get("DATABASE_URL", ""),
    "BROKER_URL": of_this_worker(os.environ.get("BROKER_URL", "")),
    "CACHE_URL": of_this_worker(os.environ.get("CACHE_URL", "")),
}

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # a file, not memory: tests with threads and processes need a database that they can share
    DATABASES["default"]["TEST"] = {"NAME": os.path.join(FOLDER, "test.sqlite3")}
    pragmas = DATABASES["default"]["OPTIONS"]["init_command"]
    DATABASES["default"]["OPTIONS"]["init_command"] = pragmas.replace("synchronous=FULL", "synchronous=OFF")
# files straight from their folders, not collected first
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
SERVESTATIC_USE_FINDERS = True
