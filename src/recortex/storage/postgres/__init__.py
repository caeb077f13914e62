"""Connections to a PostgreSQL database, one workspace of it, and PostgreSQL's errors in our words."""

from __future__ import annotations

import os
import select
import threading
import time
import weakref
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8

from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
    StoreUnavailableError,
)
from recortex.storage.database import Database
from recortex.storage.dialect import postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from psycopg import Connection

    from recortex.storage.database import Bindings
    from recortex.storage.dialect import Statement


# -- connections to one server: a thread takes one and gives it back


CONNECT_SECONDS = 10
"""How long making a connection may take."""
KEPT_ALIVE: dict[str, int] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""So that a connection that a firewall has forgotten is known to be lost after half a minute, not after
hours."""

ALWAYS: dict[str, str] = {"client_encoding": "utf8"}
"""What neither the URL nor the environment (`PGCLIENTENCODING`) may say otherwise: texts are Unicode."""


def connect(conninfo: str, *, cursor: type[Any] = psycopg.Cursor) -> Connection[Any]:
    """A connection of its own; what the URL says of time limits wins.

    Raises:
        psycopg.OperationalError: none could be made.
        psycopg.ProgrammingError: the URL cannot be read; what it says may quote the URL, and is not to be
        shown.
    """
    given = conninfo_to_dict(conninfo)
    limits = {"connect_timeout": CONNECT_SECONDS, **KEPT_ALIVE}
    more: dict[str, Any] = {
        **{name: value for name, value in limits.items() if name not in given},
        **ALWAYS,
    }
    return psycopg.connect(conninfo, autocommit=True, cursor_factory=cursor, **more)


class Turns:
    """A fair semaphore: a place that is given back goes to whoever waited longest.

    With `threading.Semaphore`, four threads that read without pause kept a fifth from writing for a minute.
    """

    def __init__(self, size: int) -> None:
        self._lock = threading.Lock()
        self._left = size
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, timeout: float) -> bool:
        """Wait for a place, so many seconds at most; False where none came free."""
        with self._lock:
            if self._left:
                self._left -= 1
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            turn.wait(timeout)
        except BaseException:
            if self._is_given(turn):
                self.release()
            raise
        return self._is_given(turn)

    def _is_given(self, turn: threading.Event) -> bool:
        """Whether a place was handed over, even at the last moment; a thread without one stops waiting."""
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
            return turn.is_set()

    def release(self) -> None:
        """Give a place back."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._left += 1


class Connections:
    """At most so many connections; those that are given back are used again, the last one first.

    Args:
        conninfo: how to reach the server.
        settings: statements that a new connection begins with.
        size: connections at most.
        patience: seconds to wait for one while all are in use.
    """

    def __init__(self, conninfo: str, settings: sql.Composed, *, size: int, patience: float) -> None:
        self.size = size
        self._conninfo = conninfo
        self._settings = settings
        self._patience = patience
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._free = Turns(self.size)
        self._idle: list[Connection[Any]] = []
        self._closed = False
        self._at_exit = weakref.finalize(self, _close_all, self._idle, self._process)

    def take(self) -> Connection[Any]:
        """A connection that was alive a moment ago.

        Raises:
            StoreBusyError: all were in use for too long.
            StoreUnavailableError: the store was closed.
            psycopg.OperationalError: the server cannot be reached.
        """
        if self._process != os.getpid():
            # The connections are the parent's: closing them here would end its sessions
            self._at_exit.detach()
            closed = self._closed
            self._start()
            self._closed = closed
        if self._closed:
            raise StoreUnavailableError("The store was closed.", hint="Open it again.")
        if not self._free.acquire(timeout=self._patience):
            raise StoreBusyError(
                f"All {self.size} connections of this process were in use for {self._patience:.0f} s.",
                hint="Raise the setting postgres.connections, or use fewer threads.",
            )
        try:
            return self._alive() or self._new()
        except BaseException:
            self._free.release()
            raise

    def give(self, connection: Connection[Any]) -> None:
        """Give one back; one that is lost, or in the midst of something, is closed."""
        if self._process != os.getpid():
            return
        if connection.info.transaction_status is TransactionStatus.IDLE and not self._closed:
            self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Close those that are idle now, and the others when they are given back."""
        self._closed = True
        if self._process == os.getpid():
            self._at_exit()

    def _alive(self) -> Connection[Any] | None:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was quicker
                return None
            if not _has_input(connection):
                return connection
            connection.close()
        return None

    def _new(self) -> Connection[Any]:
        made = connect(self._conninfo, cursor=psycopg.RawCursor)
        try:
            made.execute(self._settings)
        except BaseException:
            made.close()
            raise
        return made


def _has_input(connection: Connection[Any]) -> bool:
    """Whether an idle connection has something to read: a server or a firewall has ended it."""
    if connection.closed:
        return True
    poll = getattr(select, "poll", None)
    if poll is None:
        return bool(select.select([connection.fileno()], [], [], 0)[0])
    polled = poll()
    polled.register(connection.fileno(), select.POLLIN)
    return bool(polled.poll(0))


def _close_all(idle: list[Connection[Any]], process: int) -> None:
    while idle and os.getpid() == process:
        idle.pop().close()


# -- connections to a PostgreSQL database, one workspace of it, and PostgreSQL's errors in our words


_T = TypeVar("_T")
PATIENCE_SECONDS = 60
"""How long a writer waits for the others of its workspace, and a caller for a connection; as in SQLite."""
RECONNECT_SECONDS = 10.0
"""How long what changes nothing yet is tried again on another connection, such as while the server
restarts."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two such tries, each twice as long as the one before."""
IDLE_SECONDS = 30
"""A transaction whose process does nothing for so long is ended by the server: it would keep out all other
writers."""
STATEMENT_SECONDS = 600
"""No statement of ours takes as long with a million memories (bench/scale.py): it hangs."""
ROLE = "recortex_tenant"
"""What a connection acts as whose own role would see past row-level security."""
WRITERS = 0x5EC0
"""The first number of the advisory lock that a writer takes: one that no other program is likely to use."""
_LOST = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.IdleSessionTimeout)
_ENDED = (*_LOST, errors.IdleInTransactionSessionTimeout)


