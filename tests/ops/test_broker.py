"""The embedded broker keeps every message while several processes write and read at once."""

import json
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from kombu import Connection, Exchange, Queue

from config.broker import Transport

TRANSPORT = "config.broker:Transport"
HEAD = f"""
import json, sys
from pathlib import Path
from kombu import Connection, Exchange, Queue
folder, number = Path(sys.argv[1]), int(sys.argv[2])
options = json.loads(sys.argv[3])
connection = Connection("filesystem://", transport="{TRANSPORT}", transport_options=options)
"""


@pytest.fixture(autouse=True)
def _no_memory_of_other_folders() -> None:
    """A process does not bind again what it remembers to have bound; here each test has its own folder."""
    Transport.global_state.clear()


def options(folder: Path) -> dict[str, object]:
    (folder / "broker").mkdir(exist_ok=True)
    return {
        "data_folder_in": str(folder / "broker"),
        "data_folder_out": str(folder / "broker"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.005,
    }


def connect(folder: Path) -> Connection:
    return Connection("filesystem://", transport=TRANSPORT, transport_options=options(folder))


def start(folder: Path, number: int, body: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            HEAD + textwrap.dedent(body),
            str(folder),
            str(number),
            json.dumps(options(folder)),
        ],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )


def finish(processes: list[subprocess.Popen[str]]) -> list[str]:
    said = []
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        said.append(out)
    return said


PUBLISH = """
queue = connection.SimpleQueue("work")
for n in range(500):
    queue.put({"publisher": number, "n": n})
"""
CONSUME = """
import socket, time
got = []
def take(body, message):
    got.append((body["publisher"], body["n"]))
    message.ack()
with connection.Consumer(Queue("work", Exchange("work"), routing_key="work"), callbacks=[take]):
    quiet_since = time.monotonic()
    while not (folder / "done").exists() or time.monotonic() - quiet_since < 0.5:
        try:
            connection.drain_events(timeout=0.1)
            quiet_since = time.monotonic()
        except socket.timeout:
            pass
print(json.dumps(got))
"""


def test_nothing_is_lost_or_doubled_between_processes(tmp_path: Path) -> None:
    consumers = [start(tmp_path, n, CONSUME) for n in range(2)]
    publishers = [start(tmp_path, n, PUBLISH) for n in range(3)]
    finish(publishers)
    (tmp_path / "done").touch()
    got = [tuple(pair) for said in finish(consumers) for pair in json.loads(said)]
    assert len(got) == 1500
    assert set(got) == {(publisher, n) for publisher in range(3) for n in range(500)}
    assert list((tmp_path / "broker").iterdir()) == []


BIND = """
channel = connection.channel()
for n in range(60):
    channel._queue_bind("pidbox", "", "", f"queue-{number}-{n}")
    assert channel.get_table("pidbox"), "a reader saw an empty table"
"""


def test_no_binding_is_lost_when_processes_bind_at_once(tmp_path: Path) -> None:
    finish([start(tmp_path, n, BIND) for n in range(3)])
    with connect(tmp_path) as connection:
        bound = {row.queue for row in connection.channel().get_table("pidbox")}
    assert bound == {f"queue-{number}-{n}" for number in range(3) for n in range(60)}


def test_messages_come_in_the_order_they_were_sent(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("work")
        for n in range(20):
            queue.put(n)
        assert [queue.get(timeout=1).payload for _ in range(20)] == list(range(20))


def test_a_damaged_message_is_skipped_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("work")
        (tmp_path / "broker" / f"{0:020d}_cut-off.work.msg").touch()
        queue.put("sound")
        message = queue.get(timeout=1)
        assert message.payload == "sound"
        message.ack()
    assert "damaged" in caplog.text
    assert list((tmp_path / "broker").glob("*.msg")) == []


def test_a_purged_queue_is_empty_and_others_are_left_alone(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        work, clock = connection.SimpleQueue("work"), connection.SimpleQueue("clock")
        work.put(1)
        clock.put(2)
        assert work.clear() == 1
        assert (work.qsize(), clock.qsize()) == (0, 1)


def test_a_broadcast_reaches_every_queue_until_it_is_deleted(tmp_path: Path) -> None:
    exchange = Exchange("pidbox", type="fanout")
    with connect(tmp_path) as connection:
        channel = connection.channel()
        queues = [Queue(name, exchange, channel=channel) for name in ("w1", "w2")]
        for queue in queues:
            queue.declare()
        producer = connection.Producer(exchange=exchange)
        producer.publish("first")
        queues[1].delete()
        producer.publish("second")
        assert [queues[0].get(no_ack=True).payload for _ in range(2)] == ["first", "second"]
        assert queues[1].get(no_ack=True) is None


def test_a_long_backlog_is_worked_off_in_linear_time(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("work")
        for n in range(3000):
            queue.put(n)
        channel = queue.channel
        started = time.monotonic()
        for _ in range(3000):
            channel._get("work")
        assert time.monotonic() - started < 3  # listing the folder for each message takes about 10 s
