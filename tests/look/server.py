"""A web server for the pages of tests.look.urls, without a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.test import override_settings

HERE = Path(__file__).parent


class QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def with_look_pages() -> override_settings:
    """The settings of the site with the pages of tests.look.urls."""
    templates = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], HERE / "templates"]}]
    return override_settings(ROOT_URLCONF="tests.look.urls", TEMPLATES=templates, ALLOWED_HOSTS=["127.0.0.1"])


@contextmanager
def serving() -> Iterator[str]:
    """The address of the running server."""
    with with_look_pages():
        server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
        server.set_app(WSGIHandler())
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
