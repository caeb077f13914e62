"""Opening a SQLite database the way the store wants it."""

from __future__ import annotations

import os
import random
import time
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NoReturn

import apsw

from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
)
from recortex.storage.database import folded

# -- how connections of many processes share a file: waiting for one's turn, and folding the write-ahead log


FIRST_PAUSE = 0.004
"""Seconds between two tries to get the lock."""
SHORTEST_PAUSE = 0.0005
SHORTENED_BY = 0.04
"""Seconds by which the pause is shorter for each second waited: after a tenth of one it is the shortest."""
PAGES = 1000
"""Pages that a connection writes before it folds the log in; SQLite's `wal_autocheckpoint` has the same."""
FOREIGN_PAGES = 4 * PAGES
"""The same for pages that others wrote: for writers that end before they have written many."""
LONG_LOG = 16 * PAGES
"""From here on (64 MB) the log is begun anew, which keeps writers out until those who read it are done."""
RESTART_SECONDS = 0.1
"""How long beginning the log anew waits for readers."""


class Patience:
    """A busy handler: whoever has waited longer asks again sooner, so that it is likely to be the next.

    Args:
        seconds: after which it gives up.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = 0.0

    def __call__(self, asked: int) -> bool:
        """Whether to ask again, after a pause."""
        now = time.monotonic()
        if not asked:
            self._began = now
        waited = now - self._began
        if waited >= self._seconds:
            return False
        pause = max(SHORTEST_PAUSE, FIRST_PAUSE - waited * SHORTENED_BY)
        time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  so that two do not ask in step
        return True


class Folding:
    """Decides after a commit whether to fold the write-ahead log into the file.

    SQLite calls it when the lock is given back.

    Each connection folds in for what it wrote itself, so that all together do it once for each `PAGES`,
    and not each of them.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._written = 0
        self._folded = 0
        self._restart_at = LONG_LOG

    def __call__(self, connection: apsw.Connection, name: str, pages: int) -> int:
        """Fold in where it is time.

        Args:
            connection: that committed.
            name: of the database.
            pages: in the log now.
        """
        if pages < self._folded:  # the log was begun anew
            self._folded, self._restart_at = 0, LONG_LOG
        written = connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]
        enough = written - self._written >= PAGES and pages - self._folded >= PAGES
        if enough or pages - self._folded >= FOREIGN_PAGES:
            self._written = written
            self._folded = pages
            with suppress(apsw.Error):  # as SQLite's own: the commit is kept, and the next one tries again
                _, self._folded = connection.wal_checkpoint(name, apsw.SQLITE_CHECKPOINT_PASSIVE)
            if pages >= self._restart_at:
                self._restart_at = pages + LONG_LOG // 4
                connection.set_busy_handler(Patience(RESTART_SECONDS))
                try:
                    with suppress(apsw.Error):
                        connection.wal_checkpoint(name, apsw.SQLITE_CHECKPOINT_RESTART)
                finally:
                    connection.set_busy_handler(self._patience)
        return apsw.SQLITE_OK


# -- opening a SQLite database the way the store wants it


BUSY_MILLISECONDS = 5_000
"""How long a statement waits for other processes, where nothing else is set."""
PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -8000;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
"""
"""With trusted_schema off, a schema that is not ours can call nothing that has an effect.

The file is not mapped into memory, and each connection caches little: the system caches the file's pages for
all of them. Recall is as fast as with a map, and a process with a store of 100,000 takes half the memory.
"""


def connect(path: Path, *, vectors: bool = True) -> apsw.Connection:
    """A connection with the store's pragmas and, where it can be loaded, sqlite-vec.

    Args:
        path: the database's file; it is made when it is not there.
        vectors: whether to load sqlite-vec at all.
    """
    connection = apsw.Connection(str(path))
    try:
        patience = Patience(BUSY_MILLISECONDS / 1000)
        connection.set_busy_handler(patience)
        if not connection.execute("PRAGMA page_count").get:
            # It only takes effect before the first table is made; later it would still write to the file.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        # Read to the end: a statement that gives a row holds up those after it.
        connection.execute(PRAGMAS).fetchall()
        connection.create_scalar_function("folded", _folded, 1, deterministic=True)
        connection.set_wal_hook(Folding(patience))
        if vectors:
            load_vectors(connection)
    except BaseException:
        connection.close(force=True)  # the error may hold it for long, and with it the file and its locks
        raise
    return connection


def _folded(*given: object) -> str | None:
    return None if given[0] is None else folded(str(given[0]))


def load_vectors(connection: apsw.Connection) -> str:
    """Load sqlite-vec into a connection; returns why that cannot be done, or an empty text."""
    try:
        connection.enable_load_extension(enable=True)
        connection.load_extension(_extension())
        connection.enable_load_extension(enable=False)
    except (ImportError, OSError, apsw.Error) as error:
        return str(error)
    return ""


@cache
def _extension() -> str:
    """The path of sqlite-vec's library; its package is not imported, since that imports numpy."""
    found = PathFinder.find_spec("sqlite_vec")
    if found is None or not found.submodule_search_locations:
        raise ImportError("the package sqlite-vec is not installed")
    return str(Path(found.submodule_search_locations[0]) / "vec0")


def has_vectors(connection: apsw.Connection) -> bool:
    """Whether sqlite-vec answers on this connection."""
    return bool(connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'vec_version'").get)


# -- SQLite's errors in our words


REFUSED = (
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.FullError,
    apsw.PermissionsError,
    apsw.IOError,
)
"""What SQLite raises where the disk, or the rights to it, do not let it write."""
_GONE = ("no such table", "no such column")
"""Errors that can only mean damage: our own statements name what our schema has."""


class translated:  # noqa: N801  as `suppress` is; a generator takes a microsecond more around each query
    """Raises our errors for SQLite's, with what to do next."""

    __slots__ = ("_path",)

    def __init__(self, path: Path | str) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Raise the translation of an error that has one."""
        if isinstance(error, apsw.Error | UnicodeDecodeError | OverflowError):
            _raise_translated(self._path, error)


def _raise_translated(path: Path | str, raised: Exception) -> NoReturn:
    try:
        raise raised
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusyError(
            f"Another process held the store {path} for longer than this one waits."
        ) from error
    except REFUSED as error:
        raise PermissionsError(f"The store {path} cannot be opened or written: {error}.") from error
    except apsw.Error as error:
        if str(error).startswith(_GONE):  # the schema is not the one that the store records
            raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
        raise StorageError(f"SQLite could not do that: {error}.") from error
    except UnicodeDecodeError as error:
        raise CorruptStoreError(f"The store {path} is damaged: a text in it is not UTF-8.") from error
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error


# -- the file of a store and what stands beside it: its log, the log's index, the marks of a recovery


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
