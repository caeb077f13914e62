"""The schema as numbered SQL files, each applied in one transaction together with its record.

A new database gets at once what they lead to, from `schema.sql`, which `scripts/build_docs.py` writes by
applying them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from recortex.errors import MigrationError, NewerSchemaError
from recortex.storage import database
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.storage.database import Migration
    from recortex.storage.sqlite.pool import Pool

known = partial(database.known, Path(__file__).parent)
newest = partial(database.newest, Path(__file__).parent)
_WHOLE = Path(__file__).with_name("schema.sql")
HEADING = "-- The schema after migration {}, written by scripts/build_docs.py; change it by a migration."
RECORDS = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL, program TEXT NOT NULL
)"""


def applied(pool: Pool) -> int:
    """The newest migration that the database records; 0 for a new one."""
    if not pool.value("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"):
        return 0
    return int(pool.value("SELECT coalesce(max(version), 0) FROM schema_migrations"))


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
    current = refuse_newer(pool)
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
        if applied(pool):
            return False
        connection = pool.connection()
        connection.execute(sql)
        records = [(step.version, step.name, now, __version__) for step in steps]
        connection.executemany("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", records)
    return True


def refuse_newer(pool: Pool) -> int:
    """The newest migration that the database records.

    Raises:
        NewerSchemaError: this program does not know it.
    """
    current = applied(pool)
    if current > newest():
        raise NewerSchemaError(
            f"The store {pool.path} has schema {current}; this program knows up to {newest()}."
        )
    return current


def _apply(pool: Pool, step: Migration, now: int) -> None:
    try:
        with pool.transaction():
            connection = pool.connection()
            connection.execute(RECORDS)
            if applied(pool) >= step.version:  # another process was quicker
                return
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
                (step.version, step.name, now, __version__),
            )
    except apsw.Error as error:
        raise MigrationError(f"Migration {step.version} ({step.name}) failed: {error}.") from error
