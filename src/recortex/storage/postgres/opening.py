"""Opens a workspace by its address: brings the schema up to date, and finds or makes the workspace."""

from __future__ import annotations

import time
from contextlib import contextmanager
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from recortex.domain.address import HINT
from recortex.domain.maintenance import StoreSpace
from recortex.domain.text import to_micros
from recortex.errors import ConfigError, StorageError
from recortex.storage.database import Records, queries
from recortex.storage.postgres import (
    IDLE_SECONDS,
    PATIENCE_SECONDS,
    RECONNECT_SECONDS,
    ROLE,
    STATEMENT_SECONDS,
    WRITERS,
    PgDatabase,
    connect,
    translated,
)
from recortex.storage.postgres.migrations import (
    SCHEMA,
    applied,
    is_former,
    migrate,
    newest,
    value,
    vector_schema,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from psycopg import Connection

    from recortex.domain.address import Address


SEARCHED = 1_000
"""Vectors that a search through an approximate index looks at: of the true ten nearest among a million 97.4
% at 800, 98.3 at 1,000 (bench/scale.py)."""


def administration(address: Address) -> Connection[Any]:
    """A connection of the role's own rights, for the schema and for indexes.

    Raises:
        StoreUnavailableError: the server cannot be reached.
        PermissionsError: it refuses the role.
        ConfigError: the driver cannot read the URL.
    """
    try:
        with translated():
            return _patiently(lambda: connect(address.conninfo))
    except StorageError as error:
        if isinstance(error.__cause__, psycopg.ProgrammingError):  # which quotes the URL, password and all
            raise ConfigError("The URL of the database cannot be read.", hint=HINT) from None
        raise


def _patiently(make: Callable[[], Connection[Any]]) -> Connection[Any]:
    """Connect; try again only while the server says that it will soon take connections."""
    deadline = time.monotonic() + RECONNECT_SECONDS
    while True:
        try:
            return make()
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline or not any(words in str(error) for words in _PASSING):
                raise
            time.sleep(PAUSE_SECONDS)


_PASSING = (
    "starting up",
    "shutting down",
    "recovery mode",
    "too many clients",
    "connection slots",
    "closed the connection unexpectedly",
)
"""Words of errors with which a server says that it will soon take connections; such errors have no code."""
PAUSE_SECONDS = 0.1


def open_database(address: Address, *, now: datetime, size: int) -> PgDatabase:
    """Open a workspace; the schema and the workspace are made where they are missing.

    Raises:
        MigrationError: the schema could not be made or is of a newer program.
        StoreUnavailableError: the server cannot be reached.
    """
    with administration(address) as connection, translated():
        if applied(connection) != newest() or is_former(connection):
            migrate(connection, now=to_micros(now), partitions=address.partitions)
        # Refuse a schema in which something that Recortex did not make would run with our statements
        found = [row[0] for row in connection.execute(queries("opening", "postgres")["foreign"]).fetchall()]
        if found:
            raise StorageError(
                f"The schema {SCHEMA} holds what Recortex did not put there: {', '.join(found[:3])}.",
                hint="Who owns the database can look at it with `\\dS` in psql, and drop it.",
            )
        workspace = _workspace(connection, address.workspace, to_micros(now))
        settings = _settings(connection, address.workspace, workspace)
    return PgDatabase(address.conninfo, settings, workspace, size=size)


def _workspace(connection: Connection[Any], name: str, now: int) -> int:
    connection.execute("SELECT set_config('recortex.name', %s, false)", (name,))
    look = f"SELECT workspace FROM {SCHEMA}.workspaces WHERE name = %s"
    found = value(connection, look, (name,))
    if found is None:
        connection.execute(
            f"INSERT INTO {SCHEMA}.workspaces (name, created_at) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (name, now),
        )
        found = value(connection, look, (name,))
    return int(found)


def _settings(connection: Connection[Any], name: str, workspace: int) -> sql.Composed:
    """What a connection begins with. A role that would see past row-level security acts as one that does not.

    A database or a role may have been given defaults with which a writer would not see what the one before
    it wrote, or numbers would lose digits: here they are as the statements expect them.
    """
    sees_all = value(
        connection,
        "SELECT (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)"
        " AND EXISTS (SELECT FROM pg_roles WHERE rolname = %s)",
        (ROLE,),
    )
    set_to = {
        "lock_timeout": f"{PATIENCE_SECONDS}s",
        "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
        "statement_timeout": f"{STATEMENT_SECONDS}s",
        "default_transaction_isolation": "read committed",
        "extra_float_digits": "1",
        "hnsw.ef_search": str(SEARCHED),
        "hnsw.iterative_scan": "relaxed_order",
        "recortex.workspace": str(workspace),
        "recortex.name": name,
    }
    path = sql.SQL(f"SET search_path = {SCHEMA}, {vector_schema(connection)}, public")
    parts = [path, *(sql.SQL(f"SET {key} = {{}}").format(sql.Literal(to)) for key, to in set_to.items())]
    if sees_all:
        parts.append(sql.SQL("SET ROLE {}").format(sql.Identifier(ROLE)))
    return sql.SQL("; ").join(parts)


def workspaces(address: Address) -> list[str]:
    """The names of all workspaces; none where the role does not see past row-level security.

    Raises:
        StoreUnavailableError: the server cannot be reached.
    """
    with administration(address) as connection, translated():
        if applied(connection) == 0:
            return []
        rows = connection.execute(f"SELECT name FROM {SCHEMA}.workspaces ORDER BY name").fetchall()
    return [row[0] for row in rows]


# -- A workspace as a whole: how many rows its tables have, and deleting all of them


WORKSPACES = "workspaces"


def count_rows(address: Address) -> dict[str, int]:
    """The rows of a workspace by table, without tables that have none of it.

    Raises:
        StoreUnavailableError: the server cannot be reached.
    """
    with _owned(address) as (connection, workspace):
        return _counted(connection, workspace)


def delete_rows(address: Address) -> dict[str, int]:
    """Delete a workspace with all its rows in one transaction; returns the rows that are left: none.

    Raises:
        StoreUnavailableError: the server cannot be reached; nothing was deleted.
    """
    with _owned(address) as (connection, workspace):
        # The second key of such a lock has 32 bits.
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (WRITERS, workspace % 2**31))
        for table in _tables(connection):
            named = sql.SQL("DELETE FROM {} WHERE workspace = %s").format(sql.Identifier(SCHEMA, table))
            connection.execute(named, (workspace,))
        return _counted(connection, workspace)


