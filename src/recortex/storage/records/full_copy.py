"""Every table of a store as rows that both engines give alike: what a whole copy is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.storage.database import Records, copied_from
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.storage.database import Database
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.tables import Key, Row, Table

_VECTOR = ("embeddings", "vector")


class FullCopyRecords(Records):
    """Reads and writes whole tables.

    Args:
        vectors: turns vectors into codes and back.
    """

    topic = "transfer"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database)
        self._vectors = vectors

    def page(self, table: Table, after: Key | None, limit: int) -> list[Row]:
        """At most so many rows after a key, in its order; both engines give the same values."""
        return self._read(table, after, None, limit)

    def between(self, table: Table, after: Key | None, until: Key | None) -> list[Row]:
        """The rows after a key and up to another one; None: without that end."""
        return self._read(table, after, until)

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one.

        Rows that stay are updated, not deleted, since others refer to them.
        """
        among = " AND ".join(f"{self.column(table, name)} = ?" for name in table.key)
        kept = set(map(table.key_of, rows))
        with self._database.transaction():
            gone = [
                key for row in self.between(table, after, until) if (key := table.key_of(row)) not in kept
            ]
            self._database.run_many(f"DELETE FROM {table.name} WHERE /*own*/ {among}", gone)
            self._database.run_many(self.insertion(table), [self.written(table, row) for row in rows])
            if table.name == "embeddings":
                signs = [(key, model, self._vectors.signs(code)) for key, _, model, code in rows]
                self._database.run_many(self._database.queries("vectors")["insert_signs"], signs)

    def insertion(self, table: Table) -> str:
        """The statement that writes a row, or brings it up to date."""
        columns = [self.column(table, name) for name in self.columns(table)]
        key = [self.column(table, name) for name in table.key]
        changes = ", ".join(f"{column} = excluded.{column}" for column in columns if column not in key)
        act = f"DO UPDATE SET {changes}" if changes else "DO NOTHING"
        marks = ", ".join(self.place_for(table, name) for name in self.columns(table))
        return (
            f"INSERT INTO {table.name} (/*own column*/ {', '.join(columns)}) VALUES (/*own value*/ {marks})"
            f" ON CONFLICT (/*own column*/ {', '.join(key)}) {act}"
        )

    def mark(self) -> str | None:
        """The store that a copy into this one was begun from and not finished; None where none was."""
        return copied_from(self._database)

    def begin(self, source: str, *, now: int) -> None:
        """Remember that a copy was begun."""
        self._rows("begin", now, json({"source": source}))

    def finish(self) -> None:
        """The copy is complete: from now on this is a store like any other."""
        self._rows("finish")

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
        return self._replaced(table, row, self._vectors.column)

    def _read(
        self, table: Table, after: Key | None, until: Key | None, limit: int | None = None
    ) -> list[Row]:
        columns = ", ".join(
            self._vectors.COLUMN if (table.name, name) == _VECTOR else f"e.{self.column(table, name)}"
            for name in table.names
        )
        key = ", ".join(f"e.{self.column(table, name)}" for name in table.key)
        condition, values = "", list[Any]()
        for sign, bound in ((">", after), ("<=", until)):
            if bound is not None:
                condition += f" AND ({key}) {sign} ({', '.join('?' * len(bound))})"
                values += bound
        tail = "" if limit is None else f"LIMIT {limit}"
        rows = self._database.rows(
            f"SELECT {columns} FROM {table.name} e WHERE /*own e*/ 1 = 1{condition} ORDER BY {key} {tail}",
            values,
        )
        return [self._replaced(table, row, self._vectors.code) for row in rows]

    def _replaced(self, table: Table, row: Row, change: Callable[[Any], Any]) -> Row:
        """A row with its vector, if it has one, in another form."""
        if table.name != "embeddings":
            return row
        place = table.names.index("vector")
        return (*row[:place], change(row[place]), *row[place + 1 :])
