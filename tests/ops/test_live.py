"""The live feed, asked over real sockets of a real server on the database of the test."""

import asyncio
import datetime as dt
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.permissions import Role
from config import live
from journal.commands import Tx
from journal.models import Stream as JournalStream
from series.commands.people import correct_player
from series.models import Event
from tables.commands.clock import adjust_clock
from tests.factories import make_event, make_running_event, make_series, make_user
from tests.ops.site_process import Web, eventually

TOUCHES = ["series.day", "tables.clock"]  # of `public_change`

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.real_db]


@dataclass
class Stream:
    """One open EventSource."""

    port: int
    topic: str
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self._raw = self._text = b""
        lines = [f"GET /live/?topic={self.topic} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        deadline = time.monotonic() + 20
        while b"\r\n\r\n" not in self._raw:
            assert self._receive(deadline)
        head, self._raw = self._raw.split(b"\r\n\r\n", 1)
        status, *self.head = head.decode().split("\r\n")
        self.status = int(status.split()[1])

    def _receive(self, deadline: float) -> bool:
        self.socket.settimeout(max(0.001, deadline - time.monotonic()))
        received = self.socket.recv(65536)
        self._raw += received
        return bool(received)

    def _unpack(self) -> None:
        """Take whole chunks out of their wrapping."""
        while b"\r\n" in self._raw:
            size, rest = self._raw.split(b"\r\n", 1)
            if len(rest) < int(size, 16) + 2:
                return
            self._text += rest[: int(size, 16)]
            self._raw = rest[int(size, 16) + 2 :]

    def message(self, seconds: float) -> dict[str, str]:
        """The next message. An empty one means that the server has ended the stream."""
        deadline = time.monotonic() + seconds
        while True:
            self._unpack()
            while b"\n\n" in self._text:
                block, self._text = self._text.split(b"\n\n", 1)
                said = dict(line.split(": ", 1) for line in block.decode().split("\n"))
                if "event" in said:
                    return said
            if not self._receive(deadline):
                return {}

    def change(self, seconds: float) -> dict[str, Any]:
        """The next change, with beats left out."""
        deadline = time.monotonic() + seconds
        while (said := self.message(deadline - time.monotonic())) and said["event"] != "change":
            pass
        return {**json.loads(said["data"]), "id": int(said["id"])} if said else {}

    def is_quiet_for(self, seconds: float) -> bool:
        try:
            said = self.change(seconds)
        except TimeoutError:
            return True
        raise AssertionError(f"unexpected: {said}")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    server = Web(tmp_path)
    try:
        yield server
    finally:
        server.end()
        if connection.vendor == "postgresql":  # its connections would keep Django from emptying the tables
            assert eventually(lambda: server.process.poll() is not None, 5)


def cookie_of(user: User) -> dict[str, str]:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session.session_key}"}


def public_change(event: Event, actor: User) -> int:
    return adjust_clock(actor=actor, on=event.pk, seconds=60).seq or 0


def private_change(event: Event, actor: User) -> int:
    player = event.entries.order_by("pk").first().player
    name = f"Hēmi {time.monotonic_ns()}"
    done = correct_player(
        actor=actor, on=event.pk, player_id=player.pk, name=name, birth_date=dt.date(1990, 1, 1), email="h@example.nz"
    )
    return done.seq or 0


def test_a_change_reaches_all_viewers_within_a_second(web: Web) -> None:
    event, director = make_running_event(2)
    streams = [Stream(web.port, f"event:{event.pk}") for _ in range(3)]
    for stream in streams:
        assert "content-type: text/event-stream; charset=utf-8" in stream.head
        first = stream.message(2)
        assert first["event"] == "beat"
        assert abs(json.loads(first["data"])["now"] / 1000 - time.time()) < 5
    for _ in range(3):
        started = time.monotonic()
        seq = public_change(event, director)
        for stream in streams:
            assert stream.change(2) == {
                "topic": f"event:{event.pk}",
                "seq": seq,
                "touches": TOUCHES,
                "id": seq,
            }
        assert time.monotonic() - started < 1


