"""New stores in SQLite files are made by the statements of a migrated one, where that is not what is tested.

Each of thousands of tests begins with an empty store, and running all migrations is a third of the time of a
short one: most of it goes into tables that later migrations change. What comes out is the same. Programs that
tests start run the migrations, and so do the tests of migrations.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recortex.storage.sqlite import migrations, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.storage.sqlite.pool import Pool

_SCHEMA = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
_MADE_ON_DEMAND = ("sqlite_",)
"""Beginnings of names of tables that SQLite makes itself."""


@cache
def statements() -> tuple[str, dict[str, list[tuple[Any, ...]]]]:
    """What makes the tables of a store, and the rows that they begin with."""
    with tempfile.TemporaryDirectory(prefix="recortex-test-") as folder:
        path = Path(folder, "cortex.db")
        store.SqliteStore(path, backups=Path(folder, "backups"), clock=lambda: datetime.now(UTC)).close()
        with closing(apsw.Connection(str(path))) as connection:
            made = connection.execute(_SCHEMA).fetchall()
            tables = [name for name, sql in made if sql.startswith("CREATE TABLE")]
            rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}
    own = tuple(f"{name}_" for name, sql in made if sql.startswith("CREATE VIRTUAL"))  # makes these itself
    return ";\n".join(sql for name, sql in made if not name.startswith(own + _MADE_ON_DEMAND)), {
        name: found for name, found in rows.items() if found
    }


def migrate(pool: Pool, *, now: int, before_change: Callable[[], object]) -> None:
    """Bring a database to this program's schema; one that is empty at once."""
    script, rows = statements()
    if not migrations.applied(pool):
        with pool.transaction():
            if not pool.value("SELECT count(*) FROM sqlite_schema"):
                pool.connection().execute(script)
                for table, found in rows.items():
                    places = ", ".join("?" * len(found[0]))
                    pool.rows(f'DELETE FROM "{table}"')
                    pool.run_many(f'INSERT INTO "{table}" VALUES ({places})', found)
                pool.rows("UPDATE schema_migrations SET applied_at = ?", (now,))
    migrations.migrate(pool, now=now, before_change=before_change)


def use() -> None:
    """Let the stores of this process begin so."""
    statements()
    store.migrate = migrate
