"""The live feed: tells open pages, by Server-Sent Events, that something they show has changed. Pages then fetch it.

    GET /live/?topic=event:12         public for published events, all of it for the series' staff
    GET /live/?topic=series:3         staff only
    GET /live/?topic=home             anybody; that something changed somewhere, not what

    id: 45
    event: change
    data: {"topic":"event:12","seq":45,"touches":["series.entry","tables.seat"]}

`event: beat` comes at once and then every 15 seconds. Who comes back with `Last-Event-ID`, or for the first time with
`&after=44`, the seq their page was made from, is told what they missed.

This is a bare ASGI application before Django: a stream within Django would hold a thread, and a query in it a database
connection, for as long as the phone is on. Who asks is looked at once, in a thread that lets go of its connection; from
then on a stream is an event to wait for and a number. One task per process reads the journal for all of them.
"""

import asyncio
import json
import logging
import random
import re
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from urllib.parse import parse_qs

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user
from django.db import connections
from django.http import Http404, HttpRequest, parse_cookie
from django.utils.module_loading import import_string

from config import feed
from journal.models import Journaled, JournalEntry
from series.models import Event, Series

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

BEAT_SECONDS = 15.0
SLOW_SECONDS = 20.0  # a viewer who takes nothing for so long is let go
STAFF_SECONDS = 900.0  # after which a staff page has to come back, and its log-in is looked at again
TRUST_SECONDS = 5.0  # how long "this event is published" is believed without asking the database
MOST_VIEWERS = 20_000
KEPT_ENTRIES = 200
SLICE = 500  # viewers woken in one go, so that other requests get their turn in between

# The models whose changes anybody may learn of. What is not named here is told to staff alone.
PUBLIC = frozenset({
    "series.event", "series.day", "series.level", "series.registration", "series.entry", "series.payout",
    "tables.table", "tables.seat", "tables.move", "tables.draw", "tables.clock", "tables.elimination", "tables.bust",
    "tables.handforhand",
    "tables.actionclock", "tables.hallmessage", "tables.display",
    "rulings.rulebookversion",
})  # fmt: skip


@dataclass(frozen=True)
class Access:
    """What a viewer may learn (None: all of it), and the seq up to which they know the stream."""

    allowed: frozenset[str] | None
    seq: int
    missed: frozenset[str] = frozenset()


@dataclass(eq=False)
class Viewer:
    allowed: frozenset[str] | None
    seq: int
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    gone: bool = False


@dataclass
class Topic:
    """A stream that somebody watches: its latest seq, its last entries, and who watches."""

    name: str
    seq: int
    recent: deque[feed.Entry] = field(default_factory=lambda: deque(maxlen=KEPT_ENTRIES))
    viewers: set[Viewer] = field(default_factory=set)
    looked_at: bool = False
    public_until: float = 0.0
    _messages: dict[tuple[int, bool], bytes] = field(default_factory=dict)

    def grow(self, entry: feed.Entry) -> None:
        if entry.seq > self.seq:
            self.seq = entry.seq
            self.recent.append(entry)
            self._messages.clear()

    def remembers(self, seq: int) -> bool:
        """Whether all that came after `seq` is among the last entries."""
        return seq >= self.seq or bool(self.recent and self.recent[0].seq <= seq + 1)

    def message(self, viewer: Viewer) -> bytes:
        """What a viewer has to be told; nothing if nothing concerns them. Made once for all who know the same."""
        key = (viewer.seq, viewer.allowed is None)
        if key not in self._messages:
            touches = frozenset().union(*(entry.touches for entry in self.recent if entry.seq > viewer.seq))
            if not self.remembers(viewer.seq):
                touches = all_touches()
            self._messages[key] = change(self.name, self.seq, touches, viewer.allowed)
        return self._messages[key]


def all_touches() -> frozenset[str]:
    """What is told when too much has happened to say what; "*" stands for single rows."""
    return frozenset({"*"} | {model._meta.label_lower for model in apps.get_models() if issubclass(model, Journaled)})


def change(topic: str, seq: int, touches: frozenset[str], allowed: frozenset[str] | None) -> bytes:
    told = touches if allowed is None else touches & allowed
    if not told:
        return b""
    data = json.dumps({"topic": topic, "seq": seq, "touches": sorted(told)}, separators=(",", ":"))
    return f"id: {seq}\nevent: change\ndata: {data}\n\n".encode()


