"""Every table of a store as rows that both engines give alike: what a whole copy is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.storage.records.copying import copied_from
from recortex.storage.records.rows import json
from recortex.storage.transfer import Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Database
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.tables import Table
    from recortex.storage.transfer import Key, Row


class FullCopyRecords:
    """Reads and writes whole tables.

    Args:
        vectors: turns vectors into codes and back.
    """

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        self._database = database
        self._vectors = vectors

    @property
    def side(self) -> Side:
        """This store as a side of a copy."""
        return Side(self.page, self.between, self.put)

    def page(self, table: Table, after: Key | None, limit: int) -> list[Row]:
        """At most so many rows after a key, in its order."""
        condition, values = _range(table, after, None)
        return self._read(table, condition, (*values, limit), "LIMIT ?")

    def between(self, table: Table, after: Key | None, until: Key | None) -> list[Row]:
        """The rows after a key and up to another one."""
        condition, values = _range(table, after, until)
        return self._read(table, condition, values)

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one."""
        with self._database.transaction():
            self.clear(table, after, until, keep={table.key_of(row) for row in rows})
            self._database.run_many(self.insertion(table), [self.written(table, row) for row in rows])
            if table.name == "embeddings":
                self._put_signs(rows)

    def clear(self, table: Table, after: Key | None, until: Key | None, *, keep: set[Key]) -> None:
        """Delete rows that are not to stay; those that stay are updated, since others refer to them."""
        for row in self.between(table, after, until):
            key = table.key_of(row)
            if key not in keep:
                self.delete(table, key)

    def delete(self, table: Table, key: Key) -> None:
        """Delete one row."""
        among = " AND ".join(f"{self.column(table, name)} = ?" for name in table.key)
        self._database.rows(f"DELETE FROM {table.name} WHERE /*own*/ {among}", key)

    def insertion(self, table: Table) -> str:
        """The statement that writes a row, or brings it up to date."""
        columns = [self.column(table, name) for name in self.columns(table)]
        key = ", ".join(self.column(table, name) for name in table.key)
        others = [
            column for column in columns if column not in {self.column(table, name) for name in table.key}
        ]
        changes = ", ".join(f"{column} = excluded.{column}" for column in others)
        act = f"DO UPDATE SET {changes}" if changes else "DO NOTHING"
        marks = ", ".join(self.place_for(table, name) for name in self.columns(table))
        return (
            f"INSERT INTO {table.name} (/*own column*/ {', '.join(columns)}) VALUES (/*own value*/ {marks})"
            f" ON CONFLICT (/*own column*/ {key}) {act}"
        )

    def mark(self) -> str | None:
        """The store that a copy into this one was begun from and not finished; None where none was."""
        return copied_from(self._database)

    def begin(self, source: str, *, now: int) -> None:
        """Remember that a copy was begun."""
        self._database.rows(self._database.queries("transfer")["begin"], (now, json({"source": source})))

    def finish(self) -> None:
        """The copy is complete: from now on this is a store like any other."""
        self._database.rows(self._database.queries("transfer")["finish"])

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns that are written; an engine may add some that it derives."""
        return table.names

    def column(self, table: Table, name: str) -> str:  # noqa: ARG002  an engine may call one otherwise
        """What a column is called here."""
        return name

    def place_for(self, table: Table, name: str) -> str:  # noqa: ARG002
        """How a value is written into a column."""
        return "?"

    def written(self, table: Table, row: Row) -> Row:
        """A row as it is written."""
        if table.name != "embeddings":
            return row
        place = table.names.index("vector")
        return (*row[:place], self._vectors.column(row[place]), *row[place + 1 :])

    def _read(self, table: Table, condition: str, values: Sequence[Any], tail: str = "") -> list[Row]:
        columns = ", ".join(self._selected(table, name) for name in table.names)
        order = ", ".join(f"e.{self.column(table, name)}" for name in table.key)
        rows = self._database.rows(
            f"SELECT {columns} FROM {table.name} e WHERE /*own e*/ {self._named(table, condition)}"
            f" ORDER BY {order} {tail}",
            values,
        )
        if table.name != "embeddings":
            return rows
        place = table.names.index("vector")
        return [(*row[:place], self._vectors.code(row[place]), *row[place + 1 :]) for row in rows]

    def _selected(self, table: Table, name: str) -> str:
        if table.name == "embeddings" and name == "vector":
            return self._vectors.COLUMN
        return f"e.{self.column(table, name)}"

    def _named(self, table: Table, condition: str) -> str:
        for name in table.key:
            condition = condition.replace(f"{{{name}}}", f"e.{self.column(table, name)}")
        return condition

    def _put_signs(self, rows: Sequence[Row]) -> None:
        sql = self._database.queries("vectors")["insert_signs"]
        self._database.run_many(
            sql, [(key, model, self._vectors.signs(code)) for key, _, model, code in rows]
        )


def _range(table: Table, after: Key | None, until: Key | None) -> tuple[str, tuple[Any, ...]]:
    """A condition on the key: after one, up to another."""
    key = f"({', '.join(f'{{{name}}}' for name in table.key)})"
    marks = f"({', '.join('?' for _ in table.key)})"
    parts: list[str] = ["1 = 1"]
    values: list[Any] = []
    for sign, bound in ((">", after), ("<=", until)):
        if bound is not None:
            parts.append(f"{key} {sign} {marks}")
            values.extend(bound)
    return " AND ".join(parts), tuple(values)
