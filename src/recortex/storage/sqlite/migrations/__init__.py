"""The schema as numbered SQL files, each applied in one transaction together with its record.

A new database gets at once what they lead to, from `schema.sql`, which `scripts/build_docs.py` writes by
applying them.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recortex.errors import CorruptStoreError, MigrationError, NewerSchemaError
from recortex.storage import database
from recortex.storage.sqlite import OBJECTS, digest, objects_of
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.storage.database import Migration
    from recortex.storage.sqlite import Object, Pool


known = partial(database.known, Path(__file__).parent)
newest = partial(database.newest, Path(__file__).parent)
_WHOLE = Path(__file__).with_name("schema.sql")
HEADING = "-- The schema after migration {}, written by scripts/build_docs.py; change it by a migration."
RECORDS = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL, program TEXT NOT NULL
)"""


def migrate(pool: Pool, *, now: int, before_change: Callable[[], object]) -> None:
    """Bring the database to this program's schema.

    Args:
        pool: the database.
        now: the time to record, in microseconds.
        before_change: called once before a database that holds data is changed (a backup).

    Raises:
        NewerSchemaError: a newer program wrote it; nothing is changed.
        MigrationError: a step failed; it was rolled back.
    """
    current = pool.known_schema(newest())
    if current == newest():  # no file is read for a store that is up to date
        return
    steps = known()
    if current:
        before_change()
    elif _make(pool, steps, now):
        return
    for step in steps[current:]:
        _apply(pool, step, now)


def _make(pool: Pool, steps: tuple[Migration, ...], now: int) -> bool:
    """Give a new database the schema that the steps lead to: that takes a quarter of the time of all steps.

    Returns whether it has it now; not where `schema.sql` is of other steps, or another process was quicker.
    """
    heading, _, sql = _WHOLE.read_text(encoding="utf-8").partition("\n")
    if heading != HEADING.format(steps[-1].version):
        return False
    with pool.transaction():
        if pool.schema():
            return False
        connection = pool.connection()
        connection.execute(sql)
        records = [(step.version, step.name, now, __version__) for step in steps]
        connection.executemany("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", records)
    return True


def _apply(pool: Pool, step: Migration, now: int) -> None:
    try:
        with pool.transaction():
            connection = pool.connection()
            connection.execute(RECORDS)
            if pool.schema() >= step.version:  # another process was quicker
                return
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
                (step.version, step.name, now, __version__),
            )
    except apsw.Error as error:
        raise MigrationError(f"Migration {step.version} ({step.name}) failed: {error}.") from error


# -- whether a database's schema is one that Recortex made
#
# A trigger, a view or a column default of somebody else's would run inside our own statements. So a file is
# opened only where its schema is, object by object, that of one of our migrations.


DIGESTS = {
    "e3b0c44298fc1c14": 0,
    "720f35dc6aca688d": 1,
    "beda3910eba1fe17": 2,
    "fa4de72cc864e49e": 3,
    "dd417509bca80576": 4,
    "77c589fe52de85f0": 5,
    "8ab08a439fa39bb9": 6,
    "5f35addca081e8e5": 7,
    "8058e392e06abf58": 8,
    "1e320ac05fe05ef9": 9,
    "031d12a6ce446e6d": 10,
    "9c8d548768390797": 11,
    "8db626440ce3be3a": 12,
    "34ed8ef5ec0c98d0": 13,
    "270197e74ffdeb8d": 14,
    "fc8a024e73a98dde": 15,
    "77e0cedaea23481b": 16,
    "d666aee2a3dd635f": 17,
    "5faf95aea1829c3a": 18,
    "c69ef0d86f27f7bd": 19,
    "1a7101c6df1a0a9f": 20,
    "81eeb64d45773b82": 21,
    "2d18adb41d40f854": 22,
    "fe684fbd4ad923df": 23,
    "13abf4e659e34a11": 24,
}
"""The schema after each migration, by the first 16 digits of its digest. A test makes them again from the
migrations."""
FORMER = frozenset({"c2fd24d89c88d481", "3c2cf91e54632aee", "b76759f187cbbe0f"})
"""Schemas made before two of the migrations were changed: `mend` brings them to today's."""
_RECORDS = "schema_migrations"
_NAMED = 3