def beat(seq: int) -> bytes:
    return f'id: {seq}\nevent: beat\ndata: {{"now":{time.time() * 1000:.0f}}}\n\n'.encode()


# --- who asks (in a thread) ---------------------------------------------------------------------------------------


def look_up(topic: str, cookies: str, last_seen: int | None) -> Access:
    """What whoever sent these cookies may learn of a topic.

    Raises:
        Http404: nothing, or there is no such thing.
    """
    try:
        return _with_missed(topic, _allowed(topic, cookies), last_seen)
    finally:
        connections.close_all()


def _allowed(topic: str, cookies: str) -> frozenset[str] | None:
    if topic == feed.HOME:
        return PUBLIC
    kind, pk = topic.split(":")
    subject = {"event": Event, "series": Series}[kind]._default_manager.filter(pk=pk).first()
    if subject is None:
        raise Http404
    user = _user(cookies)
    if user is not None and user.permissions_in(subject.staff_series_id):
        return None
    if not getattr(subject, "is_public", False):
        raise Http404
    return PUBLIC


def _user(cookies: str) -> Any:
    key = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    request = HttpRequest()
    request.session = import_string(f"{settings.SESSION_ENGINE}.SessionStore")(key)
    user = get_user(request)
    return user if user.is_authenticated else None


def _with_missed(topic: str, allowed: frozenset[str] | None, last_seen: int | None) -> Access:
    if topic == feed.HOME:
        with connections["default"].cursor() as cursor:
            cursor.execute(feed.LATEST)
            latest = cursor.fetchone()[0]
        return Access(allowed, latest, frozenset() if last_seen in (None, latest) else feed.anything(latest).touches)
    entries = JournalEntry.objects.filter(stream=topic)
    seq = entries.order_by("-seq").values_list("seq", flat=True).first() or 0
    if last_seen is None or last_seen >= seq:
        return Access(allowed, seq)
    if seq - last_seen > KEPT_ENTRIES:
        return Access(allowed, seq, all_touches())
    later = entries.filter(seq__gt=last_seen, seq__lte=seq).values_list("touches", flat=True)
    return Access(allowed, seq, frozenset().union(*later))


# --- the streams --------------------------------------------------------------------------------------------------