@contextmanager
def _owned(address: Address) -> Iterator[tuple[Connection[Any], int]]:
    """A transaction that sees the workspace's rows; of a workspace that is not there the number is 0."""
    with administration(address) as connection, translated():
        workspace = 0
        if applied(connection):
            connection.execute("SELECT set_config('recortex.name', %s, false)", (address.workspace,))
            look = f"SELECT workspace FROM {SCHEMA}.{WORKSPACES} WHERE name = %s"
            workspace = next((row[0] for row in connection.execute(look, (address.workspace,))), 0)
            connection.execute("SELECT set_config('recortex.workspace', %s, false)", (str(workspace),))
        yield connection, workspace


def _counted(connection: Connection[Any], workspace: int) -> dict[str, int]:
    found = {}
    for table in _tables(connection) if workspace else ():
        named = sql.SQL("SELECT count(*) FROM {} WHERE workspace = %s").format(sql.Identifier(SCHEMA, table))
        found[table] = sum(row[0] for row in connection.execute(named, (workspace,)))
    return {table: rows for table, rows in sorted(found.items()) if rows}


def _tables(connection: Connection[Any]) -> list[str]:
    """The tables with a workspace, each before those that it refers to; the workspaces themselves last."""
    tables = {
        name: set[str]()
        for (name,) in connection.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = to_regnamespace(%s)::oid"
            " AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND EXISTS"
            " (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace')",
            (SCHEMA,),
        )
    }
    for referring, referred in connection.execute(
        "SELECT one.relname, other.relname FROM pg_constraint f JOIN pg_class one ON one.oid = f.conrelid"
        " JOIN pg_class other ON other.oid = f.confrelid"
        " WHERE f.contype = 'f' AND one.relnamespace = to_regnamespace(%s)::oid",
        (SCHEMA,),
    ):
        if referring != referred and {referring, referred} <= tables.keys():
            tables[referred].add(referring)
    last = tables.pop(WORKSPACES, None)
    ordered = list(TopologicalSorter(tables).static_order())
    return [*ordered, WORKSPACES] if last is not None else ordered


# -- measures the space of a workspace; making room is left to the server (autovacuum)


class PgCompaction(Records):
    """Says what the tables take and how much of them is dead; leaves the rest to the server.

    Args:
        size: about what the workspace takes, in bytes.
    """

    topic = "maintenance"

    def __init__(self, database: PgDatabase, size: Callable[[], int]) -> None:
        super().__init__(database)
        self._size = size

    def space(self) -> StoreSpace:
        """The workspace's share of all tables."""
        everything, vectors, index = map(int, self._rows("space")[0])
        own = self._size()
        share = min(own / everything, 1.0) if everything else 0.0
        return StoreSpace(total=own, vectors=int(vectors * share), keyword_index=int(index * share), free=0)

    def waste(self) -> int:
        """The workspace's share of what dead rows take; the server only counts them for all workspaces."""
        dead, rows = map(int, self._rows("dead")[0])
        return self._size() * dead // rows if rows else 0

    def tidy(self, left: Callable[[], float]) -> dict[str, int]:  # noqa: ARG002  nothing is left to do
        """Nothing: the server's autovacuum does it."""
        return {}

    def obstacle(self) -> str:
        """Why the tables are not rewritten from here."""
        return (
            "the server's autovacuum makes the room free for use;"
            " its administrator may VACUUM FULL or REINDEX CONCURRENTLY what stays large"
        )

    def rewrite(self) -> None:
        """Nothing: see `obstacle`."""
