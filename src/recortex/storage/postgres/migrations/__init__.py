"""The schema `recortex` as numbered SQL files, each applied in one transaction.

Every table with a column `workspace` is guarded by row-level security, whether its migration says so or not.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from recortex.errors import MigrationError, NewerSchemaError
from recortex.storage import migrations
from recortex.storage.postgres.pool import ROLE, SEEKER, translated
from recortex.version import __version__

if TYPE_CHECKING:
    from psycopg import Connection

    from recortex.storage.migrations import Migration

SCHEMA = "recortex"
_FOLDER = Path(__file__).parent
_LOCK = 0x5EC1
_BY_WORKSPACE = "/*by workspace*/"
_TABLE = re.compile(r"CREATE TABLE (\w+) \(")


def known() -> tuple[Migration, ...]:
    """The migrations of this program, in order."""
    return migrations.known(_FOLDER)


def newest() -> int:
    """The schema of this program."""
    return migrations.newest(_FOLDER)


def applied(connection: Connection[Any]) -> int:
    """The newest migration that the database records; 0 for a new one."""
    found = connection.execute(f"SELECT to_regclass('{SCHEMA}.schema_migrations') IS NOT NULL").fetchone()
    if not found or not found[0]:
        return 0
    row = connection.execute(f"SELECT coalesce(max(version), 0) FROM {SCHEMA}.schema_migrations").fetchone()
    return int(row[0]) if row else 0


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
        _takes_any_text(connection)
    for step in steps[current:]:
        _apply(connection, step, now, partitions)


def _takes_any_text(connection: Connection[Any]) -> None:
    """Say at once what would else be said of the first memory with a letter that the database has not."""
    row = connection.execute("SELECT current_setting('server_encoding')").fetchone()
    if row and row[0] != "UTF8":
        raise MigrationError(
            f"The database's encoding is {row[0]}: it cannot hold every text.",
            hint="Nothing was changed. Make another one: "
            "CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.",
        )


def _apply(connection: Connection[Any], step: Migration, now: int, partitions: int) -> None:
    try:
        with connection.transaction():
            connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
            _prepare(connection, partitions)
            if applied(connection) >= step.version:  # another process was quicker
                return
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, {vector_schema(connection)}, public")
            connection.execute(_partitioned(step.sql, _partitions(connection)))
            _guard(connection)
            _release(connection)
            connection.execute(
                f"INSERT INTO {SCHEMA}.schema_migrations VALUES (%s, %s, %s, %s)",
                (step.version, step.name, now, __version__),
            )
    except psycopg.OperationalError:
        with translated():
            raise
    except psycopg.Error as error:
        said = (error.diag.message_primary or str(error)).partition("\n")[0]
        raise MigrationError(
            f"Migration {step.version} ({step.name}) failed: {said}.",
            hint="Nothing was changed. The role must own the schema `recortex` or be allowed to create it, "
            "and the "
            "extension `vector` (pgvector 0.8 or later) must be installed on the server.",
        ) from error


def _prepare(connection: Connection[Any], partitions: int) -> None:
    """The schema, the extension, the role of tenants, and the record of what was applied."""
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute(f"""
        CREATE TABLE IF NOT EXISTS {SCHEMA}.schema_migrations (
          version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL, program text NOT NULL
        )""")
    connection.execute(f"""
        CREATE TABLE IF NOT EXISTS {SCHEMA}.layout (
          one boolean PRIMARY KEY DEFAULT true CHECK (one), partitions integer NOT NULL
        )""")
    connection.execute(
        f"INSERT INTO {SCHEMA}.layout (partitions) VALUES (%s) ON CONFLICT DO NOTHING", (partitions,)
    )
    for role in (ROLE, SEEKER):
        connection.execute(f"""
            DO $$ BEGIN
              IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}')
                AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
                CREATE ROLE {role} NOLOGIN;
                IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
                  EXECUTE format('GRANT {role} TO %I', current_user);
                END IF;
              END IF;
            END $$""")


def vector_schema(connection: Connection[Any]) -> str:
    """Where pgvector's types are."""
    row = connection.execute(
        "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE e.extname = 'vector'"
    ).fetchone()
    return str(row[0]) if row else "public"


def _partitions(connection: Connection[Any]) -> int:
    row = connection.execute(f"SELECT partitions FROM {SCHEMA}.layout").fetchone()
    return int(row[0]) if row else 0


def _partitioned(text: str, partitions: int) -> str:
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


def _guard(connection: Connection[Any]) -> None:
    """Row-level security on every table that has a workspace, and on its partitions, which can be named too.

    The owner of the tables obeys it as well.
    """
    unguarded = connection.execute(f"""
        SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = '{SCHEMA}' AND c.relkind IN ('r', 'p')
          AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace')
          AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)""").fetchall()
    for (table,) in unguarded:
        ours = (
            "name = current_setting('recortex.name', true)"
            if table == "workspaces"
            else "workspace = nullif(current_setting('recortex.workspace', true), '')::bigint"
        )
        name = sql.Identifier(SCHEMA, table)
        for statement in (
            "ALTER TABLE {} ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE {} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY own ON {{}} USING ({ours}) WITH CHECK ({ours})",
        ):
            connection.execute(sql.SQL(statement).format(name))
    connection.execute(f"""
        DO $$ BEGIN
          IF EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') THEN
            GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA} TO {ROLE};
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {ROLE};
            GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {SCHEMA} TO {ROLE};
            REVOKE INSERT, UPDATE, DELETE ON {SCHEMA}.schema_migrations, {SCHEMA}.layout FROM {ROLE};
          END IF;
        END $$""")


def _release(connection: Connection[Any]) -> None:
    """Let the search by words use its index.

    Its function, and nothing else, acts as a role that sees all memories.

    Where the role could not be made, the search is as correct, and reads the whole workspace.
    """
    connection.execute(f"""
        DO $$ BEGIN
          IF to_regproc('{SCHEMA}.matching') IS NOT NULL
            AND (SELECT proowner::regrole::text FROM pg_proc
         WHERE oid = to_regproc('{SCHEMA}.matching')) <> '{SEEKER}'
            AND EXISTS (SELECT FROM pg_roles WHERE rolname = '{SEEKER}' AND pg_has_role(oid, 'MEMBER')) THEN
            GRANT USAGE, CREATE ON SCHEMA {SCHEMA} TO {SEEKER};
            GRANT SELECT ON {SCHEMA}.memories TO {SEEKER};
            CREATE POLICY seeking ON {SCHEMA}.memories FOR SELECT TO {SEEKER} USING (true);
            ALTER FUNCTION {SCHEMA}.matching OWNER TO {SEEKER};
            REVOKE CREATE ON SCHEMA {SCHEMA} FROM {SEEKER};
          END IF;
        END $$""")
