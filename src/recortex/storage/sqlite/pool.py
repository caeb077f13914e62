"""One writer and one reader per thread on a database, and SQLite's errors in our words."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
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
from recortex.storage.sqlite.connection import connect, has_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Bindings = Sequence[Any] | Mapping[str, Any]

PATIENCE_SECONDS = 60.0
"""How long a writer waits for the others. Eight processes writing at once wait for less than a second (bench/stress.py)."""

_MEMORY = ":memory:"


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """Raise our errors for SQLite's, with what to do next."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusyError(
            f"Another process held the store {path} for more than {PATIENCE_SECONDS:.0f} s."
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
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error


class Pool:
    """Connections to one database file.

    Inside `transaction()` a thread reads and writes through the one writer, so that it sees what it wrote. Outside,
    while another thread writes, it reads through a reader of its own, which the writer never blocks (WAL).
    """

    def __init__(
        self, path: Path, *, on_missing_vectors: Callable[[str], None] = lambda _: None, vectors: bool = True
    ) -> None:
        self.path = path
        self._connect_to = partial(connect, path, on_missing_vectors=on_missing_vectors, vectors=vectors)
        self._lock = threading.RLock()
        self._local = threading.local()
        self._open: list[apsw.Connection] = []
        with translated(path):
            self._writer: apsw.Connection = self._patiently(self._connect)
        self.vectors = has_vectors(self._writer)

    def _connect(self) -> apsw.Connection:
        connection = self._connect_to()
        self._open.append(connection)
        return connection

    def _patiently(self, act: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE_SECONDS
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
                return list(self.connection().execute(sql, bindings))
            try:
                return list(self._writer.execute(sql, bindings))
            finally:
                self._lock.release()

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
    def transaction(self) -> Iterator[None]:
        """All that happens inside is kept as a whole or not at all; a nested one joins the outer one."""
        with self._lock:
            if self.in_transaction:
                yield
                return
            with translated(self.path):
                self._patiently(lambda: self._writer.execute("BEGIN IMMEDIATE"))
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

    def _commit(self) -> None:
        try:
            with translated(self.path):
                self._patiently(lambda: self._writer.execute("COMMIT"))
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")

    def exclusive(self) -> apsw.Connection:
        """The writer, for maintenance that no transaction may hold (VACUUM, checkpoints)."""
        return self._writer

    def close(self) -> None:
        """Close every connection; the write-ahead log is folded in when it is the last one."""
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._local = threading.local()