def test_what_is_not_public_is_told_to_staff_alone(web: Web) -> None:
    event, director = make_running_event(2)
    dealer = make_user("Tama", role=Role.DEALER, series=event.series)
    stranger = make_user("Nobody")
    topic = f"event:{event.pk}"
    public = [Stream(web.port, topic), Stream(web.port, topic, cookie_of(stranger))]
    staff = Stream(web.port, topic, cookie_of(dealer))
    for stream in [*public, staff]:
        assert stream.message(2)["event"] == "beat"

    seq = private_change(event, director)
    told = staff.change(2)
    assert told["seq"] == seq
    assert set(told["touches"]) == {"series.player"}
    assert all(stream.is_quiet_for(0.5) for stream in public)

    later = public_change(event, director)
    for stream in public:
        assert stream.change(2)["touches"] == TOUCHES
    assert staff.change(2)["seq"] == later


def test_the_first_page_learns_that_something_changed_anywhere_and_not_what(web: Web) -> None:
    first, director = make_running_event(2)
    second, other = make_running_event(2, series=make_series())
    stream = Stream(web.port, "home")
    seen = int(stream.message(2)["id"])
    for event, actor in ((first, director), (second, other)):
        private_change(event, actor)
        told = stream.change(3)
        assert told["id"] > seen
        assert set(told["touches"]) <= live.PUBLIC
        seen = told["id"]
    assert stream.is_quiet_for(0.5)

    stream.socket.close()
    public_change(second, other)
    back = Stream(web.port, "home", {"Last-Event-ID": str(seen)})
    assert back.change(2)["id"] > seen


def test_the_first_page_counts_every_stream() -> None:
    assert set(live.feed.STREAMS) == {m._meta.db_table for m in apps.get_models() if issubclass(m, JournalStream)}