@contextmanager
def translated() -> Iterator[None]:
    """Raise our errors for PostgreSQL's, with what to do next."""
    try:
        yield
    except (errors.LockNotAvailable, errors.DeadlockDetected, errors.TooManyConnections) as error:
        raise StoreBusyError(f"Others held the workspace for too long: {_describe_error(error)}.") from error
    except errors.QueryCanceled as error:
        raise StoreBusyError(f"The server took too long: {_describe_error(error)}.") from error
    except (
        errors.InsufficientPrivilege,
        errors.ReadOnlySqlTransaction,
        errors.DiskFull,
        errors.InvalidPassword,
        errors.InvalidAuthorizationSpecification,
    ) as error:
        raise PermissionsError(
            f"The database cannot be read or written: {_describe_error(error)}.",
            hint="Check the role's rights and the server's free space.",
        ) from error
    except (errors.DataCorrupted, errors.IndexCorrupted, errors.IoError, errors.UndefinedFile) as error:
        raise CorruptStoreError(
            f"The database is damaged: {_describe_error(error)}.",
            hint="Restore it from a backup of the server, or `recortex migrate-store BACKUP URL`.",
        ) from error
    except (errors.DataError, errors.ProgramLimitExceeded) as error:
        raise InvalidInputError(f"The database cannot hold that: {_describe_error(error)}.") from error
    except psycopg.Error as error:
        if _lost(error):
            raise _unreachable(error) from error
        raise StorageError(f"PostgreSQL could not do that: {_describe_error(error)}.") from error
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error


def _unreachable(error: psycopg.Error) -> StorageError:
    said = _describe_error(error)
    if error.sqlstate is None and "authentication failed" in said:
        return PermissionsError(
            f"The server refuses the role: {said}.",
            hint="Check the user in the URL and the password in PGPASSWORD or ~/.pgpass.",
        )
    return StoreUnavailableError(f"The database cannot be reached: {said}.")


def _describe_error(error: psycopg.Error) -> str:
    """The first line of what the server or the driver said; connection strings are never in it."""
    return (error.diag.message_primary or str(error)).strip().partition("\n")[0].rstrip(".")[:300]


