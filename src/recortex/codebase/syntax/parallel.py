"""Reads many files of code in several processes, where there is so much that it pays.

The processes are started anew, as any other program is, and not forked: they share no connection, lock or
thread with the one that asks, which may be a server or a hook's. Each is asked by a thread of its own. What a
process was reading when it ended is given to another one, once; a file that ends two is left out.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

import msgspec

from recortex.codebase.syntax.kept_facts import VERSION
from recortex.codebase.syntax.making import Made, Request, at_once, made, receive, send
from recortex.codebase.syntax.working_tree import ENDED

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST = 256 * 1024
"""Bytes that are read before any is started: most files may be known already, as in another worktree."""
AHEAD = 12
"""Files for each process that wait for it or are read."""
STUCK = 15.0
"""Seconds that a process may take for a file; reading stops itself within one."""
_COMMAND = (sys.executable, "-P", "-m", "recortex.codebase.syntax.making")
_answer: Callable[[bytes], Made | None] = msgspec.msgpack.Decoder(Made | None).decode


class _LostError(Exception):
    """A process ended before it answered."""


class _UnusableError(Exception):
    """No process can be started that answers."""


class Readers:
    """So many processes that read files; they are started when there is something for them.

    Args:
        count: of processes.
    """

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, "recortex-code")
        self._room = threading.BoundedSemaphore(count * AHEAD)
        self._own = threading.local()
        self._processes: list[_Process] = []
        self._begun, self._usable = 0, True
        self._starting, self._closed = threading.Lock(), False

    def read(self, path: str, data: bytes) -> Callable[[], Made]:
        """Give a file to a process; returns what waits for the result."""
        self._begun += len(data)
        if self._begun <= FIRST or not self._usable:
            return at_once(path, data)
        while not self._room.acquire(timeout=STUCK):
            self._end_stuck()
        future = self._threads.submit(self._ask, path, data)
        future.add_done_callback(lambda _: self._room.release())

        def result() -> Made:
            while True:
                try:
                    return future.result(STUCK) or made(path, data)
                except TimeoutError:
                    self._end_stuck()

        return result

    def _ask(self, path: str, data: bytes) -> Made | None:
        """What a process says of a file; None: the one that asks is to read it."""
        if not self._usable:
            return None
        for _ in range(2):
            try:
                return self._process().ask(path, data)
            except _LostError:
                self._own.process = None
            except _UnusableError:
                self._own.process, self._usable = None, False
                return None
        return Made(ENDED)

    def _process(self) -> _Process:
        """That of this thread."""
        if getattr(self._own, "process", None) is None:
            with self._starting:
                if self._closed:  # closing waits for this thread, which is to begin nothing anew
                    raise _UnusableError
                self._own.process = _Process()
                self._processes.append(self._own.process)
        return cast("_Process", self._own.process)

    def _end_stuck(self) -> None:
        for process in list(self._processes):
            if process.busy_since < time.monotonic() - STUCK:
                process.kill()

    def close(self) -> None:
        """End all processes."""
        with self._starting:
            self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._processes):
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            process.close()


class _Process:
    """A process that reads files.

    Attributes:
        busy_since: when it was given a file, on the monotonic clock; infinite while it has none.

    Raises:
        _UnusableError: it cannot be started.
    """

    def __init__(self) -> None:
        self.busy_since = float("inf")
        self._greeted = False
        try:
            self._process = subprocess.Popen(  # noqa: S603
                _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise _UnusableError from error
        self._to = cast("BinaryIO", self._process.stdin)
        self._from = cast("BinaryIO", self._process.stdout)

    def ask(self, path: str, data: bytes) -> Made | None:
        self.busy_since = time.monotonic()
        try:
            self._greet()
            send(self._to, Request(path, data))
            return _answer(receive(self._from))
        except (EOFError, OSError, msgspec.DecodeError) as error:
            self.close()
            raise _LostError from error
        finally:
            self.busy_since = float("inf")

    def _greet(self) -> None:
        """Hear whether it is one of ours."""
        if self._greeted:
            return
        try:
            self._greeted = msgspec.msgpack.decode(receive(self._from)) == VERSION
        except (EOFError, OSError, msgspec.DecodeError):
            self._greeted = False
        if not self._greeted:
            self.close()
            raise _UnusableError

    def kill(self) -> None:
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End it, from the thread that asks it or after that thread."""
        self.kill()
        self._process.wait()
        for pipe in (self._to, self._from):
            with suppress(OSError):
                pipe.close()
