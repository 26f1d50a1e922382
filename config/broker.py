"""The embedded Celery broker: kombu's filesystem transport made safe for several processes at once.

The stock transport opens a message under its final name before it writes it, and rewrites its table of
bindings in place. A reader that comes in between finds half a file, and the worker ends with an unrecoverable
error. Here everything is written under a temporary name and renamed, and a message belongs to whoever removes
its file.
"""

import fcntl
import json
import logging
import os
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.transport.filesystem import exchange_queue_t as Binding

logger = logging.getLogger(__name__)


def _write_whole(path: Path, value: Any) -> None:
    """Make `path` hold `value` as JSON; no other process ever sees a part of it."""
    temporary = path.with_name(f".{uuid.uuid4().hex}")
    try:
        temporary.write_bytes(json.dumps(value).encode())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ChannelError(f"Cannot write {path}: {error}") from error


def _read_whole(path: Path) -> Any:
    """What `path` holds; None if there is no such file or it is damaged (a power cut leaves it empty)."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        logger.warning("Ignored a damaged file of the broker: %s", path.name)
        return None


class Channel(filesystem.Channel):
    """One file per message, in `data_folder_in` (= `data_folder_out`); one of bindings per exchange."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting: dict[str, deque[Path]] = {}

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        _write_whole(Path(self.data_folder_out) / name, payload)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        # listed once per backlog, not once per message: a long backlog would take quadratic time
        waiting = self._waiting.get(queue) or deque(self._listed(queue))
        self._waiting[queue] = waiting
        while waiting:
            path = waiting.popleft()
            payload = _read_whole(path)
            try:
                path.unlink()
            except FileNotFoundError:
                continue  # another consumer was quicker: a message belongs to whoever removes its file
            if payload is not None:
                return payload
        raise Empty

    def _listed(self, queue: str) -> Iterator[Path]:
        folder = Path(self.data_folder_in)
        return (folder / name for name in sorted(os.listdir(folder)) if name.partition(".")[2] == f"{queue}.msg")

    def get_table(self, exchange: str) -> list[Binding]:  # type: ignore[override]
        return [Binding(*row) for row in _read_whole(self._bindings(exchange)) or []]

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str) -> None:
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._locked_bindings():
            rows = self.get_table(exchange)
            if binding not in rows:
                _write_whole(self._bindings(exchange), [binding, *rows])

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        self._purge(queue)
        binding = Binding(routing_key or "", pattern or "", queue or "")
        with self._locked_bindings():
            rows = self.get_table(exchange)
            if binding in rows:
                _write_whole(self._bindings(exchange), [row for row in rows if row != binding])

    def _bindings(self, exchange: str) -> Path:
        return Path(self._exchange_file(exchange))  # type: ignore[attr-defined]

    @contextmanager
    def _locked_bindings(self) -> Iterator[None]:
        self.control_folder.mkdir(parents=True, exist_ok=True)
        with open(self.control_folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    """Named by `CELERY_BROKER_TRANSPORT` when the broker is `filesystem://`."""

    Channel = Channel