def test_the_first_page_hears_of_a_change_that_was_begun_first_and_kept_last(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets one write at a time")
    first, director = make_running_event(2)
    second, other = make_running_event(2, series=make_series())
    stream = Stream(web.port, "home")
    stream.message(2)
    begun, go_on = threading.Event(), threading.Event()
    write_entry = Tx._write_entry

    def slowly(tx: Any, *args: Any, **kwargs: Any) -> Any:
        entry = write_entry(tx, *args, **kwargs)
        if entry.stream == f"event:{first.pk}":
            begun.set()
            assert go_on.wait(10)
        return entry

    def change_first() -> None:
        try:
            public_change(first, director)
        finally:
            connection.close()

    monkeypatch.setattr(Tx, "_write_entry", slowly)
    with ThreadPoolExecutor(1) as desk:
        change = desk.submit(change_first)
        assert begun.wait(10)
        public_change(second, other)
        assert stream.change(3)
        go_on.set()
        change.result()
    assert stream.change(3)


def test_only_known_models_are_public() -> None:
    assert live.all_touches() >= live.PUBLIC
    hidden = {"series.player", "series.ledgerline", "series.idcheck", "accounts.staffrole", "tables.penalty"}
    assert not hidden & live.PUBLIC
    assert hidden <= live.all_touches()


def test_topics_that_one_may_not_see_look_like_none(web: Web) -> None:
    event, director = make_running_event(2)
    draft = make_event(event.series, status=Event.Status.DRAFT)
    hidden = make_event(make_series(published=False))
    staff = cookie_of(director)
    for topic in (f"event:{draft.pk}", f"event:{hidden.pk}", f"series:{event.series_id}", "event:999999"):
        assert Stream(web.port, topic).status == 404
    for topic in ("", "event:", "event:1;drop", "journal:1", "event:-1", "event:12345678901234567890"):
        assert Stream(web.port, topic.replace(";", "%3B")).status == 404
    for topic in (f"event:{draft.pk}", f"series:{event.series_id}"):
        assert Stream(web.port, topic, staff).status == 200
    assert Stream(web.port, f"event:{hidden.pk}", staff).status == 404
    broken = {"Cookie": f"{settings.SESSION_COOKIE_NAME}=made-up"}
    assert Stream(web.port, f"series:{event.series_id}", broken).status == 404


def test_who_comes_back_is_told_at_once_what_they_missed(web: Web) -> None:
    event, director = make_running_event(2)
    topic = f"event:{event.pk}"
    stream = Stream(web.port, topic)
    seen = int(stream.message(2)["id"])
    stream.socket.close()
    public_change(event, director)
    private_change(event, director)
    seq = public_change(event, director)

    back = Stream(web.port, topic, {"Last-Event-ID": str(seen)})
    assert back.message(2)["event"] == "beat"
    assert back.change(1) == {"topic": topic, "seq": seq, "touches": TOUCHES, "id": seq}

    up_to_date = Stream(web.port, topic, {"Last-Event-ID": str(seq)})
    assert up_to_date.message(2)["event"] == "beat"
    assert up_to_date.is_quiet_for(0.5)

    long_gone = Stream(web.port, topic, {"Last-Event-ID": "0"} | cookie_of(director))
    told = long_gone.change(2)
    assert told["seq"] == seq
    assert {"series.event", "tables.clock", "series.player"} <= set(told["touches"])


def test_a_new_page_is_told_at_once_what_changed_since_it_was_made(web: Web) -> None:
    event, director = make_running_event(2)
    topic = f"event:{event.pk}"
    page = Client().get(reverse("event", args=[event.pk])).content.decode()
    event.refresh_from_db()
    assert f'data-live="{topic}" data-live-seq="{event.seq}"' in page
    seq = public_change(event, director)

    fresh = Stream(web.port, f"{topic}&after={event.seq}")  # from the database, as nobody watches it yet
    assert fresh.change(2) == {"topic": topic, "seq": seq, "touches": TOUCHES, "id": seq}
    second = Stream(web.port, f"{topic}&after={event.seq}")
    assert second.change(2)["seq"] == seq
    for known in (f"{seq}", "x", "9" * 30):
        stream = Stream(web.port, f"{topic}&after={known}")
        assert stream.message(2)["event"] == "beat"
        assert stream.is_quiet_for(0.3)
    back = Stream(web.port, f"{topic}&after={event.seq}", {"Last-Event-ID": str(seq)})
    assert back.message(2)["event"] == "beat"
    assert back.is_quiet_for(0.3)


def test_while_the_topic_is_watched_the_missed_changes_come_from_memory(web: Web) -> None:
    event, director = make_running_event(2)
    topic = f"event:{event.pk}"
    watching = Stream(web.port, topic)
    seen = int(watching.message(2)["id"])
    seq = public_change(event, director)
    assert watching.change(2)["seq"] == seq
    for last, touches in ((seen, TOUCHES), (0, sorted(live.PUBLIC))):
        back = Stream(web.port, topic, {"Last-Event-ID": str(last)})
        assert back.change(1) == {"topic": topic, "seq": seq, "touches": touches, "id": seq}


def test_viewers_hold_neither_thread_nor_connection(web: Web) -> None:
    event, director = make_running_event(2)
    topic, staff = f"event:{event.pk}", cookie_of(director)
    streams = [Stream(web.port, topic, staff if n % 2 else {}) for n in range(10)]
    assert all(stream.message(5) for stream in streams)
    threads = web.threads()
    connections = postgres_connections()
    streams += [Stream(web.port, topic, staff if n % 2 else {}) for n in range(200)]
    assert all(stream.message(5) for stream in streams[10:])
    assert web.threads() <= threads
    # the feed has one, and the two threads that look people up one each while they do
    assert web.open_files(".sqlite3") <= 4
    assert eventually(lambda: postgres_connections() <= connections, 2)

    seq = public_change(event, director)
    assert {stream.change(3)["seq"] for stream in streams} == {seq}
    before = web.open_files()
    for stream in streams:
        stream.socket.close()
    assert eventually(lambda: web.open_files() <= before - 200, 5)


def postgres_connections() -> int:
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_server_stops_at_once_with_streams_open(web: Web, how: signal.Signals) -> None:
    event, _ = make_running_event(2)
    streams = [Stream(web.port, f"event:{event.pk}") for _ in range(50)]
    assert all(stream.message(5) for stream in streams)
    started = time.monotonic()
    os.kill(web.process.pid, how)
    web.process.wait(10)
    assert time.monotonic() - started < 2
    assert all(stream.message(1) == {} for stream in streams)
    assert "ERROR" not in web.log.read_text()


def test_the_feed_comes_back_when_its_connection_breaks(web: Web) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no connection that could break")
    event, director = make_running_event(2)
    stream = Stream(web.port, f"event:{event.pk}")
    assert stream.message(2)
    time.sleep(0.5)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = %s AND datname = current_database()",
            [live.feed.NAME],
        )
        assert cursor.fetchall() == [(True,)]
    seq = public_change(event, director)
    assert stream.change(5)["seq"] == seq


