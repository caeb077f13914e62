"""One writer and one reader per thread on a database, and SQLite's errors in our words."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw

from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
)
from recortex.storage.queries import queries
from recortex.storage.sqlite.connection import BUSY_MILLISECONDS, connect, has_vectors
from recortex.storage.sqlite.contention import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Bindings = Sequence[Any] | Mapping[str, Any]

PATIENCE_SECONDS = 60.0
"""How long a writer waits for the others. Eight processes writing at once wait for less than a second (bench/stress.py)."""

_MEMORY = ":memory:"
Identity = tuple[int, int] | None
"""Device and number of a file; None where there is none."""

_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """Raise our errors for SQLite's, with what to do next."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusyError(
            f"Another process held the store {path} for longer than this one waits."
        ) from error
    except (
        apsw.ReadOnlyError,
        apsw.CantOpenError,
        apsw.FullError,
        apsw.PermissionsError,
        apsw.IOError,
    ) as error:
        raise PermissionsError(f"The store {path} cannot be opened or written: {error}.") from error
    except apsw.Error as error:
        raise StorageError(f"SQLite could not do that: {error}.") from error
    except UnicodeDecodeError as error:
        raise CorruptStoreError(f"The store {path} is damaged: a text in it is none.") from error
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error


class Pool:
    """Connections to one database file.

    Inside `transaction()` a thread reads and writes through the one writer, so that it sees what it wrote. Outside,
    while another thread writes, it reads through a reader of its own, which the writer never blocks (WAL).
    """

    def __init__(
        self,
        path: Path,
        *,
        on_missing_vectors: Callable[[str], None] = lambda _: None,
        vectors: bool = True,
        folding: bool = True,
    ) -> None:
        self.path = path
        self._folding = folding
        self._connect_to = partial(connect, path, on_missing_vectors=on_missing_vectors, vectors=vectors)
        self.on_change_of_schema: Callable[[], object] = lambda: None
        self._schema: int | None = None
        left_behind(path)
        self._lock = threading.RLock()
        self._local = threading.local()
        self._open: list[apsw.Connection] = []
        with translated(path):
            self._writer: apsw.Connection = self._patiently(self._connect)
        self.vectors = has_vectors(self._writer)
        self._file = _identity(path)
        self._sides = self._sides_now()

    def _connect(self) -> apsw.Connection:
        connection = self._connect_to()
        if not self._folding:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self._open.append(connection)
        return connection

    def _patiently(self, act: Callable[[], Any], patience: float | None = None) -> Any:
        deadline = time.monotonic() + (PATIENCE_SECONDS if patience is None else patience)
        while True:
            try:
                return act()
            except (apsw.BusyError, apsw.LockedError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    @property
    def in_transaction(self) -> bool:
        """Whether this thread holds the writer."""
        return bool(getattr(self._local, "writing", False))

    def connection(self) -> apsw.Connection:
        """The connection that this thread is to use now."""
        if self.in_transaction or str(self.path) == _MEMORY:
            return self._writer
        if getattr(self._local, "reader", None) is None:
            with translated(self.path):
                self._local.reader = self._patiently(self._connect)
        reader: apsw.Connection = self._local.reader
        return reader

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        While no other thread writes, it runs on the writer, whose cache its own commits leave warm: a recall, which
        counts an access each time, is a tenth quicker for it (bench/latency.py).
        """
        with translated(self.path):
            if not self._lock.acquire(blocking=False):
                return self._run(self.connection(), sql, bindings)
            try:
                return self._run(self._writer, sql, bindings)
            finally:
                self._lock.release()

    def _run(self, connection: apsw.Connection, sql: str, bindings: Bindings) -> list[tuple[Any, ...]]:
        """All rows; a statement by itself waits for its turn as patiently as a transaction does."""
        if self.in_transaction:
            return list(connection.execute(sql, bindings))
        found: list[tuple[Any, ...]] = self._patiently(lambda: list(connection.execute(sql, bindings)))
        return found

    def queries(self, topic: str) -> dict[str, str]:
        """The named queries of a topic."""
        return queries(topic, "sqlite")

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(sql, bindings)
        return found[0][0] if found else None

    def run_many(self, sql: str, rows: Sequence[Bindings]) -> None:
        """The statement once for each row."""
        if rows:
            with translated(self.path):
                self.connection().executemany(sql, rows)

    @contextmanager
    def transaction(self, *, patience: float | None = None) -> Iterator[None]:
        """All that happens inside is kept as a whole or not at all; a nested one joins the outer one.

        Args:
            patience: seconds to wait for other processes, for what is not worth a long wait.

        Raises:
            StoreBusyError: another process writes for longer than that.
            CorruptStoreError: the store's file was deleted or replaced since it was opened.
            NewerSchemaError: a newer program has changed the schema since then.
        """
        with self._lock:
            if self.in_transaction:
                yield
                return
            self._begin(patience)
            self._local.writing = True
            try:
                yield
            except BaseException:
                self._rollback()
                raise
            else:
                self._commit()
            finally:
                self._local.writing = False

    def _begin(self, patience: float | None) -> None:
        self._look_at_files()
        with translated(self.path):
            if patience is not None:
                self._writer.set_busy_handler(Patience(patience))
            try:
                self._patiently(lambda: self._writer.execute("BEGIN IMMEDIATE"), patience)
                self._sides = self._sides or self._sides_now()
            finally:
                if patience is not None:
                    self._writer.set_busy_handler(Patience(BUSY_MILLISECONDS / 1000))
            schema = self._writer.execute("PRAGMA schema_version").get
        if schema != self._schema:
            try:
                self.on_change_of_schema()
            except BaseException:
                self._rollback()
                raise
            self._schema = schema

    def _look_at_files(self) -> None:
        """What is written into a deleted file is gone with the process: nobody may be told that it is kept.

        Raises:
            CorruptStoreError: the store's file is no longer the one that was opened.
        """
        if self._file is None:
            return
        if _identity(self.path) != self._file:
            raise CorruptStoreError(
                f"The store {self.path} was deleted, moved or replaced while it was open; nothing more was written.",
                hint="Open it again; if it is gone, `recortex recover` brings the newest backup back.",
            )
        if self._sides is None:
            return
        log, index = _sides(self.path)
        if log is None:
            self._reopen("PRAGMA wal_checkpoint(TRUNCATE)")  # only this process still has it, and folds it in
        elif log != self._sides[0]:
            self._reopen()
            raise CorruptStoreError(
                f"The log of the store {self.path} was deleted, moved or replaced while it was open; what was last written "
                "may be lost.",
                hint="Look with `recortex doctor`, and write again what is not there.",
            )
        elif index != self._sides[1]:
            self._reopen()

    def _sides_now(self) -> tuple[Identity, Identity] | None:
        """The log and its index, once both are there."""
        found = _sides(self.path)
        return None if None in found else found

    def _reopen(self, before: str = "") -> None:
        """Begin anew with the files that are there now, without folding in what is no longer the store's log."""
        with translated(self.path):
            if before:
                self._writer.execute(before)
            for connection in self._open:
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self.close()
            self._writer = self._patiently(self._connect)
        self._sides = self._sides_now()

    @contextmanager
    def apart(self) -> Iterator[None]:
        """While inside, no connection is open: closing a file that one has open would take its locks away (POSIX)."""
        with self._lock:
            self.close()
            try:
                yield
            finally:
                with translated(self.path):
                    self._writer = self._patiently(self._connect)
                self._sides = self._sides_now()

    def _commit(self) -> None:
        try:
            with translated(self.path):
                self._patiently(lambda: self._writer.execute("COMMIT"))
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        if self._writer.in_transaction:
            with suppress(
                apsw.Error
            ):  # a disk that fails has rolled back already; the cause is on its way up
                self._writer.execute("ROLLBACK")

    def exclusive(self) -> apsw.Connection:
        """The writer, for maintenance that no transaction may hold (VACUUM, checkpoints)."""
        return self._writer

    def close(self) -> None:
        """Close every connection; the write-ahead log is folded in when it is the last one."""
        closing, self._open = self._open, []
        self._local = threading.local()
        for connection in closing:
            with translated(self.path):
                connection.close()


def left_behind(path: Path) -> None:
    """Look for the marks of what must be dealt with before a store is opened: opening would wipe them away.

    Raises:
        CorruptStoreError: the log is there without its store, or a recovery was interrupted.
    """
    if str(path) == _MEMORY:
        return
    if path.with_name(f"{path.name}.recovered").exists():
        raise CorruptStoreError(f"A recovery of the store {path} was interrupted before its end.")
    log = path.with_name(f"{path.name}-wal")
    if _size(log) and not _size(path):
        raise CorruptStoreError(
            f"The store {path} is gone or empty, while its write-ahead log is still there."
        )


def in_use(path: Path) -> bool:
    """Whether another process has a store open. This one must not: looking would take its locks away.

    SQLite holds a shared lock on these bytes of the file for as long as it is open (os_unix.c); elsewhere nothing is known.
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


def _sides(path: Path) -> tuple[Identity, Identity]:
    """The write-ahead log and its index."""
    return _identity(path.with_name(f"{path.name}-wal")), _identity(path.with_name(f"{path.name}-shm"))


def _identity(path: Path) -> Identity:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
