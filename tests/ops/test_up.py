"""`manage.py up` starts the site, keeps it alive, and leaves nothing behind however it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ops.site_process import ROOT, Up, answers, eventually, free_port, site_environment

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    site = Up(tmp_path / "data of a club")
    try:
        assert site.has_said("Ctrl-C ends it"), site.said
        yield site
    finally:
        site.clean_up()


def health(port: int) -> int:
    """The status of the health page: 200 says that database, broker, worker and beat work together."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except TimeoutError:
        return 0


def test_it_keeps_three_programs_alive_and_ends_them_on_ctrl_c(up: Up) -> None:
    first = up.children()
    assert set(first) == {"uvicorn", "worker", "beat"}
    assert eventually(lambda: health(up.port) == 200, 60)

    for name in first:
        os.kill(first[name], signal.SIGKILL)
    assert eventually(lambda: not set(up.children().values()) & set(first.values()), 30)
    assert eventually(lambda: set(up.children()) == set(first), 30)
    assert up.has_said("worker ended (SIGKILL)", 1)
    assert eventually(lambda: answers(up.port), 30)
    assert eventually(lambda: health(up.port) == 200, 30)

    second = subprocess.run(
        [sys.executable, "manage.py", "up"],
        env=site_environment(up.data_dir, free_port()),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert second.returncode == 3
    assert f"already runs on {up.data_dir}, at http://127.0.0.1:{up.port}" in second.stderr
    assert set(up.children()) == set(first), up.said

    started = time.monotonic()
    assert up.end(signal.SIGINT) == 0
    assert time.monotonic() - started < 8
    assert up.children() == {}
    assert up.said[-1].startswith("Stopped")


def test_browsers_load_copies_that_nothing_changes_under_them(up: Up) -> None:
    def read(path: str) -> tuple[str, bytes]:
        with urllib.request.urlopen(f"http://127.0.0.1:{up.port}{path}", timeout=30) as answer:
            return answer.headers.get("Cache-Control", ""), answer.read()

    page = read("/")[1].decode()
    sheets = re.findall(r'href="(/static/css/[^"]+)"', page)
    assert all(re.search(r"\.[0-9a-f]{12}\.css$", sheet) for sheet in sheets)
    tokens = next(sheet for sheet in sheets if "tokens" in sheet)
    keeps, style = read(tokens)
    assert "immutable" in keeps
    (font,) = re.findall(r'url\("\.\./(fonts/[^"]+)"\)', style.decode())
    keeps, data = read(f"/static/{font}")
    assert "immutable" in keeps
    assert data[:4] == b"wOFF"
    assert len(data) < 150_000  # each phone loads it


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_all_when_told_to_or_when_its_terminal_closes(up: Up, how: signal.Signals) -> None:
    assert up.end(how) == 0
    assert up.children() == {}


def test_a_second_ctrl_c_does_not_wait(up: Up) -> None:
    up.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    started = time.monotonic()
    up.end(signal.SIGINT)
    assert time.monotonic() - started < 1.5
    assert up.children() == {}


def test_even_a_killed_supervisor_leaves_nothing_behind(up: Up) -> None:
    up.end(signal.SIGKILL)
    assert eventually(lambda: up.children() == {}, 3)


def test_a_taken_port_is_said_with_the_fix_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        site = Up(tmp_path, port)
        try:
            assert site.process.wait(30) == 1
            assert site.has_said(f"Port {port} is taken by another program. Use another one: PORT=", 1)
        finally:
            site.clean_up()
    assert not (tmp_path / "deadbutton.sqlite3").exists()


def test_wrong_settings_are_all_named_in_a_few_lines(tmp_path: Path) -> None:
    wrong = site_environment(tmp_path, 0) | {"HOSTS": "many", "DATABASE_URL": "nonsense", "PRODUCTION": "1"}
    done = subprocess.run(
        [sys.executable, "manage.py", "up"], env=wrong, cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    said = done.stderr.splitlines()
    assert said[0] == "The site cannot start:"
    for name in ("PORT", "HOSTS", "DATABASE_URL", "SECRET_KEY"):
        assert len([line for line in said if line.startswith(f"  - {name}: ")]) == 1
    assert "Traceback" not in done.stderr
