"""The schema `recortex` as numbered SQL files, each applied in one transaction; a new database in one of all.

Every table with a column `workspace` is guarded by row-level security, whether its migration says so or not.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from recortex.errors import MigrationError, NewerSchemaError
from recortex.storage import database
from recortex.storage.postgres import translated
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from recortex.storage.database import Migration

SCHEMA = "recortex"
known = partial(database.known, Path(__file__).parent)
newest = partial(database.newest, Path(__file__).parent)
_LOCK = 0x5EC1  # the advisory lock of whoever migrates
_BY_WORKSPACE = "/*by workspace*/"
_BEFORE, _AFTER = (
    Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8") for name in ("before", "after")
)
_TABLE = re.compile(r"CREATE TABLE (\w+) \(")


def applied(connection: Connection[Any]) -> int:
    """The newest migration that the database records; 0 for a new one."""
    if not value(connection, f"SELECT to_regclass('{SCHEMA}.schema_migrations') IS NOT NULL"):
        return 0
    return int(value(connection, f"SELECT coalesce(max(version), 0) FROM {SCHEMA}.schema_migrations"))


def is_former(connection: Connection[Any]) -> bool:
    """Whether the schema was made before two of the migrations were changed; `migrate` mends it."""
    column = "attrelid = to_regclass(%s) AND attname = 'copies' AND NOT attisdropped"
    there = f"to_regclass(%s) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_attribute WHERE {column})"
    table = f"{SCHEMA}.memory_symbols"
    return bool(value(connection, f"SELECT {there}", (table, table)))


def value(connection: Connection[Any], text: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, or None."""
    row = connection.execute(text, values).fetchone()
    return row[0] if row else None


def migrate(connection: Connection[Any], *, now: int, partitions: int) -> None:
    """Bring the database to this program's schema.

    Args:
        connection: in autocommit, of a role that may create a schema.
        now: the time to record, in microseconds.
        partitions: that the tables of a new database are made of; 0: none.

    Raises:
        NewerSchemaError: a newer program wrote it; nothing is changed.
        MigrationError: a step failed; it was rolled back.
    """
    steps = known()
    current = applied(connection)
    if current > steps[-1].version:
        raise NewerSchemaError(
            f"The database has schema {current}; this program knows up to {steps[-1].version}."
        )
    if not current:
        # Refuse a database whose encoding cannot hold every text, before a memory fails to be written
        encoding = value(connection, "SELECT current_setting('server_encoding')")
        if encoding != "UTF8":
            raise MigrationError(
                f"The database's encoding is {encoding}: it cannot hold every text.",
                hint="Nothing was changed. Make another one: "
                "CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.",
            )
    elif is_former(connection) or _names(connection) != [step.name for step in steps[:current]]:
        current = _mend(connection, now, partitions)
    waiting = steps[current:]
    for at_once in [(step,) for step in waiting] if current else [waiting]:  # a new database is made at once
        _apply(connection, at_once, now, partitions)


_SINCE_RELEASED = """
ALTER TABLE IF EXISTS memory_symbols ADD COLUMN IF NOT EXISTS copies bigint NOT NULL DEFAULT 0;
ALTER TABLE IF EXISTS memory_symbols ALTER COLUMN copies DROP DEFAULT;
ALTER TABLE IF EXISTS symbol_checks ADD COLUMN IF NOT EXISTS said text NOT NULL DEFAULT '';
ALTER TABLE IF EXISTS symbol_checks ALTER COLUMN said DROP DEFAULT;
"""
"""Columns that a migration got after programs had applied it."""


def _names(connection: Connection[Any]) -> list[str]:
    found = connection.execute(f"SELECT name FROM {SCHEMA}.schema_migrations ORDER BY version").fetchall()
    return [row[0] for row in found]


def _mend(connection: Connection[Any], now: int, partitions: int) -> int:
    """Add what is missing of the migrations that a database records; returns the last one of them."""
    steps = known()
    with connection.transaction():
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
        names = _names(connection)
        last = max(step.version for step in steps if step.name in names)
        for step in steps[:last]:
            if step.name not in names:
                _apply(connection, [step._replace(version=applied(connection) + 1)], now, partitions)
        connection.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        connection.execute(_SINCE_RELEASED)
        connection.execute("DELETE FROM schema_migrations")
        for step in steps[:last]:
            values = (step.version, step.name, now, __version__)
            connection.execute("INSERT INTO schema_migrations VALUES (%s, %s, %s, %s)", values)
    return last


def _apply(connection: Connection[Any], steps: Sequence[Migration], now: int, partitions: int) -> None:
    """Apply steps in one transaction."""
    step = steps[0]
    try:
        with connection.transaction():
            connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
            connection.execute(_BEFORE)
            layout = f"INSERT INTO {SCHEMA}.layout (partitions) VALUES (%s) ON CONFLICT DO NOTHING"
            connection.execute(layout, (partitions,))
            current = applied(connection)  # another process may have been quicker
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, {vector_schema(connection)}, public")
            parts = value(connection, f"SELECT partitions FROM {SCHEMA}.layout")
            for step in (one for one in steps if one.version > current):
                connection.execute(_partitioned(step.sql, parts))
                connection.execute(
                    f"INSERT INTO {SCHEMA}.schema_migrations VALUES (%s, %s, %s, %s)",
                    (step.version, step.name, now, __version__),
                )
            connection.execute(_AFTER)
    except psycopg.OperationalError:
        with translated():
            raise
    except psycopg.Error as error:
        said = (error.diag.message_primary or str(error)).partition("\n")[0]
        raise MigrationError(
            f"Migration {step.version} ({step.name}) failed: {said}.",
            hint="Nothing was changed. The role must own the schema `recortex` or be allowed to create it, "
            "and the extension `vector` (pgvector 0.8 or later) must be installed on the server.",
        ) from error


def vector_schema(connection: Connection[Any]) -> str:
    """Where pgvector's types are."""
    found = value(
        connection,
        "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE e.extname = 'vector'",
    )
    return found or "public"


def _partitioned(text: str, partitions: int | None) -> str:
    """The text of a migration, its tables hash-partitioned by the workspace where that is wanted."""
    if not partitions:
        return text
    parts = []
    for statement in text.split(";\n"):
        parts.append(statement.replace(_BY_WORKSPACE, "PARTITION BY HASH (workspace)"))
        found = _TABLE.search(statement)
        if found and _BY_WORKSPACE in statement:
            parts += [
                f"CREATE TABLE {found[1]}_p{number} PARTITION OF {found[1]}"
                f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
                for number in range(partitions)
            ]
    return ";\n".join(parts)