# --- without a server: what takes too long to wait for ------------------------------------------------------------


@dataclass
class Phone:
    """The other end of one request: `send` keeps what it is sent, unless it is `stuck`."""

    topic: str
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    status: int = 0
    ended: bool = False
    stuck: bool = False
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if self.stuck:
            await asyncio.Event().wait()
        self.status = message.get("status", self.status)
        self.sent.append(message.get("body", b""))
        self.ended = message["type"] == "http.response.body" and not message.get("more_body", False)

    def visit(self, feed: live.Live) -> "asyncio.Task[None]":
        scope = {"type": "http", "method": "GET", "query_string": f"topic={self.topic}".encode()}
        return asyncio.create_task(feed(scope | {"headers": self.headers}, self.receive, self.send))


def watch(scenario: Callable[[live.Live], Any]) -> None:
    """Run a scenario on a feed of its own and stop that."""

    async def run() -> None:
        feed = live.Live()
        try:
            await asyncio.wait_for(scenario(feed), 20)
        finally:
            feed.stop()
            await asyncio.sleep(0.3)

    with ThreadPoolExecutor(1) as other:  # in this thread a browser may keep a loop of its own
        other.submit(lambda: asyncio.run(run())).result()


def test_a_viewer_who_takes_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SLOW_SECONDS", 0.2)
    monkeypatch.setattr(live, "BEAT_SECONDS", 0.1)
    event = make_event()

    async def scenario(feed: live.Live) -> None:
        phone = Phone(f"event:{event.pk}")
        visit = phone.visit(feed)
        await asyncio.sleep(0.5)
        assert not visit.done()
        phone.stuck = True
        await asyncio.wait_for(visit, 2)
        assert feed.topics == {}

    watch(scenario)


def test_a_staff_page_has_to_show_its_log_in_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "STAFF_SECONDS", 0.5)
    monkeypatch.setattr(live, "BEAT_SECONDS", 0.2)
    event = make_event()
    cookie = cookie_of(make_user(role=Role.FLOOR, series=event.series))["Cookie"].encode()

    async def scenario(feed: live.Live) -> None:
        staff, public = Phone(f"event:{event.pk}", [(b"cookie", cookie)]), Phone(f"event:{event.pk}")
        visits = [staff.visit(feed), public.visit(feed)]
        await asyncio.wait_for(visits[0], 3)
        assert staff.status == 200
        assert staff.ended
        assert not visits[1].done()
        public.left.set()
        await asyncio.wait_for(visits[1], 1)

    watch(scenario)


def test_no_sign_of_life_while_the_journal_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "BEAT_SECONDS", 0.1)
    event = make_event()

    async def broken() -> Any:
        raise OSError("the database is away")

    async def scenario(feed: live.Live) -> None:
        phone = Phone(f"event:{event.pk}")
        visit = phone.visit(feed)
        await asyncio.sleep(0.6)
        beats = b"".join(phone.sent).count(b"event: beat")
        assert beats > 2
        monkeypatch.setattr(live.feed, "open_feed", broken)
        feed._task.cancel()  # type: ignore[union-attr]
        feed._task = asyncio.create_task(feed._follow())
        await asyncio.sleep(0.2)
        phone.sent.clear()
        await asyncio.sleep(0.5)
        assert phone.sent == []
        phone.left.set()
        await visit

    watch(scenario)


def test_the_house_can_be_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_VIEWERS", 1)
    event = make_event()

    async def scenario(feed: live.Live) -> None:
        inside, outside = Phone(f"event:{event.pk}"), Phone(f"event:{event.pk}")
        visit = inside.visit(feed)
        await asyncio.sleep(0.5)
        await outside.visit(feed)
        assert (inside.status, outside.status) == (200, 503)
        inside.left.set()
        await visit

    watch(scenario)
