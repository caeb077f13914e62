"""Opening a store that cannot be written: the disk is full, or its folder may only be read.

SQLite reads a write-ahead log through an index that it makes beside it (`-shm`). Where that cannot be made, a
file without a log is read as one that nobody changes, and a log is read through an index in memory, which
SQLite only keeps where it asks nobody for locks. Both hold as long as the files stay as they are; so whoever
reads like this looks before each query whether they did.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import apsw

from recortex.lean import NamedTuple
from recortex.storage.sqlite.connection import load_vectors

if TYPE_CHECKING:
    from pathlib import Path

_PRAGMAS = """
PRAGMA query_only = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -64000;
PRAGMA trusted_schema = OFF;
"""


class Seen(NamedTuple):
    """The files of a store as they were: size and time of change of the file and of its log."""

    file: tuple[int, int]
    log: tuple[int, int]


def snapshot_files(path: Path) -> Seen:
    """The files of a store as they are now."""
    return Seen(_state(path), _state(path.with_name(f"{path.name}-wal")))


def connect_reading(path: Path, *, vectors: bool) -> apsw.Connection:
    """A connection that writes nothing, neither to the store nor beside it.

    Args:
        path: the database's file, which is there.
        vectors: whether to load sqlite-vec.

    Raises:
        apsw.Error: the file cannot be read either.
    """
    log = snapshot_files(path).log[0]
    how = _WITHOUT_LOCKS if log and os.name == "posix" else "" if log else "&immutable=1"
    connection = apsw.Connection(
        f"file:{quote(os.fsencode(path))}?mode=ro{how}",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
    )
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        if log:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()  # the index stays in memory
        connection.execute(_PRAGMAS).fetchall()
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        if vectors:
            load_vectors(connection)
    except BaseException:
        connection.close(force=True)
        raise
    return connection


_WITHOUT_LOCKS = "&vfs=unix-none"


def why_not_written(path: Path, error: Exception) -> str:
    """What keeps a store from being written, in words."""
    folder = path.parent
    if not os.access(folder, os.W_OK) or not os.access(path, os.W_OK):
        return "it may only be read"
    return "the disk is full" if is_full(folder) else str(error.__cause__ or error)


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room left for the shortest change."""
    with suppress(OSError):
        if hasattr(os, "statvfs"):  # what `shutil` asks, without loading it for every command
            disk = os.statvfs(folder)
            return disk.f_bavail * disk.f_frsize < _ROOM
        return shutil.disk_usage(folder).free < _ROOM
    return False


_ROOM = 128 * 1024
"""Bytes that opening a store and one short change take at least."""


def _state(path: Path) -> tuple[int, int]:
    with suppress(OSError):
        found = path.stat()
        return found.st_size, found.st_mtime_ns
    return 0, 0
