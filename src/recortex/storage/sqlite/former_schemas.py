"""Brings a store to today's schema whose migrations had another order or wording when it was made.

Two of them were changed after programs had applied them. Such a store is opened like any other: what is
missing of a migration is added, by the names of those that it records, and a table of another wording is made
anew with its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.errors import MigrationError
from recortex.storage.sqlite import migrations
from recortex.storage.sqlite.schema_check import expected, is_former, made, objects_of
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import apsw

    from recortex.storage.sqlite.pool import Pool

_VALUES = {"INTEGER": "0", "REAL": "0.0", "BLOB": "x''"}
"""What a row gets that has no value in a column that came later, by the column's type; else an empty text."""


def mend(pool: Pool, *, now: int, before_change: Callable[[], object]) -> None:
    """Give the store of a former schema the one that today's migrations make, rows and all.

    Args:
        pool: the database.
        now: the time to record, in microseconds.
        before_change: called before anything is changed (a backup).

    Raises:
        MigrationError: the result is not one of today's schemas; nothing was changed.
    """
    before_change()
    with pool.lock_writer() as connection:
        connection.execute("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
        try:
            with pool.transaction():
                if is_former(pool.rows):  # else another process was quicker
                    steps = migrations.known()
                    names = {row[0] for row in pool.rows("SELECT name FROM schema_migrations")}
                    last = max(step.version for step in steps if step.name in names)
                    for step in steps[:last]:
                        if step.name not in names:
                            connection.execute(step.sql)
                    connection.execute("DELETE FROM schema_migrations")
                    for step in steps[:last]:
                        values = (step.version, step.name, now, __version__)
                        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", values)
                    wanted = made(last)
                    other = expected(last) - objects_of(pool.rows)
                    for table in sorted({name for type_, name, *_ in other if type_ == "table"}):
                        _rebuild(connection, table, [sql for _, _, of, sql in wanted if of == table and sql])
                    if objects_of(pool.rows) != expected(last):
                        raise MigrationError(f"The store {pool.path} could not be brought to schema {last}.")
        finally:
            connection.execute("PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON")


def _rebuild(connection: apsw.Connection, table: str, statements: Sequence[str]) -> None:
    """Make a table and its indexes by their statements, and give it the rows of the one that is there."""
    former = f"former_{table}"
    connection.execute(f"ALTER TABLE {table} RENAME TO {former}")
    indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
    for (name,) in list(connection.execute(indexes, (former,))):
        connection.execute(f"DROP INDEX {name}")
    for sql in sorted(statements, key=lambda one: not one.startswith("CREATE TABLE")):
        connection.execute(sql)
    names = "SELECT name, type FROM pragma_table_info(?)"
    there = {name for name, _ in connection.execute(names, (former,))}
    values = [
        name if name in there else _VALUES.get(type_, "''")
        for name, type_ in list(connection.execute(names, (table,)))
    ]
    connection.execute(f"INSERT INTO {table} SELECT {', '.join(values)} FROM {former}")
    connection.execute(f"DROP TABLE {former}")
