"""A way to a server that can be cut after any byte.

Reset, closed on one side, or silent for a while and then gone.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WAYS = ("reset", "close", "half", "stall")
STALL_SECONDS = 0.7


class Proxy:
    """Hands bytes on between a port of this machine and a server's socket.

    Args:
        target: the socket's file.
        how: what happens, see `WAYS`.
        at: after so many bytes, both directions together.
        times: how many connections it happens to, one after the other.
    """

    def __init__(self, target: str, how: str, at: int, times: int) -> None:
        self._target, self._how, self._at, self._times = target, how, at, times
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._ended = False
        self.passed = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._ended = True
        self._listening.close()

    def _serve(self) -> None:
        while not self._ended:
            with suppress(OSError):
                near, _ = self._listening.accept()
                threading.Thread(target=self._hand_on, args=(near,), daemon=True).start()

    def _hand_on(self, near: socket.socket) -> None:
        far = socket.socket(socket.AF_UNIX)
        with near, far, suppress(OSError):
            far.connect(self._target)
            while not self._ended:
                for source in select.select([near, far], [], [], 0.5)[0]:
                    data = source.recv(65536)
                    if not data or not self._passes(data, near, far, source):
                        return

    def _passes(self, data: bytes, near: socket.socket, far: socket.socket, source: socket.socket) -> bool:
        """Hand data on; False where it was cut."""
        other = far if source is near else near
        left = self._at - self.passed
        self.passed += len(data)
        if left > len(data) or not self._times:
            other.sendall(data)
            return True
        self._times -= 1
        self.passed = 0
        other.sendall(data[: max(left, 0)])
        self._break(near, far)
        return False

    def _break(self, near: socket.socket, far: socket.socket) -> None:
        if self._how == "stall":
            time.sleep(STALL_SECONDS)
        if (
            self._how == "half"
        ):  # the server hears that nothing more comes; the client is told nothing for a while
            far.shutdown(socket.SHUT_WR)
            time.sleep(STALL_SECONDS)
        if self._how in {"reset", "stall"}:
            near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@contextmanager
def proxied(target: str, how: str, at: int, times: int) -> Iterator[Proxy]:
    """A proxy for a while."""
    proxy = Proxy(target, how, at, times)
    try:
        yield proxy
    finally:
        proxy.close()
