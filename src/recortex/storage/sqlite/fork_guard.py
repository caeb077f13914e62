"""Keeps a store's connections closed while a process forks.

Readers pass a guard that is shut before a fork, and whenever no connection may be open.

SQLite keeps what it knows of a file's locks in the process's memory. A child that inherits this, but not
the locks, which belong to the process (POSIX), takes for locked what is not: another process then folds
the log in and removes it while the child writes into it, and the file is damaged
(https://www.sqlite.org/howtocorrupt.html, section 2.6). So nothing is open while a process forks;
`subprocess` does not come by here, since it ends in another program.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

FORK_SECONDS = 5.0
"""How long a fork waits for what other threads do in a store."""


class ForkGuard:
    """Lets readers through unless it is shut; who shuts it waits for those who are inside."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._shut = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Wait until it is open; it is not shut while inside."""
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def shut(self, seconds: float | None = None) -> bool:
        """Shut it when nobody is inside any more; False where that took too long."""
        with self._changed:
            done = self._changed.wait_for(lambda: not (self._inside or self._shut), seconds)
            self._shut = self._shut or done
            return done

    def open(self) -> None:
        """Let them through again."""
        with self._changed:
            self._shut = False
            self._changed.notify_all()


class Open(Protocol):
    """What has connections that no fork may meet open."""

    def before_fork(self) -> None:
        """Close them."""

    def after_fork(self, *, child: bool) -> None:
        """Open them again when they are asked for."""


_all: weakref.WeakSet[Open] = weakref.WeakSet()
_put_away: list[Open] = []
_one_fork = threading.Lock()


def watch(one: Open) -> None:
    """Have it put its connections away before each fork, for as long as it lives."""
    _all.add(one)


def _before() -> None:
    _one_fork.acquire(timeout=FORK_SECONDS)
    _put_away[:] = list(_all)
    for one in _put_away:
        one.before_fork()


def _after(*, child: bool) -> None:
    while _put_away:
        _put_away.pop().after_fork(child=child)
    with suppress(RuntimeError):  # `_before` did not get the lock in time
        _one_fork.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before,
        after_in_parent=lambda: _after(child=False),
        after_in_child=lambda: _after(child=True),
    )
