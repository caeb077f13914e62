"""The schema of SQLite that all migrations lead to, as one file: new stores are made with it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from recortex.storage.sqlite import migrations
from recortex.storage.sqlite.migrations import replayed

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECTS = r"""
SELECT name, type = 'table', sql LIKE 'CREATE VIRTUAL%', sql FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
  AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
ORDER BY rowid
"""


def whole_schema() -> str:
    """The statements that make a new database as the migrations do, but for the record of them."""
    with closing(replayed(migrations.newest())) as connection:
        objects = list(connection.execute(_OBJECTS))
        rows = [
            line
            for name, is_table, virtual, _ in objects
            if is_table
            for line in (_settings if virtual else _rows)(connection, name)
        ]
    heading = migrations.HEADING.format(migrations.newest())
    return "\n".join([heading, *(f"{sql};" for *_, sql in objects), *rows])


def _rows(connection: apsw.Connection, table: str) -> Iterator[str]:
    for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608
        yield f"INSERT INTO {table} VALUES ({', '.join(map(apsw.format_sql_value, row))});"  # noqa: S608


def _settings(connection: apsw.Connection, index: str) -> Iterator[str]:
    """What a keyword index was told; its format is FTS5's own matter."""
    settings = f"SELECT k, quote(v) FROM {index}_config WHERE k <> 'version'"  # noqa: S608
    for key, value in connection.execute(settings):
        yield f"INSERT INTO {index} ({index}, rank) VALUES ('{key}', {value});"  # noqa: S608
