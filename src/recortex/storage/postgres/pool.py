"""Connections to a PostgreSQL database, one workspace of it, and PostgreSQL's errors in our words."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import errors
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
from recortex.storage.postgres.connections import Connections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from psycopg import Connection, sql

    from recortex.storage.database import Bindings
    from recortex.storage.dialect import Statement

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
        raise StoreBusyError(f"Others held the workspace for too long: {_said(error)}.") from error
    except errors.QueryCanceled as error:
        raise StoreBusyError(f"The server took too long: {_said(error)}.") from error
    except (
        errors.InsufficientPrivilege,
        errors.ReadOnlySqlTransaction,
        errors.DiskFull,
        errors.InvalidPassword,
        errors.InvalidAuthorizationSpecification,
    ) as error:
        raise PermissionsError(
            f"The database cannot be read or written: {_said(error)}.",
            hint="Check the role's rights and the server's free space.",
        ) from error
    except (errors.DataCorrupted, errors.IndexCorrupted, errors.IoError, errors.UndefinedFile) as error:
        raise CorruptStoreError(
            f"The database is damaged: {_said(error)}.",
            hint="Restore it from a backup of the server, or `recortex migrate-store BACKUP URL`.",
        ) from error
    except (errors.DataError, errors.ProgramLimitExceeded) as error:
        raise InvalidInputError(f"The database cannot hold that: {_said(error)}.") from error
    except psycopg.Error as error:
        if _lost(error):
            raise _unreachable(error) from error
        raise StorageError(f"PostgreSQL could not do that: {_said(error)}.") from error
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error


def _unreachable(error: psycopg.Error) -> StorageError:
    said = _said(error)
    if error.sqlstate is None and "authentication failed" in said:
        return PermissionsError(
            f"The server refuses the role: {said}.",
            hint="Check the user in the URL and the password in PGPASSWORD or ~/.pgpass.",
        )
    return StoreUnavailableError(f"The database cannot be reached: {said}.")


def _said(error: psycopg.Error) -> str:
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
            self._commit(connection)
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

    def _commit(self, connection: Connection[Any]) -> None:
        try:
            with translated():
                connection.execute("COMMIT")
        except StoreUnavailableError as error:
            raise StoreUnavailableError(
                f"{error.message} It is not known whether the last change was kept.",
                hint="Look before you repeat it: `recortex list --limit 5`.",
            ) from error


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
