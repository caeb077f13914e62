"""One process at a time: a lock that the operating system takes back when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_POLL = 0.01  # seconds between two tries


@contextmanager
def alone(path: Path, *, patience: float = 0.0) -> Iterator[bool]:
    """Hold the lock of a file while inside; False where another process holds it for longer than `patience`.

    The file stays; it says which process has the lock, for people: nothing depends on that.

    Args:
        path: the lock's file, made when it is not there.
        patience: seconds to wait.

    Raises:
        OSError: the file cannot be made, or is a symbolic link.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        held = _acquire(handle, time.monotonic() + patience)
        if held:
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        yield held
    finally:
        os.close(handle)


def _acquire(handle: int, deadline: float) -> bool:
    while not _try_lock(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL)
    return True


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
