"""A worker that dies across a change of level: nothing is lost, nothing doubled, nothing later than it was dead."""

import datetime as dt
import json
import os
import signal
import subprocess
import time

import pytest

from config import processes
from tests.ops.site_process import eventually
from tests.world import ROOT, World

pytestmark = pytest.mark.real_db
DEAD_SECONDS = 10

RUN = """
import datetime as dt
from django.utils import timezone
from journal import guard
from tables.models import Clock
from tests.factories import make_running_event
make_running_event(3, levels=6, minutes=1)
with guard.writing():  # the test cannot wait a minute
    Clock.objects.update(ends_at=timezone.now() + dt.timedelta(seconds=5))
print(Clock.objects.get().ends_at.isoformat())
"""
LEVELS = """
import json
from journal.models import JournalEntry
from tables.models import Clock
clock = Clock.objects.get()
changes = JournalEntry.objects.filter(verb="clock.level").order_by("seq")
print(json.dumps([clock.position, clock.ends_at.isoformat(), [(e.at.isoformat(), e.result["due"]) for e in changes]]))
"""


def start(world: World, command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, env=world.env, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def test_a_worker_killed_for_ten_seconds_across_a_level_change(world: World):
    beat, worker = start(world, processes.beat()), start(world, processes.worker())
    try:
        due = dt.datetime.fromisoformat(world.run(RUN))
        os.killpg(worker.pid, signal.SIGKILL)
        killed = time.monotonic()
        assert json.loads(world.run(LEVELS))[2] == []
        time.sleep(max(0.0, DEAD_SECONDS - (time.monotonic() - killed)))
        assert json.loads(world.run(LEVELS))[2] == []
        worker = start(world, processes.worker())
        assert eventually(lambda: bool(json.loads(world.run(LEVELS))[2]), 90)
        time.sleep(3)
        position, ends_at, [[_, was_due]] = json.loads(world.run(LEVELS))
        assert position == 1
        assert dt.datetime.fromisoformat(was_due) == due
        assert dt.datetime.fromisoformat(ends_at) == due + dt.timedelta(minutes=1)
    finally:
        for process in (worker, beat):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
