"""One process at a time: a lock that the operating system takes back when its holder dies."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Hold the lock of a file while inside; False where another process holds it. Nobody waits.

    The file stays; it holds the process's number, for people who look.

    Raises:
        OSError: the file cannot be made.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        held = _try(handle)
        if held:
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        yield held
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # Windows alone
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
