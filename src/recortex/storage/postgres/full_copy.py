"""Every table of a workspace as rows; with some go the words that they are found by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from recortex.storage.records.full_copy import FullCopyRecords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors
    from recortex.storage.tables import Key, Row, Table

_FOUND_BY = ("words", "length")


class FoundByWords(Protocol):
    """Records whose rows hold the words that they are found by."""

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a row, by its columns; they are counted."""

    def forget_words(self, key: int) -> None:
        """Take a row's words out of the counts."""


class PgFullCopy(FullCopyRecords):
    """Reads and writes whole tables."""

    def __init__(
        self,
        database: PgDatabase,
        vectors: PgVectors,
        found: Mapping[str, FoundByWords],
    ) -> None:
        """Take what counts the words of a table's rows.

        Args:
            database: the workspace.
            vectors: turns vectors into codes and back.
            found: by the names of the tables whose rows are found by words.
        """
        super().__init__(database, vectors)
        self._found = found

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one."""
        with self._database.transaction():
            if records := self._found.get(table.name):
                for key, *_ in self.between(table, after, until):
                    records.forget_words(key)
            super().put(table, after, until, rows)

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns that are written; also the words that a row is found by."""
        return (*table.names, *_FOUND_BY) if table.name in self._found else table.names

    def place_for(self, table: Table, name: str) -> str:
        """How a value is written into a column."""
        if table.name in self._found and name == "words":
            return "CAST(? AS tsvector)"
        return "CAST(? AS halfvec)" if (table.name, name) == ("embeddings", "vector") else "?"

    def written(self, table: Table, row: Row) -> Row:
        """A row as it is written."""
        records = self._found.get(table.name)
        if records is None:
            return super().written(table, row)
        found_by = records.found_by(dict(zip(table.names, row, strict=True)))
        return (*row, *(found_by[name] for name in _FOUND_BY))
