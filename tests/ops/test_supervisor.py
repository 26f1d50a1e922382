"""The supervisor with small programs of the test's own."""

import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from config.supervisor import Child, Supervisor


def run_for(seconds: float, children: list[Child]) -> list[str]:
    """Supervise for a while in this process; gives back what was said."""
    said: list[str] = []
    supervisor = Supervisor(children, said.append)
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGTERM])
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    timer.start()
    try:
        supervisor.run(ready=lambda: True, when_ready=lambda: said.append("ready"))
    finally:
        timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
    return said


def child(folder: Path, code: str) -> Child:
    return Child("child", [sys.executable, "-uc", code], folder / "logs" / "child.log")


def test_a_dying_child_is_started_again_with_longer_pauses(tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'starts')!r}, 'a').write('x'); raise SystemExit(7)"
    said = run_for(3.0, [child(tmp_path, code)])
    assert said[0] == "ready"
    pauses = [line.split("starts again in ")[1].split(" s")[0] for line in said if "exit code 7" in line]
    assert pauses[:2] == ["0.5", "1"]
    assert len((tmp_path / "starts").read_text()) == len(pauses)


def test_errors_of_a_child_are_passed_on_once_a_minute(tmp_path: Path) -> None:
    code = "import time\nfor n in range(3): print(n, 'ERROR no such table')\nprint('fine')\ntime.sleep(9)"
    said = run_for(1.5, [child(tmp_path, code)])
    assert said == ["ready", "[child] 0 ERROR no such table"]
    assert (tmp_path / "logs" / "child.log").read_text().count("ERROR") == 3


def test_a_child_that_will_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.supervisor.STOP_SECONDS", 1.0)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up'); time.sleep(60)"
    stubborn = child(tmp_path, code)
    started = time.monotonic()
    run_for(1.0, [stubborn])
    assert 1.9 < time.monotonic() - started < 4
    assert stubborn.process is not None
    assert stubborn.process.returncode == -signal.SIGKILL


def test_a_long_log_is_set_aside_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.supervisor.KEPT_LOG_BYTES", 10)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "child.log").write_text("ERROR of an earlier run")
    assert run_for(0.5, [child(tmp_path, "import time; time.sleep(9)")]) == ["ready"]
    assert (tmp_path / "logs" / "child.log.old").read_text() == "ERROR of an earlier run"