class PgDatabase(Database):
    """One workspace of a database.

    Every transaction that writes first takes the workspace's lock, so that writers of one workspace follow
    one another as they do in SQLite; other workspaces go on. Reads wait for nobody.

    Args:
        conninfo: how to reach the server.
        settings: statements that a new connection begins with, such as its role and its search path.
        workspace: whose rows are read and written.
        size: connections at most.
        patience: seconds to wait for a connection while this process uses all.
        persistence: seconds to try again what changes nothing yet.
    """

    engine = "postgres"
    vectors = True

    def __init__(
        self,
        conninfo: str,
        settings: sql.Composed,
        workspace: int,
        *,
        size: int,
        patience: float = PATIENCE_SECONDS,
        persistence: float = RECONNECT_SECONDS,
    ) -> None:
        self.workspace = workspace
        self._local = threading.local()
        self._own = Int8(workspace)
        self._persistence = persistence
        self._connections = Connections(conninfo, settings, size=size, patience=patience)

    @property
    def in_transaction(self) -> bool:
        """Whether this thread holds the workspace's lock."""
        return getattr(self._local, "connection", None) is not None

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement; one that writes outside of a transaction gets its own."""
        statement = postgres(sql)
        if self.in_transaction:
            with translated():
                return self._run(self._local.connection, statement, bindings)
        if statement.writes:
            with self.transaction(), translated():
                return self._run(self._local.connection, statement, bindings)
        return self._read(statement, bindings)

    def run_many(self, sql: str, rows: Sequence[Bindings]) -> None:
        """The statement once for each row."""
        if not rows:
            return
        statement = postgres(sql)
        values = [statement.values(row, self._own) for row in rows]
        with self.transaction(), translated():
            self._local.connection.cursor().executemany(statement.text, values)

    @contextmanager
    def transaction(self, *, durable: bool = True, patience: float | None = None) -> Iterator[None]:
        """All that happens inside is kept as a whole or not at all; a nested one joins the outer one.

        Args:
            durable: False to return before the server's disk has it: a crash of the server may then undo
                the last half second, as a whole.
            patience: seconds to wait for the workspace's other writers; the connection's lock_timeout
                where not said.

        Raises:
            StoreBusyError: the others took too long.
            StoreUnavailableError: the connection was lost; it says whether anything may have been kept.
        """
        if self.in_transaction:
            yield
            return
        with translated():
            connection = self._again(lambda: self._begun(durable=durable, patience=patience))
        self._local.connection, self._local.last = connection, {}
        try:
            with _nothing_kept():
                yield
                with translated():
                    for act in self._local.last.values():
                        act()
            try:
                with translated():
                    connection.execute("COMMIT")
            except StoreUnavailableError as error:
                raise StoreUnavailableError(
                    f"{error.message} It is not known whether the last change was kept.",
                    hint="Look before you repeat it: `recortex list --limit 5`.",
                ) from error
        except BaseException:
            _rollback(connection)
            raise
        finally:
            self._local.connection = self._local.last = None
            self._connections.give(connection)

    @contextmanager
    def claimed(self, right: int) -> Iterator[bool]:
        """Hold a right over the workspace while inside; False where another connection has it.

        The server takes it back when the connection ends, however it does. It takes one connection of the
        pool; with a pool of one it is not asked for, since the work itself would wait for ever.
        """
        if self._connections.size == 1:
            yield True
            return
        lock, own = (right, self.workspace % 2**31), "($1::int, $2::int)"
        with translated(), self._taken() as connection:
            held = bool(connection.execute(f"SELECT pg_try_advisory_lock{own}", lock).fetchall()[0][0])
            try:
                yield held
            finally:
                with suppress(psycopg.OperationalError):  # a lost connection holds nothing any more
                    connection.execute(f"SELECT pg_advisory_unlock{own}", lock)

    def at_commit(self, name: str, act: Callable[[], None]) -> None:
        """Have something done once before this thread's transaction is committed.

        Forgotten when it is rolled back.
        """
        self._local.last.setdefault(name, act)

    def transaction_mark(self) -> object:
        """Something that is the same throughout one transaction of this thread, and another in the next.

        None outside.
        """
        return getattr(self._local, "last", None)

    def close(self) -> None:
        """Give every connection back."""
        self._connections.close()

    @contextmanager
    def _taken(self) -> Iterator[Connection[Any]]:
        connection = self._connections.take()
        try:
            yield connection
        finally:
            self._connections.give(connection)

    def _read(self, statement: Statement, bindings: Bindings) -> list[tuple[Any, ...]]:
        def read() -> list[tuple[Any, ...]]:
            with self._taken() as connection:
                return self._run(connection, statement, bindings)

        with translated():
            return self._again(read)

    def _run(
        self, connection: Connection[Any], statement: Statement, bindings: Bindings
    ) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement.text, statement.values(bindings, self._own))
        return cursor.fetchall() if cursor.description else []

    def _begun(self, *, durable: bool, patience: float | None) -> Connection[Any]:
        begin = [
            "BEGIN",
            *(() if durable else ("SET LOCAL synchronous_commit = off",)),
            *(() if patience is None else (f"SET LOCAL lock_timeout = {max(1, round(patience * 1000))}",)),
            f"SELECT pg_advisory_xact_lock({WRITERS}, {self.workspace % 2**31})",
        ]
        connection = self._connections.take()
        try:
            connection.execute("; ".join(begin))
        except BaseException:
            _rollback(connection)
            self._connections.give(connection)
            raise
        return connection

    def _again(self, act: Callable[[], _T]) -> _T:
        """Run what changes nothing; where its connection turns out to be lost, try again on another."""
        deadline, pause = time.monotonic() + self._persistence, FIRST_PAUSE
        while True:
            try:
                return act()
            except psycopg.Error as error:
                if not _lost(error) or time.monotonic() > deadline:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)


@contextmanager
def _nothing_kept() -> Iterator[None]:
    """Add to the error of a connection that is lost before the commit that nothing was kept."""
    try:
        yield
    except StoreUnavailableError as error:
        raise StoreUnavailableError(f"{error.message} Nothing of the change was kept.") from error


def _rollback(connection: Connection[Any]) -> None:
    if not connection.closed:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            connection.close()


def _lost(error: psycopg.Error) -> bool:
    """Whether it was the connection that failed, not the statement."""
    if not isinstance(error, psycopg.OperationalError):
        return isinstance(error, _ENDED)
    return isinstance(error, _LOST) or error.sqlstate is None or error.sqlstate.startswith("08")
