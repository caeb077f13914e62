"""The file of a store and what stands beside it: its log, the log's index, the marks of a recovery."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recortex.errors import CorruptStoreError

if TYPE_CHECKING:
    from pathlib import Path

MEMORY = ":memory:"
Identity = tuple[int, int] | None
"""Device and number of a file; None where there is none."""

_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
"""Bytes of a file on which SQLite holds its shared lock (os_unix.c)."""


def left_behind(path: Path) -> None:
    """Refuse to open a store that has to be recovered first: opening would remove the signs of it.

    Raises:
        CorruptStoreError: the log is there without its store, or a recovery was interrupted.
    """
    if str(path) == MEMORY:
        return
    if path.with_name(f"{path.name}.recovered").exists():
        raise CorruptStoreError(f"A recovery of the store {path} was interrupted before its end.")
    log = path.with_name(f"{path.name}-wal")
    if _size(log) and not _size(path):
        raise CorruptStoreError(
            f"The store {path} is gone or empty, while its write-ahead log is still there."
        )


def in_use(path: Path) -> bool:
    """Whether another process has a store open. This one must not have it open: looking would drop its locks.

    SQLite holds a shared lock on these bytes of the file for as long as it is open (os_unix.c); elsewhere
    nothing is known.
    """
    if os.name != "posix" or not path.exists():
        return False
    import fcntl

    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except OSError:
            return True
    return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def sides(path: Path) -> tuple[Identity, Identity]:
    """The write-ahead log and its index."""
    return identity(path.with_name(f"{path.name}-wal")), identity(path.with_name(f"{path.name}-shm"))


def identity(path: Path) -> Identity:
    """Which file has this name now."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
