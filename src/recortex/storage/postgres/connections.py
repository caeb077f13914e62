"""Connections to one server: a thread takes one and gives it back.

They are made by the thread that needs one, so that it learns why none can be made, and there are no
threads of a pool that a fork would lose or an exit would wait for: `psycopg_pool` makes them in the
background, where a server that is away looks to the caller like a pool that is too small, after a minute.
"""

from __future__ import annotations

import os
import select
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from recortex.errors import StoreBusyError, StoreUnavailableError

if TYPE_CHECKING:
    from psycopg import Connection

CONNECT_SECONDS = 10
"""How long making a connection may take."""
KEPT_ALIVE: dict[str, int] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""So that a connection that a firewall has forgotten is known to be lost after half a minute, not after
hours."""

ALWAYS: dict[str, str] = {"client_encoding": "utf8"}
"""What neither the URL nor the environment (`PGCLIENTENCODING`) may say otherwise: texts are Unicode."""


def connect(conninfo: str, *, cursor: type[Any] = psycopg.Cursor) -> Connection[Any]:
    """A connection of its own; what the URL says of time limits wins.

    Raises:
        psycopg.OperationalError: none could be made.
        psycopg.ProgrammingError: the URL cannot be read; what it says may quote the URL, and is not to be
        shown.
    """
    given = conninfo_to_dict(conninfo)
    limits = {"connect_timeout": CONNECT_SECONDS, **KEPT_ALIVE}
    more: dict[str, Any] = {
        **{name: value for name, value in limits.items() if name not in given},
        **ALWAYS,
    }
    return psycopg.connect(conninfo, autocommit=True, cursor_factory=cursor, **more)


class Turns:
    """A fair semaphore: a place that is given back goes to whoever waited longest.

    With `threading.Semaphore`, four threads that read without pause kept a fifth from writing for a minute.
    """

    def __init__(self, size: int) -> None:
        self._lock = threading.Lock()
        self._left = size
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, timeout: float) -> bool:
        """Wait for a place, so many seconds at most; False where none came free."""
        with self._lock:
            if self._left:
                self._left -= 1
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            turn.wait(timeout)
        except BaseException:
            if self._is_given(turn):
                self.release()
            raise
        return self._is_given(turn)

    def _is_given(self, turn: threading.Event) -> bool:
        """Whether a place was handed over, even at the last moment; a thread without one stops waiting."""
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
            return turn.is_set()

    def release(self) -> None:
        """Give a place back."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._left += 1


class Connections:
    """At most so many connections; those that are given back are used again, the last one first.

    Args:
        conninfo: how to reach the server.
        settings: statements that a new connection begins with.
        size: connections at most.
        patience: seconds to wait for one while all are in use.
    """

    def __init__(self, conninfo: str, settings: sql.Composed, *, size: int, patience: float) -> None:
        self.size = size
        self._conninfo = conninfo
        self._settings = settings
        self._patience = patience
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._free = Turns(self.size)
        self._idle: list[Connection[Any]] = []
        self._closed = False
        self._at_exit = weakref.finalize(self, _close_all, self._idle, self._process)

    def take(self) -> Connection[Any]:
        """A connection that was alive a moment ago.

        Raises:
            StoreBusyError: all were in use for too long.
            StoreUnavailableError: the store was closed.
            psycopg.OperationalError: the server cannot be reached.
        """
        if self._process != os.getpid():
            self._forked()
        if self._closed:
            raise StoreUnavailableError("The store was closed.", hint="Open it again.")
        if not self._free.acquire(timeout=self._patience):
            raise StoreBusyError(
                f"All {self.size} connections of this process were in use for {self._patience:.0f} s.",
                hint="Raise the setting postgres.connections, or use fewer threads.",
            )
        try:
            return self._alive() or self._new()
        except BaseException:
            self._free.release()
            raise

    def give(self, connection: Connection[Any]) -> None:
        """Give one back; one that is lost, or in the midst of something, is closed."""
        if self._process != os.getpid():
            return
        if connection.info.transaction_status is TransactionStatus.IDLE and not self._closed:
            self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Close those that are idle now, and the others when they are given back."""
        self._closed = True
        if self._process == os.getpid():
            self._at_exit()

    def _alive(self) -> Connection[Any] | None:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was quicker
                return None
            if not _told_something(connection):
                return connection
            connection.close()
        return None

    def _new(self) -> Connection[Any]:
        made = connect(self._conninfo, cursor=psycopg.RawCursor)
        try:
            made.execute(self._settings)
        except BaseException:
            made.close()
            raise
        return made

    def _forked(self) -> None:
        """The connections are the parent's: closing them here would end its sessions."""
        self._at_exit.detach()
        closed = self._closed
        self._start()
        self._closed = closed


def _told_something(connection: Connection[Any]) -> bool:
    """Whether an idle connection has something to read: a server or a firewall has ended it."""
    if connection.closed:
        return True
    poll = getattr(select, "poll", None)
    if poll is None:
        return bool(select.select([connection.fileno()], [], [], 0)[0])
    polled = poll()
    polled.register(connection.fileno(), select.POLLIN)
    return bool(polled.poll(0))


def _close_all(idle: list[Connection[Any]], process: int) -> None:
    while idle and os.getpid() == process:
        idle.pop().close()