def refuse_foreign(pool: Pool) -> bool:
    """Refuse a database whose schema is damaged, or was written by somebody else.

    Returns whether it has one of the former schemas, which are mended before they are migrated.

    Raises:
        CorruptStoreError: it does; nothing of it was run.
        NewerSchemaError: a newer program made its schema.
    """
    objects = objects_of(pool.rows)
    if found := _foreign(objects, pool.rows):
        raise CorruptStoreError(
            f"The store {pool.path} has a schema that Recortex did not make: {', '.join(found[:_NAMED])}.",
            hint="It is not used. `recortex recover` makes a store of its memories alone, "
            "and keeps the file.",
        )
    return digest(objects) in FORMER


def foreign_objects(rows: Callable[[str], list[tuple[Any, ...]]]) -> list[str]:
    """The schema's objects that are in none of our migrations, or differ from them; none where all is ours.

    Args:
        rows: gives the rows of a query.

    Raises:
        NewerSchemaError: a newer program made the schema.
    """
    return _foreign(objects_of(rows), rows)


def _foreign(objects: frozenset[Object], rows: Callable[[str], list[tuple[Any, ...]]]) -> list[str]:
    if (found := digest(objects)) in DIGESTS or found in FORMER:
        return []
    schemas = [expected(version) for version in range(newest() + 1)]
    if objects in schemas:
        return []
    ours = frozenset(each for schema in schemas for each in schema)
    foreign = sorted(f"{type_} {name}" for type_, name, *_ in objects - ours)
    if _newer(rows, objects & ours):
        raise NewerSchemaError("The store was made by a newer program than this.")
    return foreign or ["a schema with parts missing"]


def is_former(rows: Callable[[str], list[tuple[Any, ...]]]) -> bool:
    """Whether a database has a schema that has to be mended before it is migrated.

    `rows` as in `foreign_objects`.
    """
    return digest(objects_of(rows)) in FORMER


def expected(version: int) -> frozenset[Object]:
    """The objects of the schema after a migration; 0 is an empty database."""
    return objects_of(lambda _: made(version))


def made(version: int) -> list[tuple[str, str, str, str | None]]:
    """The schema after a migration: of each object its type, name, table and statement."""
    with closing(replayed(version)) as connection:
        return list(connection.execute(OBJECTS))


def replayed(version: int) -> apsw.Connection:
    """An empty database in memory to which all migrations up to one were applied."""
    connection = apsw.Connection(":memory:")
    if version:
        connection.execute(RECORDS)
    for step in known()[:version]:
        connection.execute(step.sql)
    return connection


def _newer(rows: Callable[[str], list[tuple[Any, ...]]], ours: frozenset[Object]) -> bool:
    """Whether the record of migrations, in our own form, names one that this program does not know."""
    if not any(name == _RECORDS and type_ == "table" for type_, name, *_ in ours):
        return False
    return int(rows(f"SELECT coalesce(max(version), 0) FROM {_RECORDS}")[0][0]) > newest()


# -- brings a store to today's schema whose migrations had another order or wording when it was made
#
# Two of them were changed after programs had applied them. Such a store is opened like any other: what is
# missing of a migration is added, by the names of those that it records, and a table of another wording is
# made anew with its rows.


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
        # foreign_keys cannot be changed inside a transaction. legacy_alter_table: renaming a table must not
        # rewrite the references of others, which stay with the name.
        connection.execute("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
        try:
            with pool.transaction():
                if is_former(pool.rows):  # else another process was quicker
                    steps = known()
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
    # The table before its indexes.
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
