"""How a hook asks a running server, whose model is loaded: a local socket that only its owner can reach.

There is none where the system has no such sockets; the hook then answers by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.domain.hook_event import HookEvent
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 512 * 1024
"""Bytes of an event or an answer."""
PATIENCE = 1.0
"""Seconds that a server waits for the rest of what a hook says."""
_NEWEST = 3  # servers of a store that a hook tries at most
_SHORTEST = 0.001  # seconds: a timeout of 0 would make the socket non-blocking


def folder() -> Path | None:
    """Where the sockets of this person are; None where there cannot be any, or somebody else made the folder.

    Not in the store's folder: a socket's path must be shorter than most projects' are.
    """
    if not hasattr(socket, "AF_UNIX") or os.name != "posix":
        return None
    place = Path(f"/tmp/recortex-{os.getuid()}")  # noqa: S108  it must be ours alone, which is checked
    with contextlib.suppress(OSError):
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return place
    return None


def _key(store: str) -> str:
    return hashlib.sha256(store.encode()).hexdigest()[:16]


class Relay:
    """Answers the hooks of one store.

    Args:
        store: its URL or file, which hooks know it by.
        answer: gives the text for an event; called by one thread at a time.
    """

    def __init__(self, store: str, answer: Callable[[HookEvent], str]) -> None:
        self._answer = answer
        self._path: Path | None = None
        place = folder()
        if place is not None:
            path = place / f"{_key(store)}-{os.getpid()}.sock"
            with contextlib.suppress(OSError):  # such as a full disk: hooks then answer by themselves
                path.unlink(missing_ok=True)
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                self._socket.bind(str(path))
                path.chmod(0o600)
                self._socket.listen(16)
                threading.Thread(target=self._serve, name="relay", daemon=True).start()
                self._path = path

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # closed
            # Whatever fails, the hook answers by itself, and the next one is to be served.
            with connection, contextlib.suppress(Exception):
                said = _parse_event(_received(connection, PATIENCE))
                if said is not None:
                    connection.sendall(json.dumps({"text": self._answer(said)}).encode())

    def close(self) -> None:
        """Listen no more."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            # Closing alone does not end the thread that waits for a hook.
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()


def ask(store: str, event: HookEvent, *, seconds: float) -> str | None:
    """What a running server of the store answers; None where none does, in time and in this version."""
    for path in _listening(store):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            try:
                connection.connect(str(path))
                connection.sendall(json.dumps({"version": __version__, "event": asdict(event)}).encode())
                connection.shutdown(socket.SHUT_WR)
                answer = json.loads(_received(connection, seconds))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)  # its server died
                continue
            except (OSError, ValueError, RecursionError):
                return None
        text = answer.get("text") if isinstance(answer, dict) else None
        return text if isinstance(text, str) else None
    return None


def _listening(store: str) -> Iterator[Path]:
    place = folder()
    if place is None:
        return
    found = []
    for path in place.glob(f"{_key(store)}-*.sock"):
        with contextlib.suppress(OSError):
            found.append((path.stat().st_mtime, path))
    yield from [path for _, path in sorted(found, reverse=True)][:_NEWEST]


def _received(connection: socket.socket, seconds: float) -> bytes:
    """All that comes until the other side ends.

    Raises:
        TimeoutError: it took longer, all in all.
    """
    parts = bytearray()
    end = time.monotonic() + seconds
    while len(parts) <= LONGEST:
        connection.settimeout(max(_SHORTEST, end - time.monotonic()))
        part = connection.recv(65_536)
        if not part:
            break
        if time.monotonic() > end:
            raise TimeoutError
        parts += part
    return bytes(parts)


def _parse_event(raw: bytes) -> HookEvent | None:
    """The event of a hook of the same version: only then do both understand it alike."""
    try:
        given: Any = json.loads(raw)
        if given["version"] != __version__:
            return None
        event = given["event"]
        return HookEvent(**{**event, "files": tuple(event["files"]), "replaced": tuple(event["replaced"])})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
