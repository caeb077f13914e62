"""Opening a SQLite database the way the store wants it."""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import apsw

from recortex.domain.maintenance import Generation
from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
)
from recortex.filesystem import require_own
from recortex.lean import NamedTuple, lazy_module
from recortex.storage.database import folded

if TYPE_CHECKING:
    import shutil
    from urllib import parse as urls
else:
    shutil = lazy_module("shutil")
    urls = lazy_module("urllib.parse")

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
        # At random, so that two do not ask in step; `random` takes a hundredth of a hook's time to load.
        time.sleep(pause * (0.5 + os.urandom(1)[0] / 256))
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
# NORMAL: with a write-ahead log a killed process loses nothing, only a power cut may take the last commits.
# secure_delete: what a purge removes must not stay readable in free pages.
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
        # Off again at once: no statement may load anything else.
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


# -- the last change that was acknowledged, noted beside a store: a file that lost its end is told by it
#
# SQLite opens a file whose log was cut or blanked as if nothing had been in it. The note is a few bytes,
# written in place after a commit that changed what it tells; it never says more than was committed.


SUFFIX = ".last"
_BYTES = 63
_MILLISECONDS = 250  # how long `change_counter` waits for a writer: a hook has no more
_GENERATION = (
    "SELECT coalesce((SELECT max(seq) FROM audit), 0), (SELECT count(*) FROM memories),"
    " (SELECT count(*) FROM tombstones)"
)
_QUERY = (
    "SELECT (SELECT coalesce(max(seq), 0) FROM audit), (SELECT coalesce(max(key), 0) FROM memories),"
    " (SELECT coalesce(max(key), 0) FROM exchanges)"
)


class Change(NamedTuple):
    """How far a store has come: the last numbers of its log of operations, its memories and its exchanges."""

    audit: int = 0
    memories: int = 0
    exchanges: int = 0

    def __bool__(self) -> bool:
        """Whether anything was ever changed."""
        return any(self)

    def behind(self, noted: Change) -> str:
        """What is missing here of what was noted, in words; empty where nothing is."""
        missing = {
            "operations": noted.audit - self.audit,
            "memories": noted.memories - self.memories,
            "exchanges": noted.exchanges - self.exchanges,
        }
        return ", ".join(f"{count:,} {name}" for name, count in missing.items() if count > 0)


class LastChange:
    """The note of one store.

    Args:
        path: of the store.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f"{path.name}{SUFFIX}")
        self.noted = self._read()

    def before_commit(self, connection: apsw.Connection) -> Change:
        """How far the store will have come; what goes back (a purge) is noted now: it is never too much."""
        now = reached(connection)
        if now.behind(self.noted):
            self.note(now)
        return now

    def note(self, change: Change) -> None:
        """Note a change; where that cannot be, the next one is noted."""
        if change == self.noted:
            return
        # Always of one length: the note is written in place, and a shorter one would leave old digits behind.
        text = f"{change.audit:020} {change.memories:020} {change.exchanges:020}\n".encode()
        with suppress(OSError):
            # A link in its place would let this write into another file.
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                os.write(handle, text)
            finally:
                os.close(handle)
            self.noted = change

    def _read(self) -> Change:
        return noted(self.path)


def noted(path: Path) -> Change:
    """The change that a note names; nothing where there is none that can be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  a hot path
            numbers = [int(one) for one in file.read(_BYTES).split()]
        return Change(*numbers)
    except (OSError, ValueError, TypeError):
        return Change()


def noted_of(store: Path) -> Change:
    """The change that is noted beside a store."""
    return noted(store.with_name(f"{store.name}{SUFFIX}"))


def reached(connection: apsw.Connection) -> Change:
    """How far the store of a connection has come."""
    try:
        return Change(*next(iter(connection.execute(_QUERY))))
    except apsw.SQLError:  # of a schema that has not all of these yet
        return Change()


def forget(store: Path) -> None:
    """Take the note away: the store in its place is another one now."""
    store.with_name(f"{store.name}{SUFFIX}").unlink(missing_ok=True)


def change_counter(path: Path) -> Generation | None:
    """As `StatisticsRecords.generation`; None where there is no store. The file is opened for reading alone.

    Raises:
        StorageError: it is there and cannot be read.
    """
    if not os.path.lexists(path):
        return None
    require_own(path)
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.set_busy_timeout(_MILLISECONDS)
            return Generation(*next(iter(connection.execute(_GENERATION))))
    except apsw.Error as error:
        raise StorageError(f"The store {path} cannot be read: {error}.") from error


# -- opening a store that cannot be written: the disk is full, or its folder may only be read
#
# SQLite reads a write-ahead log through an index that it makes beside it (`-shm`). Where that cannot be
# made, a file without a log is read as one that nobody changes, and a log is read through an index in
# memory, which SQLite only keeps where it asks nobody for locks. Both hold as long as the files stay as
# they are; so whoever reads like this looks before each query whether they did.


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
        f"file:{urls.quote(os.fsencode(path))}?mode=ro{how}",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
    )
    try:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        if log:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()  # the index stays in memory
        connection.execute(_PRAGMAS).fetchall()
        # Reads the first page: what cannot be read fails here, and not in the middle of a query.
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
