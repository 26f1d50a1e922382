"""The processes that make the site, as command lines.

`manage.py up` runs all three; in production each is a unit of its own (docs/operations.md).
"""

import sys


def web(host: str, port: int) -> list[str]:
    """The web server. Streams to phones never end by themselves, so stopping has a limit of 3 seconds."""
    return [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application"),
        *("--host", host, "--port", str(port)),
        *("--timeout-graceful-shutdown", "3"),
        *("--log-level", "warning", "--no-access-log", "--no-server-header", "--no-proxy-headers"),
        *("--ws", "none"),
    ]


def worker(name: str = "w1") -> list[str]:
    """A Celery worker. Each new name leaves a queue behind in the embedded broker, so it is fixed."""
    return [
        *(sys.executable, "-m", "celery", "--app", "config", "worker"),
        *("--pool", "threads", "--concurrency", "4", "--hostname", f"{name}@%h", "--queues", "clock,work"),
        *("--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
    ]


def beat() -> list[str]:
    """Celery beat, of which there is one. A process of its own: it would outlive a killed worker."""
    return [
        *(sys.executable, "-m", "celery", "--app", "config", "beat"),
        *("--pidfile=", "--loglevel", "WARNING"),
    ]
