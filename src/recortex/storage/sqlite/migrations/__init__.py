"""The schema as numbered SQL files, each applied in one transaction together with its record."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw

from recortex.errors import MigrationError, NewerSchemaError
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.storage.sqlite.pool import Pool

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_RECORDS = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL, program TEXT NOT NULL
)"""


class Migration(NamedTuple):
    """One step of the schema."""

    version: int
    name: str
    sql: str


def known() -> tuple[Migration, ...]:
    """The migrations of this program, in order."""
    found = ((_FILE.fullmatch(path.name), path) for path in sorted(Path(__file__).parent.glob("*.sql")))
    return tuple(
        Migration(int(match[1]), match[2], path.read_text(encoding="utf-8")) for match, path in found if match
    )


def newest() -> int:
    """The schema of this program; no file is read for it."""
    return max(
        int(match[1]) for path in Path(__file__).parent.iterdir() if (match := _FILE.fullmatch(path.name))
    )


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
    steps = known()
    current = applied(pool)
    if current > steps[-1].version:
        raise NewerSchemaError(
            f"The store {pool.path} has schema {current}; this program knows up to {steps[-1].version}."
        )
    if 0 < current < steps[-1].version:
        before_change()
    for step in steps[current:]:
        _apply(pool, step, now)


def _apply(pool: Pool, step: Migration, now: int) -> None:
    try:
        with pool.transaction():
            connection = pool.connection()
            connection.execute(_RECORDS)
            if applied(pool) >= step.version:  # another process was quicker
                return
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
                (step.version, step.name, now, __version__),
            )
    except apsw.Error as error:
        raise MigrationError(f"Migration {step.version} ({step.name}) failed: {error}.") from error
