"""A real site (web server, worker, beat) on a database of its own, and a real browser to use it with."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.factories import PASSWORD
from tests.ops.site_process import answers, eventually, free_port
from tests.world import ROOT, World, own_world

PHONE = {"width": 360, "height": 740}

# a whole site and several browsers share two cores here
expect.set_options(timeout=20_000)


class Site:
    """`manage.py up` on a world. `restart` ends everything and starts it again on the same data."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.world.env |= {
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "BASE_URL": self.url,
            "ALLOWED_HOSTS": "localhost,127.0.0.1",
            "PYTHONUNBUFFERED": "1",
        }
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--no-demo"],
            env=self.world.env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert eventually(lambda: answers(self.port), 60), "the site does not answer"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60)

    def restart(self) -> None:
        self.stop()
        self.start()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with own_world(tmp_path) as world:
        made = Site(world)
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def visitor(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Opens a page of its own person: `visitor()` is anonymous, `visitor(email)` signs in. Phones by default."""
    contexts: list[BrowserContext] = []

    def open_page(email: str = "", viewport: dict[str, int] = PHONE) -> Page:
        context = browser.new_context(viewport=viewport, base_url=site.url, reduced_motion="reduce")
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        if email:
            page.goto("/accounts/login/")
            page.fill("input[name=login]", email)
            page.fill("input[name=password]", PASSWORD)
            page.click("main button[type=submit]")
            page.wait_for_url(lambda address: "login" not in address)
        return page

    yield open_page
    for context in contexts:
        context.close()