class Live:
    """The feed of one process: its topics, the task that reads the journal, and the streams it answers."""

    def __init__(self) -> None:
        self.topics: dict[str, Topic] = {}
        self._viewers = 0
        self._stopping = False
        self._following = False  # whether the journal can be read just now
        self._task: asyncio.Task[None] | None = None
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="live")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        topic = query.get("topic", [""])[0]
        if scope["method"] != "GET":
            await refuse(send, 405)
        elif not re.fullmatch(rf"{feed.HOME}|(event|series):[1-9][0-9]{{0,17}}", topic):
            await refuse(send, 404)
        elif self._stopping or self._viewers >= MOST_VIEWERS:
            await refuse(send, 503)
        else:
            try:
                access = await self._access(topic, scope, query.get("after", [""])[0])
            except Http404:
                await refuse(send, 404)
            else:
                await self._stream(topic, access, receive, send)

    async def _access(self, name: str, scope: Message, after: str) -> Access:
        headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
        cookies = headers.get(b"cookie", "")
        last = headers.get(b"last-event-id", after)
        last_seen = int(last) if last.isdecimal() and len(last) < 19 else None
        topic = self.topics.get(name)
        if topic and topic.public_until > time.monotonic() and settings.SESSION_COOKIE_NAME not in cookies:
            # after a break of the network a whole hall comes back at once: no need to ask the database for each
            seq = topic.seq if last_seen is None else min(last_seen, topic.seq)
            return Access(PUBLIC, seq)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, look_up, name, cookies, last_seen)

    async def _stream(self, name: str, access: Access, receive: Receive, send: Send) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._follow())
        viewer = Viewer(access.allowed, access.seq)
        topic = self.topics.setdefault(name, Topic(name, access.seq))
        topic.viewers.add(viewer)
        if access.allowed is PUBLIC:
            topic.public_until = time.monotonic() + TRUST_SECONDS
        self._viewers += 1
        watch = asyncio.create_task(until_gone(receive, viewer))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            first = change(name, access.seq, access.missed, access.allowed)
            await say(send, f"retry: {random.randint(1000, 4000)}\n\n".encode() + beat(viewer.seq) + first)
            await self._tell(topic, viewer, send)
            await say(send, b"", more=False)
        except (TimeoutError, OSError) as error:
            logger.info("Let go of a viewer: %r", error)
        finally:
            watch.cancel()
            self._viewers -= 1
            topic.viewers.discard(viewer)
            if not topic.viewers and self.topics.get(name) is topic:
                del self.topics[name]

    async def _tell(self, topic: Topic, viewer: Viewer, send: Send) -> None:
        """Keep one viewer informed until they go, the server stops, or a staff page has to show its log-in again."""
        end = time.monotonic() + STAFF_SECONDS if viewer.allowed is None else None
        pause = random.uniform(BEAT_SECONDS / 2, BEAT_SECONDS)  # so that not all beats come in the same moment
        while not (viewer.gone or self._stopping or (end and time.monotonic() > end)):
            viewer.wake.clear()
            if topic.seq > viewer.seq:
                message = topic.message(viewer)
                viewer.seq = topic.seq
                if message:
                    await say(send, message)
                continue
            try:
                async with asyncio.timeout(pause):
                    await viewer.wake.wait()
            except TimeoutError:
                pause = BEAT_SECONDS
                if self._following:  # without the journal no sign of life: the pages then look for themselves
                    await say(send, beat(viewer.seq))

    async def _follow(self) -> None:
        """Read the journal for all viewers of this process, whatever happens to the database in between."""
        while not self._stopping:
            source: feed.Feed | None = None
            try:
                source = await feed.open_feed()
                while not self._stopping:
                    changed = await source.wait()
                    self._following = True
                    await self._spread(source, changed)
            except feed.ERRORS as error:
                logger.warning("The live feed cannot read the journal, and tries again: %s", error)
                await asyncio.sleep(1)
            finally:
                self._following = False
                if source is not None:
                    await source.close()

    async def _spread(self, source: feed.Feed, changed: frozenset[str] | None) -> None:
        """Look for new entries in the topics that may have some, and wake who watches them."""
        suspects = [
            topic
            for topic in self.topics.values()
            # an entry can come between the moment when the first viewer is looked up and the topic's first look
            if changed is None or topic.name in changed or not topic.looked_at or (changed and topic.name == feed.HOME)
        ]
        if not suspects:
            return
        known = {topic.name: topic.seq for topic in suspects}
        for entry in await source.after(known):
            if topic := self.topics.get(entry.stream):
                topic.grow(entry)
        for topic in suspects:
            topic.looked_at = True
            if topic.seq > known[topic.name]:
                await wake(topic.viewers)

    async def lifespan(self, receive: Receive, send: Send) -> None:
        """Speak the server's protocol of starting and stopping."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._hear_signals()
                await send({"type": "lifespan.startup.complete"})
            else:
                self.stop()
                if self._task is not None:
                    await asyncio.wait([self._task], timeout=2)
                await send({"type": "lifespan.shutdown.complete"})
                return

    def stop(self) -> None:
        """End every stream; nothing starts any more."""
        self._stopping = True
        for topic in self.topics.values():
            for viewer in topic.viewers:
                viewer.wake.set()

    def _hear_signals(self) -> None:
        """End the streams as soon as the server is told to stop: it waits for them before it says so by lifespan."""
        loop = asyncio.get_running_loop()

        def passing_on(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.stop)
            before[number](number, frame)

        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        before: dict[int, Callable[[int, FrameType | None], Any]] = {
            number: handler for number, handler in handlers.items() if callable(handler)
        }
        for number in before:
            signal.signal(number, passing_on)


HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would keep the messages until it has a few kilobytes
    (b"x-content-type-options", b"nosniff"),
    (b"connection", b"close"),
]


async def say(send: Send, body: bytes, *, more: bool = True) -> None:
    async with asyncio.timeout(SLOW_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": more})


async def refuse(send: Send, status: int) -> None:
    headers = [(b"content-length", b"0"), (b"cache-control", b"no-store"), (b"retry-after", b"10")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body"})


async def until_gone(receive: Receive, viewer: Viewer) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    viewer.gone = True
    viewer.wake.set()


async def wake(viewers: set[Viewer]) -> None:
    for number, viewer in enumerate(list(viewers), 1):
        viewer.wake.set()
        if number % SLICE == 0:
            await asyncio.sleep(0)
