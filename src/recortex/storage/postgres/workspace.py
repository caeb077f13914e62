"""A workspace as a whole: how many rows its tables have, and deleting all of them."""

from __future__ import annotations

from contextlib import contextmanager
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

from psycopg import sql

from recortex.storage.postgres.migrations import SCHEMA, applied
from recortex.storage.postgres.opening import administration
from recortex.storage.postgres.pool import WRITERS, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection

    from recortex.domain.address import Address

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
