"""One writer and one reader per thread on a database."""

from __future__ import annotations

import os
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import apsw

from recortex.errors import CorruptStoreError, NewerSchemaError, PermissionsError, StorageError
from recortex.lean import sha256
from recortex.storage.database import Database, keyword_indexes
from recortex.storage.sqlite.connection import (
    BUSY_MILLISECONDS,
    MEMORY,
    Patience,
    connect,
    connect_reading,
    has_vectors,
    identity,
    left_behind,
    sides,
    snapshot_files,
    translated,
    why_not_written,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from recortex.storage.database import Bindings
    from recortex.storage.sqlite.connection import Identity, LastChange, Seen


# -- keeps a store's connections closed while a process forks


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


# -- the objects of a schema, which say whether it is one that our migrations made


OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_stat%' ESCAPE '@'"
_MADE_BY_FTS5 = frozenset(
    f"{index}_{part}"
    for index in keyword_indexes()
    for part in ("data", "idx", "docsize", "config", "content")
)

Object = tuple[str, str, str, str]


def objects_of(rows: Callable[[str], list[tuple[Any, ...]]]) -> frozenset[Object]:
    """The objects of the schema that a database has; `rows` gives the rows of a query.

    Of FTS5's own tables the name alone, since its releases write them differently.
    """
    return frozenset(
        (type_, name, table, "" if name in _MADE_BY_FTS5 else " ".join((sql or "").split()))
        for type_, name, table, sql in rows(OBJECTS)
    )


@lru_cache(4)  # a hook asks three times
def digest(objects: frozenset[Object]) -> str:
    """What stands for a schema in `migrations.DIGESTS`."""
    written = repr(sorted(objects)) if objects else ""
    return sha256(written.encode("utf-8", "replace")).hexdigest()[:16]


# -- one writer and one reader per thread on a database


PATIENCE_SECONDS = 60.0
"""How long a writer waits for the others. Eight processes writing at once wait for less than a second
(bench/stress.py)."""

_TRIES = 5  # how often a file that is replaced while it is opened is opened again
_inherited: list[object] = []
"""Connections of a parent that cannot be closed here."""


class Pool(Database):
    """Connections to one database file.

    Where the disk does not let it be written, it is read all the same; a transaction then tries it anew.

    Inside `transaction()` a thread reads and writes through the one writer, so that it sees what it wrote.
    Outside, while another thread writes, it reads through a reader of its own, which the writer never
    blocks (WAL).

    Attributes:
        unwritable: why nothing can be written now; empty where nothing is known to be in the way.
    """

    engine = "sqlite"

    def __init__(
        self,
        path: Path,
        *,
        vectors: bool = True,
        folding: bool = True,
    ) -> None:
        self.path = path
        self._folding = folding
        self._with_vectors = vectors
        self._in_memory = str(path) == MEMORY
        self.on_change_of_schema: Callable[[], object] = lambda: None
        self.on_first_change: Callable[[], object] = lambda: None
        self.last_change: LastChange | None = None
        self._schema: int | None = None
        left_behind(path)
        self._lock = threading.RLock()
        self._gate = ForkGuard()
        self._local = threading.local()
        self._readers: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._main: apsw.Connection | None = None
        self._usable = True
        self._held_for_fork = False
        self._file = identity(path)
        self.unwritable = ""
        self._as_read: Seen | None = None
        self._main = self._open()
        self._opened()
        self.vectors = has_vectors(self._writer)
        watch(self)

    def _opened(self) -> None:
        """Note which file was opened; one that took its place meanwhile (a recovery) is opened instead.

        Raises:
            CorruptStoreError: it is replaced again and again.
        """
        for _ in range(_TRIES):
            before, self._file = self._file, identity(self.path)
            if before in {None, self._file}:
                self._sides = self._sides_now()
                return
            self._let_go()
            self._main = self._open()
        raise CorruptStoreError(f"The store {self.path} was replaced while it was opened.")

    def _open(self) -> apsw.Connection:
        """A connection that writes; where the disk does not let it, one that only reads what is there."""
        try:
            return self._open_to_write()
        except PermissionsError as error:
            try:
                connection = self._open_to_read()
            except StorageError:
                raise error from None
            self.unwritable, self._as_read = why_not_written(self.path, error), snapshot_files(self.path)
            return connection

    def _open_to_read(self) -> apsw.Connection:
        with translated(self.path):
            return connect_reading(self.path, vectors=self._with_vectors)

    def _open_to_write(self) -> apsw.Connection:
        with translated(self.path):
            connection: apsw.Connection = self._patiently(self._connect)
        self._as_read = None
        only_read = connection.readonly("main") and not self._in_memory
        self.unwritable = "it may only be read" if only_read else ""
        return connection

    def _connect(self) -> apsw.Connection:
        connection = connect(self.path, vectors=self._with_vectors)
        if not self._folding:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return connection

    @property
    def _writer(self) -> apsw.Connection:
        """The one connection that writes; a new one after a fork, or after all had to be closed."""
        if not self._usable:
            raise StorageError(
                f"The store {self.path} is closed here, or the process forked while "
                "something was written to it.",
                hint="Open it again, in the process that works with it.",
            )
        if self._main is None:
            self._main = self._open()
            self._sides = self._sides_now()
        return self._main

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
        if self.in_transaction or self._in_memory:
            return self._writer
        if getattr(self._local, "reader", None) is None:
            self._local.reader = self._open() if self._as_read is None else self._open_to_read()
            self._readers.add(self._local.reader)  # it is closed when its thread ends
        reader: apsw.Connection = self._local.reader
        return reader

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        While no other thread writes, it runs on the writer, whose cache its own commits leave warm: a
        recall, which counts an access each time, is a tenth quicker for it (bench/latency.py).
        """
        with translated(self.path):
            # A store in memory has this one connection: a second one would open an empty store.
            if not self._lock.acquire(blocking=self._in_memory):
                with self._gate.inside():
                    return self._run(self.connection(), sql, bindings)
            try:
                if self._as_read is not None and self._as_read != snapshot_files(self.path):
                    self._let_go(folding=False)  # somebody could write after all
                return self._run(self._writer, sql, bindings)
            finally:
                self._lock.release()

    def _run(self, connection: apsw.Connection, sql: str, bindings: Bindings) -> list[tuple[Any, ...]]:
        """All rows; a statement by itself waits for its turn as patiently as a transaction does."""
        try:
            return list(connection.execute(sql, bindings))
        except (apsw.BusyError, apsw.LockedError):
            if self.in_transaction:
                raise
        found: list[tuple[Any, ...]] = self._patiently(lambda: list(connection.execute(sql, bindings)))
        return found

    def run_many(self, sql: str, rows: Sequence[Bindings]) -> None:
        """The statement once for each row."""
        if rows:
            with self._lock, translated(self.path):
                self._writer.executemany(sql, rows)

    def schema(self) -> int:
        """The newest migration that the database records; 0 for a new one."""
        if not self.value("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"):
            return 0
        return int(self.value("SELECT coalesce(max(version), 0) FROM schema_migrations"))

    def known_schema(self, newest: int) -> int:
        """The newest migration that the database records.

        Args:
            newest: that of this program.

        Raises:
            NewerSchemaError: this program does not know it.
        """
        current = self.schema()
        if current > newest:
            raise NewerSchemaError(
                f"The store {self.path} has schema {current}; this program knows up to {newest}."
            )
        return current

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
            try:
                self._try_to_write()
                self._look_at_files()
                with translated(self.path):
                    if patience is not None:
                        self._writer.set_busy_handler(Patience(patience))
                    try:
                        # IMMEDIATE: a transaction that began by reading is refused at once, however patient,
                        # where another process writes before its own first write.
                        self._patiently(lambda: self._writer.execute("BEGIN IMMEDIATE"), patience)
                        self._sides = self._sides or self._sides_now()
                    finally:
                        if patience is not None:
                            self._writer.set_busy_handler(Patience(BUSY_MILLISECONDS / 1000))
                    # Another program may have migrated the store since it was opened: the number tells so
                    # without reading the schema.
                    schema = self._writer.execute("PRAGMA schema_version").get
                if schema != self._schema:
                    self.on_change_of_schema()
                    self._schema = schema
                self._local.writing = True
                yield
            except BaseException as error:
                if isinstance(error, PermissionsError):
                    self.unwritable = self.unwritable or why_not_written(self.path, error)
                self._rollback()
                raise
            else:
                self._commit()
                self.unwritable = ""
            finally:
                self._local.writing = False

    def _try_to_write(self) -> None:
        """Where it was opened to be read only, open it anew if it can be written by now.

        Raises:
            PermissionsError: it cannot.
        """
        if self._as_read is not None:
            try:
                writing = self._open_to_write()
            except PermissionsError as error:
                self.unwritable = why_not_written(self.path, error)
                said = f"The store {self.path} cannot be written: {self.unwritable}. Nothing was changed."
                raise PermissionsError(said) from error
            self._let_go(folding=False)
            self._main, self._sides = writing, self._sides_now()

    def _look_at_files(self) -> None:
        """Refuse to write into files that were deleted or replaced: what is written there is lost.

        Raises:
            CorruptStoreError: the store's file is no longer the one that was opened.
        """
        if self._file is None:
            return
        if identity(self.path) != self._file:
            raise CorruptStoreError(
                f"The store {self.path} was deleted, moved or replaced while it was open; "
                "nothing more was written.",
                hint="Open it again; if it is gone, `recortex recover` brings the newest backup back.",
            )
        if self._sides is None:
            return
        log, index = sides(self.path)
        if log is None:
            self._reopen("PRAGMA wal_checkpoint(TRUNCATE)")  # only this process still has it, and folds it in
        elif log != self._sides[0]:
            self._reopen()
            raise CorruptStoreError(
                f"The log of the store {self.path} was deleted, moved or replaced while it was open; "
                "what was last written "
                "may be lost.",
                hint="Look with `recortex doctor`, and write again what is not there.",
            )
        elif index != self._sides[1]:
            self._reopen()

    def _sides_now(self) -> tuple[Identity, Identity] | None:
        """The log and its index, once both are there and in use."""
        if self._as_read is not None:
            return None
        found = sides(self.path)
        return None if None in found else found

    def _reopen(self, before: str = "") -> None:
        """Open the files that are there now, without applying a log that is no longer the store's."""
        with translated(self.path):
            if before:
                self._writer.execute(before)
            self._let_go(folding=False)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """While inside, no connection is open.

        Closing a file that one has open would take its locks away (POSIX).
        """
        with self._lock:
            self._gate.shut()
            try:
                self._close_all()
                yield
            finally:
                self._gate.open()

    def _commit(self) -> None:
        last = self.last_change
        try:
            with translated(self.path):
                reached = last.before_commit(self._writer) if last else None
                self._patiently(lambda: self._writer.execute("COMMIT"))
        except BaseException:
            self._rollback()
            raise
        # Only after the commit: a note that says more than the file would report a loss that never was.
        if last and reached:
            first = not last.noted
            last.note(reached)
            if first:
                self.on_first_change()

    def _rollback(self) -> None:
        if self._main is not None and self._main.in_transaction:
            with suppress(
                apsw.Error
            ):  # when the disk failed, SQLite rolled back itself; that error is already on its way up
                self._main.execute("ROLLBACK")

    def exclusive(self) -> apsw.Connection:
        """The writer, for what cannot run inside a transaction (VACUUM, checkpoints)."""
        return self._writer

    @contextmanager
    def lock_writer(self) -> Iterator[apsw.Connection]:
        """The writer, while no other thread of this process writes or reads through it."""
        with self._lock:
            yield self._writer

    def close(self) -> None:
        """Close every connection when other threads are done.

        The write-ahead log is folded in when it is the last one.
        """
        held = self._lock.acquire(timeout=FORK_SECONDS)
        try:
            self._usable = False
            self._let_go()
        finally:
            if held:
                self._lock.release()

    def _let_go(self, *, folding: bool = True) -> None:
        """Close every connection when no thread reads any more."""
        self._gate.shut()
        try:
            self._close_all(folding=folding)
        finally:
            self._gate.open()

    def _close_all(self, *, folding: bool = True) -> None:
        closing = [*self._readers, *([self._main] if self._main else [])]
        self._readers, self._main = weakref.WeakSet(), None
        self._local, self._sides = threading.local(), None
        for connection in closing:
            with translated(self.path):
                if not folding:
                    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.close()

    # -- forks

    def before_fork(self) -> None:
        """Close every connection, unless something is written.

        Then the child cannot go on with this store.
        """
        if self._in_memory or not self._lock.acquire(timeout=FORK_SECONDS):
            return
        if not self.in_transaction and self._gate.shut(FORK_SECONDS):
            self._close_all()
            self._held_for_fork = True
        else:
            self._lock.release()

    def after_fork(self, *, child: bool) -> None:
        """Open again when it is needed, in both processes."""
        if self._held_for_fork:
            self._held_for_fork = False
            self._gate.open()
            self._lock.release()
        elif child and not self._in_memory:
            _inherited.append((self._main, *self._readers))  # closing them would let go of the parent's locks
            self._readers, self._main, self._usable = weakref.WeakSet(), None, False
            self._lock, self._gate, self._local = threading.RLock(), ForkGuard(), threading.local()
